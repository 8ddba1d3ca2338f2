/* SPDX-License-Identifier: Apache-2.0 */
/* The report of ops that nothing provides: each op once, each of its nodes counted, however many
 * there are; and no more memory than grows with them.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "import/missing.h"

static void add(oribi_missing *missing, const char *op, const char *node, TF_Status *status)
{
    assert_true(oribi_missing_add(missing, op, op, NULL, node, status));
}

/* Op k of `n_ops` has k + 1 nodes; they come in turns, as in a model. */
static void add_many(oribi_missing *missing, int n_ops, TF_Status *status)
{
    for (int turn = 0; turn < n_ops; turn++) {
        for (int k = turn; k < n_ops; k++) {
            char op[32], node[32];
            (void)snprintf(op, sizeof op, "Op%d", k);
            (void)snprintf(node, sizeof node, "n%d_%d", k, turn);
            add(missing, op, node, status);
        }
    }
}

static void each_op_is_counted_once_with_all_its_nodes(void **state)
{
    enum { N_OPS = 50, NAMED = 16 };
    oribi_missing missing = {0};
    TF_Status *status = TF_NewStatus();
    (void)state;

    add_many(&missing, N_OPS, status);
    assert_false(oribi_missing_report(&missing, status));

    const char *text = TF_Message(status);
    assert_int_equal(TF_GetCode(status), TF_UNIMPLEMENTED);
    assert_int_equal(strncmp(text, "50 ops of the model are", 23), 0);
    assert_int_equal(missing.ops.n_entries, N_OPS);
    for (int k = 0; k < N_OPS; k++) {
        char line[64];
        if (k == 0) {
            (void)snprintf(line, sizeof line, "\n  Op0: node ");
        } else {
            (void)snprintf(line, sizeof line, "\n  Op%d: %d nodes: ", k, k + 1);
        }
        const char *at = strstr(text, line);
        assert_non_null(at);
        assert_null(strstr(at + 1, line));
        at += strlen(line);
        int n = 0;
        for (; *at == '\''; n++) { /* 'n7_0', 'n7_1', ... */
            char name[32];
            (void)snprintf(name, sizeof name, "'n%d_%d'", k, n);
            assert_int_equal(strncmp(at, name, strlen(name)), 0);
            at += strlen(name);
            at += strncmp(at, ", ", 2) == 0 ? 2 : 0;
        }
        assert_int_equal(n, k + 1 < NAMED ? k + 1 : NAMED);
        if (k + 1 > NAMED) {
            char more[32];
            (void)snprintf(more, sizeof more, " and %d more\n", k + 1 - NAMED);
            assert_int_equal(strncmp(at, more, strlen(more)), 0);
        } else {
            assert_int_equal(*at, '\n');
        }
    }
    oribi_missing_destroy(&missing);
    TF_DeleteStatus(status);
}

static void ops_beyond_those_named_are_counted(void **state)
{
    enum { N_OPS = 200, NAMED = 64 };
    oribi_missing missing = {0};
    TF_Status *status = TF_NewStatus();
    int n_lines = 0;
    (void)state;

    add_many(&missing, N_OPS, status);
    assert_false(oribi_missing_report(&missing, status));

    const char *text = TF_Message(status);
    for (const char *at = text; (at = strstr(at, "\n  Op")) != NULL; at++) {
        n_lines++;
    }
    assert_int_equal(n_lines, NAMED);
    assert_non_null(strstr(text, "\n  and 136 more ops"));
    assert_int_equal(strncmp(text, "200 ops of", 10), 0);
    oribi_missing_destroy(&missing);
    TF_DeleteStatus(status);
}

/* --- Growth ------------------------------------------------------------------------------------
 */

static uint64_t n_bytes;

static void *count(void *self, size_t bytes, size_t alignment)
{
    void *block = NULL;
    (void)self;
    n_bytes += bytes;
    return posix_memalign(&block, alignment < 16 ? 16 : alignment, bytes == 0 ? 1 : bytes) == 0
               ? block
               : NULL;
}

static void release(void *self, void *block)
{
    (void)self;
    free(block);
}

/* Bytes asked for by n nodes of one op and by n ops of one node. */
static uint64_t bytes_of(int n)
{
    oribi_missing missing = {0};
    TF_Status *status = TF_NewStatus();
    n_bytes = 0;
    for (int i = 0; i < n; i++) {
        char name[32];
        (void)snprintf(name, sizeof name, "n%08d", i);
        add(&missing, "One", name, status);
        add(&missing, name, "node", status);
    }
    assert_int_equal(missing.ops.n_entries, n + 1);
    assert_false(oribi_missing_report(&missing, status));
    oribi_missing_destroy(&missing);
    TF_DeleteStatus(status);
    return n_bytes;
}

static void a_hundred_thousand_ops_take_memory_in_proportion(void **state)
{
    (void)state;
    const uint64_t few = bytes_of(25000), many = bytes_of(100000);

    assert_true(few > 0);
    assert_true(many < 5 * few);
}

int main(void)
{
    static const oribi_alloc_hooks hooks = {NULL, count, release};
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_op_is_counted_once_with_all_its_nodes),
        cmocka_unit_test(ops_beyond_those_named_are_counted),
        cmocka_unit_test(a_hundred_thousand_ops_take_memory_in_proportion),
    };
    oribi_alloc_set_hooks(&hooks);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
