/* SPDX-License-Identifier: Apache-2.0 */
/* Variables in sessions: whose they are, locks over several of them, updates by a plugin's own
 * functions, handles as messages. The ops on variables: tests/kernel/variable_test.c.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

#include "base/thread.h"
#include "plugin/plugin.h"
#include "session/small.h"
#include "tensorflow/c/experimental/next_pluggable_device/c_api.h"
#include "tensorflow/c/kernels_experimental.h"
#include "tensorflow/c/resource.h"

static const int64_t DIMS[1] = {2};

/* x to z, unchanged. */
static void pass_on(TF_OpKernelContext *ctx)
{
    TF_Status *status = TF_NewStatus();
    TF_Tensor *x = NULL;
    TF_GetInput(ctx, 2, &x, status);
    TF_Tensor *z = TF_AllocateOutput(ctx, 0, TF_FLOAT, DIMS, 1, 8, status);
    small_expect_ok(status);
    memcpy(TF_TensorData(z), TF_TensorData(x), 8);
    small_close(x, z);
    TF_DeleteStatus(status);
}

static oribi_value_id handle_node(small_graph *g, const char *shared_name)
{
    oribi_node *node =
        oribi_graph_add_node(g->graph, "VarHandleOp", shared_name, NULL, 0, 1, g->status);
    const oribi_shape shape = {1, (int64_t *)DIMS};
    const oribi_attr attr = {.name = "shape", .kind = TF_ATTR_SHAPE, .count = 1, .u.shape = &shape};
    assert_true(oribi_attrs_set(&node->attrs, &g->graph->arena, &attr));
    oribi_attrs_set_type(&node->attrs, &g->graph->arena, "dtype", TF_FLOAT);
    oribi_attrs_set_string(&node->attrs, &g->graph->arena, "shared_name", shared_name);
    if (!oribi_graph_resolve(g->graph, node, g->status)) {
        fail_msg("%s", TF_Message(g->status));
    }
    return node->outputs[0];
}

/* VarHandleOp v, VarHandleOp w, x -> Test>Var with fn -> z */
static oribi_session *make(small_fn fn)
{
    small_graph g = small_begin();
    oribi_value_id in[3];
    in[0] = handle_node(&g, "v");
    in[1] = handle_node(&g, "w");
    in[2] = small_input(&g, "x", 1, DIMS);
    small_output(&g, small_node(&g, "Test>Var", fn, in, 3), "z");
    return small_finish(&g);
}

static void run_with(oribi_run *run, float first)
{
    small_bind(run, 0, small_tensor(1, DIMS, first));
    small_execute(run);
}

/* Reads variable `input`; its first element, or -1 when it is not initialised. */
static float read_variable(TF_OpKernelContext *ctx, int input)
{
    TF_Status *status = TF_NewStatus();
    TF_Tensor *value = NULL;
    float result = -1;
    if (TF_VariableIsInitialized(ctx, input, status)) {
        TF_GetInputTensorFromVariable(ctx, input, false, false, false, NULL, &value, status);
        small_expect_ok(status);
        result = ((float *)TF_TensorData(value))[0];
    }
    TF_DeleteTensor(value);
    TF_DeleteStatus(status);
    return result;
}

static float seen;

static void see_then_assign(TF_OpKernelContext *ctx)
{
    TF_Status *status = TF_NewStatus();
    seen = read_variable(ctx, 0);
    TF_AssignVariable(ctx, 0, 2, true, NULL, status);
    small_expect_ok(status);
    assert_true(read_variable(ctx, 1) == -1);
    TF_DeleteStatus(status);
    pass_on(ctx);
}

static void runs_of_one_session_share_a_variable_and_sessions_do_not(void **state)
{
    (void)state;
    oribi_session *one = make(see_then_assign);
    oribi_session *two = make(see_then_assign);
    oribi_run *first = small_run_of(one);
    oribi_run *second = small_run_of(one);
    oribi_run *other = small_run_of(two);

    run_with(first, 5);
    assert_true(seen == -1);
    run_with(second, 6);
    assert_true(seen == 5);
    run_with(first, 7);
    assert_true(seen == 6);
    run_with(other, 8);
    assert_true(seen == -1);
    run_with(second, 9);
    assert_true(seen == 7);

    oribi_run_destroy(other);
    oribi_run_destroy(second);
    oribi_run_destroy(first);
    oribi_session_destroy(two);
    oribi_session_destroy(one);
}

static void a_session_that_goes_takes_its_variables_with_it(void **state)
{
    (void)state;
    int64_t live = 0;
    for (int i = 0; i < 3; i++) {
        oribi_session *session = make(see_then_assign);
        oribi_run *run = small_run_of(session);
        run_with(run, 5);
        assert_true(seen == -1);
        oribi_run_destroy(run);
        oribi_session_destroy(session);
        if (i == 1) {
            live = oribi_alloc_live();
        }
    }
    assert_int_equal(oribi_alloc_live(), live);
}

static TF_Resource *resource_of(TF_OpKernelContext *ctx, const TF_Tensor *handle)
{
    TF_Status *status = TF_NewStatus();
    TF_Resource *found = TF_ResourceFromTensor(ctx, handle, 0, NULL, status);
    small_expect_ok(status);
    TF_DeleteStatus(status);
    return found;
}

/* Input 0 is the handle of variable v in the default container. */
static void name_variables(TF_OpKernelContext *ctx)
{
    TF_Status *status = TF_NewStatus();
    TF_Tensor *input = NULL;
    TF_GetInput(ctx, 0, &input, status);
    TF_Tensor *same = TF_VariableHandle(ctx, "", "v", status);
    small_expect_ok(status);
    TF_Tensor *other = TF_VariableHandle(ctx, "elsewhere", "v", status);
    small_expect_ok(status);
    TF_Resource *a = resource_of(ctx, input);
    TF_Resource *b = resource_of(ctx, same);
    TF_Resource *c = resource_of(ctx, other);
    assert_int_equal(TF_TensorType(same), TF_RESOURCE);
    assert_int_equal(TF_NumDims(same), 0);
    assert_ptr_equal(TF_ResourceObject(a), TF_ResourceObject(b));
    assert_ptr_not_equal(TF_ResourceObject(a), TF_ResourceObject(c));
    TF_DeleteResource(a);
    TF_DeleteResource(b);
    TF_DeleteResource(c);
    TF_DeleteTensor(other);
    small_close(input, same);
    TF_DeleteStatus(status);
    pass_on(ctx);
}

static void a_handle_names_one_variable_by_container_and_name(void **state)
{
    (void)state;
    oribi_session *session = make(name_variables);
    oribi_run *run = small_run_of(session);

    run_with(run, 5);

    oribi_run_destroy(run);
    oribi_session_destroy(session);
}

/* --- Updates by the plugin's functions -------------------------------------------------------- */

static int n_updates, n_copies;

static void copy_floats(TF_OpKernelContext *ctx, TF_Tensor *source, TF_Tensor *dest)
{
    (void)ctx;
    n_copies++;
    memcpy(TF_TensorData(dest), TF_TensorData(source), 8);
    TF_DeleteTensor(source);
    TF_DeleteTensor(dest);
}

static void update_floats(TF_OpKernelContext *ctx, TF_Tensor *variable, TF_Tensor *value, int op)
{
    (void)ctx;
    n_updates++;
    for (int i = 0; i < 2; i++) {
        const float v = ((float *)TF_TensorData(value))[i];
        ((float *)TF_TensorData(variable))[i] += op == 1 ? -v : v;
    }
    TF_DeleteTensor(variable);
    TF_DeleteTensor(value);
}

static void assign_add_subtract(TF_OpKernelContext *ctx)
{
    TF_Status *status = TF_NewStatus();
    TF_Tensor *before = NULL;
    TF_AssignVariable(ctx, 0, 2, false, copy_floats, status);
    small_expect_ok(status);
    TF_AssignUpdateVariable(ctx, 0, 2, 0, 0, copy_floats, update_floats, status);
    small_expect_ok(status);
    TF_GetInputTensorFromVariable(ctx, 0, false, false, false, copy_floats, &before, status);
    small_expect_ok(status);
    const int copies = n_copies;
    TF_AssignUpdateVariable(ctx, 0, 2, 1, 0, copy_floats, update_floats, status);
    small_expect_ok(status);

    assert_true(((float *)TF_TensorData(before))[0] == 10); /* the reader's does not change */
    assert_int_equal(n_copies, copies + 1);
    assert_true(read_variable(ctx, 0) == 5);
    TF_DeleteTensor(before);
    TF_DeleteStatus(status);
    pass_on(ctx);
}

static void updates_call_the_plugin_with_its_own_operation(void **state)
{
    (void)state;
    n_updates = 0;
    n_copies = 0;
    oribi_session *session = make(assign_add_subtract);
    oribi_run *run = small_run_of(session);

    run_with(run, 5);

    assert_int_equal(n_updates, 2);
    oribi_run_destroy(run);
    oribi_session_destroy(session);
}

static void update_uninitialised(TF_OpKernelContext *ctx)
{
    TF_Status *status = TF_NewStatus();
    TF_AssignUpdateVariable(ctx, 1, 2, 0, 0, copy_floats, update_floats, status);
    assert_int_equal(TF_GetCode(status), TF_FAILED_PRECONDITION);
    TF_DeleteStatus(status);
}

static void update_variants(TF_OpKernelContext *ctx)
{
    TF_Status *status = TF_NewStatus();
    TF_AssignUpdateVariable(ctx, 1, 2, 0, 1, copy_floats, update_floats, status);
    assert_int_equal(TF_GetCode(status), TF_UNIMPLEMENTED);
    TF_DeleteStatus(status);
}

static void read_no_resource(TF_OpKernelContext *ctx)
{
    TF_Status *status = TF_NewStatus();
    TF_Tensor *value = NULL;
    TF_GetInputTensorFromVariable(ctx, 2, false, false, false, NULL, &value, status);
    assert_int_equal(TF_GetCode(status), TF_INVALID_ARGUMENT);
    assert_null(value);
    TF_DeleteStatus(status);
}

static void failures_reach_the_context_as_well(void **state)
{
    (void)state;
    const small_fn fns[3] = {update_uninitialised, update_variants, read_no_resource};
    const TF_Code codes[3] = {TF_FAILED_PRECONDITION, TF_UNIMPLEMENTED, TF_INVALID_ARGUMENT};
    for (int i = 0; i < 3; i++) {
        oribi_session *session = make(fns[i]);
        oribi_run *run = small_run_of(session);
        TF_Status *status = TF_NewStatus();
        small_bind(run, 0, small_tensor(1, DIMS, 5));
        oribi_run_execute(run, status);
        assert_int_equal(TF_GetCode(status), codes[i]);
        TF_DeleteStatus(status);
        oribi_run_destroy(run);
        oribi_session_destroy(session);
    }
}

/* --- Locks ------------------------------------------------------------------------------------ */

static void write_locked(TF_OpKernelContext *ctx)
{
    static const int inputs[5] = {1, 0, 0, 2, 1}; /* twice the same, and one that is no resource */
    TF_Status *status = TF_NewStatus();
    TF_VariableInputLockHolder *holder = NULL;
    TF_Tensor *v = NULL;
    TF_AssignVariable(ctx, 0, 2, false, NULL, status);
    TF_AssignVariable(ctx, 1, 2, false, NULL, status);
    small_expect_ok(status);

    TF_MaybeLockVariableInputMutexesInOrder(ctx, true, false, inputs, 5, NULL, &holder, status);
    small_expect_ok(status);
    assert_non_null(holder);
    TF_GetInputTensorFromVariable(ctx, 0, true, false, false, NULL, &v, status);
    small_expect_ok(status);
    ((float *)TF_TensorData(v))[0] = 33;
    TF_DeleteTensor(v);
    TF_ReleaseVariableInputLockHolder(holder);

    assert_true(read_variable(ctx, 0) == 33); /* would wait for ever were a lock still held */
    assert_true(read_variable(ctx, 1) == 5);

    TF_MaybeLockVariableInputMutexesInOrder(ctx, false, false, inputs, 5, NULL, &holder, status);
    small_expect_ok(status);
    assert_non_null(holder);
    assert_true(read_variable(ctx, 0) == 33); /* nothing is locked */
    TF_ReleaseVariableInputLockHolder(holder);
    TF_ReleaseVariableInputLockHolder(NULL);
    TF_OpKernelContext_ForwardRefInputToRefOutput(ctx, 0, 0); /* no-op for resources */
    TF_DeleteStatus(status);
    pass_on(ctx);
}

static void each_variable_is_locked_once_and_written_in_place(void **state)
{
    (void)state;
    oribi_session *session = make(write_locked);
    oribi_run *run = small_run_of(session);

    run_with(run, 5);

    small_expect(run, 0, 2, 5);
    oribi_run_destroy(run);
    oribi_session_destroy(session);
}

/* Two runs at once, each adds one to both variables a thousand times under their locks, naming
 * them in the opposite order. */
enum { TIMES = 1000 };
static atomic_int n_turn;

static void add_locked(TF_OpKernelContext *ctx)
{
    const int turn = atomic_fetch_add(&n_turn, 1) % 2;
    const int inputs[2] = {turn, 1 - turn};
    TF_Status *status = TF_NewStatus();
    for (int i = 0; i < TIMES; i++) {
        TF_VariableInputLockHolder *holder = NULL;
        TF_MaybeLockVariableInputMutexesInOrder(ctx, true, false, inputs, 2, NULL, &holder, status);
        for (int k = 0; k < 2; k++) {
            TF_Tensor *v = NULL;
            TF_GetInputTensorFromVariable(ctx, k, true, false, false, NULL, &v, status);
            ((float *)TF_TensorData(v))[0] += 1;
            TF_DeleteTensor(v);
        }
        TF_ReleaseVariableInputLockHolder(holder);
    }
    small_expect_ok(status);
    TF_DeleteStatus(status);
}

static void zero_then_see(TF_OpKernelContext *ctx)
{
    TF_Status *status = TF_NewStatus();
    TF_Tensor *x = NULL;
    TF_GetInput(ctx, 2, &x, status);
    const float first = ((float *)TF_TensorData(x))[0];
    TF_DeleteTensor(x);
    if (first == 0) {
        TF_AssignVariable(ctx, 0, 2, false, NULL, status);
        TF_AssignVariable(ctx, 1, 2, false, NULL, status);
        small_expect_ok(status);
    } else if (first == 1) {
        add_locked(ctx);
    } else {
        assert_true(read_variable(ctx, 0) == 2 * TIMES);
        assert_true(read_variable(ctx, 1) == 2 * TIMES);
        seen = 1;
    }
    TF_DeleteStatus(status);
    pass_on(ctx);
}

static void run_on_thread(void *arg)
{
    TF_Status *status = TF_NewStatus();
    oribi_run_execute(arg, status);
    TF_DeleteStatus(status);
}

static void threads_that_lock_in_opposite_orders_do_not_wait_for_each_other(void **state)
{
    (void)state;
    oribi_session *session = make(zero_then_see);
    oribi_run *runs[2] = {small_run_of(session), small_run_of(session)};
    run_with(runs[0], 0);
    for (int i = 0; i < 2; i++) {
        small_bind(runs[i], 0, small_tensor(1, DIMS, 1));
    }

    oribi_thread *thread = oribi_thread_start(run_on_thread, runs[0], "test", 0);
    run_on_thread(runs[1]);
    oribi_thread_join(thread);

    seen = 0;
    run_with(runs[0], 2);
    assert_true(seen == 1);
    oribi_run_destroy(runs[0]);
    oribi_run_destroy(runs[1]);
    oribi_session_destroy(session);
}

/* --- Handles as messages ---------------------------------------------------------------------- */

static void serialise(TF_OpKernelContext *ctx)
{
    static const char head[] = "\x0a\x2c/job:localhost/replica:0/task:0/device:CPU:0"
                               "\x12\x09localhost\x1a\x01w\x20";
    static const char tail[] = "\x2a\x0ftensorflow::Var";
    TF_Status *status = TF_NewStatus();
    TF_Buffer *buffer = TF_NewBuffer();
    TF_GetSerializedResourceHandleProto(ctx, 1, buffer, status);
    small_expect_ok(status);
    assert_true(buffer->length > sizeof head + sizeof tail - 2);
    const char *data = buffer->data;
    assert_memory_equal(data, head, sizeof head - 1);
    assert_memory_equal(data + buffer->length - (sizeof tail - 1), tail, sizeof tail - 1);
    TF_GetSerializedResourceHandleProto(ctx, 1, buffer, status);
    assert_int_equal(TF_GetCode(status), TF_INVALID_ARGUMENT);
    TF_DeleteBuffer(buffer);
    TF_DeleteStatus(status);
    pass_on(ctx);
}

static void a_handle_is_told_as_a_message(void **state)
{
    (void)state;
    oribi_session *session = make(serialise);
    oribi_run *run = small_run_of(session);
    run_with(run, 5);
    oribi_run_destroy(run);
    oribi_session_destroy(session);
}

static int setup(void **state)
{
    static const char *const inputs[] = {"v: resource", "w: resource", "x: float", NULL};
    static const char *const outputs[] = {"z: float", NULL};
    static const char *const attrs[] = {"fn: int", NULL};
    TF_Status *status = TF_NewStatus();
    assert_true(oribi_plugin_load_built_ins(status));
    TF_DeleteStatus(status);
    small_define_op("Test>Var", inputs, outputs, attrs, NULL);
    small_register(TF_NewKernelBuilder("Test>Var", "CPU", small_create, small_compute, NULL),
                   "var");
    return small_setup(state);
}

/* --- Next-pluggable devices ------------------------------------------------------------------- */

static void write_infos(TF_OpKernelContext *ctx)
{
    TF_Status *status = TF_NewStatus();
    TF_AssignVariable(ctx, 0, 2, false, NULL, status);
    small_expect_ok(status);
    TF_VariableInfo *infos[] = {TF_CreateVariableInfoFromContext(ctx, 0, status),
                                TF_CreateVariableInfoFromContext(ctx, 1, status)};
    small_expect_ok(status);
    TF_Tensor *before = TF_GetTensorFromVariableInfo(infos[0], status);
    assert_null(TF_GetTensorFromVariableInfo(infos[1], status));
    assert_int_equal(TF_GetCode(status), TF_FAILED_PRECONDITION);
    TF_AllocateTempForVariableInfo(ctx, infos[1], status);
    assert_int_equal(TF_GetCode(status), TF_FAILED_PRECONDITION);

    TF_LockVariableInfos(infos, 2, status);
    small_expect_ok(status);
    TF_Tensor *locked = TF_GetTensorFromVariableInfo(infos[0], status);
    small_expect_ok(status);
    ((float *)TF_TensorData(locked))[0] = 44;
    TF_DeleteVariableInfo(infos[0]);
    TF_DeleteVariableInfo(infos[1]);
    TF_DeleteVariableInfo(NULL);
    assert_true(((float *)TF_TensorData(before))[0] == 5); /* the reader's does not change */
    assert_true(read_variable(ctx, 0) == 44);              /* would wait were a lock still held */

    TF_VariableInfo *info = TF_CreateVariableInfoFromContext(ctx, 0, status);
    TF_AllocateTempForVariableInfo(ctx, info, status);
    small_expect_ok(status);
    TF_Tensor *fresh = TF_GetTensorFromVariableInfo(info, status);
    assert_ptr_not_equal(TF_TensorData(fresh), TF_TensorData(locked));
    assert_int_equal(TF_TensorByteSize(fresh), 8);
    TF_VariableInfo *twice[] = {info, TF_CreateVariableInfoFromContext(ctx, 0, status)};
    TF_LockVariableInfos(twice, 2, status);
    assert_int_equal(TF_GetCode(status), TF_UNIMPLEMENTED);
    TF_DeleteVariableInfo(twice[1]);
    TF_DeleteVariableInfo(info);
    assert_null(TF_CreateVariableInfoFromContext(ctx, 2, status));
    assert_int_equal(TF_GetCode(status), TF_INVALID_ARGUMENT);
    TF_DeleteTensor(fresh);
    small_close(before, locked);
    TF_DeleteStatus(status);
    pass_on(ctx);
}

static int n_made, n_gone;

static void *make_object(void *arg)
{
    n_made++;
    return arg;
}

static void forget_object(void *object)
{
    (void)object;
    n_gone++;
}

static void use_objects(TF_OpKernelContext *ctx)
{
    static int a, b;
    TF_Status *status = TF_NewStatus();
    void *found = NULL;
    assert_non_null(TF_GetDevice(ctx));
    assert_ptr_equal(TF_GetDevice(ctx), TF_GetDevice(ctx));
    assert_null(TF_GetCoordinationServiceAgent(ctx)); /* the process is in no cluster */
    assert_false(TF_CoordinationServiceIsInitialized(NULL));
    TF_LookupOrCreatePluginResource(ctx, NULL, "state", &found, make_object, &a, forget_object,
                                    status);
    small_expect_ok(status);
    assert_ptr_equal(found, &a);
    TF_LookupOrCreatePluginResource(ctx, NULL, "state", &found, make_object, &b, forget_object,
                                    status);
    small_expect_ok(status);
    assert_ptr_equal(found, &a);
    assert_int_equal(n_made, 1);
    TF_CreatePluginResource(ctx, "elsewhere", "state", &b, forget_object, status);
    small_expect_ok(status);
    TF_LookupOrCreatePluginResource(ctx, "elsewhere", "state", &found, make_object, &a,
                                    forget_object, status);
    assert_ptr_equal(found, &b);
    assert_int_equal(n_gone, 0);
    TF_CreatePluginResource(ctx, "", "state", &b, forget_object, status);
    assert_int_equal(TF_GetCode(status), TF_ALREADY_EXISTS);
    assert_int_equal(n_gone, 1); /* its own, not the one that is there */
    TF_DeleteStatus(status);
    pass_on(ctx);
}

static void run_once(small_fn fn)
{
    oribi_session *session = make(fn);
    oribi_run *run = small_run_of(session);
    run_with(run, 5);
    oribi_run_destroy(run);
    oribi_session_destroy(session);
}

static void informations_lock_variables_until_they_are_deleted(void **state)
{
    (void)state;
    run_once(write_infos);
}

static void objects_of_plugins_go_with_the_session(void **state)
{
    (void)state;
    n_made = 0;
    n_gone = 0;
    run_once(use_objects);
    assert_int_equal(n_gone, 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(runs_of_one_session_share_a_variable_and_sessions_do_not),
        cmocka_unit_test(a_session_that_goes_takes_its_variables_with_it),
        cmocka_unit_test(a_handle_names_one_variable_by_container_and_name),
        cmocka_unit_test(updates_call_the_plugin_with_its_own_operation),
        cmocka_unit_test(failures_reach_the_context_as_well),
        cmocka_unit_test(each_variable_is_locked_once_and_written_in_place),
        cmocka_unit_test(threads_that_lock_in_opposite_orders_do_not_wait_for_each_other),
        cmocka_unit_test(a_handle_is_told_as_a_message),
        cmocka_unit_test(informations_lock_variables_until_they_are_deleted),
        cmocka_unit_test(objects_of_plugins_go_with_the_session),
    };
    return cmocka_run_group_tests(tests, setup, NULL);
}
