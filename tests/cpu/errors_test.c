/* SPDX-License-Identifier: Apache-2.0 */
/* Inputs that no kernel may accept: each is refused with INVALID_ARGUMENT and a text that names
 * what is wrong, by every row of the op, and nothing is read or written out of bounds (run it under
 * AddressSanitizer to see that).
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "cpu/harness.h"

#include "micro/dims.h"

#define DIMS(...)                                                                                  \
    (const int64_t[])                                                                              \
    {                                                                                              \
        __VA_ARGS__                                                                                \
    }
#define INTS(...)                                                                                  \
    (const int32_t[])                                                                              \
    {                                                                                              \
        __VA_ARGS__                                                                                \
    }

static void zeros(harness *h, TF_DataType dtype, int rank, const int64_t *dims)
{
    void *data = harness_input(h, dtype, dims, rank);
    memset(data, 0, TF_TensorByteSize(h->inputs[h->n_inputs - 1]));
}

typedef struct refusal {
    harness *h;
    TF_Code code;
    const char *text;
} refusal;

static void expect_refusal(void *arg, const oribi_cpu_kernel *row)
{
    const refusal *r = arg;
    if (harness_run(r->h, row)) {
        fail_msg("%s (%d) accepted its input; expected '%s'", row->op_name, (int)row->priority,
                 r->text);
    }
    if (TF_GetCode(r->h->status) != r->code || strstr(TF_Message(r->h->status), r->text) == NULL) {
        fail_msg("%s said %d '%s', without '%s'", row->op_name, (int)TF_GetCode(r->h->status),
                 TF_Message(r->h->status), r->text);
    }
    for (int i = 0; i < HARNESS_MOST; i++) {
        assert_null(r->h->outputs[i]);
    }
}

/* All rows that fit must refuse with this text; ends the harness. */
static void refused_with(harness *h, TF_Code code, const char *text)
{
    refusal r = {h, code, text};
    assert_true(harness_resolve(h));
    assert_true(harness_each_row(h, expect_refusal, &r) > 0);
    harness_destroy(h);
}

static void refused(harness *h, const char *text)
{
    refused_with(h, TF_INVALID_ARGUMENT, text);
}

static void shapes_that_do_not_broadcast_are_named(void **state)
{
    static const char *const ops[] = {"AddV2", "Sub", "Mul", "RealDiv", "Maximum", "Less", "Pow"};
    harness h;
    (void)state;
    for (size_t i = 0; i < sizeof ops / sizeof ops[0]; i++) {
        harness_init(&h, ops[i]);
        zeros(&h, TF_FLOAT, 2, DIMS(2, 3));
        zeros(&h, TF_FLOAT, 2, DIMS(2, 4));
        refused(&h, "[2,3] and [2,4]");
    }
}

static void a_division_of_integers_by_zero_is_refused(void **state)
{
    static const char *const ops[] = {"FloorDiv", "FloorMod", "TruncateDiv", "TruncateMod"};
    static const TF_DataType types[] = {TF_INT32, TF_INT64};
    harness h;
    (void)state;
    for (size_t i = 0; i < 2 * sizeof ops / sizeof ops[0]; i++) {
        harness_init(&h, ops[i / 2]);
        zeros(&h, types[i % 2], 1, DIMS(3));
        zeros(&h, types[i % 2], 1, DIMS(3));
        refused(&h, "division by zero");
    }
    harness_init(&h, "Pow");
    harness_input_ints(&h, 2, INTS(2, 2));
    harness_input_ints(&h, 2, INTS(1, -1));
    refused(&h, "negative integer powers");
}

static void an_axis_out_of_range_is_named(void **state)
{
    static const char *const ops[] = {"Sum",    "Mean",       "Max",      "ArgMax",
                                      "Cumsum", "ExpandDims", "ReverseV2"};
    harness h;
    (void)state;
    for (size_t i = 0; i < sizeof ops / sizeof ops[0]; i++) {
        for (int axis = -5; axis < 6; axis += 10) {
            harness_init(&h, ops[i]);
            zeros(&h, TF_FLOAT, 2, DIMS(2, 3));
            if (strcmp(ops[i], "ReverseV2") == 0) {
                harness_input_ints(&h, 1, &axis);
            } else {
                harness_input_int(&h, axis);
            }
            refused(&h, axis < 0 ? "axis -5" : "axis 5");
        }
    }
    harness_init(&h, "Sum");
    zeros(&h, TF_FLOAT, 2, DIMS(2, 3));
    harness_input_ints(&h, 2, INTS(1, -1));
    refused(&h, "duplicate dimension");
}

static void an_index_out_of_bounds_is_named(void **state)
{
    harness h;
    (void)state;
    for (int bad = -1; bad < 5; bad += 5) {
        harness_init(&h, "GatherV2");
        zeros(&h, TF_FLOAT, 2, DIMS(4, 3));
        harness_input_ints(&h, 2, INTS(0, bad));
        harness_input_int(&h, 0);
        refused(&h, bad < 0 ? "indices[1] = -1" : "indices[1] = 4");
    }
    harness_init(&h, "GatherNd");
    zeros(&h, TF_FLOAT, 2, DIMS(4, 3));
    *((int32_t *)harness_input(&h, TF_INT32, DIMS(1, 2), 2) + 1) = 3;
    *(int32_t *)TF_TensorData(h.inputs[1]) = 0;
    refused(&h, "indices[1] = 3 is outside [0, 3), dimension 1 of shape [4,3]");
    harness_init(&h, "ScatterNd");
    *(int32_t *)harness_input(&h, TF_INT32, DIMS(1, 1), 2) = 7;
    zeros(&h, TF_FLOAT, 1, DIMS(1));
    harness_input_ints(&h, 1, INTS(5));
    refused(&h, "indices[0] = 7 is outside [0, 5)");
    harness_init(&h, "ONNX>ScatterElements");
    zeros(&h, TF_FLOAT, 2, DIMS(4, 3));
    *(int32_t *)harness_input(&h, TF_INT32, DIMS(1, 1), 2) = -5;
    zeros(&h, TF_FLOAT, 2, DIMS(1, 1));
    refused(&h, "indices[0] = -5 is outside [-4, 4), dimension 0");
}

static void a_box_outside_its_tensor_is_refused(void **state)
{
    harness h;
    (void)state;
    harness_init(&h, "Slice");
    zeros(&h, TF_FLOAT, 1, DIMS(4));
    harness_input_ints(&h, 1, INTS(2));
    harness_input_ints(&h, 1, INTS(3));
    refused(&h, "begin[0] = 2 and size[0] = 3");
    harness_init(&h, "Slice");
    zeros(&h, TF_FLOAT, 1, DIMS(4));
    harness_input_ints(&h, 1, INTS(-1));
    harness_input_ints(&h, 1, INTS(INT32_MAX));
    refused(&h, "begin[0] = -1");
    harness_init(&h, "StridedSlice");
    zeros(&h, TF_FLOAT, 1, DIMS(4));
    harness_input_ints(&h, 1, INTS(0));
    harness_input_ints(&h, 1, INTS(4));
    harness_input_ints(&h, 1, INTS(0));
    refused(&h, "strides[0] must be non-zero");
    harness_init(&h, "Pad");
    zeros(&h, TF_FLOAT, 1, DIMS(4));
    int32_t *pads = harness_input(&h, TF_INT32, DIMS(1, 2), 2);
    pads[0] = -1;
    pads[1] = 2;
    refused(&h, "paddings of dimension 0 are -1 and 2");
}

static void a_shape_that_does_not_fit_is_refused(void **state)
{
    harness h;
    (void)state;
    harness_init(&h, "Reshape");
    zeros(&h, TF_FLOAT, 2, DIMS(2, 3));
    harness_input_ints(&h, 2, INTS(4, 2));
    refused(&h, "6 values, but the requested shape has 8");
    harness_init(&h, "Reshape");
    zeros(&h, TF_FLOAT, 2, DIMS(2, 3));
    harness_input_ints(&h, 2, INTS(-1, -1));
    refused(&h, "one may be -1");
    harness_init(&h, "Reshape");
    zeros(&h, TF_FLOAT, 2, DIMS(2, 3));
    harness_input_ints(&h, 2, INTS(0, -1));
    refused(&h, "6 values");
    harness_init(&h, "Fill");
    harness_input_ints(&h, 2, INTS(3, -2));
    zeros(&h, TF_FLOAT, 0, NULL);
    refused(&h, "dims[1] is -2");
    harness_init(&h, "Fill");
    harness_input_ints(&h, 3, INTS(INT32_MAX, INT32_MAX, INT32_MAX));
    zeros(&h, TF_FLOAT, 0, NULL);
    refused(&h, "more than 2^63 elements");
    harness_init(&h, "Tile");
    zeros(&h, TF_FLOAT, 1, DIMS(4));
    harness_input_ints(&h, 1, INTS(-1));
    refused(&h, "multiples[0] is -1");
    harness_init(&h, "Transpose");
    zeros(&h, TF_FLOAT, 2, DIMS(2, 3));
    harness_input_ints(&h, 2, INTS(1, 1));
    refused(&h, "dimension 1 twice");
    harness_init(&h, "BroadcastTo");
    zeros(&h, TF_FLOAT, 1, DIMS(3));
    harness_input_ints(&h, 1, INTS(1));
    refused(&h, "[3] vs. [1]");
}

static void concatenation_and_splits_check_their_sizes(void **state)
{
    harness h;
    (void)state;
    harness_init(&h, "ConcatV2");
    zeros(&h, TF_FLOAT, 2, DIMS(2, 3));
    zeros(&h, TF_FLOAT, 2, DIMS(3, 3));
    harness_input_int(&h, 1);
    refused(&h, "input 1 has shape [3,3]");
    harness_init(&h, "Split");
    harness_input_int(&h, 0);
    zeros(&h, TF_FLOAT, 1, DIMS(5));
    assert_true(oribi_attrs_set_int(&h.attrs, &h.arena, "num_split", 2));
    refused(&h, "(size = 5) and num_split 2");
    harness_init(&h, "SplitV");
    zeros(&h, TF_FLOAT, 1, DIMS(5));
    harness_input_ints(&h, 2, INTS(4, 2));
    harness_input_int(&h, 0);
    assert_true(oribi_attrs_set_int(&h.attrs, &h.arena, "num_split", 2));
    refused(&h, "add up to 6");
}

static void windows_and_channels_must_fit(void **state)
{
    harness h;
    (void)state;
    harness_init(&h, "MaxPool");
    zeros(&h, TF_FLOAT, 4, DIMS(1, 2, 2, 1));
    assert_true(oribi_attrs_set_ints(&h.attrs, &h.arena, "ksize", DIMS(1, 3, 3, 1), 4));
    assert_true(oribi_attrs_set_ints(&h.attrs, &h.arena, "strides", DIMS(1, 1, 1, 1), 4));
    assert_true(oribi_attrs_set_string(&h.attrs, &h.arena, "padding", "VALID"));
    refused(&h, "a window of 3 does not fit into 2");
    harness_init(&h, "BiasAdd");
    zeros(&h, TF_FLOAT, 2, DIMS(2, 3));
    zeros(&h, TF_FLOAT, 1, DIMS(2));
    refused(&h, "[2] vs. [2,3]");
    harness_init(&h, "TopKV2");
    zeros(&h, TF_FLOAT, 1, DIMS(3));
    harness_input_int(&h, 4);
    refused(&h, "k = 4");
    harness_init(&h, "ResizeBilinear");
    zeros(&h, TF_FLOAT, 4, DIMS(1, 2, 2, 1));
    harness_input_ints(&h, 2, INTS(0, 4));
    refused(&h, "positive integers");
}

/* Sixteen dimensions are walked, by Tile as thirty-two; what would have more is refused. */
static void ranks_are_taken_up_to_the_highest(void **state)
{
    enum { RANK = 16 };
    oribi_dims dims;
    int32_t twice[RANK], axes[RANK] = {0};
    harness h;
    (void)state;
    assert_true(oribi_dims_fill(&dims, RANK, 1));
    dims.at[0] = dims.at[RANK - 1] = 2;
    for (int i = 0; i < RANK; i++) {
        twice[i] = i == 0 || i == RANK - 1 ? 2 : 1;
    }
    harness_init(&h, "Tile");
    uint8_t *data = harness_input(&h, TF_UINT8, dims.at, RANK);
    memcpy(data, (const uint8_t[]){1, 2, 3, 4}, 4);
    harness_input_ints(&h, RANK, twice);
    assert_true(harness_resolve(&h));
    assert_true(harness_run(&h, harness_reference(&h)));
    static const uint8_t want[16] = {1, 2, 1, 2, 3, 4, 3, 4, 1, 2, 1, 2, 3, 4, 3, 4};
    assert_int_equal(TF_TensorByteSize(h.outputs[0]), sizeof want);
    assert_memory_equal(TF_TensorData(h.outputs[0]), want, sizeof want);
    harness_destroy(&h);
    harness_init(&h, "StridedSlice");
    zeros(&h, TF_FLOAT, RANK, dims.at);
    for (int i = 0; i < 3; i++) {
        harness_input_ints(&h, 1, axes);
    }
    assert_true(oribi_attrs_set_int(&h.attrs, &h.arena, "new_axis_mask", 1));
    refused_with(&h, TF_UNIMPLEMENTED, "the rank of the result is above 16");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shapes_that_do_not_broadcast_are_named),
        cmocka_unit_test(a_division_of_integers_by_zero_is_refused),
        cmocka_unit_test(an_axis_out_of_range_is_named),
        cmocka_unit_test(an_index_out_of_bounds_is_named),
        cmocka_unit_test(a_box_outside_its_tensor_is_refused),
        cmocka_unit_test(a_shape_that_does_not_fit_is_refused),
        cmocka_unit_test(concatenation_and_splits_check_their_sizes),
        cmocka_unit_test(windows_and_channels_must_fit),
        cmocka_unit_test(ranks_are_taken_up_to_the_highest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
