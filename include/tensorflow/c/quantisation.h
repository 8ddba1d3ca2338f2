/* SPDX-License-Identifier: Apache-2.0 */
/* How the integers of a value stand for real numbers, as the model says: for kernels when they are
 * created, and for shape functions. TFLite says it of each tensor; ONNX beside the operators that
 * quantise and dequantise, and the values between them have it. Since 1.3.
 */
#ifndef ORIBI_TENSORFLOW_C_QUANTISATION_H_
#define ORIBI_TENSORFLOW_C_QUANTISATION_H_

#include "tensorflow/c/kernels.h"
#include "tensorflow/c/ops.h"

#ifdef __cplusplus
extern "C" {
#endif

#if ORIBI_HAS_CONTRACT(1, 3)
/* real = scale * (stored - zero_point), with one pair for all elements, or one for each index of a
 * dimension. The caller sets struct_size; the host writes what both know. */
typedef struct TF_Quantisation {
    size_t struct_size;         /* TF_QUANTISATION_STRUCT_SIZE */
    const float *scales;        /* `count`, positive and finite */
    const int32_t *zero_points; /* `count`, in the range of the type */
    int32_t count;              /* 1; more: one for each index of dimension `axis` */
    int32_t axis;
} TF_Quantisation;
#define TF_QUANTISATION_STRUCT_SIZE TF_OFFSET_OF_END(TF_Quantisation, axis)

/* Of flat input or output i.
 * Owns     the arrays are the host's, valid while create runs.
 * Context  inside create; no allocation.
 * Returns  false, and *out untouched, when the model does not say it, i is out of range or
 *          struct_size is smaller: the integers are numbers, as far as the host knows.
 * Since    1.3
 * @context no-allocation
 */
TF_CAPI_EXPORT extern bool TF_OpKernelConstruction_InputQuantisation(TF_OpKernelConstruction *ctx,
                                                                     int i, TF_Quantisation *out);
TF_CAPI_EXPORT extern bool TF_OpKernelConstruction_OutputQuantisation(TF_OpKernelConstruction *ctx,
                                                                      int i, TF_Quantisation *out);

/* Of flat input i, for a shape function. While a model is read, what it says behind the node is not
 * known yet.
 * Owns     the arrays are the host's, valid while the shape function runs.
 * Context  inside a shape function; no allocation.
 * Returns  as above.
 * Since    1.3
 * @context no-allocation
 */
TF_CAPI_EXPORT extern bool TF_ShapeInferenceContextInputQuantisation(TF_ShapeInferenceContext *ctx,
                                                                     int i, TF_Quantisation *out);
#endif /* 1.3 */

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* ORIBI_TENSORFLOW_C_QUANTISATION_H_ */
