/* SPDX-License-Identifier: Apache-2.0 */
/* See quantized.h. */
#include "cpu/quantised/quantized.h"

#include "micro/element.h"
#include "micro/elementwise/lookup_8.h"
#include "micro/elementwise/qlinear_binary_prepare.h"
#include "micro/elementwise/unary_8_prepare.h"

#include <stdlib.h>
#include <string.h>

static bool fine(const oribi_kit_setup *setup)
{
    return setup->state != NULL && TF_GetCode(setup->status) == TF_OK;
}

void oribi_quantized_attr_any(oribi_kit_setup *setup, const char *name,
                              struct oribi_micro_quantisation *out)
{
    char scale[32] = "", zero[32] = "";
    int64_t value = 0;
    strncat(strncat(scale, name, 20), "_scale", 10);
    strncat(strncat(zero, name, 20), "_zero", 10);
    oribi_kit_attr_float(setup, scale, &out->scale);
    oribi_kit_attr_int(setup, zero, &value);
    out->zero = value < INT32_MIN || value > INT32_MAX ? INT32_MAX : (int32_t)value;
}

void oribi_quantized_attr(oribi_kit_setup *setup, const char *name,
                          struct oribi_micro_quantisation *out)
{
    oribi_quantized_attr_any(setup, name, out);
    if (fine(setup) && (out->zero < INT8_MIN || out->zero > INT8_MAX)) {
        (void)oribi_kit_setup_fail(setup, TF_INVALID_ARGUMENT,
                                   "attribute '%s_zero' does not fit in an int8", name);
    }
}

int32_t oribi_quantized_kind(TF_DataType type)
{
    return type == TF_INT8    ? ORIBI_MICRO_S8
           : type == TF_UINT8 ? ORIBI_MICRO_U8
           : type == TF_INT32 ? ORIBI_MICRO_S32
                              : ORIBI_MICRO_S16;
}

void oribi_qlinear_attr(oribi_kit_setup *setup, const char *name, bool is_signed,
                        struct oribi_micro_quantisation *out)
{
    oribi_quantized_attr_any(setup, name, out);
    if (fine(setup) && oribi_micro_qlinear_check(*out, is_signed ? 1 : 0) != ORIBI_MICRO_OK) {
        (void)oribi_kit_setup_fail(setup, TF_INVALID_ARGUMENT,
                                   "%s_scale %g must be finite and above 0, and %s_zero %d a value "
                                   "of %s",
                                   name, (double)out->scale, name, (int)out->zero,
                                   is_signed ? "int8" : "uint8");
    }
}

void oribi_qlinear_bounds(oribi_kit_setup *setup, bool is_signed, int32_t *out_low,
                          int32_t *out_high)
{
    int64_t low = INT8_MIN, high = UINT8_MAX;
    oribi_kit_attr_int(setup, "low", &low);
    oribi_kit_attr_int(setup, "high", &high);
    if (fine(setup) && (low < INT8_MIN || high > UINT8_MAX || low > high)) {
        (void)oribi_kit_setup_fail(
            setup, TF_INVALID_ARGUMENT,
            "bounds %lld and %lld must fit in 8 bits, and the lower must come first",
            (long long)low, (long long)high);
        return;
    }
    *out_low = (int32_t)low;
    *out_high = (int32_t)high;
    oribi_micro_qlinear_bound(is_signed ? 1 : 0, out_low, out_high);
}

static bool is_zero_point(int64_t value)
{
    return value >= INT8_MIN && value <= UINT8_MAX;
}

void oribi_qlinear_zero(oribi_kit_setup *setup, const char *name, int32_t *out)
{
    int64_t zero = 0;
    oribi_kit_attr_int(setup, name, &zero);
    if (fine(setup) && !is_zero_point(zero)) {
        (void)oribi_kit_setup_fail(setup, TF_INVALID_ARGUMENT, "%s %lld must be a value of 8 bits",
                                   name, (long long)zero);
    }
    *out = (int32_t)zero;
}

bool oribi_qlinear_zeros(oribi_kit_run *run, int index)
{
    const int32_t *zeros = TF_TensorData(run->in[index]);
    for (int64_t i = 0; i < TF_TensorElementCount(run->in[index]); i++) {
        if (!is_zero_point(zeros[i])) {
            return oribi_kit_fail(run, TF_INVALID_ARGUMENT,
                                  "zero point %d of input %d must be a value of 8 bits",
                                  (int)zeros[i], index);
        }
    }
    return true;
}

/* Index of the attribute's value among `words`. */
void oribi_quantized_word(oribi_kit_setup *setup, const char *name, const char *const *words,
                          int count, int32_t *out)
{
    char value[32] = "";
    oribi_kit_attr_string(setup, name, value, sizeof value);
    for (int32_t i = 0; fine(setup) && i < count; i++) {
        if (strcmp(words[i], value) == 0) {
            *out = i;
            return;
        }
    }
    if (fine(setup)) {
        (void)oribi_kit_setup_fail(setup, TF_INVALID_ARGUMENT,
                                   "attribute '%s' has the unsupported value '%s'", name, value);
    }
}

void oribi_quantized_activation(oribi_kit_setup *setup, int32_t *out)
{
    static const char *const words[] = {[ORIBI_MICRO_NONE] = "NONE",
                                        [ORIBI_MICRO_RELU] = "RELU",
                                        [ORIBI_MICRO_RELU6] = "RELU6",
                                        [ORIBI_MICRO_RELU_N1_TO_1] = "RELU_N1_TO_1"};
    oribi_quantized_word(setup, "activation", words, 4, out);
}

void oribi_quantized_padding(oribi_kit_setup *setup, int32_t *out)
{
    static const char *const words[] = {[ORIBI_MICRO_VALID] = "VALID",
                                        [ORIBI_MICRO_SAME] = "SAME",
                                        [ORIBI_MICRO_EXPLICIT] = "EXPLICIT"};
    oribi_quantized_word(setup, "padding", words, 3, out);
}

void oribi_quantized_pads(oribi_kit_setup *setup, int32_t *out, int32_t pads[4])
{
    enum { PAIRS = 8 }; /* of batch, rows, columns, channels */
    int64_t all[PAIRS] = {0};
    int n = 0;
    oribi_quantized_padding(setup, out);
    if (*out != ORIBI_MICRO_EXPLICIT) {
        return;
    }
    oribi_kit_attr_ints(setup, "explicit_paddings", all, PAIRS, &n);
    bool fits = n == PAIRS && all[0] == 0 && all[1] == 0 && all[6] == 0 && all[7] == 0;
    for (int i = 0; i < 4; i++) {
        fits = fits && all[2 + i] >= 0 && all[2 + i] < INT32_MAX;
        pads[i] = fits ? (int32_t)all[2 + i] : 0;
    }
    if (fine(setup) && !fits) {
        (void)oribi_kit_setup_fail(setup, TF_INVALID_ARGUMENT,
                                   "attribute 'explicit_paddings' must hold 8 sizes, those of "
                                   "batch and channels 0");
    }
}

void oribi_quantized_variant(oribi_kit_setup *setup, int32_t *out)
{
    static const char *const words[] = {
        [ORIBI_MICRO_TFLM] = "tflm", [ORIBI_MICRO_TFLITE] = "tflite"};
    oribi_quantized_word(setup, "rounding", words, 2, out);
}

void oribi_quantized_function(oribi_kit_setup *setup, int32_t *out)
{
    oribi_quantized_word(setup, "function", oribi_micro_unary_words(), ORIBI_MICRO_UNARY_FUNCTIONS,
                         out);
}

void oribi_quantized_pair(oribi_kit_setup *setup, const char *name, int32_t *out_h, int32_t *out_w)
{
    int64_t pair[2] = {0, 0};
    oribi_kit_attr_ints(setup, name, pair, 2, NULL);
    if (fine(setup) && (pair[0] < 1 || pair[0] > INT32_MAX || pair[1] < 1 || pair[1] > INT32_MAX)) {
        (void)oribi_kit_setup_fail(setup, TF_INVALID_ARGUMENT,
                                   "attribute '%s' is (%lld, %lld); it must be positive", name,
                                   (long long)pair[0], (long long)pair[1]);
    }
    *out_h = (int32_t)pair[0];
    *out_w = (int32_t)pair[1];
}

/* Constant input `index` of this type and rank, its dims in out. */
static TF_Tensor *constant(oribi_kit_setup *setup, int index, TF_DataType type, int rank,
                           int32_t *out_dims)
{
    TF_Tensor *tensor = NULL;
    if (!fine(setup)) {
        return NULL;
    }
    TF_OpKernelConstruction_ConstantInput(setup->construction, index, &tensor, setup->status);
    if (TF_GetCode(setup->status) == TF_NOT_FOUND) {
        TF_SetStatus(setup->status, TF_OK, "");
        (void)oribi_kit_setup_fail(setup, TF_UNIMPLEMENTED,
                                   "input %d must be a constant for this kernel", index);
    }
    bool fits = fine(setup) && TF_TensorType(tensor) == type && TF_NumDims(tensor) == rank;
    for (int i = 0; fits && i < rank; i++) {
        const int64_t dim = TF_Dim(tensor, i);
        fits = dim >= 1 && dim <= INT32_MAX;
        out_dims[i] = (int32_t)dim;
    }
    if (fine(setup) && !fits) {
        (void)oribi_kit_setup_fail(setup, TF_INVALID_ARGUMENT,
                                   "constant input %d must have type %d, rank %d and no dim of 0",
                                   index, (int)type, rank);
    }
    return tensor;
}

void oribi_quantized_weights_take(oribi_kit_setup *setup, int rank, int channel_dim,
                                  oribi_quantized_weights *out)
{
    int32_t bias_dims[1] = {0}, n = 0, total = 0;
    out->filter_tensor = constant(setup, 1, TF_INT8, rank, out->filter_dims);
    out->bias_tensor = constant(setup, 2, TF_INT32, 1, bias_dims);
    if (!fine(setup)) {
        return;
    }
    out->n_channels = out->filter_dims[channel_dim];
    out->filter = TF_TensorData(out->filter_tensor);
    out->bias = TF_TensorData(out->bias_tensor);
    TF_OpKernelConstruction_GetAttrSize(setup->construction, "filter_scales", &n, &total,
                                        setup->status);
    if (fine(setup) && ((n != 1 && n != out->n_channels) || bias_dims[0] != out->n_channels)) {
        (void)oribi_kit_setup_fail(setup, TF_INVALID_ARGUMENT,
                                   "%d filter scales and %d biases do not fit %d channels", (int)n,
                                   (int)bias_dims[0], (int)out->n_channels);
    }
    if (!fine(setup)) {
        return;
    }
    const size_t channels = (size_t)out->n_channels;
    out->n_scales = n;
    out->scales = calloc((size_t)n, sizeof(float));
    out->folded = calloc(channels, sizeof(int32_t));
    out->multiplier = calloc(channels, sizeof(int32_t));
    out->shift = calloc(channels, sizeof(int32_t));
    if (out->scales == NULL || out->folded == NULL || out->multiplier == NULL ||
        out->shift == NULL) {
        (void)oribi_kit_setup_fail(setup, TF_RESOURCE_EXHAUSTED, "no memory for %d channels",
                                   (int)out->n_channels);
        return;
    }
    TF_OpKernelConstruction_GetAttrFloatList(setup->construction, "filter_scales", out->scales, n,
                                             setup->status);
}

void oribi_quantized_weights_free(oribi_quantized_weights *weights)
{
    if (weights == NULL) {
        return;
    }
    if (weights->filter_tensor != NULL) {
        TF_DeleteTensor(weights->filter_tensor);
    }
    if (weights->bias_tensor != NULL) {
        TF_DeleteTensor(weights->bias_tensor);
    }
    free(weights->scales);
    free(weights->folded);
    free(weights->multiplier);
    free(weights->shift);
}

static bool view_of(oribi_kit_setup *setup, int index, TF_DataType type, TF_ConstantView *out)
{
    *out = (TF_ConstantView){.struct_size = TF_CONSTANT_VIEW_STRUCT_SIZE};
    return fine(setup) && TF_OpKernelConstruction_ConstantView(setup->construction, index, out) &&
           out->dtype == (int32_t)type;
}

/* Do its elements, of this width, lie one behind the other? */
static bool is_dense(const TF_ConstantView *view, int64_t width)
{
    for (int32_t i = view->rank; i-- > 0;) {
        if (view->dims[i] < 1 || (view->dims[i] > 1 && view->strides[i] != width)) {
            return false;
        }
        width *= view->dims[i]; /* a model's constant fits in memory */
    }
    return true;
}

/* Elements from an axis on, one behind the other; returns where they end. */
static uint8_t *copy_axes(const TF_ConstantView *view, int32_t axis, const uint8_t *from,
                          uint8_t *to)
{
    for (int64_t i = 0; i < view->dims[axis]; i++, from += view->strides[axis]) {
        if (axis < view->rank - 1) {
            to = copy_axes(view, axis + 1, from, to);
        } else {
            *to++ = *from;
        }
    }
    return to;
}

/* The bytes of input 1, or of a dense copy where a model stores them in another order. */
static bool take_bytes(oribi_kit_setup *setup, oribi_qlinear_constants *out)
{
    const TF_ConstantView *view = &out->view;
    size_t bytes = 1; /* a model's constant fits in memory */
    out->bytes = view->data;
    for (int32_t i = 0; i < view->rank; i++) {
        if (view->dims[i] < 1) {
            return false;
        }
        bytes *= (size_t)view->dims[i];
    }
    if (is_dense(view, 1)) {
        return true;
    }
    out->copy = malloc(bytes);
    if (out->copy == NULL) {
        return oribi_kit_setup_fail(setup, TF_RESOURCE_EXHAUSTED, "no memory for the weights");
    }
    (void)copy_axes(view, 0, view->data, out->copy);
    out->bytes = out->copy;
    return true;
}

void oribi_qlinear_constants_free(oribi_qlinear_constants *constants)
{
    free(constants->copy);
    free(constants->zeros);
    *constants = (oribi_qlinear_constants){0};
}

static bool take_zeros(oribi_kit_setup *setup, int input, oribi_qlinear_constants *out)
{
    TF_ConstantView zeros;
    if (!view_of(setup, input, TF_INT32, &zeros) || !is_dense(&zeros, (int64_t)sizeof(int32_t))) {
        return false;
    }
    out->n_zeros = 1;
    for (int32_t i = 0; i < zeros.rank; i++) {
        out->n_zeros *= zeros.dims[i];
    }
    out->zeros = calloc((size_t)out->n_zeros, sizeof *out->zeros);
    if (out->zeros == NULL) {
        return oribi_kit_setup_fail(setup, TF_RESOURCE_EXHAUSTED, "no memory for zero points");
    }
    memcpy(out->zeros, zeros.data, (size_t)out->n_zeros * sizeof *out->zeros);
    bool fits = true; /* if not, each run says so */
    for (int64_t i = 0; i < out->n_zeros; i++) {
        fits = fits && out->zeros[i] >= INT8_MIN && out->zeros[i] <= UINT8_MAX;
    }
    return fits;
}

bool oribi_qlinear_constants_take(oribi_kit_setup *setup, TF_DataType type, int32_t rank, int zeros,
                                  oribi_qlinear_constants *out)
{
    *out = (oribi_qlinear_constants){0};
    const bool fits = view_of(setup, 1, type, &out->view) && out->view.rank >= rank &&
                      (zeros < 0 || take_zeros(setup, zeros, out)) && take_bytes(setup, out);
    if (!fits) {
        oribi_qlinear_constants_free(out);
    }
    return fits;
}

bool oribi_quantized_setup_check(oribi_kit_setup *setup, int32_t code)
{
    return code == ORIBI_MICRO_OK ||
           oribi_kit_setup_fail(setup, TF_INVALID_ARGUMENT, "%s", oribi_micro_text(code));
}

bool oribi_quantized_check(oribi_kit_run *run, int32_t code)
{
    return code == ORIBI_MICRO_OK ||
           oribi_kit_fail(run, TF_INVALID_ARGUMENT, "%s", oribi_micro_text(code));
}

bool oribi_quantized_sizes(oribi_kit_run *run, int index, int min_rank, int max_rank,
                           oribi_sizes *out)
{
    oribi_cpu_shape shape;
    out->n = 0;
    if (!oribi_cpu_input_shape(run, index, &shape)) {
        return false;
    }
    if (shape.n < min_rank || shape.n > max_rank) {
        return oribi_kit_fail(run, TF_INVALID_ARGUMENT,
                              "input %d has rank %d; %d to %d are supported", index, shape.n,
                              min_rank, max_rank);
    }
    for (int i = 0; i < shape.n; i++) {
        if (!oribi_sizes_add(out, shape.at[i])) {
            return oribi_kit_fail(run, TF_INVALID_ARGUMENT, "input %d is too large", index);
        }
    }
    return true;
}

bool oribi_quantized_dims(oribi_kit_run *run, int index, int min_rank, int max_rank,
                          int32_t *out_dims, int *out_rank)
{
    oribi_sizes sizes;
    if (!oribi_quantized_sizes(run, index, min_rank, max_rank, &sizes)) {
        return false;
    }
    memcpy(out_dims, sizes.at, (size_t)sizes.n * sizeof *out_dims);
    *out_rank = sizes.n;
    return true;
}

bool oribi_quantized_operands_take(oribi_kit_run *run, int inner, oribi_quantized_operands *out)
{
    const int most = ORIBI_MICRO_BROADCAST_RANK + inner;
    oribi_cpu_shape *a = &out->a_shape, *b = &out->b_shape;
    if (!oribi_quantized_sizes(run, 0, inner, most, &out->a) ||
        !oribi_quantized_sizes(run, 1, inner, most, &out->b) || !oribi_cpu_input_shape(run, 0, a) ||
        !oribi_cpu_input_shape(run, 1, b)) {
        return false;
    }
    a->n -= inner;
    b->n -= inner;
    if (!oribi_cpu_broadcast(run, a, b, &out->y)) {
        return false;
    }
    out->n_whole = 0;
    for (int i = 0; i < 2; i++) {
        if (oribi_cpu_shape_equal(i == 0 ? a : b, &out->y)) {
            out->whole[out->n_whole++] = i;
        }
    }
    a->n += inner;
    b->n += inner;
    out->a_data = TF_TensorData(run->in[0]);
    out->b_data = TF_TensorData(run->in[1]);
    return true;
}

void oribi_quantized_matrices(const struct oribi_micro_broadcast *batches, int64_t batch,
                              int64_t *out_a, int64_t *out_b)
{
    *out_a = *out_b = 0;
    for (int32_t i = batches->rank - 1; i >= 0; i--) {
        const int64_t at = batch % batches->dims[i];
        batch /= batches->dims[i];
        *out_a += at * batches->a_step[i];
        *out_b += at * batches->b_step[i];
    }
}

int32_t oribi_quantized_count(oribi_kit_run *run, oribi_cpu_shape *out_shape)
{
    if (!oribi_cpu_input_shape(run, 0, out_shape)) {
        return -1;
    }
    const int64_t values = oribi_cpu_product(out_shape->at, out_shape->n);
    if (values > INT32_MAX) {
        (void)oribi_kit_fail(run, TF_INVALID_ARGUMENT, "a tensor has 2^31 values or more");
        return -1;
    }
    return (int32_t)values;
}

static void each_units(void *object, int64_t begin, int64_t end)
{
    const oribi_quantized_each *each = object;
    each->call(each->args, (int32_t)(end - begin), (const char *)each->x + begin * each->x_bytes,
               (char *)each->y + begin * each->y_bytes);
}

void oribi_quantized_run_each(oribi_kit_run *run, const oribi_quantized_each *each, int64_t count,
                              int64_t cost)
{
    oribi_quantized_each own = *each;
    oribi_kit_parallel(run, count, cost, &own, each_units);
}

static int64_t inner_of(const struct oribi_micro_broadcast *shape)
{
    int64_t count = 1;
    for (int32_t i = 1; i < shape->rank; i++) {
        count *= shape->dims[i];
    }
    return count;
}

static void pairs_units(void *object, int64_t begin, int64_t end)
{
    const oribi_quantized_pairs *pairs = object;
    struct oribi_micro_broadcast shape = *pairs->shape;
    shape.dims[0] = (int32_t)(end - begin);
    pairs->call(
        pairs->args, &shape, (const char *)pairs->a + begin * shape.a_step[0] * pairs->width,
        (const char *)pairs->b + begin * shape.b_step[0] * (pairs->b_is_narrow ? 1 : pairs->width),
        (char *)pairs->y + begin * inner_of(&shape) * pairs->width);
}

void oribi_quantized_run_pairs(oribi_kit_run *run, const oribi_quantized_pairs *pairs)
{
    enum { PAIR_CYCLES = 8 };
    oribi_quantized_pairs own = *pairs;
    oribi_kit_parallel(run, pairs->shape->dims[0], inner_of(pairs->shape) * PAIR_CYCLES, &own,
                       pairs_units);
}

typedef struct lookup_call {
    const uint8_t *table;
    oribi_lookup_loop *loop;
} lookup_call;

static void lookup(const void *object, int32_t count, const void *x, void *y)
{
    const lookup_call *call = object;
    const struct oribi_micro_lookup_8_args args = {count, call->table};
    call->loop(&args, x, y);
}

bool oribi_quantized_lookup(oribi_kit_run *run, const oribi_byte_table *table,
                            oribi_lookup_loop *loop)
{
    oribi_cpu_shape shape;
    const int32_t count = oribi_quantized_count(run, &shape);
    if (count < 0) {
        return false;
    }
    const lookup_call call = {table->values, loop};
    oribi_quantized_each each = {&call, lookup, TF_TensorData(run->in[0]), NULL, 1, 1};
    each.y = oribi_kit_output_in_place(run, (const int[]){0}, 1, shape.at, shape.n);
    if (each.y != NULL) {
        oribi_quantized_run_each(run, &each, count, 1);
    }
    return each.y != NULL;
}
