/* SPDX-License-Identifier: Apache-2.0 */
/* The OpenCL plugin on whatever OpenCL device is here (PoCL in the project's tests): each of its
 * kernels against the CPU's kernels, a whole model, the program cache. Skipped where the plugin was
 * not built or OpenCL has no device.
 *
 * All but the cache is said of any device with these kernels: TEST_DEVICE_TYPE=CUDA and
 * TEST_DEVICE_PLUGIN=FILE[:OPTIONS] run it on that one (gpu_double/CMakeLists.txt).
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <unistd.h>

#include <cmocka.h>

#include <ctype.h>
#include <dirent.h>

#include "devices/on_plugin.h"

static const int64_t picture[4] = {2, 3, 5, 4};
static const int64_t vector[1] = {4};
static const int64_t column[3] = {3, 1, 1};
static const int64_t plane[2] = {5, 4};

static oribi_value_id with_constant(small_graph *g, const char *op, const int64_t *dims, int rank,
                                    bool is_first)
{
    const oribi_value_id x = small_input(g, "x", 4, picture);
    const oribi_value_id c = device_constant(g, "c", rank, dims);
    return device_node(g, op, "node",
                       is_first ? (oribi_value_id[]){c, x} : (oribi_value_id[]){x, c}, 2);
}

static oribi_value_id relu(small_graph *g)
{
    const oribi_value_id x = small_input(g, "x", 4, picture);
    return device_node(g, "Relu", "node", &x, 1);
}

static oribi_value_id softmax(small_graph *g)
{
    const oribi_value_id x = small_input(g, "x", 4, picture);
    return device_node(g, "Softmax", "node", &x, 1);
}

static oribi_value_id add_vector(small_graph *g)
{
    return with_constant(g, "AddV2", vector, 1, false);
}

static oribi_value_id add_column_first(small_graph *g)
{
    return with_constant(g, "AddV2", column, 3, true);
}

static oribi_value_id sub_column_first(small_graph *g)
{
    return with_constant(g, "Sub", column, 3, true);
}

static oribi_value_id mul_plane(small_graph *g)
{
    return with_constant(g, "Mul", plane, 2, false);
}

static oribi_value_id maximum_vector(small_graph *g)
{
    return with_constant(g, "Maximum", vector, 1, false);
}

static oribi_value_id bias(small_graph *g)
{
    return with_constant(g, "BiasAdd", vector, 1, false);
}

static void elementwise_kernels_give_what_the_cpu_gives(void **state)
{
    static const plugin_build_fn all[] = {
        relu,           add_vector, add_column_first, sub_column_first, mul_plane,
        maximum_vector, bias,       softmax};
    (void)state;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        plugin_expect_as_cpu(all[i], 4, picture);
    }
}

static oribi_value_id product(small_graph *g, bool transpose_x, bool transpose_y)
{
    static const int64_t x_dims[2][2] = {{4, 6}, {6, 4}}, y_dims[2][2] = {{6, 5}, {5, 6}};
    const oribi_value_id x = small_input(g, "x", 2, x_dims[transpose_x]);
    const oribi_value_id y = device_constant(g, "y", 2, y_dims[transpose_y]);
    oribi_node *node =
        oribi_graph_add_node(g->graph, "MatMul", "node", (oribi_value_id[]){x, y}, 2, 1, g->status);
    assert_non_null(node);
    assert_true(oribi_attrs_set_bool(&node->attrs, &g->graph->arena, "transpose_a", transpose_x));
    assert_true(oribi_attrs_set_bool(&node->attrs, &g->graph->arena, "transpose_b", transpose_y));
    assert_true(oribi_graph_resolve(g->graph, node, g->status));
    return node->outputs[0];
}

static oribi_value_id product_nn(small_graph *g)
{
    return product(g, false, false);
}

static oribi_value_id product_tn(small_graph *g)
{
    return product(g, true, false);
}

static oribi_value_id product_nt(small_graph *g)
{
    return product(g, false, true);
}

static oribi_value_id product_tt(small_graph *g)
{
    return product(g, true, true);
}

static void matrix_products_of_all_four_kinds_give_what_the_cpu_gives(void **state)
{
    static const int64_t plain[2] = {4, 6}, turned[2] = {6, 4};
    (void)state;
    plugin_expect_as_cpu(product_nn, 2, plain);
    plugin_expect_as_cpu(product_nt, 2, plain);
    plugin_expect_as_cpu(product_tn, 2, turned);
    plugin_expect_as_cpu(product_tt, 2, turned);
}

/* --- Windows --------------------------------------------------------------------------------- */

typedef struct window {
    const char *op, *padding, *format;
    int64_t stride, dilation;
    int64_t filter[4];    /* height, width, then as the op has it; for pools the window */
    const char *words[4]; /* fused_ops */
    int64_t explicit_[8];
} window;

static const window *current;

static void set_attrs(small_graph *g, oribi_node *node)
{
    const window *w = current;
    const bool is_nchw = strcmp(w->format, "NCHW") == 0;
    const int64_t strides[4] = {1, is_nchw ? 1 : w->stride, w->stride, is_nchw ? w->stride : 1};
    const int64_t dilations[4] = {1, is_nchw ? 1 : w->dilation, w->dilation,
                                  is_nchw ? w->dilation : 1};
    const int64_t size[4] = {1, is_nchw ? 1 : w->filter[0], w->filter[is_nchw ? 0 : 1],
                             is_nchw ? w->filter[1] : 1};
    oribi_attrs *attrs = &node->attrs;
    oribi_arena *arena = &g->graph->arena;
    int n_words = 0;
    while (n_words < 4 && w->words[n_words] != NULL) {
        n_words++;
    }
    assert_true(oribi_attrs_set_ints(attrs, arena, "strides", strides, 4));
    assert_true(oribi_attrs_set_string(attrs, arena, "padding", w->padding));
    assert_true(oribi_attrs_set_string(attrs, arena, "data_format", w->format));
    if (strcmp(w->padding, "EXPLICIT") == 0) {
        assert_true(oribi_attrs_set_ints(attrs, arena, "explicit_paddings", w->explicit_, 8));
    }
    if (strstr(w->op, "Pool") != NULL) {
        assert_true(oribi_attrs_set_ints(attrs, arena, "ksize", size, 4));
    } else {
        assert_true(oribi_attrs_set_ints(attrs, arena, "dilations", dilations, 4));
    }
    if (n_words > 0) {
        assert_true(oribi_attrs_set_strings(attrs, arena, "fused_ops", w->words, n_words));
        assert_true(oribi_attrs_set_int(attrs, arena, "num_args", 1));
        if (strcmp(w->op, "_FusedConv2D") == 0) {
            const TF_DataType type = TF_FLOAT;
            assert_true(oribi_attrs_set_types(attrs, arena, "TArgs", &type, 1));
            assert_true(oribi_attrs_set_int(attrs, arena, "num_host_args", 0));
        }
    }
}

static oribi_value_id filter_constant(small_graph *g)
{
    float data[256];
    const int64_t *f = current->filter, n = f[0] * f[1] * f[2] * f[3];
    assert_true(n <= 256);
    for (int64_t i = 0; i < n; i++) {
        data[i] = (float)((i * 5) % 11) * 0.125f - 0.5f;
    }
    const oribi_value_id id =
        oribi_graph_add_constant_copy(g->graph, "filter", TF_FLOAT, f, 4, data, g->status);
    assert_true(id >= 0);
    return id;
}

static oribi_value_id window_of(small_graph *g, oribi_value_id x)
{
    oribi_value_id inputs[3] = {x};
    int n = 1;
    if (strstr(current->op, "Pool") == NULL) {
        inputs[n++] = filter_constant(g);
    }
    if (current->words[0] != NULL) {
        const int64_t *f = current->filter;
        const int64_t channels = strstr(current->op, "Depthwise") != NULL ? f[2] * f[3] : f[3];
        inputs[n++] = device_constant(g, "bias", 1, &channels);
    }
    oribi_node *node = oribi_graph_add_node(g->graph, current->op, "node", inputs, n, 1, g->status);
    assert_non_null(node);
    set_attrs(g, node);
    if (!oribi_graph_resolve(g->graph, node, g->status)) {
        print_error("%s\n", TF_Message(g->status));
        fail();
    }
    return node->outputs[0];
}

static oribi_value_id turned(small_graph *g, const char *name, oribi_value_id x,
                             const int32_t *perm)
{
    const int64_t four = 4;
    const oribi_value_id order =
        oribi_graph_add_constant_copy(g->graph, "perm", TF_INT32, &four, 1, perm, g->status);
    assert_true(order >= 0);
    return device_node(g, "Transpose", name, (oribi_value_id[]){x, order}, 2);
}

/* The CPU has NHWC alone: it gets the picture turned, and turns the result back. */
static oribi_value_id window_graph(small_graph *g)
{
    const window *asked = current;
    const oribi_value_id x = small_input(g, "x", 4, picture);
    if (strcmp(asked->format, "NHWC") == 0 || !plugin_builds_for_cpu) {
        return window_of(g, x);
    }
    window other = *asked;
    other.format = "NHWC";
    memcpy(other.explicit_ + 2, asked->explicit_ + 4, 4 * sizeof *other.explicit_);
    memset(other.explicit_ + 6, 0, 2 * sizeof *other.explicit_);
    current = &other;
    const oribi_value_id z = window_of(g, turned(g, "to", x, (int32_t[]){0, 2, 3, 1}));
    current = asked;
    return turned(g, "back", z, (int32_t[]){0, 3, 1, 2});
}

/* x is [2, 3, 5, 4]: NHWC has 4 channels, NCHW 3. */
static const window windows[] = {
    {"Conv2D", "SAME", "NHWC", 1, 1, {3, 3, 4, 2}, {NULL}, {0}},
    {"Conv2D", "SAME", "NHWC", 2, 1, {2, 3, 4, 3}, {NULL}, {0}},
    {"Conv2D", "VALID", "NHWC", 1, 2, {2, 3, 4, 2}, {NULL}, {0}},
    {"Conv2D", "EXPLICIT", "NHWC", 1, 1, {3, 2, 4, 2}, {NULL}, {0, 0, 1, 2, 0, 1, 0, 0}},
    {"Conv2D", "SAME", "NHWC", 1, 1, {3, 3, 2, 4}, {NULL}, {0}}, /* two groups */
    {"_FusedConv2D", "SAME", "NHWC", 1, 1, {3, 3, 4, 2}, {"BiasAdd"}, {0}},
    {"_FusedConv2D", "VALID", "NHWC", 1, 1, {1, 1, 4, 5}, {"BiasAdd", "Relu"}, {0}},
    {"_FusedConv2D", "SAME", "NHWC", 1, 1, {1, 1, 4, 3}, {"BiasAdd", "Relu6"}, {0}},
    {"_FusedConv2D", "SAME", "NHWC", 1, 1, {1, 1, 4, 3}, {"BiasAdd", "LeakyRelu"}, {0}},
    {"_FusedConv2D", "SAME", "NHWC", 1, 1, {1, 1, 4, 3}, {"BiasAdd", "Tanh"}, {0}},
    {"DepthwiseConv2dNative", "SAME", "NHWC", 1, 1, {3, 3, 4, 1}, {NULL}, {0}},
    {"DepthwiseConv2dNative", "VALID", "NHWC", 1, 1, {2, 2, 4, 2}, {NULL}, {0}},
    {"_FusedDepthwiseConv2dNative", "SAME", "NHWC", 1, 1, {3, 3, 4, 1}, {"BiasAdd", "Relu"}, {0}},
    {"Oribi>FusedDepthwiseConv2d",
     "EXPLICIT",
     "NHWC",
     2,
     1,
     {3, 3, 4, 1},
     {"BiasAdd", "Relu6"},
     {0, 0, 1, 0, 0, 1, 0, 0}},
    {"Oribi>AvgPool", "EXPLICIT", "NHWC", 2, 1, {3, 3}, {NULL}, {0, 0, 1, 1, 0, 1, 0, 0}},
    {"MaxPool", "SAME", "NHWC", 2, 1, {3, 2}, {NULL}, {0}},
    {"MaxPool", "VALID", "NHWC", 1, 1, {2, 3}, {NULL}, {0}},
    {"AvgPool", "SAME", "NHWC", 1, 1, {3, 3}, {NULL}, {0}},
    {"AvgPool", "VALID", "NHWC", 2, 1, {2, 2}, {NULL}, {0}},
    {"MaxPool", "SAME", "NCHW", 2, 1, {3, 2}, {NULL}, {0}},
    {"AvgPool", "VALID", "NCHW", 1, 1, {2, 3}, {NULL}, {0}},
    {"Oribi>AvgPool", "EXPLICIT", "NCHW", 2, 1, {3, 3}, {NULL}, {0, 0, 0, 0, 1, 1, 0, 1}},
};

static void convolutions_and_pools_give_what_the_cpu_gives(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof windows / sizeof *windows; i++) {
        current = &windows[i];
        plugin_expect_as_cpu(window_graph, 4, picture);
    }
}

/* "opencl:0" */
static const char *lower_case_first(void)
{
    static char name[32];
    snprintf(name, sizeof name, "%s:0", plugin_type);
    for (char *at = name; *at != '\0'; at++) {
        *at = (char)tolower((unsigned char)*at);
    }
    return name;
}

static void a_chain_with_a_view_waits_once(void **state)
{
    (void)state;
    oribi_session *cpu = device_session(device_dense(ROWS, false), NULL, NULL);
    oribi_session *other = device_session(device_dense(ROWS, false), lower_case_first(), NULL);
    oribi_run *expected = device_run(cpu, ROWS, -3), *run = device_run(other, ROWS, -3);

    assert_int_equal(plugin_count_steps(other), 2);
    small_execute(expected);
    small_execute(run);

    device_expect_same(expected, run);
    assert_int_equal(oribi_run_num_waits(run), 1);
    oribi_run_destroy(expected);
    oribi_run_destroy(run);
    oribi_session_destroy(cpu);
    oribi_session_destroy(other);
}

static void nodes_that_are_placed_on_the_cpu_run_there(void **state)
{
    static const char *const places[] = {"relu=CPU", NULL};
    (void)state;
    oribi_session *cpu = device_session(device_dense(-1, true), NULL, NULL);
    oribi_session *other = device_session(device_dense(-1, true), plugin_type, places);
    oribi_run *expected = device_run(cpu, ROWS, -3), *run = device_run(other, ROWS, -3);

    small_execute(expected);
    small_execute(run);

    device_expect_same(expected, run);
    assert_int_equal(oribi_run_num_waits(run), 2);
    oribi_run_destroy(expected);
    oribi_run_destroy(run);
    oribi_session_destroy(cpu);
    oribi_session_destroy(other);
}

static oribi_session *open_digits(const char *device)
{
    TF_Status *status = TF_NewStatus();
    oribi_options *options = small_options();
    if (device != NULL) {
        oribi_options_set_device(options, device, status);
        small_expect_ok(status);
    }
    oribi_model *model =
        oribi_model_open(TEST_SOURCE "/examples/digits/digits.onnx", options, status);
    small_expect_ok(status);
    oribi_session *session = oribi_session_create(model, options, status);
    oribi_model_destroy(model);
    small_expect_ok(status);
    oribi_options_destroy(options);
    TF_DeleteStatus(status);
    return session;
}

static void a_whole_model_gives_what_the_cpu_gives(void **state)
{
    static const int64_t dims[4] = {1, 1, 8, 8};
    (void)state;
    oribi_session *cpu = open_digits(NULL), *other = open_digits(plugin_type);
    oribi_run *expected = small_run_of(cpu), *run = small_run_of(other);
    plugin_bind_ramp(expected, 4, dims);
    plugin_bind_ramp(run, 4, dims);

    assert_true(plugin_count_steps(other) > 0);
    small_execute(expected);
    small_execute(run);

    device_expect_same(expected, run);
    assert_int_equal(oribi_run_num_waits(run), 1);
    oribi_run_destroy(expected);
    oribi_run_destroy(run);
    oribi_session_destroy(cpu);
    oribi_session_destroy(other);
}

/* --- The program cache ----------------------------------------------------------------------- */

/* Path of the one file in the cache. */
static void find_file(char *path, size_t size)
{
    char folder[200];
    int n = 0;
    snprintf(folder, sizeof folder, "%s/oribi/opencl", plugin_cache);
    DIR *open = opendir(folder);
    assert_non_null(open);
    for (struct dirent *entry; (entry = readdir(open)) != NULL;) {
        if (entry->d_name[0] != '.') {
            snprintf(path, size, "%s/%s", folder, entry->d_name);
            n++;
        }
    }
    closedir(open);
    assert_int_equal(n, 1);
}

static long size_of(const char *path, int *out_byte)
{
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    assert_int_equal(fseek(file, 40, SEEK_SET), 0);
    *out_byte = fgetc(file);
    assert_int_equal(fseek(file, 0, SEEK_END), 0);
    const long size = ftell(file);
    fclose(file);
    return size;
}

static void a_damaged_program_in_the_cache_is_compiled_and_kept_again(void **state)
{
    char path[500];
    int byte = 0, now = 0;
    (void)state;
    plugin_expect_as_cpu(relu, 4, picture);
    find_file(path, sizeof path);
    const long size = size_of(path, &byte);
    assert_true(size > 100);

    FILE *file = fopen(path, "r+b");
    assert_non_null(file);
    assert_int_equal(fseek(file, 40, SEEK_SET), 0);
    fputc(byte ^ 0x55, file);
    fclose(file);
    plugin_expect_as_cpu(relu, 4, picture);
    assert_true(size_of(path, &now) > 100);
    assert_int_equal(now, byte);

    assert_int_equal(truncate(path, 57), 0);
    plugin_expect_as_cpu(relu, 4, picture);
    assert_true(size_of(path, &now) > 100);
    find_file(path, sizeof path); /* no other file stays */
}

int main(void)
{
    const struct CMUnitTest cache_tests[] = {
        cmocka_unit_test(a_damaged_program_in_the_cache_is_compiled_and_kept_again), /* the first */
    };
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(elementwise_kernels_give_what_the_cpu_gives),
        cmocka_unit_test(matrix_products_of_all_four_kinds_give_what_the_cpu_gives),
        cmocka_unit_test(convolutions_and_pools_give_what_the_cpu_gives),
        cmocka_unit_test(a_chain_with_a_view_waits_once),
        cmocka_unit_test(nodes_that_are_placed_on_the_cpu_run_there),
        cmocka_unit_test(a_whole_model_gives_what_the_cpu_gives),
    };
    const int result = plugin_setup();
    if (result != 0) {
        return result;
    }
    const bool has_cache = strcmp(plugin_type, "OPENCL") == 0;
    const int failed = has_cache ? cmocka_run_group_tests(cache_tests, NULL, NULL) : 0;
    return failed + cmocka_run_group_tests(tests, NULL, plugin_remove_cache);
}
