/* SPDX-License-Identifier: Apache-2.0 */
/* Every variant of the convolutions against the reference row, on shapes that meet every edge: odd
 * sizes, paddings, strides, dilations, groups, fused forms, gaps between output rows.
 */
#include "kernel_harness.h"

typedef struct conv_case {
    int64_t batch, height, width, channels;
    int64_t taps_y, taps_x, outputs, groups; /* depthwise: outputs is the multiplier */
    int64_t stride_y, stride_x, dilation_y, dilation_x;
    const char *padding;
    int64_t pads[4];      /* top, bottom, left, right; EXPLICIT only */
    const char *words[3]; /* fused_ops; none: the plain op */
    bool is_constant;     /* the filter, stored as [out, in, y, x] */
    int64_t gap;
} conv_case;

/* clang-format off */
static const conv_case conv_cases[] = {
    {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, "VALID", {0}, {NULL}, true, 0},
    {1, 7, 7, 32, 1, 1, 64, 1, 1, 1, 1, 1, "VALID", {0}, {NULL}, true, 0},
    {2, 5, 9, 3, 3, 3, 16, 1, 1, 1, 1, 1, "SAME", {0}, {NULL}, true, 0},
    {1, 13, 11, 3, 7, 7, 33, 1, 2, 2, 1, 1, "SAME", {0}, {"BiasAdd", "Relu"}, true, 0},
    {1, 13, 11, 3, 7, 7, 33, 1, 2, 2, 1, 1, "EXPLICIT", {3, 2, 1, 4}, {"BiasAdd"}, false, 5},
    {1, 9, 8, 5, 3, 2, 17, 1, 1, 2, 2, 3, "SAME", {0}, {"BiasAdd", "Relu6"}, true, 0},
    {2, 6, 6, 40, 3, 3, 48, 1, 1, 1, 1, 1, "SAME", {0}, {"BiasAdd", "Add", "Relu"}, true, 16},
    {1, 6, 7, 40, 3, 3, 24, 1, 2, 1, 1, 1, "EXPLICIT", {1, 1, 1, 1}, {"BiasAdd", "Add"}, true, 3},
    {1, 8, 8, 8, 3, 3, 12, 4, 1, 1, 1, 1, "SAME", {0}, {"BiasAdd", "Elu"}, true, 0},
    {1, 8, 8, 66, 1, 1, 99, 3, 2, 2, 1, 1, "VALID", {0}, {"BiasAdd", "LeakyRelu"}, false, 2},
    {1, 7, 7, 70, 3, 3, 130, 1, 1, 1, 1, 1, "SAME", {0}, {"BiasAdd", "Sigmoid"}, true, 0},
    {1, 7, 7, 70, 3, 3, 330, 1, 1, 1, 1, 1, "SAME", {0}, {"BiasAdd", "ONNX>PRelu"}, true, 0},
    {1, 5, 6, 30, 1, 1, 34, 1, 1, 1, 1, 1, "SAME", {0}, {"BiasAdd", "Add", "ONNX>PRelu"}, true, 9},
    {1, 8, 8, 8, 3, 3, 12, 4, 1, 1, 1, 1, "SAME", {0}, {"ONNX>PRelu"}, false, 0},
    {1, 7, 7, 20, 3, 3, 30, 1, 1, 1, 1, 1, "SAME", {0}, {"BiasAdd", "ONNX>Swish"}, true, 0},
    {1, 7, 7, 20, 3, 3, 30, 1, 1, 1, 1, 1, "SAME", {0}, {"BiasAdd", "ONNX>HardSwish"}, true, 0},
    {1, 3, 3, 1600, 1, 1, 40, 1, 1, 1, 1, 1, "VALID", {0}, {"BiasAdd", "Tanh"}, true, 0},
    {1, 4, 5, 800, 3, 3, 70, 1, 1, 1, 1, 1, "SAME", {0}, {"BiasAdd", "Add", "Relu"}, true, 7},
    {1, 27, 31, 2, 11, 11, 10, 1, 4, 4, 1, 1, "VALID", {0}, {NULL}, true, 0},
    {1, 16, 16, 40, 9, 9, 8, 1, 1, 1, 1, 1, "SAME", {0}, {NULL}, true, 0},
    {1, 14, 14, 1, 5, 5, 8, 1, 1, 1, 1, 1, "SAME", {0}, {"BiasAdd", "Relu"}, true, 0},
    {3, 1, 50, 31, 1, 5, 23, 1, 1, 3, 1, 2, "SAME", {0}, {"BiasAdd"}, true, 0},
    {1, 40, 40, 16, 3, 3, 24, 1, 1, 1, 1, 1, "EXPLICIT", {2, 0, 0, 2}, {NULL}, false, 0},
    {1, 9, 10, 3, 4, 4, 20, 1, 1, 1, 1, 1, "SAME", {0}, {"BiasAdd"}, true, 0},
    {2, 9, 10, 6, 4, 3, 55, 1, 1, 1, 1, 1, "SAME", {0}, {"BiasAdd", "Elu"}, false, 2},
    {1, 5, 5, 1538, 1, 1, 23, 1, 1, 1, 1, 1, "VALID", {0}, {"BiasAdd", "Add", "Relu"}, true, 3},
    {1, 6, 7, 60, 3, 3, 112, 2, 1, 1, 1, 1, "SAME", {0}, {"BiasAdd", "Relu6"}, true, 0},
    {0, 4, 4, 3, 3, 3, 5, 1, 1, 1, 1, 1, "SAME", {0}, {NULL}, true, 0},
    /* few pixels and many weights, whose panels several threads share out */
    {1, 7, 7, 512, 1, 1, 600, 2, 1, 1, 1, 1, "SAME", {0}, {"BiasAdd", "ONNX>PRelu"}, true, 0},
    {1, 5, 5, 1538, 1, 1, 203, 1, 1, 1, 1, 1, "VALID", {0}, {"BiasAdd", "Add", "Relu"}, true, 3},
    /* strips of pixels that meet several blocks of panels, and those of several groups */
    {1, 23, 25, 300, 1, 1, 700, 1, 1, 1, 1, 1, "SAME", {0}, {"BiasAdd", "Relu"}, true, 0},
    {1, 23, 25, 64, 1, 1, 96, 4, 1, 1, 1, 1, "SAME", {0}, {"BiasAdd", "Add", "Relu"}, true, 0},
    /* one tap: with groups, with padding, as many pixels at another place */
    {2, 8, 9, 66, 1, 1, 99, 3, 1, 1, 1, 1, "SAME", {0}, {"BiasAdd", "Relu"}, true, 2},
    {1, 6, 5, 40, 1, 1, 24, 1, 1, 1, 1, 1, "EXPLICIT", {1, 2, 0, 3}, {"BiasAdd"}, true, 0},
    {1, 3, 3, 36, 1, 1, 10, 1, 2, 2, 1, 1, "EXPLICIT", {1, 1, 1, 1}, {NULL}, true, 0},
    /* few channels, in several bands (conv_bands.c) and on several threads */
    {2, 61, 147, 3, 3, 3, 40, 1, 2, 1, 1, 1, "SAME", {0}, {"BiasAdd", "Add", "Relu"}, true, 3},
    {1, 120, 90, 1, 3, 3, 32, 1, 1, 1, 1, 1, "EXPLICIT", {2, 0, 3, 1}, {"BiasAdd", "Sigmoid"}, true, 0},
    {1, 150, 61, 7, 3, 1, 9, 1, 1, 2, 2, 1, "SAME", {0}, {"BiasAdd"}, false, 0},
    {1, 3, 2, 2, 5, 3, 6, 1, 1, 9, 1, 1, "EXPLICIT", {4, 4, 9, 0}, {NULL}, true, 0},
    /* from here on with tiles enough for winograd.h */
    {1, 14, 14, 64, 3, 3, 64, 1, 1, 1, 1, 1, "SAME", {0}, {"BiasAdd", "Relu"}, true, 0},
    {1, 13, 15, 32, 3, 3, 33, 1, 1, 1, 1, 1, "SAME", {0}, {"BiasAdd", "Add", "Relu6"}, true, 5},
    {2, 15, 14, 40, 3, 3, 130, 1, 1, 1, 1, 1, "EXPLICIT", {2, 0, 0, 2}, {"BiasAdd", "ONNX>PRelu"}, true, 0},
    {1, 16, 17, 35, 3, 3, 70, 1, 1, 1, 1, 1, "VALID", {0}, {NULL}, true, 0},
    {3, 14, 13, 48, 3, 3, 32, 1, 1, 1, 1, 1, "SAME", {0}, {"BiasAdd", "Sigmoid"}, true, 2},
    {1, 12, 14, 32, 3, 3, 100, 1, 1, 1, 1, 1, "EXPLICIT", {4, 3, 5, 0}, {"Add"}, true, 0},
    {1, 13, 13, 800, 3, 3, 32, 1, 1, 1, 1, 1, "SAME", {0}, {"BiasAdd"}, true, 0},
    {0, 14, 14, 32, 3, 3, 32, 1, 1, 1, 1, 1, "SAME", {0}, {NULL}, true, 0},
};

static const conv_case depthwise_cases[] = {
    /* images that are small, and many */
    {4, 24, 23, 128, 3, 3, 1, 1, 1, 1, 1, 1, "SAME", {0}, {"BiasAdd", "Relu6"}, true, 0},
    {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, "VALID", {0}, {NULL}, true, 0},
    {1, 7, 7, 33, 3, 3, 1, 1, 1, 1, 1, 1, "SAME", {0}, {NULL}, true, 0},
    {2, 9, 4, 16, 3, 3, 1, 1, 1, 1, 1, 1, "SAME", {0}, {"BiasAdd", "Relu6"}, true, 0},
    {1, 9, 3, 16, 3, 3, 1, 1, 1, 1, 1, 1, "SAME", {0}, {"BiasAdd", "Relu6"}, false, 4},
    {1, 12, 13, 50, 3, 3, 1, 1, 2, 2, 1, 1, "SAME", {0}, {"BiasAdd", "Add", "Relu"}, true, 6},
    {1, 13, 12, 24, 3, 3, 1, 1, 2, 2, 1, 1, "EXPLICIT", {1, 1, 1, 1}, {"BiasAdd"}, true, 0},
    {1, 11, 15, 20, 5, 5, 1, 1, 1, 1, 1, 1, "SAME", {0}, {"BiasAdd", "Elu"}, true, 1},
    {1, 11, 15, 20, 5, 5, 1, 1, 2, 2, 1, 1, "EXPLICIT", {2, 2, 2, 2}, {"BiasAdd", "Relu"}, true, 0},
    {1, 8, 9, 19, 3, 3, 1, 1, 1, 1, 2, 2, "SAME", {0}, {"BiasAdd", "Relu"}, true, 0},
    {1, 8, 9, 6, 3, 2, 3, 1, 1, 2, 1, 1, "SAME", {0}, {"BiasAdd", "Relu"}, true, 2},
    {2, 8, 9, 6, 4, 4, 2, 1, 3, 3, 1, 1, "VALID", {0}, {NULL}, false, 0},
    {2, 15, 16, 4, 3, 3, 8, 1, 1, 1, 1, 1, "SAME", {0}, {"BiasAdd", "ONNX>PRelu"}, true, 3},
    {1, 15, 16, 1, 3, 3, 40, 1, 2, 2, 1, 1, "SAME", {0}, {"BiasAdd", "Add", "Relu"}, true, 0},
    {1, 20, 21, 7, 7, 7, 1, 1, 1, 1, 1, 1, "SAME", {0}, {NULL}, true, 0},
    {1, 9, 13, 41, 7, 7, 1, 1, 1, 1, 1, 1, "SAME", {0}, {"BiasAdd", "Add", "Relu"}, true, 3},
    {2, 6, 11, 37, 3, 1, 1, 1, 2, 1, 1, 1, "SAME", {0}, {"BiasAdd", "Add", "Relu"}, true, 5},
    {1, 5, 6, 70, 1, 1, 1, 1, 1, 1, 1, 1, "VALID", {0}, {"BiasAdd", "Sigmoid"}, true, 0},
    {1, 33, 30, 96, 3, 3, 1, 1, 1, 1, 1, 1, "VALID", {0}, {"BiasAdd", "Tanh"}, true, 0},
};
/* clang-format on */

typedef struct conv_check {
    harness node;
    TF_Tensor *expected;
    char what[64];
    bool of_host; /* the fused ops have a word that emitted layers do not know */
} conv_check;

static void check_row(void *arg, const oribi_cpu_kernel *row)
{
    conv_check *check = arg;
    if (check->of_host && row->priority == ORIBI_CPU_MICRO) {
        return;
    }
    TF_Status *status = TF_NewStatus();
    char what[128];
    (void)snprintf(what, sizeof what, "%s, %s, %s", row->op_name, row->why, check->what);

    TF_Tensor *actual = harness_compute(&check->node, row, status);

    if (actual == NULL) {
        fail_msg("%s: %s", what, TF_Message(status));
    }
    harness_assert_close(actual, check->expected, row->tolerance, what);
    TF_DeleteTensor(actual);
    TF_DeleteStatus(status);
}

static int64_t out_size(int64_t in, int64_t taps, int64_t stride, int64_t dilation,
                        const char *padding, int64_t before, int64_t after)
{
    if (strcmp(padding, "SAME") == 0) {
        return (in + stride - 1) / stride;
    }
    return (in + before + after - ((taps - 1) * dilation + 1)) / stride + 1;
}

static void set_attrs(harness *node, const conv_case *c, int n_words)
{
    const int64_t strides[4] = {1, c->stride_y, c->stride_x, 1};
    const int64_t dilations[4] = {1, c->dilation_y, c->dilation_x, 1};
    const int64_t pads[8] = {0, 0, c->pads[0], c->pads[1], c->pads[2], c->pads[3], 0, 0};
    oribi_attrs *attrs = &node->attrs;
    oribi_arena *arena = &node->arena;
    assert_true(oribi_attrs_set_ints(attrs, arena, "strides", strides, 4));
    assert_true(oribi_attrs_set_ints(attrs, arena, "dilations", dilations, 4));
    assert_true(oribi_attrs_set_string(attrs, arena, "padding", c->padding));
    assert_true(oribi_attrs_set_ints(attrs, arena, "explicit_paddings", pads,
                                     strcmp(c->padding, "EXPLICIT") == 0 ? 8 : 0));
    assert_true(oribi_attrs_set_string(attrs, arena, "data_format", "NHWC"));
    assert_true(oribi_attrs_set_float(attrs, arena, "leakyrelu_alpha", 0.3f));
    assert_true(oribi_attrs_set_strings(attrs, arena, "fused_ops", c->words, n_words));
}

/* The node's image is NCHW from here on, the same numbers. */
static void take_planes(harness *node)
{
    TF_Tensor *pixels = node->inputs[0].tensor;
    const int64_t *in = pixels->dims, dims[4] = {in[0], in[3], in[1], in[2]};
    TF_Tensor *planes = TF_AllocateTensor(TF_FLOAT, dims, 4, TF_TensorByteSize(pixels));
    const float *from = TF_TensorData(pixels);
    float *to = TF_TensorData(planes);
    for (int64_t i = 0; i < TF_TensorElementCount(pixels); i++) {
        const int64_t channel = i % in[3], pixel = i / in[3];
        const int64_t image = pixel / (in[1] * in[2]), place = pixel % (in[1] * in[2]);
        to[(image * in[3] + channel) * in[1] * in[2] + place] = from[i];
    }
    node->inputs[0].tensor = planes;
    node->shapes[0] = (oribi_shape){4, planes->dims};
    TF_DeleteTensor(pixels);
    assert_true(oribi_attrs_set_string(&node->attrs, &node->arena, "input_format", "NCHW"));
}

/* On one thread and on those of the pool: the reference, which takes longest, is computed once. */
static void run_case(const conv_case *c, bool depthwise, oribi_pool *pool, size_t number)
{
    static const int stored_order[4] = {3, 2, 0, 1};
    conv_check check = {.of_host = false};
    int n_words = 0;
    TF_Status *status = TF_NewStatus();
    const int64_t outputs = depthwise ? c->channels * c->outputs : c->outputs;
    const int64_t image[4] = {c->batch, c->height, c->width, c->channels};
    const int64_t filter[4] = {c->taps_y, c->taps_x,
                               depthwise ? c->channels : c->channels / c->groups, c->outputs};
    const int64_t out[4] = {c->batch,
                            out_size(c->height, c->taps_y, c->stride_y, c->dilation_y, c->padding,
                                     c->pads[0], c->pads[1]),
                            out_size(c->width, c->taps_x, c->stride_x, c->dilation_x, c->padding,
                                     c->pads[2], c->pads[3]),
                            outputs};
    harness_begin(&check.node);
    while (n_words < 3 && c->words[n_words] != NULL) {
        n_words++;
    }
    set_attrs(&check.node, c, n_words);
    check.node.gap = c->gap;
    harness_add(&check.node, harness_random_tensor(image, 4));
    harness_add(&check.node, harness_random_tensor(filter, 4));
    for (int i = 0; i < n_words; i++) {
        check.of_host = check.of_host || strncmp(c->words[i], "ONNX>", 5) == 0;
        if (strcmp(c->words[i], "BiasAdd") == 0 || strcmp(c->words[i], "ONNX>PRelu") == 0) {
            harness_add(&check.node, harness_random_tensor(out + 3, 1));
        } else if (strcmp(c->words[i], "Add") == 0) {
            harness_add(&check.node, harness_random_tensor(out, 4));
        }
    }
    const char *op = depthwise
                         ? (n_words > 0 ? "Oribi>FusedDepthwiseConv2d" : "DepthwiseConv2dNative")
                         : (n_words > 0 ? "_FusedConv2D" : "Conv2D");
    check.expected = harness_compute(&check.node, harness_reference(op), status);
    if (check.expected == NULL) {
        fail_msg("case %zu: reference: %s", number, TF_Message(status));
    }
    assert_int_equal(TF_Dim(check.expected, 1), out[1]);
    assert_int_equal(TF_Dim(check.expected, 2), out[2]);
    if (c->is_constant) { /* from here on: the reference reads all its inputs */
        harness_make_constant(&check.node, 1, stored_order);
    }

    for (int i = 0; i < 2; i++) {
        check.node.pool = i == 0 ? NULL : pool;
        (void)snprintf(check.what, sizeof check.what, "case %zu, %s", number,
                       i == 0 ? "one thread" : "threads");
        assert_true(harness_each_variant(op, check_row, &check) > 0);
    }
    for (int i = 0; i < 2 && !depthwise; i++) { /* an image of planes, the same result */
        if (i == 0) {
            take_planes(&check.node);
        }
        check.node.pool = i == 0 ? NULL : pool;
        (void)snprintf(check.what, sizeof check.what, "case %zu, planes, %s", number,
                       i == 0 ? "one thread" : "threads");
        check_row(&check, harness_reference("Oribi>FusedConv2d"));
        assert_true(harness_each_variant("Oribi>FusedConv2d", check_row, &check) > 0);
    }

    TF_DeleteTensor(check.expected);
    harness_end(&check.node);
    TF_DeleteStatus(status);
}

static void run_cases(const conv_case *cases, size_t count, bool depthwise)
{
    TF_Status *status = TF_NewStatus();
    oribi_pool *pool = oribi_pool_create(3, status);
    for (size_t i = 0; i < count; i++) {
        harness_random_state = (uint32_t)i + 1;
        run_case(&cases[i], depthwise, pool, i);
    }
    oribi_pool_release(pool);
    TF_DeleteStatus(status);
}

static void every_convolution_variant_agrees_with_the_reference(void **state)
{
    (void)state;
    run_cases(conv_cases, sizeof conv_cases / sizeof *conv_cases, false);
}

static void every_depthwise_variant_agrees_with_the_reference(void **state)
{
    (void)state;
    run_cases(depthwise_cases, sizeof depthwise_cases / sizeof *depthwise_cases, true);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_convolution_variant_agrees_with_the_reference),
        cmocka_unit_test(every_depthwise_variant_agrees_with_the_reference),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
