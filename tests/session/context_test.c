/* SPDX-License-Identifier: Apache-2.0 */
/* What a kernel may ask while a session runs it: who and where it is, its inputs by name, ranges,
 * serialised messages; and what functions say that have nothing to work on here. Variables:
 * variables_test.c.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

#include "session/small.h"
#include "tensorflow/c/kernels_experimental.h"
#include "tensorflow/c/thread_pool.h"

static const int64_t DIMS[1] = {4};
static int64_t step_ids[2];
static int n_computed;

static int setup(void **state)
{
    static const char *const inputs[] = {"a: float", "bs: N * float", "c: int32", NULL};
    static const char *const outputs[] = {"y: float", "zs: N * float", NULL};
    static const char *const attrs[] = {"N: int >= 1", "fn: int", NULL};
    small_define_op("Test>Many", inputs, outputs, attrs, NULL);
    TF_KernelBuilder *builder =
        TF_NewKernelBuilder("Test>Many", "CPU", small_create, small_compute, NULL);
    TF_KernelBuilder_HostMemory(builder, "c");
    small_register(builder, "many");
    return small_setup(state);
}

/* (a, b0, b1, c) -> Test>Many named "many" with fn -> y, z0, z1; one run. */
static void run_many(small_fn fn, int times)
{
    small_graph g = small_begin();
    oribi_value_id in[4];
    in[0] = small_input(&g, "a", 1, DIMS);
    in[1] = small_input(&g, "b0", 1, DIMS);
    in[2] = small_input(&g, "b1", 1, DIMS);
    const oribi_shape scalar = {0, NULL};
    in[3] = oribi_graph_add_value(g.graph, "c", TF_INT32, &scalar, g.status);
    assert_true(oribi_graph_add_input(g.graph, in[3], "c", g.status));
    oribi_node *node = oribi_graph_add_node(g.graph, "Test>Many", "many", in, 4, 3, g.status);
    assert_true(oribi_attrs_set_int(&node->attrs, &g.graph->arena, "fn", small_add_fn(fn)));
    assert_true(oribi_attrs_set_int(&node->attrs, &g.graph->arena, "N", 2));
    assert_true(oribi_graph_resolve(g.graph, node, g.status));
    for (int i = 0; i < 3; i++) {
        char name[8];
        snprintf(name, sizeof name, "out%d", i);
        small_output(&g, node->outputs[i], name);
    }
    g.graph->producer_version = 1766;
    oribi_session *session = small_finish(&g);
    oribi_run *run = small_run_of(session);
    n_computed = 0;
    for (int t = 0; t < times; t++) {
        for (int i = 0; i < 3; i++) {
            small_bind(run, i, small_tensor(1, DIMS, (float)(10 * i)));
        }
        TF_Tensor *c = TF_AllocateTensor(TF_INT32, NULL, 0, 4);
        *(int32_t *)TF_TensorData(c) = 77;
        small_bind(run, 3, c);
        small_execute(run);
    }
    for (int i = 0; i < 3; i++) {
        small_expect(run, i, 4, (float)(100 * i));
    }
    assert_int_equal(n_computed, times);
    oribi_run_destroy(run);
    oribi_session_destroy(session);
}

/* All three outputs, as run_many expects them. */
static void fill_outputs(TF_OpKernelContext *ctx)
{
    TF_Status *status = TF_NewStatus();
    for (int i = 0; i < 3; i++) {
        TF_Tensor *z = TF_AllocateOutput(ctx, i, TF_FLOAT, DIMS, 1, 16, status);
        small_expect_ok(status);
        for (int k = 0; k < 4; k++) {
            ((float *)TF_TensorData(z))[k] = (float)(100 * i + k);
        }
        TF_DeleteTensor(z);
    }
    n_computed++;
    TF_DeleteStatus(status);
}

static void expect_view(TF_StringView view, const char *text)
{
    assert_string_equal(view.data, text);
    assert_int_equal(view.len, strlen(text));
}

static void ask_who(TF_OpKernelContext *ctx)
{
    expect_view(TF_GetOpKernelName(ctx), "many");
    expect_view(TF_GetDeviceName(ctx), "/job:localhost/replica:0/task:0/device:CPU:0");
    expect_view(TF_GetResourceMgrDefaultContainerName(ctx), "localhost");
    expect_view(TF_GetOpKernelRequestedInput(ctx, 0), "a");
    expect_view(TF_GetOpKernelRequestedInput(ctx, 2), "b1");
    assert_int_equal(TF_GetDeviceId(ctx), 0);
    assert_int_equal(TF_GetFrameId(ctx), 0);
    assert_int_equal(TF_GetIterId(ctx), 0);
    assert_int_equal(TF_GetGraphDefVersion(ctx), 1766);
    assert_int_equal(TF_StepId(ctx), TF_GetStepId(ctx));
    step_ids[n_computed] = TF_StepId(ctx);
    const TF_RendezvousThunk thunk = TF_GetRendezvous(ctx);
    assert_null(thunk.rendezvous);
    assert_null(thunk.send_func);
    fill_outputs(ctx);
}

static void a_kernel_learns_who_and_where_it_is(void **state)
{
    (void)state;

    run_many(ask_who, 2);

    assert_true(step_ids[0] > 0);
    assert_int_equal(step_ids[1], step_ids[0] + 1);
}

static void expect_range(TF_InputRange_Args args, int start, int stop, TF_Code code)
{
    assert_int_equal(args.start, start);
    assert_int_equal(args.stop, stop);
    assert_int_equal(TF_GetCode(args.status), code);
}

static void ask_ranges(TF_OpKernelContext *ctx)
{
    TF_Status *status = TF_NewStatus();
    TF_InputRange_Args args = {.struct_size = TF_InputRange_Args_STRUCT_SIZE, .status = status};
    assert_int_equal(TF_NumInputs(ctx), 4);
    assert_int_equal(TF_NumOutputs(ctx), 3);
    TF_InputRange(ctx, "a", &args);
    expect_range(args, 0, 1, TF_OK);
    TF_InputRange(ctx, "nobody", &args);
    expect_range(args, -1, -1, TF_INVALID_ARGUMENT);
    TF_InputRange(ctx, "bs", &args);
    expect_range(args, 1, 3, TF_OK);
    TF_InputRange(ctx, "c", &args);
    expect_range(args, 3, 4, TF_OK);
    TF_InputRange(ctx, "y", &args); /* an output's name */
    expect_range(args, -1, -1, TF_INVALID_ARGUMENT);
    TF_OutputRange(ctx, "zs", &args);
    expect_range(args, 1, 3, TF_OK);
    TF_OutputRange(ctx, "y", &args);
    expect_range(args, 0, 1, TF_OK);
    TF_OutputRange(ctx, "bs", &args);
    expect_range(args, -1, -1, TF_INVALID_ARGUMENT);
    TF_DeleteStatus(status);
    fill_outputs(ctx);
}

static void ranges_of_arguments_are_half_open(void **state)
{
    (void)state;
    run_many(ask_ranges, 1);
}

static void ask_inputs(TF_OpKernelContext *ctx)
{
    TF_Status *status = TF_NewStatus();
    TF_Tensor *tensor = NULL;
    TF_GetInputByName(ctx, "a", &tensor, status);
    small_expect_ok(status);
    assert_true(((float *)TF_TensorData(tensor))[3] == 3);
    TF_DeleteTensor(tensor);
    TF_GetInputByName(ctx, "c", &tensor, status);
    assert_int_equal(*(int32_t *)TF_TensorData(tensor), 77);
    assert_int_equal(TF_TensorType(tensor), TF_INT32);
    TF_DeleteTensor(tensor);

    tensor = (TF_Tensor *)&n_computed; /* stays what it was on failure */
    TF_GetInputByName(ctx, "bs", &tensor, status);
    assert_int_equal(TF_GetCode(status), TF_INVALID_ARGUMENT);
    TF_GetInputByName(ctx, "nobody", &tensor, status);
    assert_int_equal(TF_GetCode(status), TF_INVALID_ARGUMENT);
    TF_GetInput(ctx, 4, &tensor, status);
    assert_int_equal(TF_GetCode(status), TF_OUT_OF_RANGE);
    TF_GetInput(ctx, -1, &tensor, status);
    assert_int_equal(TF_GetCode(status), TF_OUT_OF_RANGE);
    assert_ptr_equal(tensor, &n_computed);
    assert_int_equal(TF_InputDatatype(ctx, 3), TF_INT32);
    assert_int_equal(TF_InputDatatype(ctx, 4), 0);
    assert_int_equal(TF_ExpectedOutputDataType(ctx, 2), TF_FLOAT);
    TF_DeleteStatus(status);
    fill_outputs(ctx);
}

static void inputs_are_found_by_name_and_bad_ones_leave_the_pointer(void **state)
{
    (void)state;
    run_many(ask_inputs, 1);
}

static void ask_memory(TF_OpKernelContext *ctx)
{
    TF_Status *status = TF_NewStatus();
    TF_SetStatus(status, TF_ABORTED, "older");
    assert_true(TF_IsHostMemoryInput(ctx, 3, status));
    assert_int_equal(TF_GetCode(status), TF_OK);
    assert_false(TF_IsHostMemoryInput(ctx, 4, status));
    assert_int_equal(TF_GetCode(status), TF_OUT_OF_RANGE);
    assert_true(TF_IsHostMemoryOutput(ctx, 0, status));
    assert_int_equal(TF_GetCode(status), TF_OK);
    assert_false(TF_IsHostMemoryOutput(ctx, 3, status));
    assert_int_equal(TF_GetCode(status), TF_OUT_OF_RANGE);
    assert_false(TF_IsRefInput(ctx, 0, status));
    assert_int_equal(TF_GetCode(status), TF_OK);
    assert_false(TF_IsRefInput(ctx, 4, status));
    assert_int_equal(TF_GetCode(status), TF_OUT_OF_RANGE);
    assert_null(TF_GetStream(ctx, status));
    assert_int_equal(TF_GetCode(status), TF_FAILED_PRECONDITION);
    TF_DeleteStatus(status);
    fill_outputs(ctx);
}

static void memory_kinds_and_streams_of_the_host_are_told(void **state)
{
    (void)state;
    run_many(ask_memory, 1);
}

static void ask_outputs(TF_OpKernelContext *ctx)
{
    TF_Status *status = TF_NewStatus();
    fill_outputs(ctx);
    TF_Tensor *z = TF_GetMutableOutput(ctx, 1, status);
    small_expect_ok(status);
    assert_true(((float *)TF_TensorData(z))[2] == 102);
    TF_DeleteTensor(z);
    assert_null(TF_GetMutableOutput(ctx, 3, status));
    assert_int_equal(TF_GetCode(status), TF_OUT_OF_RANGE);
    assert_null(TF_AllocateOutput(ctx, 3, TF_FLOAT, DIMS, 1, 16, status));
    assert_int_equal(TF_GetCode(status), TF_INTERNAL);
    TF_SetOutput(ctx, 3, NULL, status);
    assert_int_equal(TF_GetCode(status), TF_OUT_OF_RANGE);
    TF_AllocatorAttributes none = {0};
    assert_null(TF_AllocateTemp(ctx, TF_FLOAT, DIMS, 1, &none, status));
    assert_int_equal(TF_GetCode(status), TF_INVALID_ARGUMENT);
    TF_AllocatorAttributes host = {.struct_size = TF_ALLOCATOR_ATTRIBUTES_STRUCT_SIZE,
                                   .on_host = 1};
    TF_Tensor *temp = TF_AllocateTemp(ctx, TF_FLOAT, DIMS, 1, &host, status);
    small_expect_ok(status);
    assert_int_equal((uintptr_t)TF_TensorData(temp) % 64, 0);
    TF_DeleteTensor(temp);
    TF_DeleteStatus(status);
}

static void outputs_are_seen_again_and_bad_requests_refused(void **state)
{
    (void)state;
    run_many(ask_outputs, 1);
}

static void expect_message(void (*get)(TF_OpKernelContext *, TF_Buffer *, TF_Status *),
                           TF_OpKernelContext *ctx)
{
    TF_Status *status = TF_NewStatus();
    TF_Buffer *buffer = TF_NewBuffer();
    get(ctx, buffer, status);
    small_expect_ok(status);
    assert_int_equal(buffer->length, 0); /* an empty message has no bytes */
    TF_Buffer *full = TF_NewBufferFromString("x", 1);
    get(ctx, full, status);
    assert_int_equal(TF_GetCode(status), TF_INVALID_ARGUMENT);
    assert_string_equal(TF_Message(status), "Passing non-empty TF_Buffer is invalid.");
    assert_int_equal(full->length, 1);
    TF_DeleteBuffer(full);
    TF_DeleteBuffer(buffer);
    TF_DeleteStatus(status);
}

static void ask_messages(TF_OpKernelContext *ctx)
{
    TF_Status *status = TF_NewStatus();
    TF_Buffer *buffer = TF_NewBuffer();
    expect_message(TF_GetSerializedFunctionDefLibrary, ctx);
    expect_message(TF_GetSerializedConfigProto, ctx);
    TF_GetSerializedResourceHandleProto(ctx, 9, buffer, status);
    assert_int_equal(TF_GetCode(status), TF_OUT_OF_RANGE);
    TF_GetSerializedResourceHandleProto(ctx, 0, buffer, status);
    assert_int_equal(TF_GetCode(status), TF_INVALID_ARGUMENT);
    assert_null(buffer->data);
    TF_DeleteBuffer(buffer);
    TF_DeleteStatus(status);
    fill_outputs(ctx);
}

static void serialised_messages_need_an_empty_buffer(void **state)
{
    (void)state;
    run_many(ask_messages, 1);
}

/* --- Scheduling ------------------------------------------------------------------------------ */

static atomic_int n_called, n_deleted;

static void call_scheduled(void *object)
{
    atomic_fetch_add((atomic_int *)object, 1);
}

static void delete_scheduled(void *object)
{
    assert_ptr_equal(object, &n_called);
    atomic_fetch_add(&n_deleted, 1);
}

static void schedule(TF_OpKernelContext *ctx)
{
    const TF_Callable fn = {&n_called, call_scheduled, delete_scheduled};
    for (int i = 0; i < 100; i++) {
        TF_ThreadPool_Schedule(ctx, fn);
    }
    while (atomic_load(&n_deleted) < 100) { /* the caller waits for what it scheduled */
    }
    small_add_one(ctx);
}

static void what_is_scheduled_is_called_and_deleted_once(void **state)
{
    (void)state;
    for (int threads = 1; threads <= 2; threads++) {
        small_graph g = small_begin();
        small_output(&g, small_fn1(&g, schedule, small_input(&g, "x", 1, DIMS)), "z");
        oribi_options *options = small_options();
        oribi_options_set_threads(options, threads);
        oribi_session *session = oribi_session_from_graph(g.graph, options, g.status);
        small_expect_ok(g.status);
        oribi_run *run = small_run_of(session);
        atomic_store(&n_called, 0);
        atomic_store(&n_deleted, 0);

        small_bind(run, 0, small_tensor(1, DIMS, 5));
        small_execute(run);

        small_expect(run, 0, 4, 6);
        assert_int_equal(atomic_load(&n_called), 100);
        assert_int_equal(atomic_load(&n_deleted), 100);
        oribi_run_destroy(run);
        oribi_session_destroy(session);
        oribi_options_destroy(options);
        TF_DeleteStatus(g.status);
    }
}

/* --- References and variants, of which graphs here have none ---------------------------------- */

static int which;

static void use_reference(TF_OpKernelContext *ctx)
{
    TF_Status *status = TF_NewStatus();
    TF_StringView name = {"t", 1};
    switch (which) {
    case 0:
        TF_AssignRefVariable(ctx, 0, 0, 0, true, true, NULL, status);
        break;
    case 1:
        TF_TemporaryVariable(ctx, TF_FLOAT, DIMS, 1, &name, NULL, status);
        break;
    case 2:
        TF_DestroyTemporaryVariable(ctx, 0, &name, status);
        break;
    case 3:
        TF_OpKernelContext_ForwardRefInputToRefOutput(ctx, 0, 0);
        TF_OpKernelContext_UpdateStatus(ctx, status);
        break;
    case 4:
        TF_AddNVariant(ctx, NULL, status);
        break;
    default:
        TF_ZerosLikeVariant(ctx, NULL, status);
        break;
    }
    assert_int_equal(TF_GetCode(status), which < 4 ? TF_FAILED_PRECONDITION : TF_UNIMPLEMENTED);
    assert_non_null(strstr(TF_Message(status), "node 'n0'"));
    TF_DeleteStatus(status);
}

static void references_and_variants_fail_the_run_with_the_node(void **state)
{
    (void)state;
    small_graph g = small_begin();
    small_output(&g, small_fn1(&g, use_reference, small_input(&g, "x", 1, DIMS)), "z");
    oribi_session *session = small_finish(&g);
    oribi_run *run = small_run_of(session);
    TF_Status *status = TF_NewStatus();
    small_bind(run, 0, small_tensor(1, DIMS, 5));
    for (which = 0; which < 6; which++) {
        oribi_run_execute(run, status);

        assert_int_equal(TF_GetCode(status), which < 4 ? TF_FAILED_PRECONDITION : TF_UNIMPLEMENTED);
        assert_non_null(strstr(TF_Message(status), "n0"));
    }
    TF_DeleteStatus(status);
    oribi_run_destroy(run);
    oribi_session_destroy(session);
}

static bool may[3]; /* of the caller's input, of one with two readers, of one that dies here */

static void ask_first(TF_OpKernelContext *ctx)
{
    may[0] = TF_OpKernelContext_MayOverwriteInput(ctx, 0);
    small_add_one(ctx);
}

static void ask_shared(TF_OpKernelContext *ctx)
{
    may[1] |= TF_OpKernelContext_MayOverwriteInput(ctx, 0);
    small_add_one(ctx);
}

static void ask_last(TF_OpKernelContext *ctx)
{
    TF_Tensor *x = NULL, *again = NULL;
    TF_Status *status = TF_NewStatus();
    assert_false(TF_OpKernelContext_MayOverwriteInput(ctx, -1));
    assert_false(TF_OpKernelContext_MayOverwriteInput(ctx, 1));
    TF_GetInput(ctx, 0, &x, status);
    may[2] = TF_OpKernelContext_MayOverwriteInput(ctx, 0);
    TF_GetInput(ctx, 0, &again, status);
    assert_false(TF_OpKernelContext_MayOverwriteInput(ctx, 0)); /* two handles */
    TF_DeleteTensor(again);
    TF_DeleteTensor(x);
    TF_DeleteStatus(status);
    small_add_one(ctx);
}

static void an_input_that_dies_may_be_overwritten(void **state)
{
    (void)state;
    small_graph g = small_begin();
    oribi_value_id a = small_fn1(&g, ask_first, small_input(&g, "x", 1, DIMS));
    oribi_value_id b = small_fn1(&g, ask_shared, a);
    small_output(&g, small_fn1(&g, ask_last, b), "y");
    small_output(&g, small_fn1(&g, ask_shared, a), "z");
    oribi_session *session = small_finish(&g);
    oribi_run *run = small_run_of(session);
    small_bind(run, 0, small_tensor(1, DIMS, 5));

    small_execute(run);
    small_execute(run);

    assert_false(may[0]);
    assert_false(may[1]);
    assert_true(may[2]);
    oribi_run_destroy(run);
    oribi_session_destroy(session);
}

static TF_Tensor *lasting; /* of the last call */

static void keep_beyond_the_run(TF_OpKernelContext *ctx)
{
    TF_Status *status = TF_NewStatus();
    assert_null(TF_AllocateLasting(ctx, TF_FLOAT, (const int64_t[]){-1}, 1, status));
    assert_int_equal(TF_GetCode(status), TF_INVALID_ARGUMENT);
    assert_null(TF_AllocateLasting(ctx, (TF_DataType)0, DIMS, 1, status));
    assert_int_equal(TF_GetCode(status), TF_INVALID_ARGUMENT);
    assert_null(TF_AllocateLasting(ctx, TF_FLOAT, (const int64_t[]){INT64_MAX / 8}, 1, status));
    assert_int_equal(TF_GetCode(status), TF_RESOURCE_EXHAUSTED);
    TF_DeleteTensor(lasting);
    lasting = TF_AllocateLasting(ctx, TF_FLOAT, DIMS, 1, status);
    small_expect_ok(status);
    ((float *)TF_TensorData(lasting))[3] = 7;
    TF_DeleteStatus(status);
    fill_outputs(ctx);
}

static void lasting_memory_outlives_the_session(void **state)
{
    (void)state;
    run_many(keep_beyond_the_run, 2);
    assert_int_equal(TF_TensorByteSize(lasting), 16);
    assert_float_equal(((const float *)TF_TensorData(lasting))[3], 7.0f, 0.0f);
    TF_DeleteTensor(lasting);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_kernel_learns_who_and_where_it_is),
        cmocka_unit_test(ranges_of_arguments_are_half_open),
        cmocka_unit_test(inputs_are_found_by_name_and_bad_ones_leave_the_pointer),
        cmocka_unit_test(memory_kinds_and_streams_of_the_host_are_told),
        cmocka_unit_test(outputs_are_seen_again_and_bad_requests_refused),
        cmocka_unit_test(serialised_messages_need_an_empty_buffer),
        cmocka_unit_test(what_is_scheduled_is_called_and_deleted_once),
        cmocka_unit_test(an_input_that_dies_may_be_overwritten),
        cmocka_unit_test(lasting_memory_outlives_the_session),
        cmocka_unit_test(references_and_variants_fail_the_run_with_the_node),
    };
    return cmocka_run_group_tests(tests, setup, NULL);
}
