/* SPDX-License-Identifier: Apache-2.0 */
/* Lists of tensors, as TensorFlow's loops fill and read them. A list is one tensor here, whose
 * first dimension counts its elements, which have one shape. One of which that shape is not known
 * yet is a handle, until something is stored, or, where a loop does that, until one iteration, of
 * which nothing but shapes is used, has said what will be.
 */
#ifndef ORIBI_IMPORT_TENSORFLOW_TF_LIST_H_
#define ORIBI_IMPORT_TENSORFLOW_TF_LIST_H_

#include "import/tensorflow/tf_emit.h"

/* A list of nought, of as many elements as the number says; element_shape is a vector, or -1: not
 * known. Its tensor, or a handle where it must be. */
oribi_value_id oribi_tf_list_new(const oribi_tf_maker *m, TF_DataType dtype, oribi_value_id count,
                                 oribi_value_id element_shape);
/* The list with another element i; `grows`: one that is too short becomes longer. */
oribi_value_id oribi_tf_list_stored(const oribi_tf_maker *m, oribi_value_id list,
                                    oribi_value_id index, oribi_value_id element, bool grows);
/* With one element more. */
oribi_value_id oribi_tf_list_pushed(const oribi_tf_maker *m, oribi_value_id list,
                                    oribi_value_id element);
/* With slices of `values` at these places. */
oribi_value_id oribi_tf_list_scattered(const oribi_tf_maker *m, oribi_value_id list,
                                       oribi_value_id places, oribi_value_id values, bool grows);
/* The elements at these places, as one tensor. */
oribi_value_id oribi_tf_list_gathered(const oribi_tf_maker *m, oribi_value_id list,
                                      oribi_value_id places);
oribi_value_id oribi_tf_list_size(const oribi_tf_maker *m, oribi_value_id list);
/* Its elements one behind the other along their first dimension; how long each is is m->out[1]. */
oribi_value_id oribi_tf_list_concat(const oribi_tf_maker *m, oribi_value_id list);
/* A list of parts of the tensor, all of the same length: others are an error of the run. */
oribi_value_id oribi_tf_list_split(const oribi_tf_maker *m, oribi_value_id tensor,
                                   oribi_value_id lengths);
oribi_value_id oribi_tf_list_resized(const oribi_tf_maker *m, oribi_value_id list,
                                     oribi_value_id size);

/* A loop's inputs with tensors in the place of lists that it fills. */
bool oribi_tf_list_settle(oribi_tf_loop *loop, TF_Status *status);

#endif
