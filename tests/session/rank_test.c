/* SPDX-License-Identifier: Apache-2.0 */
/* Values of many axes that no shape function knew of: ops of others may make 254, ops of ours 16,
 * and what ours cannot take is refused with a message, whatever rank a run brings.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

#include "plugin/plugin.h"
#include "session/small.h"

enum { COUNT = 6 };
static int wide_rank;   /* of what the kernels below make */
static int wide_failed; /* did they see a failure? */

static void fill_wide(int64_t *dims, int rank)
{
    for (int i = 0; i < rank; i++) {
        dims[i] = 1;
    }
    dims[0] = rank > 1 ? 2 : COUNT;
    dims[rank > 1 ? rank - 1 : 0] = rank > 1 ? 3 : COUNT;
}

static void count_up(TF_Tensor *tensor)
{
    for (int i = 0; tensor != NULL && i < COUNT; i++) {
        ((float *)TF_TensorData(tensor))[i] = (float)i;
    }
}

static void widen_allocating(TF_OpKernelContext *ctx)
{
    TF_Status *status = TF_NewStatus();
    int64_t dims[ORIBI_MAX_TENSOR_RANK + 1];
    fill_wide(dims, wide_rank);
    TF_Tensor *tensor =
        TF_AllocateOutput(ctx, 0, TF_FLOAT, dims, wide_rank, COUNT * sizeof(float), status);
    wide_failed = tensor == NULL;
    count_up(tensor);
    TF_OpKernelContext_Failure(ctx, status);
    TF_DeleteTensor(tensor);
    TF_DeleteStatus(status);
}

static void widen_setting(TF_OpKernelContext *ctx)
{
    TF_Status *status = TF_NewStatus();
    int64_t dims[ORIBI_MAX_TENSOR_RANK + 1];
    fill_wide(dims, wide_rank);
    TF_Tensor *tensor = TF_AllocateTensor(TF_FLOAT, dims, wide_rank, COUNT * sizeof(float));
    wide_failed = tensor == NULL;
    if (tensor == NULL) {
        TF_SetStatus(status, TF_INVALID_ARGUMENT, "no tensor has so many axes: at most 254");
    } else {
        count_up(tensor);
        TF_SetOutput(ctx, 0, tensor, status);
    }
    TF_OpKernelContext_Failure(ctx, status);
    TF_DeleteTensor(tensor);
    TF_DeleteStatus(status);
}

/* x -> a kernel of another's -> op, or straight out. */
static oribi_session *behind(small_fn fn, const char *op)
{
    static const int64_t one = 1;
    static const int32_t six = COUNT, axis = 0;
    small_graph g = small_begin();
    oribi_value_id inputs[2] = {small_blind(&g, fn, small_input(&g, "x", 1, &one)), -1};
    if (op != NULL) {
        const bool is_reshape = strcmp(op, "Reshape") == 0, is_sum = strcmp(op, "Max") == 0;
        inputs[1] = oribi_graph_add_constant_copy(g.graph, "c", TF_INT32, &one, 1,
                                                  is_reshape ? &six : &axis, g.status);
        const int n_inputs = is_reshape || is_sum || strcmp(op, "ExpandDims") == 0 ? 2 : 1;
        oribi_node *node = oribi_graph_add_node(g.graph, op, "ours", inputs, n_inputs, 1, g.status);
        assert_non_null(node);
        assert_true(oribi_graph_resolve(g.graph, node, g.status));
        inputs[0] = node->outputs[0];
    }
    small_output(&g, inputs[0], "z");
    return small_finish(&g);
}

/* Runs twice (planned by then); is the result right, or refused? -1: refused with a message. */
static int rank_of_result(oribi_session *session, int rank, TF_Status *status)
{
    static const int64_t one = 1;
    int found = -1;
    oribi_run *run = small_run_of(session);
    wide_rank = rank;
    for (int i = 0; i < 2; i++) {
        small_bind(run, 0, small_tensor(1, &one, 0.0f));
        oribi_run_execute(run, status);
        if (TF_GetCode(status) != TF_OK) {
            break;
        }
        TF_Tensor *result = small_result(run, 0);
        found = TF_NumDims(result);
        TF_DeleteTensor(result);
    }
    oribi_run_destroy(run);
    return found;
}

static void ops_of_others_make_up_to_254_axes(void **state)
{
    (void)state;
    static const int ranks[] = {1, 8, 9, 16, 17, 254};
    static const small_fn fns[] = {widen_allocating, widen_setting};
    TF_Status *status = TF_NewStatus();
    for (int f = 0; f < 2; f++) {
        oribi_session *session = behind(fns[f], NULL);
        for (size_t i = 0; i < sizeof ranks / sizeof *ranks; i++) {
            assert_int_equal(rank_of_result(session, ranks[i], status), ranks[i]);
        }
        assert_int_equal(rank_of_result(session, 255, status), -1);
        assert_true(wide_failed);
        assert_non_null(strstr(TF_Message(status), "at most 254"));
        assert_int_equal(rank_of_result(session, 3, status), 3);
        oribi_session_destroy(session);
    }
    TF_DeleteStatus(status);
}

static void ops_of_ours_refuse_to_make_more_than_16_axes(void **state)
{
    (void)state;
    static const char *const ops[] = {"Neg", "Relu", "ExpandDims"};
    TF_Status *status = TF_NewStatus();
    for (size_t k = 0; k < sizeof ops / sizeof *ops; k++) {
        oribi_session *session = behind(widen_allocating, ops[k]);
        const int more = strcmp(ops[k], "ExpandDims") == 0;
        for (int rank = 1; rank + more <= 16; rank++) {
            assert_int_equal(rank_of_result(session, rank, status), rank + more);
        }
        for (int rank = 17; rank + more <= 254; rank += 79) {
            assert_int_equal(rank_of_result(session, rank, status), -1);
            assert_non_null(strstr(TF_Message(status), "'ours'"));
            assert_non_null(strstr(TF_Message(status), "at most"));
        }
        oribi_session_destroy(session);
    }
    TF_DeleteStatus(status);
}

static void ops_of_ours_that_reduce_many_axes_are_right_or_say_so(void **state)
{
    (void)state;
    static const char *const ops[] = {"Reshape", "Max", "Shape"};
    TF_Status *status = TF_NewStatus();
    for (size_t k = 0; k < sizeof ops / sizeof *ops; k++) {
        oribi_session *session = behind(widen_allocating, ops[k]);
        for (int rank = 1; rank <= 254; rank += rank < 20 ? 1 : 39) {
            const int found = rank_of_result(session, rank, status);
            if (found < 0) {
                assert_true(rank > 16);
                assert_non_null(strstr(TF_Message(status), "16"));
            } else {
                assert_int_equal(found, strcmp(ops[k], "Max") == 0 ? rank - 1 : 1);
            }
        }
        oribi_session_destroy(session);
    }
    TF_DeleteStatus(status);
}

static int setup(void **state)
{
    TF_Status *status = TF_NewStatus();
    assert_true(oribi_plugin_load_built_ins(status));
    TF_DeleteStatus(status);
    return small_setup(state);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ops_of_others_make_up_to_254_axes),
        cmocka_unit_test(ops_of_ours_refuse_to_make_more_than_16_axes),
        cmocka_unit_test(ops_of_ours_that_reduce_many_axes_are_right_or_say_so),
    };
    return cmocka_run_group_tests(tests, setup, NULL);
}
