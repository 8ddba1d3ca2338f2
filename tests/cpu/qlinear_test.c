/* SPDX-License-Identifier: Apache-2.0 */
/* Every variant of ONNX>QLinearConv2D, ONNX>QLinearMatMul and Oribi>HybridConv2D against the
 * reference row, to the bit: long windows, many channels, few rows, groups, depthwise, dilation,
 * padding, batches, each type of results; weights as inputs and as constants, which creation packs.
 */
#include "kernel_harness.h"

typedef struct layer_case {
    int64_t x[4], filter[4]; /* NHWC, HWIO */
    int64_t strides[2], dilations[2], pads[4];
    TF_DataType input, weights, result;
    int64_t low, high;
} layer_case;

/* clang-format off */
static const layer_case cases[] = {
    {{1, 1, 1, 1}, {1, 1, 1, 1}, {1, 1}, {1, 1}, {0, 0, 0, 0}, TF_UINT8, TF_INT8, TF_UINT8, 0, 255},
    {{2, 9, 7, 5}, {3, 3, 5, 20}, {1, 1}, {1, 1}, {1, 1, 1, 1}, TF_UINT8, TF_INT8, TF_UINT8, 0, 255},
    {{1, 9, 8, 3}, {3, 2, 3, 17}, {2, 1}, {1, 2}, {2, 0, 1, 3}, TF_INT8, TF_INT8, TF_INT8, -20, 90},
    {{1, 5, 5, 130}, {3, 3, 130, 33}, {1, 1}, {1, 1}, {1, 1, 1, 1}, TF_INT8, TF_INT8, TF_INT8, -128, 127},
    {{1, 3, 3, 40}, {1, 1, 40, 300}, {1, 1}, {1, 1}, {0, 0, 0, 0}, TF_UINT8, TF_UINT8, TF_UINT8, 3, 200},
    {{1, 1, 1, 2500}, {1, 1, 2500, 270}, {1, 1}, {1, 1}, {0, 0, 0, 0}, TF_UINT8, TF_UINT8, TF_INT32, -128, 255},
    {{1, 1, 3, 1029}, {1, 1, 1029, 31}, {1, 1}, {1, 1}, {0, 0, 0, 0}, TF_INT8, TF_UINT8, TF_FLOAT, -128, 255},
    {{1, 1, 9, 1029}, {1, 1, 1029, 31}, {1, 1}, {1, 1}, {0, 0, 0, 0}, TF_INT8, TF_UINT8, TF_FLOAT, -128, 255},
    {{1, 6, 6, 12}, {3, 3, 4, 9}, {1, 1}, {1, 1}, {1, 0, 0, 1}, TF_UINT8, TF_INT8, TF_INT32, -128, 255},
    {{1, 2, 1, 12}, {2, 1, 4, 18}, {1, 1}, {1, 1}, {0, 0, 0, 0}, TF_UINT8, TF_INT8, TF_UINT8, 0, 255},
    {{2, 7, 6, 270}, {3, 3, 1, 270}, {1, 2}, {1, 1}, {1, 1, 1, 1}, TF_UINT8, TF_INT8, TF_UINT8, 0, 255},
    {{1, 7, 6, 7}, {3, 2, 1, 7}, {1, 1}, {2, 1}, {2, 0, 2, 1}, TF_INT8, TF_INT8, TF_INT8, -128, 127},
    {{1, 7, 6, 6}, {3, 3, 1, 12}, {1, 1}, {1, 1}, {1, 1, 1, 1}, TF_INT8, TF_INT8, TF_INT8, -128, 127},
    {{1, 7, 7, 648}, {1, 1, 648, 40}, {1, 1}, {1, 1}, {0, 0, 0, 0}, TF_UINT8, TF_INT8, TF_UINT8, 0, 255},
    {{2, 5, 7, 16}, {1, 1, 16, 24}, {1, 1}, {1, 1}, {0, 0, 0, 0}, TF_UINT8, TF_INT8, TF_INT8, -100, 127},
    {{1, 9, 9, 8}, {1, 1, 8, 16}, {2, 1}, {1, 1}, {0, 0, 0, 0}, TF_UINT8, TF_UINT8, TF_UINT8, 0, 200},
    {{1, 3, 9, 40}, {9, 9, 1, 40}, {1, 1}, {1, 1}, {4, 4, 4, 4}, TF_UINT8, TF_INT8, TF_UINT8, 0, 255},
    {{1, 6, 7, 72}, {1, 1, 72, 70}, {1, 1}, {1, 1}, {0, 0, 0, 0}, TF_UINT8, TF_INT8, TF_UINT8, 0, 255},
    {{1, 5, 7, 72}, {1, 1, 72, 70}, {1, 1}, {1, 1}, {0, 0, 0, 0}, TF_INT8, TF_INT8, TF_INT8, -128, 127},
    {{1, 1, 3, 72}, {1, 1, 72, 70}, {1, 1}, {1, 1}, {0, 0, 0, 0}, TF_INT8, TF_INT8, TF_INT8, -128, 127},
    {{1, 7, 9, 43}, {3, 3, 1, 43}, {1, 1}, {1, 1}, {1, 1, 1, 1}, TF_INT8, TF_INT8, TF_UINT8, 0, 255},
    {{1, 9, 12, 32}, {3, 3, 1, 32}, {2, 2}, {1, 1}, {0, 0, 1, 1}, TF_UINT8, TF_INT8, TF_INT8, -128, 127},
    {{2, 9, 14, 32}, {3, 3, 1, 32}, {1, 1}, {2, 2}, {2, 2, 2, 2}, TF_UINT8, TF_UINT8, TF_UINT8, 9, 255},
    {{1, 9, 14, 16}, {3, 3, 1, 16}, {3, 3}, {1, 1}, {1, 1, 1, 1}, TF_UINT8, TF_INT8, TF_UINT8, 0, 255},
    {{1, 9, 11, 35}, {5, 5, 1, 35}, {1, 2}, {1, 1}, {2, 2, 2, 2}, TF_INT8, TF_INT8, TF_INT8, -90, 90},
    {{1, 9, 7, 16}, {4, 2, 1, 16}, {1, 1}, {1, 1}, {1, 0, 2, 1}, TF_UINT8, TF_INT8, TF_INT32, -128, 127},
    {{1, 4, 9, 32}, {1, 7, 1, 32}, {1, 1}, {1, 1}, {0, 3, 0, 3}, TF_UINT8, TF_INT8, TF_UINT8, 0, 255},
    {{2, 21, 13, 130}, {3, 3, 1, 130}, {1, 1}, {1, 1}, {1, 1, 1, 1}, TF_UINT8, TF_INT8, TF_UINT8, 0, 255},
    {{2, 8, 9, 3}, {3, 3, 3, 40}, {2, 2}, {1, 1}, {0, 0, 1, 1}, TF_UINT8, TF_INT8, TF_UINT8, 0, 255},
    {{2, 9, 9, 16}, {3, 3, 8, 18}, {1, 1}, {3, 2}, {3, 2, 3, 2}, TF_INT8, TF_INT8, TF_INT8, -128, 127},
    {{1, 7, 7, 20}, {3, 3, 20, 70}, {1, 1}, {1, 1}, {1, 1, 1, 1}, TF_INT8, TF_INT8, TF_INT8, -128, 127},
    {{1, 14, 14, 24}, {3, 3, 24, 40}, {1, 1}, {1, 1}, {1, 1, 1, 1}, TF_UINT8, TF_INT8, TF_UINT8, 0, 255},
    {{2, 5, 7, 8}, {3, 3, 8, 33}, {1, 1}, {1, 1}, {1, 1, 1, 1}, TF_UINT8, TF_INT8, TF_UINT8, 0, 255},
    {{1, 9, 13, 4}, {5, 3, 4, 16}, {2, 1}, {2, 1}, {3, 2, 4, 0}, TF_INT8, TF_INT8, TF_INT8, -90, 127},
    {{1, 6, 19, 16}, {1, 3, 16, 20}, {1, 1}, {1, 1}, {0, 0, 0, 0}, TF_INT8, TF_UINT8, TF_UINT8, 5, 250},
    {{2, 3, 16, 12}, {2, 3, 12, 150}, {1, 1}, {1, 1}, {1, 0, 0, 4}, TF_UINT8, TF_UINT8, TF_INT8, -128, 127},
    {{2, 9, 17, 8}, {3, 3, 8, 40}, {2, 2}, {1, 1}, {0, 1, 1, 0}, TF_UINT8, TF_INT8, TF_UINT8, 0, 255},
    {{1, 5, 14, 12}, {3, 3, 12, 16}, {1, 2}, {1, 1}, {1, 1, 1, 1}, TF_INT8, TF_INT8, TF_INT8, -128, 127},
    {{2, 5, 5, 66}, {3, 3, 66, 80}, {1, 1}, {1, 1}, {1, 1, 1, 1}, TF_INT8, TF_UINT8, TF_INT32, -128, 127},
    {{65, 1, 1, 75}, {1, 1, 75, 290}, {1, 1}, {1, 1}, {0, 0, 0, 0}, TF_UINT8, TF_INT8, TF_FLOAT, -128, 127},
    {{3, 1, 1, 1030}, {1, 1, 1030, 33}, {1, 1}, {1, 1}, {0, 0, 0, 0}, TF_UINT8, TF_INT8, TF_FLOAT, 0, 255},
};

typedef struct product_case {
    int64_t a[3], b[3]; /* b of rank 2 where its first size is 0 */
    TF_DataType left, right, result;
    bool is_each_row, is_each_column; /* zero points; multipliers by column */
    int64_t low, high;
} product_case;

static const product_case products[] = {
    {{1, 1, 1}, {0, 1, 1}, TF_UINT8, TF_INT8, TF_UINT8, false, false, 0, 255},
    {{2, 5, 9}, {2, 9, 17}, TF_UINT8, TF_UINT8, TF_UINT8, false, false, 0, 255},
    {{3, 34, 64}, {1, 64, 300}, TF_INT8, TF_INT8, TF_INT8, true, true, -100, 90},
    {{1, 33, 259}, {3, 259, 31}, TF_UINT8, TF_INT8, TF_INT32, true, true, -128, 255},
    {{1, 3, 1031}, {0, 1031, 530}, TF_UINT8, TF_UINT8, TF_FLOAT, false, true, -128, 255},
    {{2, 40, 255}, {0, 255, 33}, TF_INT8, TF_UINT8, TF_UINT8, true, false, 3, 200},
    {{1, 7, 600}, {0, 600, 40}, TF_UINT8, TF_INT8, TF_UINT8, false, false, 0, 255},
    {{1, 63, 70}, {0, 70, 33}, TF_INT8, TF_INT8, TF_INT8, false, true, -128, 127},
    {{1, 2, 0}, {0, 0, 5}, TF_INT8, TF_INT8, TF_INT8, false, false, -128, 127},
};
/* clang-format on */

typedef struct check {
    harness node;
    TF_Tensor *expected;
    const char *what;
} check;

static void check_row(void *arg, const oribi_cpu_kernel *row)
{
    check *self = arg;
    TF_Status *status = TF_NewStatus();

    TF_Tensor *actual = harness_compute(&self->node, row, status);

    if (actual == NULL) {
        fail_msg("%s, %s: %s", row->why, self->what, TF_Message(status));
    }
    assert_int_equal(TF_TensorByteSize(actual), TF_TensorByteSize(self->expected));
    if (memcmp(TF_TensorData(actual), TF_TensorData(self->expected), TF_TensorByteSize(actual)) !=
        0) {
        fail_msg("%s, %s: other bits", row->why, self->what);
    }
    TF_DeleteTensor(actual);
    TF_DeleteStatus(status);
}

/* Weights that are bytes still when zero points within 27 of the middle are taken off. */
static TF_Tensor *near_tensor(TF_DataType type, const int64_t *dims, int rank)
{
    TF_Tensor *tensor = harness_tensor(type, dims, rank);
    uint8_t *values = TF_TensorData(tensor);
    for (int64_t i = 0; i < TF_TensorElementCount(tensor); i++) {
        values[i] = (uint8_t)((type == TF_INT8 ? 0 : 128) + (int32_t)(101.0f * harness_random()));
    }
    return tensor;
}

static TF_Tensor *bytes_tensor(TF_DataType type, const int64_t *dims, int rank)
{
    TF_Tensor *tensor = harness_tensor(type, dims, rank);
    uint8_t *values = TF_TensorData(tensor);
    for (int64_t i = 0; i < TF_TensorElementCount(tensor); i++) {
        values[i] = (uint8_t)(int32_t)(128.0f + 127.9f * harness_random());
    }
    return tensor;
}

/* Weights of which most are small, and some as large as they can be, in pairs and in fours: sums of
 * few products of bytes by them leave an int16. */
static TF_Tensor *uneven_tensor(TF_DataType type, const int64_t *dims, int rank)
{
    TF_Tensor *tensor = harness_tensor(type, dims, rank);
    uint8_t *values = TF_TensorData(tensor);
    const int64_t count = TF_TensorElementCount(tensor), row = dims[rank - 1];
    const int32_t middle = type == TF_INT8 ? 0 : 128;
    for (int64_t i = 0; i < count; i++) {
        values[i] = (uint8_t)(middle + (int32_t)(9.0f * harness_random()));
    }
    for (int64_t i = 0; i + 5 * row < count;
         i += 7 * row + (int64_t)((float)row * harness_random())) {
        const int32_t large = harness_random() > 0.0f ? 127 : -128;
        const int64_t n = 1 + (int64_t)(5.0f * fabsf(harness_random())); /* of a column */
        for (int64_t k = 0; k < n && k < 5; k++) {
            values[i + k * row] = (uint8_t)(middle + large);
        }
    }
    return tensor;
}

/* Most are the largest that there is. */
static TF_Tensor *large_tensor(TF_DataType type, const int64_t *dims, int rank)
{
    TF_Tensor *tensor = harness_tensor(type, dims, rank);
    uint8_t *values = TF_TensorData(tensor);
    for (int64_t i = 0; i < TF_TensorElementCount(tensor); i++) {
        const float x = harness_random();
        values[i] = (uint8_t)(x > -0.8f ? type == TF_INT8 ? 127 : 255 : (int32_t)(-100.0f * x));
    }
    return tensor;
}

typedef TF_Tensor *make_tensor(TF_DataType type, const int64_t *dims, int rank);

static TF_Tensor *reaching_tensor(TF_DataType type, const int64_t *dims, int rank, float reach)
{
    TF_Tensor *tensor = harness_tensor(type, dims, rank);
    uint8_t *values = TF_TensorData(tensor);
    for (int64_t i = 0; i < TF_TensorElementCount(tensor); i++) {
        values[i] = (uint8_t)((type == TF_INT8 ? 0 : 128) + (int32_t)(reach * harness_random()));
    }
    return tensor;
}

/* Weights of 7 bits: products by two of them fit an int16. */
static TF_Tensor *narrow_tensor(TF_DataType type, const int64_t *dims, int rank)
{
    return reaching_tensor(type, dims, rank, 64.9f);
}

/* Some two that are little more than that. */
static TF_Tensor *wider_tensor(TF_DataType type, const int64_t *dims, int rank)
{
    return reaching_tensor(type, dims, rank, 69.9f);
}

/* Most lie near a zero point of 7, and few as far from it as they can. */
static TF_Tensor *seldom_far_tensor(TF_DataType type, const int64_t *dims, int rank)
{
    TF_Tensor *tensor = harness_tensor(type, dims, rank);
    uint8_t *values = TF_TensorData(tensor);
    for (int64_t i = 0; i < TF_TensorElementCount(tensor); i++) {
        const float x = harness_random(), y = type == TF_INT8 ? x : fabsf(x);
        const bool is_far = fabsf(harness_random()) > 0.99f;
        values[i] = (uint8_t)(7 + (int32_t)((is_far && type == TF_INT8 ? 120.0f
                                             : is_far                  ? 248.0f
                                                                       : 60.0f) *
                                            y));
    }
    return tensor;
}

/* What inputs and weights are; zero points of weights are at most this far from the middle. */
typedef struct data_kind {
    make_tensor *inputs, *weights;
    float reach;
} data_kind;

static const data_kind kinds[] = {
    {bytes_tensor, bytes_tensor, 100.0f},   {bytes_tensor, near_tensor, 27.0f},
    {large_tensor, uneven_tensor, 100.0f},  {large_tensor, uneven_tensor, 0.0f},
    {bytes_tensor, bytes_tensor, 0.0f},     {large_tensor, narrow_tensor, 0.0f},
    {large_tensor, wider_tensor, 0.0f},     {seldom_far_tensor, bytes_tensor, 0.0f},
    {seldom_far_tensor, large_tensor, 0.0f}};
enum { KINDS = sizeof kinds / sizeof *kinds };

/* Input i is a constant, stored as it is. */
static void keep_constant(harness *node, int i)
{
    harness_input *input = &node->inputs[i];
    int64_t stride = (int64_t)TF_DataTypeSize(TF_TensorType(input->tensor));
    input->is_constant = true;
    input->stored = TF_TensorData(input->tensor);
    input->stored_bytes = (int64_t)TF_TensorByteSize(input->tensor);
    for (int axis = TF_NumDims(input->tensor); axis-- > 0;) {
        input->strides[axis] = stride;
        stride *= TF_Dim(input->tensor, axis);
    }
}

/* Input i is a constant whose last axis is stored as the first, as that of a transposed filter. The
 * caller frees what is stored. */
static uint8_t *keep_turned(harness *node, int i)
{
    harness_input *input = &node->inputs[i];
    const int last = TF_NumDims(input->tensor) - 1;
    const int64_t count = TF_TensorElementCount(input->tensor), n = TF_Dim(input->tensor, last);
    const uint8_t *values = TF_TensorData(input->tensor);
    uint8_t *stored = malloc((size_t)count + 1);
    assert_non_null(stored);
    for (int64_t k = 0; k < count; k++) {
        stored[k % n * (count / n) + k / n] = values[k];
    }
    keep_constant(node, i);
    for (int axis = 0; axis < last; axis++) {
        input->strides[axis] /= n;
    }
    input->strides[last] = count / n;
    input->stored = (char *)stored;
    return stored;
}

/* Every variant, with weights that runs bring, and with constants. Input 3: zero points or
 * multipliers. */
static void check_variants(check *self, const char *op)
{
    TF_Status *status = TF_NewStatus();
    self->expected = harness_compute(&self->node, harness_reference(op), status);
    if (self->expected == NULL) {
        fail_msg("%s: reference: %s", self->what, TF_Message(status));
    }
    assert_true(harness_each_variant(op, check_row, self) > 0);
    keep_constant(&self->node, 1);
    keep_constant(&self->node, 3);
    assert_true(harness_each_variant(op, check_row, self) > 0);
    uint8_t *stored = keep_turned(&self->node, 1);
    assert_true(harness_each_variant(op, check_row, self) > 0);
    free(stored);
    TF_DeleteTensor(self->expected);
    TF_DeleteStatus(status);
}

static void add_channels(harness *node, const layer_case *c, float reach)
{
    const int32_t middle = reach < 100.0f && c->weights == TF_UINT8 ? 128 : 0;
    const int64_t channels = c->filter[3];
    TF_Tensor *bias = harness_tensor(TF_INT32, &channels, 1);
    TF_Tensor *zeros = harness_tensor(TF_INT32, &channels, 1);
    TF_Tensor *multipliers = harness_tensor(TF_FLOAT, &channels, 1);
    for (int64_t i = 0; i < channels; i++) {
        ((int32_t *)TF_TensorData(bias))[i] = (int32_t)(3000.0f * harness_random());
        ((int32_t *)TF_TensorData(zeros))[i] = middle + (int32_t)(reach * harness_random());
        ((float *)TF_TensorData(multipliers))[i] = 0.003f + 0.002f * harness_random();
    }
    harness_add(node, bias);
    harness_add(node, zeros);
    harness_add(node, multipliers);
}

static void run_case(const layer_case *c, const data_kind *kind, oribi_pool *pool, const char *what)
{
    check self = {.what = what};
    harness *node = &self.node;
    harness_begin(node);
    node->pool = pool;
    node->output_type = c->result;
    oribi_attrs *attrs = &node->attrs;
    oribi_arena *arena = &node->arena;
    assert_true(oribi_attrs_set_type(attrs, arena, "Tx", c->input) &&
                oribi_attrs_set_type(attrs, arena, "Tw", c->weights) &&
                oribi_attrs_set_type(attrs, arena, "Ty", c->result) &&
                oribi_attrs_set_int(attrs, arena, "input_zero", 7) &&
                oribi_attrs_set_int(attrs, arena, "output_zero", 9) &&
                oribi_attrs_set_int(attrs, arena, "low", c->low) &&
                oribi_attrs_set_int(attrs, arena, "high", c->high) &&
                oribi_attrs_set_ints(attrs, arena, "strides", c->strides, 2) &&
                oribi_attrs_set_ints(attrs, arena, "dilations", c->dilations, 2) &&
                oribi_attrs_set_ints(attrs, arena, "pads", c->pads, 4));
    harness_add(node, kind->inputs(c->input, c->x, 4));
    harness_add(node, kind->weights(c->weights, c->filter, 4));
    add_channels(node, c, kind->reach);
    check_variants(&self, "ONNX>QLinearConv2D");
    harness_end(node);
}

/* A scale, and a zero point perhaps at the end of the range, for each image. */
static void add_images(harness *node, int64_t images)
{
    TF_Tensor *scales = harness_tensor(TF_FLOAT, &images, 1);
    TF_Tensor *zeros = harness_tensor(TF_INT32, &images, 1);
    for (int64_t i = 0; i < images; i++) {
        ((float *)TF_TensorData(scales))[i] = 0.03f + 0.02f * harness_random();
        ((int32_t *)TF_TensorData(zeros))[i] =
            i % 5 == 4 ? 255 : 127 + (int32_t)(127.9f * harness_random());
    }
    harness_add(node, scales);
    harness_add(node, zeros);
}

static TF_Tensor *reals_tensor(int64_t count, float middle, float reach)
{
    TF_Tensor *tensor = harness_tensor(TF_FLOAT, &count, 1);
    for (int64_t i = 0; i < count; i++) {
        ((float *)TF_TensorData(tensor))[i] = middle + reach * harness_random();
    }
    return tensor;
}

/* The case's sizes, whatever its types are. */
static void run_hybrid(const layer_case *c, const data_kind *kind, oribi_pool *pool,
                       const char *what)
{
    check self = {.what = what};
    harness *node = &self.node;
    harness_begin(node);
    node->pool = pool;
    node->output_type = TF_FLOAT;
    oribi_attrs *attrs = &node->attrs;
    oribi_arena *arena = &node->arena;
    assert_true(oribi_attrs_set_float(attrs, arena, "low", c->low < 0 ? -1e9f : 0.0f) &&
                oribi_attrs_set_float(attrs, arena, "high", c->high > 127 ? 1e9f : 6.0f) &&
                oribi_attrs_set_ints(attrs, arena, "strides", c->strides, 2) &&
                oribi_attrs_set_ints(attrs, arena, "dilations", c->dilations, 2) &&
                oribi_attrs_set_ints(attrs, arena, "pads", c->pads, 4));
    harness_add(node, kind->inputs(TF_UINT8, c->x, 4));
    harness_add(node, kind->weights(TF_INT8, c->filter, 4));
    harness_add(node, reals_tensor(c->filter[3], 0.0f, 3.0f));
    harness_add(node, reals_tensor(c->filter[3], 0.003f, 0.002f));
    add_images(node, c->x[0]);
    check_variants(&self, "Oribi>HybridConv2D");
    harness_end(node);
}

static TF_Tensor *numbers_tensor(TF_DataType type, int64_t count, int32_t middle, float reach)
{
    TF_Tensor *tensor = harness_tensor(type, &count, 1);
    for (int64_t i = 0; i < count; i++) {
        if (type == TF_INT32) {
            ((int32_t *)TF_TensorData(tensor))[i] = middle + (int32_t)(reach * harness_random());
        } else {
            ((float *)TF_TensorData(tensor))[i] = 0.003f + 0.002f * harness_random();
        }
    }
    return tensor;
}

static void run_product(const product_case *c, const data_kind *kind, oribi_pool *pool,
                        const char *what)
{
    check self = {.what = what};
    harness *node = &self.node;
    harness_begin(node);
    node->pool = pool;
    node->output_type = c->result;
    oribi_attrs *attrs = &node->attrs;
    oribi_arena *arena = &node->arena;
    assert_true(oribi_attrs_set_type(attrs, arena, "Ta", c->left) &&
                oribi_attrs_set_type(attrs, arena, "Tb", c->right) &&
                oribi_attrs_set_type(attrs, arena, "Ty", c->result) &&
                oribi_attrs_set_int(attrs, arena, "output_zero", 9) &&
                oribi_attrs_set_int(attrs, arena, "low", c->low) &&
                oribi_attrs_set_int(attrs, arena, "high", c->high));
    harness_add(node, kind->inputs(c->left, c->a, 3));
    harness_add(node, c->b[0] == 0 ? kind->weights(c->right, c->b + 1, 2)
                                   : kind->weights(c->right, c->b, 3));
    const int64_t n = c->is_each_column ? c->b[2] : 1;
    const int32_t middle = kind->reach < 100.0f && c->right == TF_UINT8 ? 128 : 0;
    harness_add(node, numbers_tensor(TF_INT32, c->is_each_row ? c->a[1] : 1, 0, 100.0f));
    harness_add(node, numbers_tensor(TF_INT32, n, middle, kind->reach));
    harness_add(node, numbers_tensor(TF_FLOAT, n, 0, 0.0f));
    check_variants(&self, "ONNX>QLinearMatMul");
    harness_end(node);
}

static void run_cases(int threads)
{
    TF_Status *status = TF_NewStatus();
    oribi_pool *pool = threads > 1 ? oribi_pool_create(threads, status) : NULL;
    for (size_t i = 0; i < KINDS * sizeof cases / sizeof *cases; i++) {
        const size_t kind = i % KINDS, at = i / KINDS;
        char what[64];
        (void)snprintf(what, sizeof what, "case %zu, data %zu, %d threads", at, kind, threads);
        harness_random_state = (uint32_t)at + 1;
        run_case(&cases[at], &kinds[kind], pool, what);
        run_hybrid(&cases[at], &kinds[kind], pool, what);
    }
    for (size_t i = 0; i < KINDS * sizeof products / sizeof *products; i++) {
        const size_t kind = i % KINDS, at = i / KINDS;
        char what[64];
        (void)snprintf(what, sizeof what, "product %zu, data %zu, %d threads", at, kind, threads);
        harness_random_state = (uint32_t)at + 1;
        run_product(&products[at], &kinds[kind], pool, what);
    }
    oribi_pool_release(pool);
    TF_DeleteStatus(status);
}

static void every_variant_gives_the_bits_of_the_reference(void **state)
{
    (void)state;
    run_cases(1);
}

static void every_variant_gives_the_bits_of_the_reference_on_threads(void **state)
{
    (void)state;
    run_cases(3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_variant_gives_the_bits_of_the_reference),
        cmocka_unit_test(every_variant_gives_the_bits_of_the_reference_on_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
