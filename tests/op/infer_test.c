/* SPDX-License-Identifier: Apache-2.0 */
/* Shape functions of the built-in ops against TensorFlow's: each line of shapes.txt, whose last
 * column TensorFlow made (tests/peer/shapes.py). Also: every op of ours has a line.
 */
#include "op/shape_table.h"

#include "built_in.h"
#include "op/op_test_support.h"

enum { MIN_LINES = 600 };

static void shapes_are_those_that_tensorflow_infers(void **state)
{
    (void)state;

    const int count = run_table(TEST_SOURCE "/tests/op/shapes.txt");

    assert_true(count >= MIN_LINES);
}

static bool mark(void *arg, const oribi_op_def *op)
{
    FILE *file = arg;
    char line[MAX_LINE], start[128];
    if (strchr(op->name, '>') != NULL) {
        return true; /* TensorFlow has none of these */
    }
    snprintf(start, sizeof start, "%s |", op->name);
    rewind(file);
    while (fgets(line, sizeof line, file) != NULL) {
        if (strncmp(line, start, strlen(start)) == 0) {
            return true;
        }
    }
    fail_msg("op %s has no line in shapes.txt", op->name);
    return false;
}

static void every_op_has_a_line(void **state)
{
    (void)state;
    FILE *file = fopen(TEST_SOURCE "/tests/op/shapes.txt", "r");
    assert_non_null(file);

    oribi_op_each(mark, file);

    fclose(file);
}

static int register_ops(void **state)
{
    (void)state;
    TF_Status *status = TF_NewStatus();
    bool ok = oribi_op_begin("built-in", status);
    oribi_ops_core_init();
    ok = ok && oribi_op_commit(status);
    TF_DeleteStatus(status);
    return ok ? 0 : -1;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shapes_are_those_that_tensorflow_infers),
        cmocka_unit_test(every_op_has_a_line),
    };
    return cmocka_run_group_tests(tests, register_ops, NULL);
}
