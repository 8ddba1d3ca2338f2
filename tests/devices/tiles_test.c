/* SPDX-License-Identifier: Apache-2.0 */
/* Products of plugins/device_ops on OpenCL, of sizes that fill tiles and that do not: convolutions
 * and matrix products against the CPU's kernels, the slot `gemm` against sums in double. In the
 * form that suits the device, and with TEST_TILES=local in the one that GPUs have.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <unistd.h>

#include <cmocka.h>

#include "devices/on_fake.h"
#include "tensorflow/c/device_kernels.h"

#define PLUGIN TEST_BINARY "/plugins/oribi_opencl.so"

enum { POOL = 8192 };

static uint32_t seed = 1;

static int64_t draw(int64_t from, int64_t to)
{
    seed = seed * 1664525u + 1013904223u;
    return from + (int64_t)((seed >> 8) % (uint32_t)(to - from + 1));
}

static float draw_eighth(void)
{
    return (float)draw(-8, 8) * 0.125f;
}

static oribi_value_id drawn_constant(small_graph *g, const char *name, int rank,
                                     const int64_t *dims)
{
    TF_Tensor *data = small_tensor(rank, dims, 0);
    for (int64_t i = 0; i < TF_TensorElementCount(data); i++) {
        ((float *)TF_TensorData(data))[i] = draw_eighth();
    }
    const oribi_value_id id = oribi_graph_add_constant_copy(g->graph, name, TF_FLOAT, dims, rank,
                                                            TF_TensorData(data), g->status);
    TF_DeleteTensor(data);
    assert_true(id >= 0);
    return id;
}

/* --- Against the CPU ------------------------------------------------------------------------- */

typedef struct sample { /* one graph with input x */
    void (*build)(small_graph *g, const struct sample *s);
    const char *op, *words[3], *padding, *format;
    bool transpose_x, transpose_y;
    int rank;
    int64_t x[5], y[5], out_channels;
    int64_t stride[2], dilation[2], paddings[8];
} sample;

static char described[400];

static void describe(const sample *s)
{
    snprintf(described, sizeof described,
             "%s %s %s %s%s x %dx%dx%dx%d y %dx%dx%dx%d stride %dx%d dilation %dx%d %s %s", s->op,
             s->padding != NULL ? s->padding : "", s->format != NULL ? s->format : "",
             s->transpose_x ? "t" : "n", s->transpose_y ? "t" : "n", (int)s->x[0], (int)s->x[1],
             (int)s->x[2], (int)s->x[3], (int)s->y[0], (int)s->y[1], (int)s->y[2], (int)s->y[3],
             (int)s->stride[0], (int)s->stride[1], (int)s->dilation[0], (int)s->dilation[1],
             s->words[0] != NULL ? s->words[0] : "", s->words[1] != NULL ? s->words[1] : "");
}

static bool is_nchw(const sample *s)
{
    return s->format != NULL && strcmp(s->format, "NCHW") == 0;
}

/* The CPU has convolutions for NHWC alone. */
static sample as_nhwc(const sample *s)
{
    sample t = *s;
    if (is_nchw(s)) {
        t.format = "NHWC";
        t.x[1] = s->x[2];
        t.x[2] = s->x[3];
        t.x[3] = s->x[1];
        memset(t.paddings, 0, sizeof t.paddings);
        memcpy(t.paddings + 2, s->paddings + 4, 4 * sizeof *t.paddings);
    }
    return t;
}

/* Where element i of an NHWC tensor lies when it is NCHW. */
static int64_t in_nchw(const TF_Tensor *nhwc, int64_t i)
{
    const int64_t channels = TF_Dim(nhwc, 3), plane = TF_Dim(nhwc, 1) * TF_Dim(nhwc, 2);
    const int64_t channel = i % channels, place = i / channels % plane;
    return (i / channels / plane * channels + channel) * plane + place;
}

/* Is x of the sample turned from NCHW? */
static oribi_run *run_sample(const sample *s, const char *device, bool is_turned,
                             oribi_session **session)
{
    TF_Status *status = TF_NewStatus();
    small_graph g = small_begin();
    const uint32_t start = seed;
    s->build(&g, s);
    seed = start; /* the same constants for both */
    *session = device_try_session(&g, device, NULL, device == NULL, status);
    if (TF_GetCode(status) != TF_OK) {
        print_error("%s: %s\n", described, TF_Message(status));
    }
    small_expect_ok(status);
    oribi_run *run = small_run_of(*session);
    TF_Tensor *x = small_tensor(s->rank, s->x, 0);
    for (int64_t i = 0; i < TF_TensorElementCount(x); i++) {
        const int64_t at = is_turned ? in_nchw(x, i) : i;
        ((float *)TF_TensorData(x))[i] = (float)((at * 37) % 23) * 0.125f - 1.25f;
    }
    small_bind(run, 0, x);
    small_execute(run);
    TF_DeleteStatus(status);
    return run;
}

static void expect_near(oribi_run *a, oribi_run *b, bool is_turned)
{
    TF_Tensor *x = small_result(a, 0), *y = small_result(b, 0);
    assert_int_equal(TF_TensorElementCount(x), TF_TensorElementCount(y));
    assert_true(TF_TensorElementCount(x) > 0);
    for (int64_t i = 0; i < TF_TensorElementCount(x); i++) {
        const float p = ((const float *)TF_TensorData(x))[i];
        const float q = ((const float *)TF_TensorData(y))[is_turned ? in_nchw(x, i) : i];
        const float tolerance = 1e-4f + 1e-5f * (p < 0 ? -p : p);
        if (!(p - q < tolerance && q - p < tolerance)) {
            print_error("%s: element %d is %g, not %g\n", described, (int)i, (double)q, (double)p);
            fail();
        }
    }
    TF_DeleteTensor(x);
    TF_DeleteTensor(y);
}

static void expect_as_cpu(const sample *s)
{
    oribi_session *cpu = NULL, *other = NULL;
    describe(s);
    const sample reference = as_nhwc(s);
    oribi_run *expected = run_sample(&reference, NULL, is_nchw(s), &cpu);
    oribi_run *run = run_sample(s, "OPENCL", false, &other);
    (void)draw(0, 1); /* other constants for the next */

    assert_true(device_count_steps(other, "\"device\":\"OPENCL") > 0);
    expect_near(expected, run, is_nchw(s));
    oribi_run_destroy(expected);
    oribi_run_destroy(run);
    oribi_session_destroy(cpu);
    oribi_session_destroy(other);
}

static void finish_node(small_graph *g, oribi_node *node, const char *const *words)
{
    int n_words = 0;
    while (n_words < 3 && words[n_words] != NULL) {
        n_words++;
    }
    if (n_words > 0) {
        const bool has_bias = strcmp(words[0], "BiasAdd") == 0;
        assert_true(
            oribi_attrs_set_strings(&node->attrs, &g->graph->arena, "fused_ops", words, n_words));
        assert_true(oribi_attrs_set_int(&node->attrs, &g->graph->arena, "num_args", has_bias));
    }
    if (!oribi_graph_resolve(g->graph, node, g->status)) {
        print_error("%s: %s\n", described, TF_Message(g->status));
        fail();
    }
    small_output(g, node->outputs[0], "z");
}

/* --- Matrix products ------------------------------------------------------------------------- */

static void build_product(small_graph *g, const sample *s)
{
    const bool is_batched = strncmp(s->op, "Batch", 5) == 0;
    const int64_t columns = s->y[s->rank - (s->transpose_y ? 2 : 1)];
    oribi_value_id inputs[3] = {small_input(g, "x", s->rank, s->x),
                                drawn_constant(g, "y", s->rank, s->y), 0};
    int n = 2;
    if (s->words[0] != NULL) {
        inputs[n++] = drawn_constant(g, "bias", 1, &columns);
    }
    oribi_node *node = oribi_graph_add_node(g->graph, s->op, "node", inputs, n, 1, g->status);
    assert_non_null(node);
    assert_true(oribi_attrs_set_bool(&node->attrs, &g->graph->arena,
                                     is_batched ? "adj_x" : "transpose_a", s->transpose_x));
    assert_true(oribi_attrs_set_bool(&node->attrs, &g->graph->arena,
                                     is_batched ? "adj_y" : "transpose_b", s->transpose_y));
    finish_node(g, node, s->words);
}

/* m, n, k: one row and many, one column and some tiles, sums shorter than a vector, more squares of
 * 64 than keep a GPU at work. */
static const int64_t sizes[][3] = {{1, 300, 67},  {1, 5, 40},      {5, 3, 2},   {7, 64, 33},
                                   {13, 65, 17},  {6, 96, 16},     {25, 20, 9}, {3, 12, 40},
                                   {70, 130, 35}, {1025, 1030, 18}};

static sample product_of(const char *op, const int64_t *size, int kind)
{
    sample s = {.build = build_product,
                .op = op,
                .transpose_x = kind / 2 != 0,
                .transpose_y = kind % 2 != 0,
                .rank = 2};
    s.x[s.transpose_x] = size[0];
    s.x[!s.transpose_x] = size[2];
    s.y[s.transpose_y] = size[2];
    s.y[!s.transpose_y] = size[1];
    return s;
}

static void products_of_odd_sizes_give_what_the_cpu_gives(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        for (int kind = 0; kind < 4; kind++) {
            const sample s = product_of("MatMul", sizes[i], kind);
            expect_as_cpu(&s);
        }
    }
}

static void fused_products_end_with_bias_and_activation(void **state)
{
    static const char *const activations[] = {NULL, "Relu", "Relu6", "Elu", "LeakyRelu", "Tanh"};
    (void)state;
    for (int i = 0; i < 6; i++) {
        for (int kind = i == 1 ? 0 : 3; kind < 4; kind++) {
            sample s = product_of("_FusedMatMul", sizes[4], kind);
            s.words[0] = "BiasAdd";
            s.words[1] = activations[i];
            expect_as_cpu(&s);
        }
    }
}

static void batches_broadcast(void **state)
{
    /* Leading dimensions of x and of y; 0: there is none. */
    static const int64_t outer[][6] = {{2, 3, 0, 2, 3, 0}, {2, 3, 0, 1, 1, 0}, {1, 1, 0, 2, 3, 0},
                                       {2, 1, 0, 1, 3, 0}, {2, 3, 0, 1, 3, 0}, {2, 3, 0, 2, 1, 0},
                                       {2, 1, 3, 1, 2, 3}, {2, 3, 1, 2, 1, 2}};
    (void)state;
    for (size_t i = 0; i < sizeof outer / sizeof *outer; i++) {
        for (int kind = 0; kind < 4; kind++) {
            const size_t n_outer = outer[i][2] == 0 ? 2 : 3;
            sample s = product_of("BatchMatMulV2", sizes[4], kind);
            s.rank = (int)n_outer + 2;
            memmove(s.x + n_outer, s.x, 2 * sizeof *s.x);
            memmove(s.y + n_outer, s.y, 2 * sizeof *s.y);
            memcpy(s.x, outer[i], n_outer * sizeof *s.x);
            memcpy(s.y, outer[i] + 3, n_outer * sizeof *s.y);
            expect_as_cpu(&s);
        }
    }
}

/* --- Convolutions ---------------------------------------------------------------------------- */

static void set_conv_attrs(small_graph *g, oribi_node *node, const sample *s)
{
    const int first = strcmp(s->format, "NCHW") == 0 ? 2 : 1;
    int64_t strides[4] = {1, 1, 1, 1}, dilations[4] = {1, 1, 1, 1};
    oribi_attrs *attrs = &node->attrs;
    oribi_arena *arena = &g->graph->arena;
    memcpy(strides + first, s->stride, sizeof s->stride);
    memcpy(dilations + first, s->dilation, sizeof s->dilation);
    assert_true(oribi_attrs_set_ints(attrs, arena, "strides", strides, 4));
    assert_true(oribi_attrs_set_ints(attrs, arena, "dilations", dilations, 4));
    assert_true(oribi_attrs_set_string(attrs, arena, "padding", s->padding));
    assert_true(oribi_attrs_set_string(attrs, arena, "data_format", s->format));
    if (strcmp(s->padding, "EXPLICIT") == 0) {
        assert_true(oribi_attrs_set_ints(attrs, arena, "explicit_paddings", s->paddings, 8));
    }
    if (strcmp(node->op_name, "_FusedConv2D") == 0) {
        const TF_DataType type = TF_FLOAT;
        assert_true(oribi_attrs_set_types(attrs, arena, "TArgs", &type, 1));
        assert_true(oribi_attrs_set_int(attrs, arena, "num_host_args", 0));
    }
}

static void build_conv(small_graph *g, const sample *s)
{
    oribi_value_id inputs[3] = {small_input(g, "x", 4, s->x), drawn_constant(g, "f", 4, s->y), 0};
    int n = 2;
    if (s->words[0] != NULL) {
        inputs[n++] = drawn_constant(g, "bias", 1, &s->out_channels);
    }
    oribi_node *node = oribi_graph_add_node(g->graph, s->op, "node", inputs, n, 1, g->status);
    assert_non_null(node);
    set_conv_attrs(g, node, s);
    finish_node(g, node, s->words);
}

/* A convolution of any kind whose window fits the picture. */
static sample draw_conv(int64_t out_channels, int64_t groups, bool is_depthwise)
{
    static const char *const activations[] = {NULL,        "Relu", "Relu6",  "Elu",
                                              "LeakyRelu", "Tanh", "Sigmoid"};
    static const char *const paddings[] = {"SAME", "VALID", "EXPLICIT"};
    const int64_t depth = is_depthwise ? 1 : draw(1, 20);
    sample s = {.build = build_conv, .rank = 4, .out_channels = out_channels};
    const bool is_fused = draw(0, 3) > 0, is_planar = draw(0, 2) == 0;
    s.op = is_depthwise ? (is_fused ? "_FusedDepthwiseConv2dNative" : "DepthwiseConv2dNative")
                        : (is_fused ? "_FusedConv2D" : "Conv2D");
    s.padding = paddings[draw(0, is_depthwise && is_fused ? 1 : 2)];
    s.format = is_planar ? "NCHW" : "NHWC";
    if (is_fused) {
        s.words[0] = "BiasAdd";
        s.words[1] = activations[draw(0, is_depthwise ? 2 : 6)];
    }
    for (int i = 0; i < 2; i++) {
        s.stride[i] = draw(1, 2);
        s.dilation[i] = is_depthwise ? 1 : draw(1, 2);
        s.y[i] = draw(1, 3);
        s.x[(is_planar ? 2 : 1) + i] = draw(6, 9);
        s.paddings[(is_planar ? 4 : 2) + 2 * i] = draw(0, 2);
        s.paddings[(is_planar ? 4 : 2) + 2 * i + 1] = draw(0, 2);
    }
    if (is_depthwise) {
        s.stride[1] = s.stride[0];
    }
    s.x[0] = draw(1, 2);
    s.x[is_planar ? 1 : 3] = depth * groups;
    s.y[2] = is_depthwise ? groups : depth;
    s.y[3] = is_depthwise ? out_channels / groups : out_channels;
    return s;
}

static void convolutions_of_odd_sizes_give_what_the_cpu_gives(void **state)
{
    static const int64_t channels[] = {1, 3, 5, 12, 17, 24, 33, 40, 65, 70, 130};
    (void)state;
    seed = 11;
    for (int i = 0; i < 33; i++) {
        const sample s = draw_conv(channels[i % 11], 1, false);
        expect_as_cpu(&s);
    }
}

static void groups_and_depthwise_give_what_the_cpu_gives(void **state)
{
    static const int64_t channels[] = {2, 4, 6, 8, 13, 16, 20, 35};
    (void)state;
    seed = 12;
    for (int i = 0; i < 16; i++) {
        const sample s = draw_conv(channels[i % 8], channels[i % 8], true);
        expect_as_cpu(&s);
    }
    for (int i = 0; i < 6; i++) {
        const sample s = draw_conv(3 * channels[i], 3, false);
        expect_as_cpu(&s);
    }
}

/* --- The slot gemm --------------------------------------------------------------------------- */

static struct {
    TF_Gemm gemm;
    int64_t a, b, c; /* offsets */
    TF_Code code;
} asked;

/* z = x, which the product of x[0] = 1 and x is; then the product that is asked for, in z. */
static void compute_gemm(void *state, TF_OpKernelContext *ctx)
{
    static const int64_t dims[1] = {POOL};
    TF_Status *status = TF_NewStatus();
    TF_Tensor *x = NULL;
    (void)state;
    TF_GetInput(ctx, 0, &x, status);
    TF_Tensor *z = TF_AllocateOutput(ctx, 0, TF_FLOAT, dims, 1, POOL * sizeof(float), status);
    small_expect_ok(status);
    TF_Gemm copy = {.struct_size = TF_GEMM_STRUCT_SIZE,
                    .dtype = TF_FLOAT,
                    .m = 1,
                    .n = POOL,
                    .k = 1,
                    .alpha = 1,
                    .a = TF_TensorData(x),
                    .b = TF_TensorData(x),
                    .c = TF_TensorData(z),
                    .lda = 1,
                    .ldb = POOL,
                    .ldc = POOL,
                    .batch = 1};
    TF_LaunchGemm(ctx, &copy, status);
    small_expect_ok(status);
    TF_Gemm gemm = asked.gemm;
    gemm.a = (const float *)TF_TensorData(x) + asked.a;
    gemm.b = (const float *)TF_TensorData(x) + asked.b;
    gemm.c = (float *)TF_TensorData(z) + asked.c;
    TF_LaunchGemm(ctx, &gemm, status);
    asked.code = TF_GetCode(status);
    TF_DeleteTensor(x);
    TF_DeleteTensor(z);
    TF_DeleteStatus(status);
}

static void expect_product(const float *x, const float *z)
{
    const TF_Gemm *g = &asked.gemm;
    float *expected = malloc(POOL * sizeof *expected);
    assert_non_null(expected);
    memcpy(expected, x, POOL * sizeof *expected);
    for (int64_t b = 0; b < g->batch; b++) {
        for (int64_t i = 0; i < g->m; i++) {
            for (int64_t j = 0; j < g->n; j++) {
                const float *p = x + asked.a + b * g->stride_a, *q = x + asked.b + b * g->stride_b;
                float *r = expected + asked.c + b * g->stride_c + i * g->ldc + j;
                double sum = 0;
                for (int64_t l = 0; l < g->k; l++) {
                    sum += (double)p[g->transpose_a ? l * g->lda + i : i * g->lda + l] *
                           (double)q[g->transpose_b ? j * g->ldb + l : l * g->ldb + j];
                }
                *r = (float)(g->alpha * sum + g->beta * (double)*r);
            }
        }
    }
    for (int i = 0; i < POOL; i++) {
        if (!(z[i] - expected[i] < 1e-3f && expected[i] - z[i] < 1e-3f)) {
            print_error("m %d n %d k %d batch %d %d%d: element %d is %g, not %g\n", (int)g->m,
                        (int)g->n, (int)g->k, (int)g->batch, g->transpose_a, g->transpose_b, i,
                        (double)z[i], (double)expected[i]);
            fail();
        }
    }
    free(expected);
}

static void the_plugins_product_has_transposes_factors_strides_and_batches(void **state)
{
    static const int64_t dims[1] = {POOL};
    TF_Status *status = TF_NewStatus();
    small_graph g = small_begin();
    const oribi_value_id x = small_input(&g, "x", 1, dims);
    small_output(&g, device_node(&g, "Test>Gemm", "node", &x, 1), "z");
    oribi_session *session = device_try_session(&g, "OPENCL", NULL, false, status);
    small_expect_ok(status);
    oribi_run *run = small_run_of(session);
    float *data = malloc(POOL * sizeof *data);
    assert_non_null(data);
    (void)state;
    seed = 13;
    for (int i = 0; i < POOL; i++) {
        data[i] = i == 0 ? 1.0f : draw_eighth();
    }
    for (int i = 0; i < 48; i++) {
        const int64_t m = i % 3 == 0 ? 1 : draw(1, 20), n = draw(1, 40), k = draw(i % 7 > 0, 30);
        const int32_t ta = (i >> 1) & 1, tb = i & 1;
        const int64_t lda = (ta ? m : k) + draw(0, 3), ldb = (tb ? k : n) + draw(0, 3);
        asked.gemm = (TF_Gemm){.struct_size = TF_GEMM_STRUCT_SIZE,
                               .dtype = TF_FLOAT,
                               .transpose_a = ta,
                               .transpose_b = tb,
                               .m = m,
                               .n = n,
                               .k = k,
                               .alpha = (double)draw(-2, 2) * 0.5,
                               .beta = i % 2 == 0 ? 0 : (double)draw(-2, 2) * 0.5,
                               .lda = lda,
                               .ldb = ldb,
                               .ldc = n + draw(0, 3),
                               .batch = draw(1, 3),
                               .stride_a = lda * (ta ? k : m),
                               .stride_b = draw(0, 1) * ldb * (tb ? n : k)};
        asked.gemm.stride_c = asked.gemm.ldc * m + draw(0, 5);
        asked.a = draw(0, 9);
        asked.b = draw(0, 99);
        asked.c = draw(0, 99);
        TF_Tensor *bound = small_tensor(1, dims, 0);
        memcpy(TF_TensorData(bound), data, POOL * sizeof *data);
        small_bind(run, 0, bound);
        small_execute(run);
        assert_int_equal(asked.code, TF_OK);
        TF_Tensor *z = small_result(run, 0);
        expect_product(data, TF_TensorData(z));
        TF_DeleteTensor(z);
    }
    asked.gemm.dtype = TF_DOUBLE;
    small_execute(run);
    assert_int_equal(asked.code, TF_UNIMPLEMENTED);
    asked.gemm.dtype = TF_FLOAT;
    asked.gemm.lda = 0;
    small_execute(run);
    assert_int_equal(asked.code, TF_INVALID_ARGUMENT);
    free(data);
    oribi_run_destroy(run);
    oribi_session_destroy(session);
    TF_DeleteStatus(status);
}

/* --- Setup ----------------------------------------------------------------------------------- */

static int setup(void **state)
{
    static const char *const x[] = {"x: float", NULL};
    static const char *const z[] = {"z: float", NULL};
    static const char *const none[] = {NULL};
    (void)state;
    small_define_op("Test>Gemm", x, z, none, small_same_shape);
    small_register(TF_NewKernelBuilder("Test>Gemm", "OPENCL", NULL, compute_gemm, NULL), "gemm");
    return 0;
}

static bool has_device(void)
{
    TF_Status *status = TF_NewStatus();
    small_graph g = small_begin();
    const oribi_value_id x = small_input(&g, "x", 2, sizes[0]);
    small_output(&g, device_node(&g, "Relu", "node", &x, 1), "z");
    oribi_session *session = device_try_session(&g, "OPENCL", NULL, false, status);
    const bool ok = TF_GetCode(status) != TF_NOT_FOUND;
    oribi_session_destroy(session);
    TF_DeleteStatus(status);
    return ok;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(products_of_odd_sizes_give_what_the_cpu_gives),
        cmocka_unit_test(fused_products_end_with_bias_and_activation),
        cmocka_unit_test(batches_broadcast),
        cmocka_unit_test(convolutions_of_odd_sizes_give_what_the_cpu_gives),
        cmocka_unit_test(groups_and_depthwise_give_what_the_cpu_gives),
        cmocka_unit_test(the_plugins_product_has_transposes_factors_strides_and_batches),
    };
    char spec[600];
    const char *tiles = getenv("TEST_TILES");
    TF_Status *status = TF_NewStatus();
    if (access(PLUGIN, R_OK) != 0) {
        puts("skipped: the plugin opencl was not built (no OpenCL headers and loader)");
        TF_DeleteStatus(status);
        return 77;
    }
    (void)setenv("ORIBI_PLUGIN_PROBE", TEST_PROBE, 1);
    (void)setenv("XDG_CACHE_HOME", TEST_BINARY "/tests/devices/cache", 0);
    snprintf(spec, sizeof spec, PLUGIN "%s%s", tiles != NULL ? ":tiles=" : "",
             tiles != NULL ? tiles : "");
    oribi_plugin_load_file(spec, status);
    if (TF_GetCode(status) != TF_OK) {
        fprintf(stderr, "%s\n", TF_Message(status));
        return 1;
    }
    TF_DeleteStatus(status);
    if (!has_device()) {
        puts("skipped: OpenCL has no device here");
        return 77;
    }
    return cmocka_run_group_tests(tests, setup, NULL);
}
