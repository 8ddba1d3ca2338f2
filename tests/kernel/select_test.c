/* SPDX-License-Identifier: Apache-2.0 */
/* Which kernel a node gets, and what the message says when it gets none; registration and its
 * transactions.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/text.h"
#include "kernel/kernel.h"
#include "support/fail_nth.h"

static void compute(void *kernel, TF_OpKernelContext *ctx)
{
    (void)kernel;
    (void)ctx;
}

/* Registers one kernel; `label` may be NULL. Returns the code. */
static TF_Code add(const char *name, const char *op, const char *device, TF_DataType type,
                   int32_t priority, const char *label)
{
    TF_Status *status = TF_NewStatus();
    TF_KernelBuilder *builder = TF_NewKernelBuilder(op, device, NULL, compute, NULL);
    if (type != 0) {
        TF_KernelBuilder_TypeConstraint(builder, "T", type, status);
        assert_int_equal(TF_GetCode(status), TF_OK);
    }
    TF_KernelBuilder_Priority(builder, priority);
    TF_KernelBuilder_Label(builder, label);
    TF_RegisterKernelBuilder(name, builder, status);
    const TF_Code code = TF_GetCode(status);
    TF_DeleteStatus(status);
    return code;
}

typedef struct fixture {
    oribi_arena arena;
    oribi_op_def op;
    oribi_arg_def argument;
    oribi_attrs attrs;
    oribi_signature signature;
    oribi_node_view view;
} fixture;

static void make_node(fixture *f, const char *op, TF_DataType type, const char *label)
{
    memset(f, 0, sizeof *f);
    f->argument.name = "x";
    f->op = (oribi_op_def){.name = op, .inputs = &f->argument, .n_inputs = 1};
    if (type != 0) {
        assert_true(oribi_attrs_set_type(&f->attrs, &f->arena, "T", type));
    }
    if (label != NULL) {
        assert_true(oribi_attrs_set_string(&f->attrs, &f->arena, "_kernel", label));
    }
    f->view = (oribi_node_view){
        .name = "n", .op = &f->op, .attrs = &f->attrs, .signature = &f->signature};
}

static char message[4000];

/* Name of the chosen kernel, or NULL with the code; the message is kept. */
static const char *choose(fixture *f, const char *device, TF_Code *out_code)
{
    TF_Status *status = TF_NewStatus();
    oribi_text explain = {0};
    const oribi_kernel_def *def = oribi_kernel_select(&f->view, device, &explain, status);
    *out_code = TF_GetCode(status);
    snprintf(message, sizeof message, "%s", TF_Message(status));
    assert_true(def == NULL || strstr(oribi_text_string(&explain), "chosen: kernel") != NULL);
    oribi_text_destroy(&explain);
    TF_DeleteStatus(status);
    oribi_arena_destroy(&f->arena);
    return def != NULL ? def->kernel_name : NULL;
}

static void expect(const char *op, TF_DataType type, const char *label, const char *device,
                   const char *expected)
{
    fixture f;
    TF_Code code;
    make_node(&f, op, type, label);
    const char *name = choose(&f, device, &code);
    if (expected == NULL) {
        assert_null(name);
    } else {
        assert_non_null(name);
        assert_string_equal(name, expected);
    }
}

static int register_all(void **state)
{
    (void)state;
    add("float_low", "Sel>A", "CPU", TF_FLOAT, -1000, NULL);
    add("float_high", "Sel>A", "CPU", TF_FLOAT, -900, NULL);
    add("int", "Sel>A", "CPU", TF_INT32, -1000, NULL);
    add("labelled", "Sel>A", "CPU", TF_FLOAT, 5, "fast");
    add("gpu", "Sel>A", "GPU", TF_FLOAT, 0, NULL);
    add("default_half", "Sel>A", "DEFAULT", TF_HALF, 0, NULL);
    add("float8", "Sel>A", "CPU", TF_FLOAT8_E4M3FN, 0, NULL);
    add("int4", "Sel>A", "CPU", TF_INT4, 0, NULL);
    add("any", "Sel>B", "CPU", (TF_DataType)0, 0, NULL);
    add("tie1", "Sel>Tie", "CPU", TF_FLOAT, 3, NULL);
    add("tie2", "Sel>Tie", "CPU", TF_FLOAT, 3, NULL);
    add("below_tie", "Sel>Tie", "CPU", TF_FLOAT, 2, NULL);
    return 0;
}

static void types_labels_priorities_and_devices_decide(void **state)
{
    (void)state;
    expect("Sel>A", TF_FLOAT8_E4M3FN, NULL, "CPU", "float8");
    expect("Sel>A", TF_INT4, NULL, "CPU", "int4");
    expect("Sel>A", TF_FLOAT8_E5M2, NULL, "CPU", NULL);
    expect("Sel>A", TF_FLOAT, NULL, "CPU", "float_high");
    expect("Sel>A", TF_INT32, NULL, "CPU", "int");
    expect("Sel>A", TF_FLOAT, "fast", "CPU", "labelled");
    expect("Sel>A", TF_FLOAT, "", "CPU", "float_high");
    expect("Sel>A", TF_FLOAT, "slow", "CPU", NULL);
    expect("Sel>A", TF_FLOAT, NULL, "GPU", "gpu");
    expect("Sel>A", TF_HALF, NULL, "CPU", "default_half");
    expect("Sel>A", TF_HALF, NULL, "NPU", "default_half");
    expect("Sel>A", TF_DOUBLE, NULL, "CPU", NULL);
    expect("Sel>B", TF_DOUBLE, NULL, "CPU", "any");
    expect("Sel>B", (TF_DataType)0, NULL, "CPU", "any");
    expect("Sel>None", TF_FLOAT, NULL, "CPU", NULL);
}

static void a_refusal_lists_what_was_considered_and_why(void **state)
{
    (void)state;
    fixture f;
    TF_Code code;
    make_node(&f, "Sel>A", TF_DOUBLE, NULL);

    assert_null(choose(&f, "CPU", &code));

    assert_int_equal(code, TF_NOT_FOUND);
    assert_non_null(strstr(message, "No registered 'Sel>A' OpKernel for 'CPU' devices compatible "
                                    "with node 'n' (OpKernel was found, but attributes didn't "
                                    "match)"));
    assert_non_null(strstr(message, "kernel 'float_low' of application: device='CPU', T in "
                                    "[DT_FLOAT], priority=-1000: refused, T is DT_DOUBLE"));
    assert_non_null(strstr(message, "kernel 'gpu' of application: device='GPU'"));
    assert_non_null(strstr(message, "refused, the device is 'CPU'"));
    make_node(&f, "Sel>None", TF_DOUBLE, NULL);
    assert_null(choose(&f, "CPU", &code));
    assert_int_equal(code, TF_NOT_FOUND);
    assert_non_null(strstr(message, "<no registered kernels>"));
}

static void equal_priorities_are_an_error_at_the_choice(void **state)
{
    (void)state;
    fixture f;
    TF_Code code;
    make_node(&f, "Sel>Tie", TF_FLOAT, NULL);

    assert_null(choose(&f, "CPU", &code));

    assert_int_equal(code, TF_INVALID_ARGUMENT);
    assert_non_null(strstr(message, "Multiple OpKernel registrations match NodeDef at the same "
                                    "priority 3"));
    assert_non_null(strstr(message, "tie1"));
    assert_non_null(strstr(message, "tie2"));
}

static void a_constraint_on_a_missing_attribute_is_an_error(void **state)
{
    (void)state;
    fixture f;
    TF_Code code;
    make_node(&f, "Sel>A", (TF_DataType)0, NULL);

    assert_null(choose(&f, "CPU", &code));

    assert_int_equal(code, TF_INVALID_ARGUMENT);
    assert_non_null(strstr(message, "constrains attribute 'T'"));
}

static void every_element_of_a_list_must_hold(void **state)
{
    (void)state;
    const TF_DataType same[2] = {TF_FLOAT, TF_FLOAT};
    const TF_DataType mixed[2] = {TF_FLOAT, TF_INT32};
    fixture f;
    TF_Code code;
    make_node(&f, "Sel>A", (TF_DataType)0, NULL);
    assert_true(oribi_attrs_set_types(&f.attrs, &f.arena, "T", same, 2));
    assert_non_null(choose(&f, "CPU", &code));
    make_node(&f, "Sel>A", (TF_DataType)0, NULL);
    assert_true(oribi_attrs_set_types(&f.attrs, &f.arena, "T", mixed, 2));
    assert_null(choose(&f, "CPU", &code));
}

static void host_memory_of_an_unknown_argument_is_refused(void **state)
{
    (void)state;
    TF_Status *status = TF_NewStatus();
    TF_KernelBuilder *builder = TF_NewKernelBuilder("Sel>Host", "CPU", NULL, compute, NULL);
    TF_KernelBuilder_HostMemory(builder, "y");
    TF_RegisterKernelBuilder("host", builder, status);
    assert_int_equal(TF_GetCode(status), TF_OK);
    TF_DeleteStatus(status);
    fixture f;
    TF_Code code;
    make_node(&f, "Sel>Host", TF_FLOAT, NULL);

    assert_null(choose(&f, "CPU", &code));

    assert_non_null(strstr(message, "no argument 'y' for host memory"));
}

/* --- Registration ---------------------------------------------------------------------------- */

static void types_that_cannot_constrain_are_refused(void **state)
{
    (void)state;
    static const int refused[] = {-1, 0, 34, 101, 107};
    static const int allowed[] = {1, 7, 14, 19, 20, 21, 23, 24, 28, 29, 30, 31, 33};
    TF_Status *status = TF_NewStatus();
    TF_KernelBuilder *builder = TF_NewKernelBuilder("Sel>C", "CPU", NULL, compute, NULL);
    for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++) {
        TF_KernelBuilder_TypeConstraint(builder, "T", (TF_DataType)refused[i], status);
        assert_int_equal(TF_GetCode(status), TF_UNIMPLEMENTED);
        assert_non_null(strstr(TF_Message(status), "Unexpected type"));
    }
    for (size_t i = 0; i < sizeof allowed / sizeof allowed[0]; i++) {
        TF_KernelBuilder_TypeConstraint(builder, "T", (TF_DataType)allowed[i], status);
        assert_int_equal(TF_GetCode(status), TF_OK);
    }
    TF_DeleteKernelBuilder(builder);
    TF_DeleteKernelBuilder(NULL);
    TF_DeleteStatus(status);
}

static void a_kernel_without_a_compute_function_is_refused(void **state)
{
    (void)state;
    TF_Status *status = TF_NewStatus();
    TF_RegisterKernelBuilder("none", TF_NewKernelBuilder("Sel>D", "CPU", NULL, NULL, NULL), status);
    assert_int_equal(TF_GetCode(status), TF_INVALID_ARGUMENT);
    assert_non_null(strstr(TF_Message(status), "kernel 'none' for op 'Sel>D' has no compute"));
    TF_RegisterKernelBuilder("null", NULL, status);
    assert_int_equal(TF_GetCode(status), TF_INVALID_ARGUMENT);
    assert_false(oribi_kernel_exists("Sel>D", "CPU"));
    TF_DeleteStatus(status);
}

static void two_labels_are_refused_without_a_crash(void **state)
{
    (void)state;
    TF_Status *status = TF_NewStatus();
    TF_KernelBuilder *builder = TF_NewKernelBuilder("Sel>E", "CPU", NULL, compute, NULL);
    TF_KernelBuilder_Label(builder, "one");
    TF_KernelBuilder_Label(builder, "one");
    TF_KernelBuilder_Label(builder, "two");
    TF_RegisterKernelBuilder("labels", builder, status);
    assert_int_equal(TF_GetCode(status), TF_INVALID_ARGUMENT);
    assert_non_null(strstr(TF_Message(status), "first to 'one' and then to 'two'"));
    TF_DeleteStatus(status);
}

/* As TensorFlow's own tests do. */
static void a_registered_builder_that_is_deleted_stays_registered(void **state)
{
    (void)state;
    TF_Status *status = TF_NewStatus();
    TF_KernelBuilder *builder = TF_NewKernelBuilder("Sel>Deleted", "CPU", NULL, compute, NULL);
    TF_KernelBuilder_TypeConstraint(builder, "T", TF_FLOAT, status);
    TF_RegisterKernelBuilder("deleted", builder, status);
    assert_int_equal(TF_GetCode(status), TF_OK);

    TF_DeleteKernelBuilder(builder);
    TF_DeleteKernelBuilder(builder);

    expect("Sel>Deleted", TF_FLOAT, NULL, "CPU", "deleted");
    expect("Sel>Deleted", TF_DOUBLE, NULL, "CPU", NULL);
    TF_DeleteStatus(status);
}

static void a_rolled_back_transaction_leaves_nothing(void **state)
{
    (void)state;
    TF_Status *status = TF_NewStatus();
    assert_true(oribi_kernel_begin("p.so", status));
    assert_false(oribi_kernel_begin("q.so", status));
    assert_int_equal(add("k", "Sel>F", "CPU", TF_FLOAT, 0, NULL), TF_OK);
    assert_true(oribi_kernel_exists("Sel>F", "CPU"));
    oribi_kernel_rollback();
    assert_false(oribi_kernel_exists("Sel>F", "CPU"));
    oribi_kernel_rollback();
    TF_DeleteStatus(status);
}

static void a_commit_fails_when_any_registration_did(void **state)
{
    (void)state;
    TF_Status *status = TF_NewStatus();
    assert_true(oribi_kernel_begin("p.so", status));
    assert_int_equal(add("good", "Sel>G", "CPU", TF_FLOAT, 0, NULL), TF_OK);
    TF_RegisterKernelBuilder("bad", TF_NewKernelBuilder("Sel>G", "CPU", NULL, NULL, NULL), status);
    TF_SetStatus(status, TF_OK, ""); /* the plugin ignores it */

    assert_false(oribi_kernel_commit(status));

    assert_int_equal(TF_GetCode(status), TF_INVALID_ARGUMENT);
    assert_non_null(strstr(TF_Message(status), "'bad'"));
    oribi_kernel_rollback();
    assert_false(oribi_kernel_exists("Sel>G", "CPU"));
    TF_DeleteStatus(status);
}

static void a_committed_kernel_names_its_provider(void **state)
{
    (void)state;
    TF_Status *status = TF_NewStatus();
    assert_true(oribi_kernel_begin("/opt/p.so", status));
    assert_int_equal(add("k", "Sel>H", "CPU", TF_FLOAT, 0, NULL), TF_OK);
    assert_true(oribi_kernel_commit(status));
    fixture f;
    make_node(&f, "Sel>H", TF_FLOAT, NULL);
    const oribi_kernel_def *def = oribi_kernel_select(&f.view, "CPU", NULL, status);
    assert_non_null(def);
    assert_string_equal(def->provider, "/opt/p.so");
    oribi_arena_destroy(&f.arena);
    TF_DeleteStatus(status);
}

/* op "Sel>I", device "CPU", constraint T in {float, int32}, label "l", priority 7; as protoc does
 */
static const char kernel_def[] = "\x0a\x05Sel>I\x12\x03"
                                 "CPU\x1a\x0b\x0a\x01T\x12\x06\x0a\x04\x32\x02\x01\x03*\x01l0\x07";

static void a_serialised_kernel_def_overrides_the_builder(void **state)
{
    (void)state;
    TF_Status *status = TF_NewStatus();
    TF_KernelBuilder *builder = TF_NewKernelBuilder("Sel>Other", "GPU", NULL, compute, NULL);
    TF_RegisterKernelBuilderWithKernelDef(kernel_def, "from_def", builder, status);
    assert_string_equal(TF_Message(status), "");

    expect("Sel>I", TF_FLOAT, "l", "CPU", "from_def");
    expect("Sel>I", TF_INT32, "l", "CPU", "from_def");
    expect("Sel>I", TF_INT64, "l", "CPU", NULL);
    expect("Sel>I", TF_FLOAT, NULL, "CPU", NULL);
    assert_false(oribi_kernel_exists("Sel>Other", NULL));
    for (size_t cut = 1; cut + 1 < sizeof kernel_def; cut++) { /* never a crash or a leak */
        char part[sizeof kernel_def];
        memcpy(part, kernel_def, cut);
        part[cut] = '\0';
        assert_true(oribi_kernel_begin("cut", status));
        TF_RegisterKernelBuilderWithKernelDef(
            part, "cut", TF_NewKernelBuilder("Sel>J", "CPU", NULL, compute, NULL), status);
        oribi_kernel_rollback();
    }
    TF_DeleteStatus(status);
}

static bool register_and_drop(void *arg)
{
    (void)arg;
    TF_Status *status = TF_NewStatus();
    bool ok = oribi_kernel_begin("f.so", status);
    if (ok) {
        TF_KernelBuilder *builder = TF_NewKernelBuilder("Sel>K", "CPU", NULL, compute, NULL);
        TF_KernelBuilder_Label(builder, "label");
        TF_KernelBuilder_HostMemory(builder, "x");
        TF_KernelBuilder_TypeConstraint(builder, "T", TF_FLOAT, status);
        ok = TF_GetCode(status) == TF_OK;
        TF_RegisterKernelBuilderWithKernelDef(kernel_def, "k", builder, status);
        ok = ok && TF_GetCode(status) == TF_OK;
        TF_Status *commit = TF_NewStatus();
        oribi_kernel_rollback();
        TF_DeleteStatus(commit);
    }
    TF_DeleteStatus(status);
    return ok;
}

static void registration_survives_any_failing_allocation(void **state)
{
    (void)state;
    assert_true(fail_each_allocation(register_and_drop, NULL) > 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(types_labels_priorities_and_devices_decide),
        cmocka_unit_test(a_refusal_lists_what_was_considered_and_why),
        cmocka_unit_test(equal_priorities_are_an_error_at_the_choice),
        cmocka_unit_test(a_constraint_on_a_missing_attribute_is_an_error),
        cmocka_unit_test(every_element_of_a_list_must_hold),
        cmocka_unit_test(host_memory_of_an_unknown_argument_is_refused),
        cmocka_unit_test(types_that_cannot_constrain_are_refused),
        cmocka_unit_test(a_kernel_without_a_compute_function_is_refused),
        cmocka_unit_test(a_registered_builder_that_is_deleted_stays_registered),
        cmocka_unit_test(two_labels_are_refused_without_a_crash),
        cmocka_unit_test(a_rolled_back_transaction_leaves_nothing),
        cmocka_unit_test(a_commit_fails_when_any_registration_did),
        cmocka_unit_test(a_committed_kernel_names_its_provider),
        cmocka_unit_test(a_serialised_kernel_def_overrides_the_builder),
        cmocka_unit_test(registration_survives_any_failing_allocation),
    };
    return cmocka_run_group_tests(tests, register_all, NULL);
}
