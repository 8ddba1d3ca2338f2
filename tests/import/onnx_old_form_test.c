/* SPDX-License-Identifier: Apache-2.0 */
/* Forms of operators that newer opsets no longer have (axes, sizes and k as attributes), for which
 * the backend tests of the ONNX project hold no case: run on small numbers worked out by hand.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "oribi/oribi.h"
#include "support/onnx_writer.h"

typedef struct form {
    const char *op;
    int opsets[5]; /* 0 ends */
    const char *name;
    int64_t ints[4]; /* of attribute `name` */
    int n_ints;
    bool keeps_dims; /* else keepdims = 0 is written where `reduces` */
    bool reduces;
    int64_t dims[4];
    int rank;
    float x[8];
    int64_t out_dims[4];
    int out_rank;
    float y[16];
} form;

#define MATRIX .dims = {2, 3}, .rank = 2, .x = {1, -2, 3, 4, 5, -6}
#define REDUCE(name_, ...)                                                                         \
    {                                                                                              \
        .op = name_, .opsets = {7, 11, 13}, .name = "axes", .ints = {1}, .n_ints = 1,              \
        .reduces = true, MATRIX, .out_dims = {2}, .out_rank = 1, .y = {                            \
            __VA_ARGS__                                                                            \
        }                                                                                          \
    }

static const form forms[] = {
    REDUCE("ReduceL1", 6, 15),
    REDUCE("ReduceL2", 3.7416573867739413f, 8.774964387392123f),
    REDUCE("ReduceMax", 3, 5),
    REDUCE("ReduceMin", -2, -6),
    REDUCE("ReduceMean", 0.6666666667f, 1),
    REDUCE("ReduceProd", -6, -120),
    REDUCE("ReduceSumSquare", 14, 77),
    REDUCE("ReduceLogSum", 0.6931471805599453f, 1.0986122886681098f),
    REDUCE("ReduceLogSumExp", 3.1328452f, 5.3132742f),
    {.op = "ReduceSum",
     .opsets = {7, 11},
     .name = "axes",
     .ints = {-1},
     .n_ints = 1,
     .reduces = true,
     .keeps_dims = true,
     MATRIX,
     .out_dims = {2, 1},
     .out_rank = 2,
     .y = {2, 3}},
    {.op = "Squeeze",
     .opsets = {7, 11},
     .name = "axes",
     .ints = {0},
     .n_ints = 1,
     .dims = {1, 3},
     .rank = 2,
     .x = {1, 2, 3},
     .out_dims = {3},
     .out_rank = 1,
     .y = {1, 2, 3}},
    {.op = "Unsqueeze",
     .opsets = {7, 11},
     .name = "axes",
     .ints = {2, 0},
     .n_ints = 2,
     .dims = {3},
     .rank = 1,
     .x = {1, 2, 3},
     .out_dims = {1, 3, 1},
     .out_rank = 3,
     .y = {1, 2, 3}},
    {.op = "Hardmax",
     .opsets = {7, 11},
     .name = NULL,
     .dims = {1, 2, 2},
     .rank = 3,
     .x = {1, 4, 3, 4},
     .out_dims = {1, 2, 2},
     .out_rank = 3,
     .y = {0, 1, 0, 0}}, /* one row of four */
    {.op = "Softmax",
     .opsets = {7, 11},
     .name = NULL,
     .dims = {1, 2, 2},
     .rank = 3,
     .x = {0, 0, 0, 0},
     .out_dims = {1, 2, 2},
     .out_rank = 3,
     .y = {0.25f, 0.25f, 0.25f, 0.25f}},
};

static bytes model_of(bytes *node, int opset, const int64_t *dims, int rank)
{
    bytes graph = {0};
    put_value(&graph, GRAPH_INPUT, "x", ONNX_FLOAT, dims, rank);
    put_message(&graph, GRAPH_NODE, node);
    put_value(&graph, GRAPH_OUTPUT, "y", ONNX_FLOAT, NULL, -1);
    return make_model(opset, &graph);
}

static void ignore(void *data, size_t n, void *arg)
{
    (void)data;
    (void)n;
    (void)arg;
}

/* Runs the model, which it takes over, and compares its first output. */
static void expect(bytes model, const int64_t *dims, int rank, const float *x,
                   const int64_t *out_dims, int out_rank, const float *y, const char *what)
{
    TF_Status *status = TF_NewStatus();
    oribi_model *opened = oribi_model_from_memory(model.data, model.n, what, NULL, status);
    assert_string_equal(TF_Message(status), "");
    oribi_session *session = oribi_session_create(opened, NULL, status);
    assert_string_equal(TF_Message(status), "");
    oribi_run *run = oribi_run_create(session, status);
    size_t count = 1;
    for (int i = 0; i < rank; i++) {
        count *= (size_t)dims[i];
    }
    TF_Tensor *input =
        TF_NewTensor(TF_FLOAT, dims, rank, (void *)x, count * sizeof(*x), ignore, NULL);
    oribi_run_set_input(run, 0, input, status);
    oribi_run_execute(run, status);
    assert_string_equal(TF_Message(status), "");
    TF_Tensor *output = oribi_run_output(run, 0, status);
    assert_int_equal(TF_NumDims(output), out_rank);
    for (int i = 0; i < out_rank; i++) {
        assert_int_equal(TF_Dim(output, i), out_dims[i]);
    }
    const float *found = TF_TensorData(output);
    for (int64_t i = 0; i < TF_TensorElementCount(output); i++) {
        if (!(found[i] - y[i] < 1e-5f && y[i] - found[i] < 1e-5f)) {
            fail_msg("%s: element %d is %g, expected %g", what, (int)i, (double)found[i],
                     (double)y[i]);
        }
    }
    TF_DeleteTensor(output);
    TF_DeleteTensor(input);
    oribi_run_destroy(run);
    oribi_session_destroy(session);
    oribi_model_destroy(opened);
    TF_DeleteStatus(status);
    free(model.data);
}

static void each_attribute_form_computes_at_each_opset_that_has_it(void **state)
{
    (void)state;
    char what[64];
    for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
        const form *f = &forms[i];
        for (int k = 0; k < 5 && f->opsets[k] != 0; k++) {
            bytes node = make_node("", f->op, "n", "x", "y");
            if (f->name != NULL) {
                put_attr_ints(&node, f->name, f->ints, f->n_ints);
            }
            if (f->reduces) {
                put_attr_int(&node, "keepdims", f->keeps_dims);
            }
            snprintf(what, sizeof(what), "%s at opset %d", f->op, f->opsets[k]);
            expect(model_of(&node, f->opsets[k], f->dims, f->rank), f->dims, f->rank, f->x,
                   f->out_dims, f->out_rank, f->y, what);
        }
    }
}

static void slice_with_attributes_clamps_and_counts_from_the_end(void **state)
{
    (void)state;
    bytes node = make_node("", "Slice", "n", "x", "y");
    put_attr_ints(&node, "starts", (int64_t[]){0, -2}, 2);
    put_attr_ints(&node, "ends", (int64_t[]){1, INT64_MAX}, 2);
    put_attr_ints(&node, "axes", (int64_t[]){0, 1}, 2);
    expect(model_of(&node, 7, (int64_t[]){2, 3}, 2), (int64_t[]){2, 3}, 2,
           (float[]){1, 2, 3, 4, 5, 6}, (int64_t[]){1, 2}, 2, (float[]){2, 3}, "Slice");
}

static void top_k_with_an_attribute_takes_the_largest_along_its_axis(void **state)
{
    (void)state;
    bytes node = make_node("", "TopK", "n", "x", "y,i");
    put_attr_int(&node, "k", 2);
    put_attr_int(&node, "axis", 0);
    expect(model_of(&node, 7, (int64_t[]){3, 2}, 2), (int64_t[]){3, 2}, 2,
           (float[]){1, 9, 5, 2, 3, 4}, (int64_t[]){2, 2}, 2, (float[]){5, 9, 3, 4}, "TopK");
}

static void upsample_repeats_elements_with_scales_as_attribute_and_as_input(void **state)
{
    (void)state;
    const float scales[] = {1, 1, 2, 2}, y[] = {1, 1, 2, 2, 1, 1, 2, 2};
    bytes node = make_node("", "Upsample", "n", "x", "y"), attr = {0}, graph = {0};
    put_text(&attr, 1, "scales");
    for (int i = 0; i < 4; i++) {
        put_float(&attr, 7, scales[i]);
    }
    put_int(&attr, 20, 6);
    put_message(&node, NODE_ATTRIBUTE, &attr);
    expect(model_of(&node, 7, (int64_t[]){1, 1, 1, 2}, 4), (int64_t[]){1, 1, 1, 2}, 4,
           (float[]){1, 2}, (int64_t[]){1, 1, 2, 4}, 4, y, "Upsample at opset 7");

    static const struct {
        const char *op;
        int opset;
    } later[] = {{"Upsample", 9}, {"Resize", 10}};
    for (int i = 0; i < 2; i++) {
        put_value(&graph, GRAPH_INPUT, "x", ONNX_FLOAT, (int64_t[]){1, 1, 1, 2}, 4);
        put_initialiser(&graph, "s", ONNX_FLOAT, (int64_t[]){4}, 1, scales, sizeof(scales));
        put_node(&graph, "", later[i].op, "n", "x,s", "y");
        put_value(&graph, GRAPH_OUTPUT, "y", ONNX_FLOAT, NULL, -1);
        expect(make_model(later[i].opset, &graph), (int64_t[]){1, 1, 1, 2}, 4, (float[]){1, 2},
               (int64_t[]){1, 1, 2, 4}, 4, y, later[i].op);
    }
}

static void squeeze_takes_its_axes_from_an_input(void **state)
{
    (void)state;
    static const int opsets[] = {13, 21};
    const int64_t axis = 1;
    for (int i = 0; i < 2; i++) {
        bytes graph = {0};
        put_value(&graph, GRAPH_INPUT, "x", ONNX_FLOAT, (int64_t[]){2, 1}, 2);
        put_initialiser(&graph, "a", ONNX_INT64, (int64_t[]){1}, 1, &axis, sizeof(axis));
        put_node(&graph, "", "Squeeze", "n", "x,a", "y");
        put_value(&graph, GRAPH_OUTPUT, "y", ONNX_FLOAT, NULL, -1);
        expect(make_model(opsets[i], &graph), (int64_t[]){2, 1}, 2, (float[]){1, 2}, (int64_t[]){2},
               1, (float[]){1, 2}, "Squeeze");
    }
}

static bytes sub_with_axis(int opset, int64_t axis)
{
    const float b[] = {10, 20};
    bytes graph = {0}, node = make_node("", "Sub", "n", "x,b", "y");
    put_attr_int(&node, "broadcast", 1);
    put_attr_int(&node, "axis", axis);
    put_value(&graph, GRAPH_INPUT, "x", ONNX_FLOAT, (int64_t[]){2, 2, 1}, 3);
    put_initialiser(&graph, "b", ONNX_FLOAT, (int64_t[]){2}, 1, b, sizeof b);
    put_message(&graph, GRAPH_NODE, &node);
    put_value(&graph, GRAPH_OUTPUT, "y", ONNX_FLOAT, NULL, -1);
    return make_model(opset, &graph);
}

static void before_opset_7_an_axis_says_what_is_broadcast(void **state)
{
    (void)state;
    static const int opsets[] = {1, 6};
    const int64_t dims[] = {2, 2, 1};
    const float x[] = {1, 2, 3, 4};
    for (int i = 0; i < 2; i++) {
        expect(sub_with_axis(opsets[i], 0), dims, 3, x, dims, 3, (float[]){-9, -8, -17, -16},
               "Sub along axis 0");
        expect(sub_with_axis(opsets[i], 1), dims, 3, x, dims, 3, (float[]){-9, -18, -7, -16},
               "Sub along axis 1");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_attribute_form_computes_at_each_opset_that_has_it),
        cmocka_unit_test(slice_with_attributes_clamps_and_counts_from_the_end),
        cmocka_unit_test(top_k_with_an_attribute_takes_the_largest_along_its_axis),
        cmocka_unit_test(upsample_repeats_elements_with_scales_as_attribute_and_as_input),
        cmocka_unit_test(squeeze_takes_its_axes_from_an_input),
        cmocka_unit_test(before_opset_7_an_axis_says_what_is_broadcast),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
