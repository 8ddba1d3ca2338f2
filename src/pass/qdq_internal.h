/* SPDX-License-Identifier: Apache-2.0 */
/* State of the pass qdq, between qdq.c (the walk), qdq_move.c (what only moves elements),
 * qdq_layer.c (convolutions and products of matrices), qdq_window.c (pools, sums, joins, softmax),
 * qdq_table.c (functions of one quantised tensor), qdq_scale.c (sums that a model scales itself)
 * and qdq_read.c (parameters).
 */
#ifndef ORIBI_PASS_QDQ_INTERNAL_H_
#define ORIBI_PASS_QDQ_INTERNAL_H_

#include "pass/pass_internal.h"

typedef struct oribi_qdq {
    oribi_graph *graph;
    const oribi_pass_options *options;
    oribi_pass_report *report;
    TF_Status *status;
    int32_t n_moved, n_made;
} oribi_qdq;

/* real = scale * (value - zero), 8 bits, constants. */
typedef struct oribi_qdq_side {
    oribi_value_id value;
    TF_DataType dtype;
    float scale;
    int32_t zero;
} oribi_qdq_side;

/* Holds what a result becomes: QuantizeLinear, and the rectifiers and clips before it as bounds. */
typedef struct oribi_qdq_end {
    oribi_node *quantize;
    oribi_qdq_side to;   /* value: the output of quantize */
    oribi_value_id real; /* what is left to be computed */
    int32_t low, high;
} oribi_qdq_end;

/* --- Parameters (qdq_read.c) ----------------------------------------------------------------- */

bool oribi_qdq_is_dequantize(const oribi_node *node); /* NULL, or a vendor's: false */
bool oribi_qdq_is_quantize(const oribi_node *node);
/* The value as it was before it was dequantised with one scale. */
bool oribi_qdq_side_of(const oribi_qdq *q, oribi_value_id real, oribi_qdq_side *out);
bool oribi_qdq_read_end(const oribi_qdq *q, oribi_node *quantize, oribi_qdq_end *out);
/* The bounds that a rectifier or clip sets; false: it is none, or its bounds are computed. */
bool oribi_qdq_read_clip(const oribi_qdq *q, const oribi_node *node, float *low, float *high);
/* `count` numbers of a constant scalar or vector, one that stands for all included. */
bool oribi_qdq_numbers(const oribi_graph *graph, oribi_value_id value, int64_t count, double *out);
/* The node that makes the value; NULL when something else reads it too, or it is a vendor's. */
oribi_node *oribi_qdq_sole_producer(const oribi_qdq *q, oribi_value_id value);
/* A number quantised and bounded. */
int32_t oribi_qdq_round(float real, const oribi_qdq_side *to, int32_t low, int32_t high);

/* --- Sums that are scaled (qdq_scale.c) ---------------------------------------------------------
 */

/* Are its results sums of products in int32? */
bool oribi_qdq_is_integer_product(const oribi_graph *graph, const oribi_node *node);
/* Takes a Mul by the product into the product, where it scales its sums. */
bool oribi_qdq_scale_sums(oribi_qdq *q, oribi_node *node);

/* --- Nodes ----------------------------------------------------------------------------------- */

/* The node with a kernel; NULL: it was NULL, or, with OK status, none fits, and it is gone. */
oribi_node *oribi_qdq_choose(oribi_qdq *q, oribi_node *node);
/* A resolved node with a kernel; NULL: with OK status none fits, and the node is gone. */
oribi_node *oribi_qdq_add(oribi_qdq *q, const char *op, const oribi_node *like,
                          const oribi_value_id *inputs, int32_t n_inputs, const oribi_attr *attrs,
                          int32_t n_attrs);
/* The same op on other inputs, which tell the attributes of types. NULL: with OK status its result
 * is not of this type then, or nobody has a kernel. (qdq_move.c) */
oribi_node *oribi_qdq_clone(oribi_qdq *q, const oribi_node *node, const oribi_value_id *inputs,
                            TF_DataType dtype);
/* The output of one that reshapes; -1: no memory. */
oribi_value_id oribi_qdq_reshape(oribi_qdq *q, oribi_value_id value, const int64_t *dims,
                                 int32_t rank, const oribi_node *like);
/* The result takes the place of the quantised value. */
bool oribi_qdq_finish(oribi_qdq *q, const oribi_qdq_end *end, const oribi_node *layer,
                      oribi_value_id result);

#define QDQ_INT(n, v)                                                                              \
    (oribi_attr)                                                                                   \
    {                                                                                              \
        .name = (n), .kind = TF_ATTR_INT, .count = 1, .u.i = &(const int64_t)                      \
        {                                                                                          \
            v                                                                                      \
        }                                                                                          \
    }
#define QDQ_FLOAT(n, v)                                                                            \
    (oribi_attr)                                                                                   \
    {                                                                                              \
        .name = (n), .kind = TF_ATTR_FLOAT, .count = 1, .u.f = &(const float)                      \
        {                                                                                          \
            v                                                                                      \
        }                                                                                          \
    }
#define QDQ_TYPE(n, v)                                                                             \
    (oribi_attr)                                                                                   \
    {                                                                                              \
        .name = (n), .kind = TF_ATTR_TYPE, .count = 1, .u.type = &(const TF_DataType)              \
        {                                                                                          \
            v                                                                                      \
        }                                                                                          \
    }
#define QDQ_INTS(n, v, c)                                                                          \
    (oribi_attr)                                                                                   \
    {                                                                                              \
        .name = (n), .kind = TF_ATTR_INT, .is_list = true, .count = (c), .u.i = (v)                \
    }

/* --- Rules: true when they changed the graph; false with OK status where they do not apply -----
 */

bool oribi_qdq_push_down(oribi_qdq *q, oribi_node *mover);
bool oribi_qdq_pull_up(oribi_qdq *q, oribi_node *quantize);
bool oribi_qdq_layer(oribi_qdq *q, const oribi_qdq_end *end);
bool oribi_qdq_float_product(oribi_qdq *q, oribi_node *matmul); /* its result stays float */
bool oribi_qdq_window(oribi_qdq *q, const oribi_qdq_end *end);
bool oribi_qdq_table(oribi_qdq *q, const oribi_qdq_end *end);
bool oribi_qdq_bytes(oribi_qdq *q, oribi_node *node); /* whose result is of bytes */
/* Padding of a window, before and after (height, width), of the attributes of TensorFlow's
 * convolutions and pools. Each pair is of height and width. */
bool oribi_qdq_read_pads(const oribi_node *node, const int64_t in[2], const int64_t taps[2],
                         const int64_t strides[2], const int64_t dilations[2], int64_t out_pads[4]);
/* The maximum pool of quantised elements; NULL: as oribi_qdq_add, or of another form. */
oribi_node *oribi_qdq_max_pool(oribi_qdq *q, const oribi_node *pool, oribi_value_id x);
/* x requantised by a table; x itself where nothing changes. -1: failed. */
oribi_value_id oribi_qdq_requantised(oribi_qdq *q, const oribi_qdq_side *from,
                                     const oribi_qdq_end *end, const oribi_node *like);

#endif
