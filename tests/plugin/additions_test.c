/* SPDX-License-Identifier: Apache-2.0 */
/* A plugin's file that uses what contract 1.3 adds, in sessions of ONNX models: good/additions.c.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "support/onnx_writer.h"

#include "plugin/loading.h"

static const int64_t FOUR[1] = {4};

static int load_additions(void **state)
{
    if (set_up(state) != 0) {
        return -1;
    }
    assert_loads(PLUGIN("additions"));
    return 0;
}

static bytes finish(bytes *graph, const char *domain, int64_t version)
{
    bytes model = make_model(13, graph), opset = {0};
    put_text(&opset, 1, domain);
    put_int(&opset, 2, version);
    put_message(&model, 8, &opset);
    return model;
}

/* Runs the model, which it frees, on `count` floats, `runs` times; the last result, or NULL. */
static TF_Tensor *run_model(bytes model, const int64_t *dims, int rank, const float *x,
                            size_t count, int runs)
{
    TF_Status *status = TF_NewStatus();
    oribi_model *opened = oribi_model_from_memory(model.data, model.n, "m", NULL, status);
    oribi_session *session = opened != NULL ? oribi_session_create(opened, NULL, status) : NULL;
    oribi_run *run = session != NULL ? oribi_run_create(session, status) : NULL;
    TF_Tensor *result = NULL;
    if (run != NULL) {
        TF_Tensor *input = TF_AllocateTensor(TF_FLOAT, dims, rank, count * sizeof *x);
        memcpy(TF_TensorData(input), x, count * sizeof *x);
        oribi_run_set_input(run, 0, input, status);
        for (int i = 0; i < runs && TF_GetCode(status) == TF_OK; i++) {
            oribi_run_execute(run, status);
        }
        result = TF_GetCode(status) == TF_OK ? oribi_run_output(run, 0, status) : NULL;
        TF_DeleteTensor(input);
    }
    snprintf(message, sizeof message, "%s", TF_Message(status));
    oribi_run_destroy(run);
    oribi_session_destroy(session);
    oribi_model_destroy(opened);
    TF_DeleteStatus(status);
    free(model.data);
    return result;
}

static bytes one_node(const char *op, int64_t version, const int64_t *dims, int rank)
{
    bytes graph = {0};
    put_value(&graph, GRAPH_INPUT, "x", ONNX_FLOAT, dims, rank);
    put_node(&graph, "acme", op, "n", "x", "y");
    put_value(&graph, GRAPH_OUTPUT, "y", ONNX_FLOAT, NULL, -1);
    return finish(&graph, "acme", version);
}

static void expect_floats(TF_Tensor *result, const float *expected, size_t count)
{
    if (result == NULL) {
        fail_msg("%s", message);
    }
    assert_int_equal(TF_TensorElementCount(result), count);
    for (size_t i = 0; i < count; i++) {
        const float difference = ((const float *)TF_TensorData(result))[i] - expected[i];
        assert_true(difference < 1e-6f && difference > -1e-6f);
    }
    TF_DeleteTensor(result);
}

static void a_kernel_of_two_ops(void **state)
{
    (void)state;
    const int64_t dims[2] = {2, 2};
    const float x[4] = {0, 0, 1, 0}; /* scores 0 0, 0 1 */
    const float expected[4] = {0.5f, 0.5f, 0.26894142f, 0.73105858f};
    expect_floats(run_model(one_node("Attend", 1, dims, 2), dims, 2, x, 4, 3), expected, 4);
}

static void each_version_has_its_kernel(void **state)
{
    (void)state;
    const float x[4] = {1, 2, 3, 4}, first[4] = {2, 4, 6, 8}, second[4] = {3, 6, 9, 12};
    expect_floats(run_model(one_node("Gate", 6, FOUR, 1), FOUR, 1, x, 4, 1), first, 4);
    expect_floats(run_model(one_node("Gate", 7, FOUR, 1), FOUR, 1, x, 4, 1), second, 4);
}

static bytes packed_model(void)
{
    bytes graph = {0};
    put_value(&graph, GRAPH_INPUT, "x", ONNX_FLOAT, FOUR, 1);
    put_node(&graph, "acme", "Pack", "p", "x", "v");
    put_node(&graph, "", "Identity", "i", "v", "w");
    put_node(&graph, "acme", "Unpack", "u", "w", "y");
    put_value(&graph, GRAPH_OUTPUT, "y", ONNX_FLOAT, NULL, -1);
    return finish(&graph, "acme", 1);
}

static void variants_travel_between_kernels(void **state)
{
    (void)state;
    const float x[4] = {1, 2, 3, 4};
    expect_floats(run_model(packed_model(), FOUR, 1, x, 4, 4), x, 4);
}

static void memory_is_lent_without_a_copy(void **state)
{
    (void)state;
    const float x[4] = {1, 2, 3, 4};
    expect_floats(run_model(one_node("Lend", 1, FOUR, 1), FOUR, 1, x, 4, 2), x, 4);
}

static bytes quantised(bool has_scale)
{
    static const float scale = 0.5f;
    static const int8_t zero = 3;
    bytes graph = {0};
    put_value(&graph, GRAPH_INPUT, "x", ONNX_FLOAT, FOUR, 1);
    put_initialiser(&graph, "scale", ONNX_FLOAT, NULL, 0, &scale, sizeof scale);
    put_initialiser(&graph, "zero", 3, NULL, 0, &zero, sizeof zero);
    if (has_scale) {
        put_node(&graph, "", "QuantizeLinear", "q", "x,scale,zero", "stored");
    } else {
        bytes cast = make_node("", "Cast", "q", "x", "stored");
        put_attr_int(&cast, "to", 3);
        put_message(&graph, GRAPH_NODE, &cast);
    }
    put_node(&graph, "acme", "Units", "u", "stored", "y");
    put_value(&graph, GRAPH_OUTPUT, "y", ONNX_FLOAT, NULL, -1);
    return finish(&graph, "acme", 1);
}

static void scales_are_told_at_creation_and_to_shape_functions(void **state)
{
    (void)state;
    const float x[4] = {1, 2.5f, -3, 4};
    expect_floats(run_model(quantised(true), FOUR, 1, x, 4, 1), x, 4);
    assert_null(run_model(quantised(false), FOUR, 1, x, 4, 1));
    assert_says("x is not quantised");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_kernel_of_two_ops),
        cmocka_unit_test(each_version_has_its_kernel),
        cmocka_unit_test(variants_travel_between_kernels),
        cmocka_unit_test(memory_is_lent_without_a_copy),
        cmocka_unit_test(scales_are_told_at_creation_and_to_shape_functions),
    };
    return cmocka_run_group_tests(tests, load_additions, tear_down);
}
