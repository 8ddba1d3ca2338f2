/* SPDX-License-Identifier: Apache-2.0 */
/* Nodes of ONNX>QLinearConv2D that no importer makes: what their C would overflow or read beyond is
 * refused when it is compiled.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "compile/lower/lower.h"
#include "support/onnx_import.h"

enum { CHANNELS = 2 };

typedef struct made { /* 3 by 3 pixels of 2 channels, 1 by 1 filters, unless a test says otherwise
                       */
    int64_t input_zero, output_zero, pad, stride;
    int32_t filter_zero;
    int64_t n_multipliers;
    bool computes_zeros;
} made;

static oribi_value_id constant(oribi_graph *graph, TF_DataType type, int64_t count,
                               const void *data, TF_Status *status)
{
    const oribi_value_id id =
        oribi_graph_add_constant_copy(graph, "c", type, &count, 1, data, status);
    assert_true(id >= 0);
    return id;
}

static oribi_node *add_convolution(oribi_graph *graph, const made *m, TF_Status *status)
{
    int64_t in_dims[4] = {1, 3, 3, CHANNELS}, filter_dims[4] = {1, 1, CHANNELS, CHANNELS};
    int64_t zeros_dims[1] = {CHANNELS};
    const oribi_shape in = {4, in_dims}, zeros_shape = {1, zeros_dims};
    const int8_t filter[CHANNELS * CHANNELS] = {1, 2, 3, 4};
    const int32_t bias[CHANNELS] = {5, 6}, zeros[CHANNELS] = {0, m->filter_zero};
    const float multipliers[4] = {0.5f, 0.25f, 0.5f, 0.25f};
    const int64_t strides[2] = {1, m->stride}, dilations[2] = {1, 1}, pads[4] = {0, m->pad, 0, 0};
    oribi_value_id ids[5] = {oribi_graph_add_value(graph, "x", TF_INT8, &in, status)};
    ids[1] = oribi_graph_add_constant_copy(graph, "w", TF_INT8, filter_dims, 4, filter, status);
    ids[2] = constant(graph, TF_INT32, CHANNELS, bias, status);
    ids[3] = m->computes_zeros ? oribi_graph_add_value(graph, "z", TF_INT32, &zeros_shape, status)
                               : constant(graph, TF_INT32, CHANNELS, zeros, status);
    ids[4] = constant(graph, TF_FLOAT, m->n_multipliers, multipliers, status);
    oribi_node *node = oribi_graph_add_node(graph, "ONNX>QLinearConv2D", "made", ids, 5, 1, status);
    assert_non_null(node);
    const bool set =
        oribi_attrs_set_type(&node->attrs, &graph->arena, "Ty", TF_INT8) &&
        oribi_attrs_set_int(&node->attrs, &graph->arena, "input_zero", m->input_zero) &&
        oribi_attrs_set_int(&node->attrs, &graph->arena, "output_zero", m->output_zero) &&
        oribi_attrs_set_ints(&node->attrs, &graph->arena, "strides", strides, 2) &&
        oribi_attrs_set_ints(&node->attrs, &graph->arena, "dilations", dilations, 2) &&
        oribi_attrs_set_ints(&node->attrs, &graph->arena, "pads", pads, 4);
    assert_true(set);
    return node;
}

/* What compiling the node says: "" is success. */
static void attempt(const made *m, char *out, size_t size)
{
    TF_Status *status = TF_NewStatus();
    oribi_graph *graph = oribi_graph_create(status);
    assert_non_null(graph);
    oribi_node *node = add_convolution(graph, m, status);
    if (oribi_graph_resolve(graph, node, status)) {
        oribi_lowering lowering = {.graph = graph, .arena = &graph->arena, .status = status};
        oribi_call call = {.node = node, .inputs = node->inputs, .n_inputs = 5, .n_outputs = 1};
        const bool done = oribi_lower_qlinear_conv2d(&lowering, &call);
        assert_int_equal(done, TF_GetCode(status) == TF_OK);
    }
    strncpy(out, TF_Message(status), size - 1);
    out[size - 1] = 0;
    oribi_graph_destroy(graph);
    TF_DeleteStatus(status);
}

static const made good = {.input_zero = -128,
                          .output_zero = 127,
                          .stride = 1,
                          .filter_zero = 255,
                          .n_multipliers = CHANNELS};

static void expect(const made *m, const char *words)
{
    char said[512];
    attempt(m, said, sizeof said);
    if (words == NULL ? said[0] != 0 : strstr(said, words) == NULL) {
        fail_msg("said '%s' instead of '%s'", said, words == NULL ? "" : words);
    }
}

static void zero_points_of_eight_bits_are_compiled(void **state)
{
    (void)state;
    expect(&good, NULL);
}

static void zero_points_beyond_eight_bits_are_refused(void **state)
{
    (void)state;
    static const int64_t bad[] = {-129, 256, INT32_MAX, INT64_MIN, INT64_C(1) << 32};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        made m = good;
        m.input_zero = bad[i];
        expect(&m, "must be values of 8 bits");
        m = good;
        m.output_zero = bad[i];
        expect(&m, "must be values of 8 bits");
    }
}

static void zero_points_of_the_filter_beyond_eight_bits_are_refused(void **state)
{
    (void)state;
    static const int32_t bad[] = {-129, 256, INT32_MAX, INT32_MIN};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        made m = good;
        m.filter_zero = bad[i];
        expect(&m, "of the filter's channel 1 must be a value of 8 bits");
    }
}

static void zero_points_of_the_filter_that_are_computed_are_refused(void **state)
{
    (void)state;
    made m = good;
    m.computes_zeros = true;
    expect(&m, "input 3");
}

static void sizes_that_the_kernel_would_read_beyond_are_refused(void **state)
{
    (void)state;
    made m = good;
    m.n_multipliers = CHANNELS - 1;
    expect(&m, "must be equal");
    m = good;
    m.pad = -1;
    expect(&m, "negative padding");
    m = good;
    m.stride = 0;
    expect(&m, "stride");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(zero_points_of_eight_bits_are_compiled),
        cmocka_unit_test(zero_points_beyond_eight_bits_are_refused),
        cmocka_unit_test(zero_points_of_the_filter_beyond_eight_bits_are_refused),
        cmocka_unit_test(zero_points_of_the_filter_that_are_computed_are_refused),
        cmocka_unit_test(sizes_that_the_kernel_would_read_beyond_are_refused),
    };
    return cmocka_run_group_tests(tests, load_built_ins, NULL);
}
