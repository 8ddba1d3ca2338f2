/* SPDX-License-Identifier: Apache-2.0 */
/* Built-in ops and kernels stay in reserve until somebody looks for the op: nobody can tell, and
 * all of them can be brought. That files bring the same: load_test.c.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/thread.h"
#include "built_in.h"
#include "op/op.h"
#include "oribi/oribi.h"
#include "plugin/plugin.h"

static TF_Code register_op(const char *name, const char *input, const char *output)
{
    TF_Status *status = TF_NewStatus();
    TF_OpDefinitionBuilder *builder = TF_NewOpDefinitionBuilder(name);
    TF_OpDefinitionBuilderAddAttr(builder, "T: {half, bfloat16, float, double}");
    TF_OpDefinitionBuilderAddInput(builder, input);
    TF_OpDefinitionBuilderAddOutput(builder, output);
    TF_RegisterOpDefinition(builder, status);
    const TF_Code code = TF_GetCode(status);
    TF_DeleteStatus(status);
    return code;
}

static int load_built_ins(void **state)
{
    (void)state;
    /* An application may define what is built in, before. */
    if (register_op("Softplus", "features: T", "activations: T") != TF_OK) {
        return 1;
    }
    TF_Status *status = TF_NewStatus();
    const bool ok = oribi_plugin_load_built_ins(status);
    TF_DeleteStatus(status);
    return ok ? 0 : 1;
}

static void what_the_application_defined_before_has_its_kernels(void **state)
{
    (void)state;
    assert_non_null(oribi_op_find_present("Softplus"));
    assert_true(oribi_kernel_exists("Softplus", "CPU"));
}

static void an_op_that_stands_for_a_chain_is_there_from_the_start(void **state)
{
    (void)state;
    assert_non_null(oribi_op_find_present("_FusedConv2D"));
    assert_true(oribi_kernel_exists("_FusedConv2D", "CPU"));
}

static void an_op_comes_with_its_kernels_when_it_is_looked_for(void **state)
{
    (void)state;
    assert_null(oribi_op_find_present("Softmax"));
    assert_true(oribi_op_is_known("Softmax"));
    assert_false(oribi_op_is_known("Softmask"));

    assert_true(oribi_kernel_exists("Softmax", "CPU"));

    const oribi_op_def *op = oribi_op_find_present("Softmax");
    assert_non_null(op);
    assert_string_equal(op->provider, "built-in");
    assert_true(op->is_built_in);
    assert_null(oribi_op_find("Softmask"));
}

static void another_definition_is_compared_with_what_is_in_reserve(void **state)
{
    (void)state;
    TF_Status *status = TF_NewStatus();
    assert_null(oribi_op_find_present("Selu"));
    assert_int_equal(register_op("Selu", "x: T", "activations: T"), TF_ALREADY_EXISTS);
    assert_null(oribi_op_find_present("Elu"));
    assert_int_equal(register_op("Elu", "features: T", "activations: T"), TF_OK);
    assert_string_equal(oribi_op_find("Elu")->provider, "built-in");

    assert_null(oribi_op_find_present("Softsign")); /* in a plugin's load, too */
    assert_true(oribi_op_begin("other.so", status));
    assert_int_equal(register_op("Softsign", "x: T", "activations: T"), TF_ALREADY_EXISTS);
    assert_int_equal(register_op("Reserve>Other", "x: T", "y: T"), TF_OK);
    assert_false(oribi_op_commit(status));
    assert_null(oribi_op_find("Reserve>Other"));
    assert_true(oribi_kernel_exists("Softsign", "CPU"));
    TF_DeleteStatus(status);
}

static void no_memory_leaves_an_op_in_reserve(void **state)
{
    (void)state;
    assert_null(oribi_op_find_present("MatMul"));
    uint64_t n = 1;
    for (bool is_found = false; !is_found; n++) {
        const int64_t live = oribi_alloc_live();
        oribi_alloc_fail_at(n, true);
        is_found = oribi_op_find("MatMul") != NULL;
        oribi_alloc_fail_at(0, false);
        assert_true(is_found || oribi_alloc_live() == live);
        assert_true(oribi_op_is_known("MatMul"));
    }
    assert_true(n > 10);
    assert_true(oribi_kernel_exists("MatMul", "CPU"));
}

/* 0: the model is open and its session made, 1: there was no memory, 2: something else was said. */
static int open_with_failure(uint64_t n)
{
    TF_Status *status = TF_NewStatus();
    oribi_alloc_fail_at(n, true);
    oribi_model *model = oribi_model_open(TEST_SOURCE "/examples/digits/digits.onnx", NULL, status);
    oribi_session *session = model != NULL ? oribi_session_create(model, NULL, status) : NULL;
    oribi_alloc_fail_at(0, false);
    return session != NULL ? 0 : TF_GetCode(status) == TF_RESOURCE_EXHAUSTED ? 1 : 2;
}

/* Each in a process of its own, which has brought nothing before. */
static void no_memory_for_the_ops_of_a_model_is_said(void **state)
{
    (void)state;
    int ended = 1 << 8, n_refused = 0;
    for (uint64_t n = 1; ended != 0; n += 7, n_refused++) {
        fflush(NULL);
        const pid_t child = fork();
        if (child == 0) {
            _exit(open_with_failure(n));
        }
        assert_int_equal(waitpid(child, &ended, 0), child);
        if (ended != 0 && ended != 1 << 8) {
            fail_msg("allocation %llu fails, and the process ends with %x", (unsigned long long)n,
                     (unsigned)ended);
        }
    }
    assert_true(n_refused > 50);
}

typedef struct kernel_count {
    const char *name;
    int n;
} kernel_count;

static bool count_kernel(void *arg, const oribi_kernel_def *kernel)
{
    kernel_count *count = arg;
    count->n += strcmp(kernel->kernel_name, count->name) == 0 && kernel->constraints != NULL &&
                kernel->constraints->type == TF_FLOAT;
    return true;
}

typedef struct sight {
    const oribi_op_def *op;
    bool has_kernel;
} sight;

static void look_for_one(void *arg)
{
    sight *s = arg;
    s->op = oribi_op_find("MaxPool");
    s->has_kernel = oribi_kernel_exists("MaxPool", "CPU");
}

static void threads_that_look_at_once_find_one_op(void **state)
{
    (void)state;
    enum { N = 4 };
    sight found[N] = {{NULL, false}};
    oribi_thread *threads[N];
    assert_null(oribi_op_find_present("MaxPool"));

    for (int i = 0; i < N; i++) {
        threads[i] = oribi_thread_start(look_for_one, &found[i], "seeker", 0);
        assert_non_null(threads[i]);
    }
    for (int i = 0; i < N; i++) {
        oribi_thread_join(threads[i]);
    }

    for (int i = 0; i < N; i++) {
        assert_non_null(found[i].op);
        assert_ptr_equal(found[i].op, found[0].op);
        assert_true(found[i].has_kernel);
    }
    kernel_count count = {"MaxPool", 0};
    oribi_kernel_each_of_op("MaxPool", count_kernel, &count);
    assert_int_equal(count.n, 1);
}

static bool count_op(void *arg, const oribi_op_def *op)
{
    *(int *)arg += op->is_built_in;
    return true;
}

/* Mistakes in a row would be seen by nobody but who looks for that op. */
static void all_that_is_in_reserve_can_be_brought(void **state)
{
    (void)state;
    int n_rows = 0, n_present = 0;
    bool fuses;
    oribi_ops_cursor cursor = {0};
    for (const char *name; (name = oribi_ops_core_next(&cursor, &fuses)) != NULL; n_rows++) {
        if (oribi_op_find(name) == NULL) {
            fail_msg("the row of %s is refused", name);
        }
    }
    assert_true(n_rows > 300);
    assert_null(oribi_op_find("Sin Cos")); /* names of one row */
    assert_null(oribi_op_find("Sin "));
    assert_null(oribi_op_find(""));
    oribi_op_each(count_op, &n_present);
    assert_int_equal(n_present, n_rows - 1); /* Softplus is the application's */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_the_application_defined_before_has_its_kernels),
        cmocka_unit_test(an_op_that_stands_for_a_chain_is_there_from_the_start),
        cmocka_unit_test(an_op_comes_with_its_kernels_when_it_is_looked_for),
        cmocka_unit_test(another_definition_is_compared_with_what_is_in_reserve),
        cmocka_unit_test(no_memory_leaves_an_op_in_reserve),
        cmocka_unit_test(no_memory_for_the_ops_of_a_model_is_said),
        cmocka_unit_test(threads_that_look_at_once_find_one_op),
        cmocka_unit_test(all_that_is_in_reserve_can_be_brought),
    };
    return cmocka_run_group_tests(tests, load_built_ins, NULL);
}
