/* SPDX-License-Identifier: Apache-2.0 */
/* What the kernels of Oribi>Q... ops have in common: quantisation attributes, constants of a layer,
 * sizes as micro/ wants them. No arithmetic: that is micro/'s, the same that emitted code carries.
 */
#ifndef ORIBI_PLUGINS_CPU_QUANTIZED_H_
#define ORIBI_PLUGINS_CPU_QUANTIZED_H_

#include "cpu/base/cpu.h"
#include "cpu/base/cpu_shape.h"
#include "micro/broadcast.h"
#include "micro/elementwise/lookup_8.h"
#include "micro/prepare.h"

/* <name>_scale and <name>_zero. */
void oribi_quantized_attr(oribi_kit_setup *setup, const char *name,
                          struct oribi_micro_quantisation *out);
/* The same of any quantised type, its zero point unchecked: prepare functions look. */
void oribi_quantized_attr_any(oribi_kit_setup *setup, const char *name,
                              struct oribi_micro_quantisation *out);
#define ORIBI_QUANTIZED_BYTES (ORIBI_KIT_TYPE(TF_INT8) | ORIBI_KIT_TYPE(TF_UINT8))
#define ORIBI_QUANTIZED_TYPES                                                                      \
    (ORIBI_KIT_TYPE(TF_INT8) | ORIBI_KIT_TYPE(TF_UINT8) | ORIBI_KIT_TYPE(TF_INT16))
/* A reference kernel; behind it stand its types. */
#define ORIBI_QUANTIZED_ROW(op, make, fn, ...)                                                     \
    {                                                                                              \
        .op_name = op, .types = {__VA_ARGS__}, .priority = ORIBI_CPU_REFERENCE,                    \
        .create = make##_create, .compute = fn##_compute, .destroy = oribi_kit_free,               \
        .why = ORIBI_QUANTIZED_WHY                                                                 \
    }
#define ORIBI_QUANTIZED_WHY "the arithmetic of micro/, bit for bit"
/* The kind (element.h) of int8, uint8, int16 or int32. */
int32_t oribi_quantized_kind(TF_DataType type);
/* The same of a byte of either sign; the zero point is checked against it. low and high too. */
void oribi_qlinear_attr(oribi_kit_setup *setup, const char *name, bool is_signed,
                        struct oribi_micro_quantisation *out);
void oribi_qlinear_bounds(oribi_kit_setup *setup, bool is_signed, int32_t *out_low,
                          int32_t *out_high);
/* A zero point that may be of either sign, as types are not known to agree: the attribute, and each
 * value of input `index`. What is larger overflows products and sums. */
void oribi_qlinear_zero(oribi_kit_setup *setup, const char *name, int32_t *out);
bool oribi_qlinear_zeros(oribi_kit_run *run, int index);
/* What a quantised layer's result is, by its type: ORIBI_MICRO_QLINEAR_... (qlinear_kernels.c). */
int32_t oribi_qlinear_output(TF_DataType type);
/* The codes of prepare.h. */
void oribi_quantized_activation(oribi_kit_setup *setup, int32_t *out);
void oribi_quantized_padding(oribi_kit_setup *setup, int32_t *out);
/* The same, and of EXPLICIT what is above, below, left and right. */
void oribi_quantized_pads(oribi_kit_setup *setup, int32_t *out, int32_t pads[4]);
void oribi_quantized_variant(oribi_kit_setup *setup, int32_t *out);
/* A code of unary_8_prepare.h, of attribute `function`. */
void oribi_quantized_function(oribi_kit_setup *setup, int32_t *out);
/* The number of an attribute's word. */
void oribi_quantized_word(oribi_kit_setup *setup, const char *name, const char *const *words,
                          int count, int32_t *out);
/* Two positive values, (height, width). */
void oribi_quantized_pair(oribi_kit_setup *setup, const char *name, int32_t *out_h, int32_t *out_w);

/* The list filter_scales in a new array, which the caller frees; NULL: failed. */
float *oribi_quantized_scales(oribi_kit_setup *setup, int32_t *out_n);
/* An integer attribute that must fit int32; INT32_MAX, which no zero point is, otherwise. */
int32_t oribi_quantized_int(oribi_kit_setup *setup, const char *name);

/* Filter, bias and what prepare makes of them, owned by a kernel. */
typedef struct oribi_quantized_weights {
    TF_Tensor *filter_tensor, *bias_tensor;
    const int8_t *filter;
    const int32_t *bias;
    float *scales;
    int32_t n_scales;
    int32_t filter_dims[4];
    int32_t *folded, *multiplier, *shift; /* n_channels each */
    int32_t n_channels;
} oribi_quantized_weights;

/* Takes the constant inputs 1 (filter, of this rank, whose dimension channel_dim counts the result
 * channels) and 2 (bias), and filter_scales. Fails when one is not constant or does not fit. */
void oribi_quantized_weights_take(oribi_kit_setup *setup, int rank, int channel_dim,
                                  oribi_quantized_weights *out);
void oribi_quantized_weights_free(oribi_quantized_weights *weights);

/* Weights of ONNX's quantised operators that no run changes. */
typedef struct oribi_qlinear_constants {
    TF_ConstantView view; /* perhaps of a transposed matrix; valid while create runs */
    const uint8_t *bytes; /* its elements, dense */
    uint8_t *copy;        /* what they are in where the view is not dense, else NULL */
    int32_t *zeros;
    int64_t n_zeros;
} oribi_qlinear_constants;
/* Are input 1, of this type and at least this rank, and its zero points, that input (-1: there are
 * none, out->zeros is NULL), constants? Then the caller frees them. */
bool oribi_qlinear_constants_take(oribi_kit_setup *setup, TF_DataType type, int32_t rank, int zeros,
                                  oribi_qlinear_constants *out);
void oribi_qlinear_constants_free(oribi_qlinear_constants *constants);

/* Turns a code of prepare.h other than OK into a failure. */
bool oribi_quantized_setup_check(oribi_kit_setup *setup, int32_t code);
bool oribi_quantized_check(oribi_kit_run *run, int32_t code);

/* Dims of input `index` as int32; fails when one is larger, or the rank is not min_rank..max_rank.
 */
bool oribi_quantized_sizes(oribi_kit_run *run, int index, int min_rank, int max_rank,
                           oribi_sizes *out);
/* The same into an array of max_rank. */
bool oribi_quantized_dims(oribi_kit_run *run, int index, int min_rank, int max_rank,
                          int32_t *out_dims, int *out_rank);
/* Inputs 0 and 1, which broadcast but for the last axes of both. */
typedef struct oribi_quantized_operands {
    oribi_sizes a, b;
    oribi_cpu_shape a_shape, b_shape, y; /* y: of the result, without those axes */
    const void *a_data, *b_data;
    int whole[2], n_whole; /* inputs of y's shape, whose memory may be the result's */
} oribi_quantized_operands;
/* Fails unless they have `inner` axes and at most ORIBI_MICRO_BROADCAST_RANK more. */
bool oribi_quantized_operands_take(oribi_kit_run *run, int inner, oribi_quantized_operands *out);
/* Which matrices of both sides belong to product `batch`, as micro/ counts them. */
void oribi_quantized_matrices(const struct oribi_micro_broadcast *batches, int64_t batch,
                              int64_t *out_a, int64_t *out_b);
/* Shape and number of values of input 0; -1: failed, they do not fit an int32. */
int32_t oribi_quantized_count(oribi_kit_run *run, oribi_cpu_shape *out_shape);

/* A kernel of micro/ that takes one value, or one row, after the other. */
typedef struct oribi_quantized_each {
    const void *args; /* its own, whose count is not looked at */
    void (*call)(const void *args, int32_t count, const void *x, void *y);
    const void *x;
    void *y;
    int64_t x_bytes, y_bytes; /* of a value, or of a row */
} oribi_quantized_each;
/* Calls it over all of them on the pool, so that a run which was stopped goes no further. cost:
 * cycles of one, about. */
void oribi_quantized_run_each(oribi_kit_run *run, const oribi_quantized_each *each, int64_t count,
                              int64_t cost);

/* A kernel of micro/ of two operands that broadcast. */
typedef struct oribi_quantized_pairs {
    const void *args; /* its own, whose shape is not looked at */
    const struct oribi_micro_broadcast *shape;
    void (*call)(const void *args, const struct oribi_micro_broadcast *shape, const void *a,
                 const void *b, void *y);
    const void *a, *b;
    void *y;
    int64_t width;    /* of a and y */
    bool b_is_narrow; /* b has bytes, whatever the width */
} oribi_quantized_pairs;
/* Calls it over all results in slices of the outermost dimension, as above. */
void oribi_quantized_run_pairs(oribi_kit_run *run, const oribi_quantized_pairs *pairs);

/* A function of bytes: the state of kernels that are one. */
typedef struct oribi_byte_table {
    uint8_t values[256];
} oribi_byte_table;
/* Output 0: the table's entry for each byte of input 0, by this loop. */
typedef void oribi_lookup_loop(const struct oribi_micro_lookup_8_args *args, const void *input,
                               void *output);
bool oribi_quantized_lookup(oribi_kit_run *run, const oribi_byte_table *table,
                            oribi_lookup_loop *loop);

enum { ORIBI_QUANTIZED_SUMS = 64 }; /* of neighbours, at a time */

/* Adds n neighbours of each row to their sums; a row begins `step` behind the one before. Compilers
 * see that nothing overlaps. */
static inline void oribi_quantized_add_rows(const int8_t *restrict from, int64_t step, int64_t rows,
                                            int32_t n, int32_t *restrict sums)
{
    for (int64_t row = 0; row < rows; row++, from += step) {
        for (int32_t k = 0; k < n; k++) {
            sums[k] += from[k];
        }
    }
}

#endif
