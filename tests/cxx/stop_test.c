/* SPDX-License-Identifier: Apache-2.0 */
/* Callbacks of CancellationManager are called: when a run is cancelled, and at its time limit. */
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "base/thread.h"
#include "oribi/oribi.h"
#include "plugin/plugin.h"
#include "support/onnx_writer.h"

#define TF "org.tensorflow"
static const int64_t DIMS[1] = {3};

static int load(void **state)
{
    (void)state;
    TF_Status *status = TF_NewStatus();
    setenv("ORIBI_PLUGIN_PROBE", TEST_PROBE, 0);
    oribi_plugin_load_built_ins(status);
    oribi_plugin_load(CXX_PLUGINS "/stop.so", status);
    const bool ok = TF_GetCode(status) == TF_OK;
    if (!ok) {
        print_error("%s\n", TF_Message(status));
    }
    TF_DeleteStatus(status);
    return ok ? 0 : -1;
}

static oribi_run *run_of(const char *op, const char *outputs, bool counts)
{
    TF_Status *status = TF_NewStatus();
    bytes graph = {0}, import = {0};
    put_node(&graph, TF, op, "node", "x", outputs);
    put_value(&graph, GRAPH_INPUT, "x", ONNX_FLOAT, DIMS, 1);
    put_value(&graph, GRAPH_OUTPUT, counts ? "called" : "z", counts ? ONNX_INT32 : ONNX_FLOAT, DIMS,
              counts ? 0 : 1);
    if (counts) {
        put_value(&graph, GRAPH_OUTPUT, "wrong", ONNX_INT32, NULL, 0);
    }
    bytes model = make_model(13, &graph);
    put_text(&import, 1, TF);
    put_int(&import, 2, 1);
    put_message(&model, 8, &import);
    oribi_model *opened = oribi_model_from_memory(model.data, model.n, "stop", NULL, status);
    oribi_session *session = opened != NULL ? oribi_session_create(opened, NULL, status) : NULL;
    if (session == NULL) {
        fail_msg("%s", TF_Message(status));
    }
    oribi_run *run = oribi_run_create(session, status);
    TF_Tensor *x = TF_AllocateTensor(TF_FLOAT, DIMS, 1, 12);
    memset(TF_TensorData(x), 0, 12);
    oribi_run_set_input(run, 0, x, status);
    assert_int_equal(TF_GetCode(status), TF_OK);
    TF_DeleteTensor(x);
    oribi_session_destroy(session);
    oribi_model_destroy(opened);
    free(model.data);
    TF_DeleteStatus(status);
    return run;
}

static int32_t count_of(int index)
{
    TF_Status *status = TF_NewStatus();
    oribi_run *run = run_of("StopCounts", "called,wrong", true);
    oribi_run_execute(run, status);
    TF_Tensor *count = oribi_run_output(run, index, status);
    assert_int_equal(TF_GetCode(status), TF_OK);
    const int32_t value = *(int32_t *)TF_TensorData(count);
    TF_DeleteTensor(count);
    oribi_run_destroy(run);
    TF_DeleteStatus(status);
    return value;
}

static atomic_bool is_over;

static void cancel_until_it_is_over(void *arg)
{
    while (!is_over) {
        oribi_run_cancel(arg);
        sched_yield();
    }
}

static void callbacks_are_called_when_a_run_stops(void **state)
{
    (void)state;
    static const char *const ops[2] = {"StopBlocks", "StopLater"};
    TF_Status *status = TF_NewStatus();
    for (int k = 0; k < 2; k++) {
        const int32_t before = count_of(0);
        oribi_run *run = run_of(ops[k], "z", false);
        oribi_run_set_time_limit(run, 300000000); /* long enough to get to the node */
        oribi_run_execute(run, status);
        assert_int_equal(TF_GetCode(status), TF_DEADLINE_EXCEEDED);
        assert_int_equal(count_of(0), before + 1);

        oribi_run_set_time_limit(run, 0);
        is_over = false;
        oribi_thread *thread = oribi_thread_start(cancel_until_it_is_over, run, "cancel", 0);
        oribi_run_execute(run, status);
        is_over = true;
        oribi_thread_join(thread);
        assert_int_equal(TF_GetCode(status), TF_CANCELLED);
        oribi_run_destroy(run);
    }
    assert_int_equal(count_of(1), 0);
    TF_DeleteStatus(status);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(callbacks_are_called_when_a_run_stops),
    };
    return cmocka_run_group_tests(tests, load, NULL);
}
