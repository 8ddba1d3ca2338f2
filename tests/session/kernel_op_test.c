/* SPDX-License-Identifier: Apache-2.0 */
/* Ops that a kernel calls: results of built-in ops, constants, given outputs, failures, runs at
 * once. That a steady state allocates nothing: steady_test.c.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

#include "base/thread.h"
#include "plugin/plugin.h"
#include "session/small.h"
#include "support/fail_nth.h"
#include "tensorflow/c/kernel_op.h"

static const int64_t DIMS[2] = {2, 2};

/* What the kernel of Test>Call does, set by a test before its session is made. */
static void (*make_op)(TF_OpKernelConstruction *ctx, TF_KernelOp **op, TF_Status *status);
static void (*use_op)(TF_KernelOp *op, TF_OpKernelContext *ctx, TF_Status *status);

static void *create(TF_OpKernelConstruction *ctx)
{
    TF_Status *status = TF_NewStatus();
    TF_KernelOp *op = NULL;
    make_op(ctx, &op, status);
    TF_OpKernelConstruction_Failure(ctx, status);
    TF_DeleteStatus(status);
    return op;
}

static void compute(void *kernel, TF_OpKernelContext *ctx)
{
    TF_Status *status = TF_NewStatus();
    use_op(kernel, ctx, status);
    TF_OpKernelContext_Failure(ctx, status);
    TF_DeleteStatus(status);
}

static void delete_op(void *kernel)
{
    TF_DeleteKernelOp(kernel);
}

static int setup(void **state)
{
    TF_Status *status = TF_NewStatus();
    static const char *const in[] = {"x: float", NULL}, *const out[] = {"z: float", NULL};
    static const char *const attrs[] = {"fn: int", "flag: bool = true", NULL};
    assert_true(oribi_plugin_load_built_ins(status));
    TF_DeleteStatus(status);
    small_setup(state);
    small_define_op("Test>Call", in, out, attrs, small_same_shape);
    small_register(TF_NewKernelBuilder("Test>Call", "CPU", create, compute, delete_op), "call");
    return 0;
}

static oribi_graph *graph_of(TF_Status **out_status)
{
    small_graph g = small_begin();
    const oribi_value_id x = small_input(&g, "x", 2, DIMS);
    small_output(&g, small_node(&g, "Test>Call", small_add_one, &x, 1), "z");
    *out_status = g.status;
    return g.graph;
}

static oribi_session *session_of(void)
{
    TF_Status *status;
    oribi_graph *graph = graph_of(&status);
    oribi_options *options = small_options();
    oribi_session *session = oribi_session_from_graph(graph, options, status);
    small_expect_ok(status);
    oribi_options_destroy(options);
    TF_DeleteStatus(status);
    return session;
}

static char message[2000];

/* The code with which making the session, or else one run on 1, 2, 3, 4, fails. */
static TF_Code try_once(float *out)
{
    TF_Status *status;
    oribi_graph *graph = graph_of(&status);
    oribi_options *options = small_options();
    oribi_session *session = oribi_session_from_graph(graph, options, status);
    if (session != NULL) {
        oribi_run *run = oribi_run_create(session, status);
        TF_Tensor *input = small_tensor(2, DIMS, 1);
        oribi_run_set_input(run, 0, input, status);
        oribi_run_execute(run, status);
        if (TF_GetCode(status) == TF_OK && out != NULL) {
            TF_Tensor *result = oribi_run_output(run, 0, status);
            memcpy(out, TF_TensorData(result), 4 * sizeof *out);
            TF_DeleteTensor(result);
        }
        TF_DeleteTensor(input);
        oribi_run_destroy(run);
        oribi_session_destroy(session);
    }
    const TF_Code code = TF_GetCode(status);
    snprintf(message, sizeof message, "%s", TF_Message(status));
    oribi_options_destroy(options);
    TF_DeleteStatus(status);
    return code;
}

/* --- Results --------------------------------------------------------------------------------- */

static const TF_DataType TWO[2] = {TF_FLOAT, TF_FLOAT};

static void make_product(TF_OpKernelConstruction *ctx, TF_KernelOp **op, TF_Status *status)
{
    *op = TF_NewKernelOp(ctx, "MatMul", status);
    small_expect_ok(status);
    TF_KernelOp_CopyAttr(*op, "transpose_b", ctx, "flag", status);
    small_expect_ok(status);
    TF_KernelOp_Prepare(*op, TWO, 2, status);
    assert_int_equal(TF_KernelOp_NumOutputs(*op), 1);
    assert_int_equal(TF_KernelOp_OutputType(*op, 0), TF_FLOAT);
    assert_int_equal(TF_KernelOp_OutputType(*op, 1), 0);
}

/* x times x transposed, into the kernel's own output. */
static void write_product(TF_KernelOp *op, TF_OpKernelContext *ctx, TF_Status *status)
{
    TF_Tensor *x, *z;
    assert_true(small_open(ctx, &x, &z));
    TF_Tensor *const inputs[2] = {x, x};
    TF_Tensor *const before = z;
    TF_KernelOp_Run(op, ctx, inputs, 2, &z, 1, status);
    assert_ptr_equal(z, before);
    small_close(x, z);
}

static void a_built_in_op_writes_into_the_kernels_output(void **state)
{
    (void)state;
    make_op = make_product;
    use_op = write_product;
    float out[4];
    const float expected[4] = {5, 11, 11, 25};

    assert_int_equal(try_once(out), TF_OK);

    assert_memory_equal(out, expected, sizeof out);
}

static void make_with_constant(TF_OpKernelConstruction *ctx, TF_KernelOp **op, TF_Status *status)
{
    *op = TF_NewKernelOp(ctx, "MatMul", status);
    TF_Tensor *weights = small_tensor(2, DIMS, 0);
    const float values[4] = {0, 1, 1, 0};
    memcpy(TF_TensorData(weights), values, sizeof values);
    TF_KernelOp_SetConstant(*op, 1, weights, status);
    small_expect_ok(status);
    TF_KernelOp_SetConstant(*op, -1, weights, status);
    TF_DeleteTensor(weights);
    assert_int_equal(TF_GetCode(status), TF_INVALID_ARGUMENT);
    TF_KernelOp_Prepare(*op, TWO, 2, status); /* nothing happens: something failed */
    assert_int_equal(TF_KernelOp_NumOutputs(*op), 0);
    TF_SetStatus(status, TF_OK, "");
    TF_KernelOp_Prepare(*op, TWO, 2, status);
    small_expect_ok(status);
    TF_KernelOp_SetAttrBool(*op, "transpose_a", true, status);
    assert_int_equal(TF_GetCode(status), TF_FAILED_PRECONDITION);
    TF_SetStatus(status, TF_OK, "");
}

/* x times a constant, as a new tensor that becomes the output. */
static void set_product(TF_KernelOp *op, TF_OpKernelContext *ctx, TF_Status *status)
{
    TF_Tensor *inputs[2] = {NULL, NULL}, *made = NULL;
    TF_GetInput(ctx, 0, &inputs[0], status);
    TF_KernelOp_Run(op, ctx, inputs, 2, &made, 1, status);
    small_expect_ok(status);
    TF_SetOutput(ctx, 0, made, status);
    TF_DeleteTensor(made);
    TF_DeleteTensor(inputs[0]);
}

static void a_constant_input_is_not_passed_again(void **state)
{
    (void)state;
    make_op = make_with_constant;
    use_op = set_product;
    float out[4];
    const float expected[4] = {2, 1, 4, 3};

    assert_int_equal(try_once(out), TF_OK);

    assert_memory_equal(out, expected, sizeof out);
}

static void make_identity(TF_OpKernelConstruction *ctx, TF_KernelOp **op, TF_Status *status)
{
    *op = TF_NewKernelOp(ctx, "Identity", status);
    TF_KernelOp_SetAttrType(*op, "T", TF_FLOAT, status);
    TF_KernelOp_Prepare(*op, TWO, 1, status);
}

/* The op hands its input on: into the output it is copied, else shared. */
static void pass_on(TF_KernelOp *op, TF_OpKernelContext *ctx, TF_Status *status)
{
    TF_Tensor *x, *z, *made = NULL;
    assert_true(small_open(ctx, &x, &z));
    TF_KernelOp_Run(op, ctx, &x, 1, &made, 1, status);
    small_expect_ok(status);
    assert_ptr_equal(TF_TensorData(made), TF_TensorData(x));
    TF_KernelOp_Run(op, ctx, &made, 1, &z, 1, status);
    TF_DeleteTensor(made);
    small_close(x, z);
}

static void what_an_op_hands_on_is_shared_or_copied(void **state)
{
    (void)state;
    make_op = make_identity;
    use_op = pass_on;
    float out[4];
    const float expected[4] = {1, 2, 3, 4};

    assert_int_equal(try_once(out), TF_OK);

    assert_memory_equal(out, expected, sizeof out);
}

static void *read_kinds(TF_OpKernelConstruction *ctx)
{
    TF_Status *status = TF_NewStatus();
    float one = 0, many[2] = {0};
    char text[2] = "";
    TF_DataType types[2] = {(TF_DataType)0};
    int64_t sizes[2] = {0};
    TF_OpKernelConstruction_GetAttrFloat(ctx, "f", &one, status);
    TF_OpKernelConstruction_GetAttrString(ctx, "s", text, 2, status);
    TF_OpKernelConstruction_GetAttrFloatList(ctx, "fs", many, 2, status);
    TF_OpKernelConstruction_GetAttrTypeList(ctx, "ts", types, 2, status);
    TF_OpKernelConstruction_GetAttrInt64List(ctx, "is", sizes, 2, status);
    small_expect_ok(status);
    assert_true(one == 0.5f && many[0] == 1.5f && many[1] == 2.5f);
    assert_memory_equal(text, "no", 2);
    assert_int_equal(types[1], TF_INT4);
    assert_int_equal(sizes[1], 1 << 20);
    TF_DeleteStatus(status);
    return (void *)(intptr_t)small_add_fn(small_add_one);
}

static void make_kinds(TF_OpKernelConstruction *ctx, TF_KernelOp **op, TF_Status *status)
{
    const float many[2] = {1.5f, 2.5f};
    const TF_DataType types[2] = {TF_FLOAT, TF_INT4};
    const int64_t sizes[2] = {1, 1 << 20};
    *op = TF_NewKernelOp(ctx, "Test>Kinds", status);
    TF_KernelOp_SetAttrFloat(*op, "f", 0.5f, status);
    TF_KernelOp_SetAttrString(*op, "s", "nothing", 2, status);
    TF_KernelOp_SetAttrFloatList(*op, "fs", many, 2, status);
    TF_KernelOp_SetAttrTypeList(*op, "ts", types, 2, status);
    TF_KernelOp_SetAttrIntList(*op, "is", sizes, 2, status);
    TF_KernelOp_Prepare(*op, TWO, 1, status);
}

static void write_through(TF_KernelOp *op, TF_OpKernelContext *ctx, TF_Status *status)
{
    TF_Tensor *x, *z;
    assert_true(small_open(ctx, &x, &z));
    TF_KernelOp_Run(op, ctx, &x, 1, &z, 1, status);
    small_close(x, z);
}

static void attributes_of_every_kind_arrive(void **state)
{
    (void)state;
    static const char *const in[] = {"x: float", NULL}, *const out_specs[] = {"z: float", NULL};
    static const char *const attrs[] = {"f: float",       "s: string",     "fs: list(float)",
                                        "ts: list(type)", "is: list(int)", NULL};
    small_define_op("Test>Kinds", in, out_specs, attrs, small_same_shape);
    small_register(TF_NewKernelBuilder("Test>Kinds", "CPU", read_kinds, small_compute, NULL),
                   "kinds");
    make_op = make_kinds;
    use_op = write_through;
    float out[4];

    assert_int_equal(try_once(out), TF_OK);

    assert_true(out[3] == 5.0f);
}

/* --- Failures -------------------------------------------------------------------------------- */

static void make_unknown(TF_OpKernelConstruction *ctx, TF_KernelOp **op, TF_Status *status)
{
    *op = TF_NewKernelOp(ctx, "NoSuchOp", status);
    assert_null(*op);
    TF_KernelOp_SetAttrInt(*op, "a", 1, status); /* nothing happens */
    assert_int_equal(TF_KernelOp_NumOutputs(*op), 0);
}

static void make_mistyped(TF_OpKernelConstruction *ctx, TF_KernelOp **op, TF_Status *status)
{
    const TF_DataType mixed[2] = {TF_FLOAT, TF_INT32};
    *op = TF_NewKernelOp(ctx, "MatMul", status);
    TF_KernelOp_Prepare(*op, mixed, 2, status);
}

static void make_misnamed(TF_OpKernelConstruction *ctx, TF_KernelOp **op, TF_Status *status)
{
    const int64_t sizes[2] = {1, 2};
    *op = TF_NewKernelOp(ctx, "MatMul", status);
    TF_KernelOp_SetAttrIntList(*op, "sizes", sizes, 2, status);
    small_expect_ok(status);
    TF_KernelOp_Prepare(*op, TWO, 2, status);
}

static void copy_nothing(TF_OpKernelConstruction *ctx, TF_KernelOp **op, TF_Status *status)
{
    *op = TF_NewKernelOp(ctx, "MatMul", status);
    TF_KernelOp_CopyAttr(*op, "transpose_b", ctx, "colour", status);
}

static void what_cannot_be_prepared_fails_the_session_by_name(void **state)
{
    (void)state;
    make_op = make_unknown;
    assert_int_equal(try_once(NULL), TF_NOT_FOUND);
    assert_non_null(strstr(message, "'NoSuchOp'"));
    make_op = make_mistyped;
    assert_int_equal(try_once(NULL), TF_INVALID_ARGUMENT);
    assert_non_null(strstr(message, "/MatMul"));
    make_op = make_misnamed;
    assert_int_equal(try_once(NULL), TF_INVALID_ARGUMENT);
    assert_non_null(strstr(message, "sizes"));
    make_op = copy_nothing;
    assert_int_equal(try_once(NULL), TF_NOT_FOUND);
    assert_non_null(strstr(message, "colour"));
}

/* Every wrong call, then the right one. */
static void misuse(TF_KernelOp *op, TF_OpKernelContext *ctx, TF_Status *status)
{
    TF_Tensor *x, *z, *made = NULL;
    assert_true(small_open(ctx, &x, &z));
    const int64_t wide[2] = {2, 3};
    TF_Tensor *other = TF_AllocateTensor(TF_FLOAT, wide, 2, 24);
    TF_Tensor *integers = TF_AllocateTensor(TF_INT32, DIMS, 2, 16);
    TF_Tensor *inputs[2] = {x, NULL};
    TF_SetStatus(status, TF_OK, "");
    TF_KernelOp_Run(op, ctx, inputs, 2, &made, 1, status); /* one is missing */
    assert_int_equal(TF_GetCode(status), TF_INVALID_ARGUMENT);
    TF_SetStatus(status, TF_OK, "");
    TF_KernelOp_Run(op, ctx, inputs, 1, &made, 1, status);
    assert_int_equal(TF_GetCode(status), TF_INVALID_ARGUMENT);
    inputs[1] = integers;
    TF_SetStatus(status, TF_OK, "");
    TF_KernelOp_Run(op, ctx, inputs, 2, &made, 1, status);
    assert_int_equal(TF_GetCode(status), TF_INVALID_ARGUMENT);
    inputs[1] = x;
    TF_SetStatus(status, TF_OK, "");
    TF_KernelOp_Run(op, ctx, inputs, 2, &integers, 1, status);
    assert_int_equal(TF_GetCode(status), TF_INVALID_ARGUMENT);
    TF_SetStatus(status, TF_OK, "");
    TF_KernelOp_Run(op, ctx, inputs, 2, &other, 1, status); /* no room for the result */
    assert_int_equal(TF_GetCode(status), TF_INVALID_ARGUMENT);
    assert_non_null(strstr(TF_Message(status), "[2,2]"));
    inputs[0] = other; /* 2 columns need 2 rows; here are 3 columns: the op itself fails */
    TF_SetStatus(status, TF_OK, "");
    TF_KernelOp_Run(op, ctx, inputs, 2, &made, 1, status);
    assert_int_equal(TF_GetCode(status), TF_INVALID_ARGUMENT);
    assert_non_null(strstr(TF_Message(status), "/MatMul': "));
    assert_null(made);
    TF_SetStatus(status, TF_OK, "");
    TF_KernelOp_Run(NULL, ctx, inputs, 2, &made, 1, status);
    assert_int_equal(TF_GetCode(status), TF_FAILED_PRECONDITION);
    inputs[0] = x;
    TF_KernelOp_Run(op, ctx, inputs, 2, &made, 1, status); /* nothing happens: something failed */
    assert_null(made);
    TF_SetStatus(status, TF_OK, "");
    TF_KernelOp_Run(op, ctx, inputs, 2, &z, 1, status);
    TF_DeleteTensor(other);
    TF_DeleteTensor(integers);
    small_close(x, z);
}

static void a_wrong_call_fails_and_leaves_the_op_usable(void **state)
{
    (void)state;
    make_op = make_product;
    use_op = misuse;
    float out[4];
    const float expected[4] = {5, 11, 11, 25};

    assert_int_equal(try_once(out), TF_OK);

    assert_memory_equal(out, expected, sizeof out);
}

/* --- Handles that outlive, runs at once ------------------------------------------------------- */

static TF_Tensor *kept;

static void keep_and_add(TF_OpKernelContext *ctx)
{
    TF_Status *status = TF_NewStatus();
    small_add_one(ctx);
    kept = TF_GetMutableOutput(ctx, 0, status);
    small_expect_ok(status);
    TF_DeleteStatus(status);
}

static void make_keeper(TF_OpKernelConstruction *ctx, TF_KernelOp **op, TF_Status *status)
{
    *op = TF_NewKernelOp(ctx, "Test>Fn", status);
    TF_KernelOp_SetAttrInt(*op, "fn", small_add_fn(keep_and_add), status);
    TF_KernelOp_Prepare(*op, TWO, 1, status);
}

static void use_keeper(TF_KernelOp *op, TF_OpKernelContext *ctx, TF_Status *status)
{
    TF_Tensor *x, *z, *made = NULL;
    assert_true(small_open(ctx, &x, &z));
    TF_KernelOp_Run(op, ctx, &x, 1, &made, 1, status);
    small_expect_ok(status);
    TF_DeleteTensor(made);
    assert_true(((const float *)TF_TensorData(kept))[3] == 5.0f);
    TF_DeleteTensor(kept);
    TF_KernelOp_Run(op, ctx, &x, 1, &z, 1, status);
    TF_DeleteTensor(kept);
    small_close(x, z);
}

static void a_handle_that_the_op_kept_stays_valid(void **state)
{
    (void)state;
    make_op = make_keeper;
    use_op = use_keeper;
    float out[4];
    const float expected[4] = {2, 3, 4, 5};

    assert_int_equal(try_once(out), TF_OK);

    assert_memory_equal(out, expected, sizeof out);
}

static void *run_many(void *arg)
{
    oribi_run *run = arg;
    for (int i = 0; i < 200; i++) {
        small_bind(run, 0, small_tensor(2, DIMS, 1));
        small_execute(run);
        TF_Tensor *result = small_result(run, 0);
        assert_true(((const float *)TF_TensorData(result))[3] == 25.0f);
        TF_DeleteTensor(result);
    }
    return NULL;
}

static void runs_at_once_have_the_op_to_themselves(void **state)
{
    (void)state;
    make_op = make_product;
    use_op = write_product;
    oribi_session *session = session_of();
    oribi_run *runs[3];
    pthread_t threads[3];
    for (int i = 0; i < 3; i++) {
        runs[i] = small_run_of(session);
        assert_int_equal(pthread_create(&threads[i], NULL, run_many, runs[i]), 0);
    }
    for (int i = 0; i < 3; i++) {
        pthread_join(threads[i], NULL);
        oribi_run_destroy(runs[i]);
    }
    oribi_session_destroy(session);
}

static void loop_until_stopped(TF_OpKernelContext *ctx)
{
    while (!TF_OpKernelContext_IsCancelled(ctx)) {
    }
    small_add_one(ctx);
}

static void make_endless(TF_OpKernelConstruction *ctx, TF_KernelOp **op, TF_Status *status)
{
    *op = TF_NewKernelOp(ctx, "Test>Fn", status);
    TF_KernelOp_SetAttrInt(*op, "fn", small_add_fn(loop_until_stopped), status);
    TF_KernelOp_Prepare(*op, TWO, 1, status);
}

static void use_endless(TF_KernelOp *op, TF_OpKernelContext *ctx, TF_Status *status)
{
    TF_Tensor *x, *z;
    assert_true(small_open(ctx, &x, &z));
    TF_KernelOp_Run(op, ctx, &x, 1, &z, 1, status);
    assert_int_equal(TF_GetCode(status), TF_DEADLINE_EXCEEDED);
    small_close(x, z);
}

static void an_op_ends_at_the_deadline_of_the_run(void **state)
{
    (void)state;
    make_op = make_endless;
    use_op = use_endless;
    oribi_session *session = session_of();
    oribi_run *run = small_run_of(session);
    TF_Status *status = TF_NewStatus();
    small_bind(run, 0, small_tensor(2, DIMS, 1));
    oribi_run_set_time_limit(run, 20);

    oribi_run_execute(run, status);

    assert_int_equal(TF_GetCode(status), TF_DEADLINE_EXCEEDED);
    TF_DeleteStatus(status);
    oribi_run_destroy(run);
    oribi_session_destroy(session);
}

/* --- Failing allocations --------------------------------------------------------------------- */

static void make_by_memory(TF_OpKernelConstruction *ctx, TF_KernelOp **op, TF_Status *status)
{
    *op = TF_NewKernelOp(ctx, "Test>Fn", status);
    TF_KernelOp_SetAttrInt(*op, "fn", 0, status);
    if (*op != NULL && TF_GetCode(status) == TF_OK) {
        TF_KernelOp_Prepare(*op, TWO, 1, status);
    }
}

static bool make_and_drop(void *arg)
{
    TF_Status *status = TF_NewStatus();
    (void)arg;
    static const oribi_attrs none = {0};
    static const oribi_signature signature = {0};
    const oribi_op_def *def = oribi_op_find("Test>Call");
    const oribi_node_view node = {.name = "n", .op = def, .attrs = &none, .signature = &signature};
    const oribi_kernel_def kernel_def = {.op_name = "Test>Call",
                                         .kernel_name = "",
                                         .provider = "",
                                         .create = create,
                                         .destroy = delete_op};
    oribi_kernel kernel;
    const bool made = oribi_kernel_create(&kernel_def, &node, &kernel, status);
    if (made) {
        oribi_kernel_destroy(&kernel);
    }
    TF_DeleteStatus(status);
    return made;
}

static void nothing_is_left_when_memory_runs_out(void **state)
{
    (void)state;
    make_op = make_by_memory;
    assert_true(fail_each_allocation(make_and_drop, NULL) > 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_built_in_op_writes_into_the_kernels_output),
        cmocka_unit_test(a_constant_input_is_not_passed_again),
        cmocka_unit_test(what_an_op_hands_on_is_shared_or_copied),
        cmocka_unit_test(attributes_of_every_kind_arrive),
        cmocka_unit_test(what_cannot_be_prepared_fails_the_session_by_name),
        cmocka_unit_test(a_wrong_call_fails_and_leaves_the_op_usable),
        cmocka_unit_test(a_handle_that_the_op_kept_stays_valid),
        cmocka_unit_test(runs_at_once_have_the_op_to_themselves),
        cmocka_unit_test(an_op_ends_at_the_deadline_of_the_run),
        cmocka_unit_test(nothing_is_left_when_memory_runs_out),
    };
    return cmocka_run_group_tests(tests, setup, NULL);
}
