/* SPDX-License-Identifier: Apache-2.0 */
/* The built-in op definitions as a whole. Their truth against TensorFlow: tests/peer. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "built_in.h"
#include "op/op_test_support.h"

typedef struct count {
    int ops;
    const char *last;
} count;

static bool visit(void *arg, const oribi_op_def *op)
{
    count *c = arg;
    assert_true(c->last == NULL || strcmp(c->last, op->name) < 0);
    assert_string_equal(op->provider, "built-in");
    assert_non_null(op->shape_fn);
    c->last = op->name;
    c->ops++;
    return true;
}

static void built_in_ops_register_in_one_transaction_and_walk_in_order(void **state)
{
    (void)state;
    TF_Status *status = TF_NewStatus();
    count c = {0};
    assert_true(oribi_op_begin("built-in", status));
    oribi_ops_core_init();
    if (!oribi_op_commit(status)) {
        fail_msg("%s", TF_Message(status));
    }

    oribi_op_each(visit, &c);

    assert_true(c.ops > 150);
    TF_DeleteStatus(status);
}

static void registering_them_again_changes_nothing(void **state)
{
    (void)state;
    TF_Status *status = TF_NewStatus();
    const oribi_op_def *before = oribi_op_find("Conv2D");

    assert_true(oribi_op_begin("again.so", status));
    oribi_ops_core_init();
    assert_true(oribi_op_commit(status));

    assert_non_null(before);
    assert_ptr_equal(oribi_op_find("Conv2D"), before);
    assert_string_equal(before->provider, "built-in");
    TF_DeleteStatus(status);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(built_in_ops_register_in_one_transaction_and_walk_in_order),
        cmocka_unit_test(registering_them_again_changes_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
