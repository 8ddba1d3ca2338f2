/* SPDX-License-Identifier: Apache-2.0 */
/* The common shape functions of the C++ face: each line of shape_fns.txt, whose last column
 * TensorFlow made. TEST_SHAPE_TABLE names another table (tests/peer/shape_fns.py).
 */
#include "op/shape_table.h"

#include "plugin/plugin.h"

enum { MIN_LINES = 500 };

static void common_shape_functions_infer_what_tensorflow_does(void **state)
{
    (void)state;
    const char *other = getenv("TEST_SHAPE_TABLE");

    const int count = run_table(other != NULL ? other : TEST_SOURCE "/tests/cxx/shape_fns.txt");

    assert_true(other != NULL || count >= MIN_LINES);
}

static void run_lines(const char *const *lines, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        char line[MAX_LINE];
        snprintf(line, sizeof line, "%s", lines[i]);

        assert_true(run_line(line));
    }
}

/* TensorFlow does not end on the first three, and counts beyond the numbers on the next. */
static void strided_subshapes_end_whatever_the_stride_is(void **state)
{
    (void)state;
    static const char *const lines[] = {
        "FnSubshape | float[2,3,4] | start=0; end=9223372036854775807; stride=0 | error",
        "FnSubshape | float[2,3,4] | start=2; end=0; stride=0 | error",
        "FnSubshape | float? | start=0; end=9223372036854775807; stride=0 | error",
        "FnSubshape | float[2,3,4] | start=0; end=3; stride=9223372036854775807 | [2]",
        "FnSubshape | float[2,3,4] | start=2; end=0; stride=-9223372036854775808 | [4]",
        "FnSubshape | float[2,3,4] | start=-9223372036854775808; end=3; stride=1 | error",
        "FnSubshape | float[2,3,4] | start=3; end=-9223372036854775808; stride=-1 | error",
        "FnSubshape | float[2,3,4] | start=3; end=0; stride=-1 | [4,3]",
    };

    run_lines(lines, sizeof lines / sizeof lines[0]);
}

/* A band of diagonals in shapes that are known in part: TensorFlow counts with what is unknown as
 * with -1, and refuses. */
static void diagonals_of_partly_known_shapes_are_inferred(void **state)
{
    (void)state;
    static const char *const lines[] = {
        "FnMatrixDiagV2 | float[?] int32[]{1} int32[]{5} int32[]{-1} float[] | | [5,?]",
        "FnMatrixDiagV2 | float[?,3] int32[2]{-2,0} int32[]{-1} int32[]{-1} float[] | | [3,3]",
        "FnMatrixDiagV2 | float[?,2] int32[2]{1,2} int32[]{2} int32[]{4} float[] | | [2,4]",
        "FnMatrixSetDiagV2 | float[5,?,4] float[5,4,?] int32[2]{-2,1} | | [5,?,4]",
        "FnMatrixSetDiagV2 | float? float[5,4,?] int32[2]{-2,1} | | [5,?,?]",
    };

    run_lines(lines, sizeof lines / sizeof lines[0]);
}

static int load_plugin(void **state)
{
    (void)state;
    TF_Status *status = TF_NewStatus();
    oribi_plugin_load_built_ins(status);
    oribi_plugin_load(CXX_PLUGINS "/shape_fns.so", status);
    const bool ok = TF_GetCode(status) == TF_OK;
    if (!ok) {
        print_error("%s\n", TF_Message(status));
    }
    TF_DeleteStatus(status);
    return ok ? 0 : -1;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(common_shape_functions_infer_what_tensorflow_does),
        cmocka_unit_test(strided_subshapes_end_whatever_the_stride_is),
        cmocka_unit_test(diagonals_of_partly_known_shapes_are_inferred),
    };
    return cmocka_run_group_tests(tests, load_plugin, NULL);
}
