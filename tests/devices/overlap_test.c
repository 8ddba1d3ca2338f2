/* SPDX-License-Identifier: Apache-2.0 */
/* Copies beside kernels: they are under way together (shown by a rendezvous that one stream alone
 * would miss), results stay what they are, and memory is not used again too early.
 */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

#include "devices/on_spy.h"

enum { MAX_VALUES = 64 };

/* Gate: its input, unchanged, after a step on the stream that waits for `n_arrived` copies. */
static void compute_gate(void *kernel, TF_OpKernelContext *ctx)
{
    TF_Status *status = TF_NewStatus();
    TF_Tensor *x = NULL;
    TF_GetInput(ctx, 0, &x, status);
    if (TF_GetCode(status) == TF_OK) {
        spy_gate(TF_GetStream(ctx, status), (int)(intptr_t)kernel);
        TF_SetOutput(ctx, 0, x, status);
    }
    TF_OpKernelContext_Failure(ctx, status);
    TF_DeleteTensor(x);
    TF_DeleteStatus(status);
}

static void compute_pass(void *kernel, TF_OpKernelContext *ctx)
{
    TF_Status *status = TF_NewStatus();
    TF_Tensor *x = NULL;
    (void)kernel;
    TF_GetInput(ctx, 0, &x, status);
    TF_SetOutput(ctx, 0, x, status);
    TF_OpKernelContext_Failure(ctx, status);
    TF_DeleteTensor(x);
    TF_DeleteStatus(status);
}

static int setup(void **state)
{
    static const char *const x[] = {"x: float", NULL}, *const z[] = {"z: float", NULL},
                             *const fn[] = {"fn: int", NULL};
    (void)state;
    const char *options = getenv("TEST_FAKE_OPTIONS"); /* this program runs with several */
    spy_load(options != NULL ? options : "");
    small_define_op("Test>Gate", x, z, fn, small_same_shape);
    small_register(TF_NewKernelBuilder("Test>Gate", "FAKE", small_create, compute_gate, NULL),
                   "gate");
    small_register(TF_NewKernelBuilder("Test>Gate", "CPU", small_create, compute_pass, NULL),
                   "pass");
    return 0;
}

/* Gate with the number of copies it waits for. */
static oribi_value_id add_gate(small_graph *g, const char *name, oribi_value_id x, int n_arrived)
{
    oribi_node *node = oribi_graph_add_node(g->graph, "Test>Gate", name, &x, 1, 1, g->status);
    assert_non_null(node);
    assert_true(oribi_attrs_set_int(&node->attrs, &g->graph->arena, "fn", n_arrived));
    assert_true(oribi_graph_resolve(g->graph, node, g->status));
    return node->outputs[0];
}

/* z = Gate(Relu(x)) + Tanh(Relu(x)): the CPU's Tanh between two copies, beside the gate. */
static small_graph branches(int n_arrived)
{
    const int64_t dims[] = {ROWS, INNER};
    small_graph g = small_begin();
    const oribi_value_id x = small_input(&g, "x", 2, dims);
    const oribi_value_id first = device_node(&g, "Relu", "first", &x, 1);
    const oribi_value_id gate = add_gate(&g, "gate", first, n_arrived);
    const oribi_value_id tanh = device_node(&g, "Tanh", "tanh", &first, 1);
    const oribi_value_id sum = device_node(&g, "AddV2", "sum", (oribi_value_id[]){gate, tanh}, 2);
    small_output(&g, sum, "z");
    return g;
}

static void expect_same(oribi_run *a, oribi_run *b, int output)
{
    TF_Tensor *x = small_result(a, output), *y = small_result(b, output);
    assert_int_equal(TF_TensorElementCount(x), ROWS * INNER);
    assert_int_equal(TF_TensorElementCount(y), ROWS * INNER);
    for (int i = 0; i < ROWS * INNER; i++) {
        const float p = ((const float *)TF_TensorData(x))[i];
        const float q = ((const float *)TF_TensorData(y))[i];
        const float tolerance = 1e-5f * (1 + (p < 0 ? -p : p));
        assert_true(p - q <= tolerance && q - p <= tolerance);
    }
    TF_DeleteTensor(x);
    TF_DeleteTensor(y);
}

static void expect_as_cpu(small_graph on_cpu, small_graph on_device, const char *const *places,
                          int n_outputs, int n_runs)
{
    oribi_session *cpu = device_session(on_cpu, NULL, NULL);
    oribi_session *session = device_session(on_device, "FAKE:0", places);
    oribi_run *expected = device_run(cpu, ROWS, -3), *run = device_run(session, ROWS, -3);
    small_execute(expected);
    for (int i = 0; i < n_runs; i++) {
        small_execute(run);
        for (int k = 0; k < n_outputs; k++) {
            expect_same(expected, run, k);
        }
    }
    oribi_run_destroy(expected);
    oribi_run_destroy(run);
    oribi_session_destroy(cpu);
    oribi_session_destroy(session);
    assert_int_equal(fake_live_bytes(), 0);
}

/* The copy of `first` begins when the gate, which was enqueued after it, has begun. */
static void a_copy_to_the_host_is_under_way_beside_a_kernel(void **state)
{
    (void)state;
    spy_hold(1);
    expect_as_cpu(branches(0), branches(0), NULL, 1, 1);
    spy_hold(0);
    assert_int_equal(spy_missed(), 0);
}

/* The gate ends when the copies of x and of tanh, which was enqueued after it, have arrived. */
static void a_copy_to_the_device_is_under_way_beside_a_kernel(void **state)
{
    (void)state;
    spy_hold(0);
    expect_as_cpu(branches(2), branches(2), NULL, 1, 1);
    assert_int_equal(spy_missed(), 0);
}

/* The gate on the first device ends when x has come to both: the host went on to the second one. */
static void two_devices_work_at_once(void **state)
{
    (void)state;
    static const char *const places[] = {"other=FAKE:1", NULL};
    const int64_t dims[] = {ROWS, INNER};
    small_graph g = small_begin();
    const oribi_value_id x = small_input(&g, "x", 2, dims);
    const oribi_value_id gate = add_gate(&g, "gate", x, 2);
    const oribi_value_id other = device_node(&g, "Relu", "other", &x, 1);
    small_output(&g, gate, "z");
    small_output(&g, other, "y");
    oribi_session *session = device_session(g, "FAKE:0", places);
    oribi_run *run = device_run(session, ROWS, -3);

    spy_hold(0);
    small_execute(run);

    assert_int_equal(spy_missed(), 0);
    oribi_run_destroy(run);
    oribi_session_destroy(session);
}

static void inspect_says_which_copies_are_beside(void **state)
{
    (void)state;
    TF_Status *status = TF_NewStatus();
    TF_Buffer *json = TF_NewBuffer();
    oribi_session *session = device_session(branches(0), "FAKE:0", NULL);

    oribi_session_describe(session, "copies", json, status);

    small_expect_ok(status);
    assert_true(small_has(json, "\"beside\":\"\",\"name\":\"x from CPU to FAKE:0\""));
    assert_true(small_has(json, "\"beside\":\"kernels\",\"name\":\"first from FAKE:0 to CPU\""));
    assert_true(small_has(json, "\"beside\":\"kernels\",\"name\":\"tanh from CPU to FAKE:0\""));
    TF_DeleteBuffer(json);
    TF_DeleteStatus(status);
    oribi_session_destroy(session);
}

static void copies_that_nothing_runs_beside_stay_with_the_kernels(void **state)
{
    (void)state;
    oribi_session *session = device_session(device_dense(ROWS, true), "FAKE:0", NULL);
    oribi_run *run = device_run(session, ROWS, -3);
    const int64_t streams = spy_calls("create_stream");
    const int64_t joints = spy_calls("create_stream_dependency");

    small_execute(run);

    assert_int_equal(spy_calls("create_stream") - streams, 1);
    assert_int_equal(spy_calls("create_stream_dependency"), joints);
    oribi_run_destroy(run);
    oribi_session_destroy(session);
}

/* --- Order ----------------------------------------------------------------------------------- */

/* Place of a step in the list, -1: there is none. */
static long step_of(oribi_session *session, const char *name)
{
    TF_Status *status = TF_NewStatus();
    TF_Buffer *json = TF_NewBuffer();
    char quoted[80];
    snprintf(quoted, sizeof quoted, "\"%s\"", name);
    oribi_session_describe(session, "graph", json, status);
    small_expect_ok(status);
    const char *at = memmem(json->data, json->length, quoted, strlen(quoted));
    const long place = at != NULL ? (long)(at - (const char *)json->data) : -1;
    TF_DeleteBuffer(json);
    TF_DeleteStatus(status);
    return place;
}

/* z = Tanh(Relu(x)) + Relu(Relu(x)), the CPU's branch first: the device is given its own before the
 * host waits. */
static void a_device_gets_its_branch_before_the_host_waits(void **state)
{
    (void)state;
    const int64_t dims[] = {ROWS, INNER};
    small_graph g = small_begin();
    const oribi_value_id x = small_input(&g, "x", 2, dims);
    const oribi_value_id a = device_node(&g, "Relu", "a", &x, 1);
    const oribi_value_id tanh = device_node(&g, "Tanh", "tanh", &a, 1);
    const oribi_value_id late = device_node(&g, "Relu", "late", &a, 1);
    small_output(&g, device_node(&g, "AddV2", "total", (oribi_value_id[]){tanh, late}, 2), "z");
    oribi_session *session = device_session(g, "FAKE:0", NULL);

    const long wait = step_of(session, "wait for FAKE:0 after late");
    assert_true(wait > 0);
    assert_true(step_of(session, "late") < wait && wait < step_of(session, "tanh"));
    assert_true(step_of(session, "tanh") < step_of(session, "AddV2"));
    oribi_session_destroy(session);
}

/* The same with nodes that have a state: the one of the CPU comes first in the model. */
static void nodes_with_a_state_keep_their_order(void **state)
{
    (void)state;
    static const char *const places[] = {"one=CPU", NULL};
    const int64_t dims[] = {ROWS, INNER};
    small_graph g = small_begin();
    const oribi_value_id x = small_input(&g, "x", 2, dims);
    const oribi_value_id a = device_node(&g, "Relu", "a", &x, 1);
    const oribi_value_id one = add_gate(&g, "one", a, 0);
    const oribi_value_id two = add_gate(&g, "two", a, 0);
    small_output(&g, device_node(&g, "AddV2", "z", (oribi_value_id[]){one, two}, 2), "z");
    oribi_session *session = device_session(g, "FAKE:0", places);

    assert_true(step_of(session, "one") > 0);
    assert_true(step_of(session, "one") < step_of(session, "two"));
    oribi_session_destroy(session);
}

/* --- Random graphs --------------------------------------------------------------------------- */

static int next_random(uint32_t *state, int below)
{
    *state = *state * 1664525u + 1013904223u;
    return (int)(*state >> 16) % below;
}

/* Nodes of the device and of the CPU mixed at random, all of one shape; the last values are
 * outputs. */
static small_graph random_graph(uint32_t seed)
{
    const int64_t dims[] = {ROWS, INNER};
    uint32_t random = seed;
    small_graph g = small_begin();
    oribi_value_id values[MAX_VALUES];
    int n = 1;
    const int n_nodes = 6 + next_random(&random, 20);
    values[0] = small_input(&g, "x", 2, dims);
    for (int i = 0; i < n_nodes; i++) {
        char name[16];
        const int near = n < 5 ? n : 5; /* mostly what was made lately */
        const oribi_value_id inputs[] = {values[n - 1 - next_random(&random, near)],
                                         values[next_random(&random, n)]};
        const int kind = next_random(&random, 4);
        snprintf(name, sizeof name, "n%d", i);
        values[n++] = device_node(&g,
                                  kind == 0   ? "Tanh"
                                  : kind == 1 ? "Relu"
                                              : "AddV2",
                                  name, inputs, kind < 2 ? 1 : 2);
    }
    small_output(&g, values[n - 1], "z");
    small_output(&g, values[n / 2], "y");
    return g;
}

static void results_stay_what_they_are(void **state)
{
    (void)state;
    const int64_t joints = spy_calls("create_stream_dependency");
    for (uint32_t seed = 1; seed <= 60; seed++) {
        static const char *const places[] = {"n1=FAKE:1", "n4=FAKE:1", "n5=FAKE:1", NULL};
        expect_as_cpu(random_graph(seed), random_graph(seed), seed % 3 == 0 ? places : NULL, 2, 4);
    }
    assert_true(spy_calls("create_stream_dependency") - joints > 100); /* it was about that */
}

/* --- Failures -------------------------------------------------------------------------------- */

static void expect_failure(const char *call, int after, const char *text)
{
    oribi_session *session = device_session(branches(0), "FAKE:0", NULL);
    oribi_run *run = device_run(session, ROWS, -3);
    TF_Status *status = TF_NewStatus();
    small_execute(run);
    for (int i = 0; i < 2; i++) {
        fake_plant(call, 0, after, 1);
        oribi_run_execute(run, status);
        if (TF_GetCode(status) == TF_OK || strstr(TF_Message(status), text) == NULL ||
            strstr(TF_Message(status), "FAKE:0") == NULL) {
            print_error("%s after %d: '%s' is not in: %s\n", call, after, text, TF_Message(status));
            fail();
        }
        small_execute(run);
    }
    TF_DeleteStatus(status);
    oribi_run_destroy(run);
    oribi_session_destroy(session);
    assert_int_equal(fake_live_bytes(), 0);
}

/* In the order of calls: x in; first out; tanh in; z out. */
static void failures_beside_name_node_device_and_member(void **state)
{
    (void)state;
    expect_failure("memcpy_dtoh", 0, "node 'first from FAKE:0 to CPU'");
    expect_failure("memcpy_dtoh", 1, "node 'sum from FAKE:0 to CPU'");
    expect_failure("memcpy_htod", 1, "node 'tanh from CPU to FAKE:0'");
    expect_failure("record_event", 0, "node 'first from FAKE:0 to CPU'");
    expect_failure("create_stream_dependency", 0, "node 'first from FAKE:0 to CPU'");
    expect_failure("create_stream_dependency", 1, "node 'tanh from CPU to FAKE:0'");
    expect_failure("get_stream_status", 1, "node 'wait for FAKE:0");
    expect_failure("get_stream_status", 2, "node 'wait for FAKE:0");
    expect_failure("async", 0, "node 'wait for FAKE:0");
}

/* Streams are made in the first run: that of the kernels, then one for each kind of copy. */
static void a_stream_that_cannot_be_made_is_told_with_a_node(void **state)
{
    (void)state;
    TF_Status *status = TF_NewStatus();
    for (int after = 0; after < 3; after++) {
        oribi_session *session = device_session(branches(0), "FAKE:0", NULL);
        oribi_run *run = device_run(session, ROWS, -3);
        fake_plant("create_stream", 0, after, 1);
        oribi_run_execute(run, status);
        assert_int_equal(TF_GetCode(status), TF_INTERNAL);
        assert_non_null(strstr(TF_Message(status), "node 'first': device FAKE:0: create_stream"));
        small_execute(run);
        oribi_run_destroy(run);
        oribi_session_destroy(session);
        assert_int_equal(fake_live_bytes(), 0);
    }
    TF_DeleteStatus(status);
}

static void a_lost_device_is_told_and_found_again(void **state)
{
    (void)state;
    TF_Status *status = TF_NewStatus();
    oribi_session *session = device_session(branches(0), "FAKE:0", NULL);
    oribi_run *run = device_run(session, ROWS, -3);
    small_execute(run);
    for (int i = 0; i < 2; i++) {
        fake_plant("lost", 0, 0, 0);
        oribi_run_execute(run, status);
        assert_int_equal(TF_GetCode(status), TF_UNAVAILABLE);
        assert_non_null(strstr(TF_Message(status), "node '"));
        assert_non_null(strstr(TF_Message(status), "FAKE:0"));
        fake_plant("found", 0, 0, 0);
        small_execute(run);
    }
    oribi_run_destroy(run);
    oribi_session_destroy(session);
    assert_int_equal(fake_live_bytes(), 0);
    TF_DeleteStatus(status);
}

static void a_late_event_beside_is_met_by_the_time_limit(void **state)
{
    (void)state;
    oribi_session *session = device_session(branches(0), "FAKE:0", NULL);
    oribi_run *run = device_run(session, ROWS, -3);
    TF_Status *status = TF_NewStatus();
    small_execute(run);

    oribi_run_set_time_limit(run, 50000000);
    fake_plant("late", 0, 0, 1);
    oribi_run_execute(run, status);
    assert_int_equal(TF_GetCode(status), TF_DEADLINE_EXCEEDED);
    assert_non_null(strstr(TF_Message(status), "node 'wait for FAKE:0"));
    assert_non_null(strstr(TF_Message(status),
                           "host_callback: the run passed its time limit before the event came"));
    oribi_run_set_time_limit(run, 0);
    small_execute(run);

    TF_DeleteStatus(status);
    oribi_run_destroy(run);
    oribi_session_destroy(session);
    assert_int_equal(fake_live_bytes(), 0);
}

/* --- Traces ---------------------------------------------------------------------------------- */

typedef struct lane {
    uint64_t start_ns, end_ns;
    int n;
} lane;

enum { TIMED = 5 };

static void keep_event(void *arg, const oribi_trace_event *event)
{
    lane *lanes = arg;
    static const char *const names[TIMED][2] = {
        {"first", "FAKE:0 kernels"},
        {"gate", "FAKE:0 kernels"},
        {"sum", "FAKE:0 kernels"},
        {"first from FAKE:0 to CPU", "FAKE:0 copies to the host"},
        {"tanh from CPU to FAKE:0", "FAKE:0 copies to it"},
    };
    for (int i = 0; i < TIMED; i++) {
        if (event->lane >= 1000 && strcmp(event->name, names[i][0]) == 0) { /* a device's */
            assert_string_equal(event->lane_name, names[i][1]);
            lanes[i] = (lane){event->start_ns, event->end_ns, lanes[i].n + 1};
        }
    }
}

/* Timers tell how long, not when: what is sure is which comes after which. */
static void a_trace_shows_copies_beside_in_lanes_of_their_own(void **state)
{
    (void)state;
    lane lanes[TIMED] = {{0}};
    oribi_session *session = device_session(branches(2), "FAKE:0", NULL);
    oribi_run *run = device_run(session, ROWS, -3);
    oribi_run_set_trace(run, keep_event, lanes);

    spy_hold(0);
    small_execute(run);

    for (int i = 0; i < TIMED; i++) {
        assert_int_equal(lanes[i].n, 1);
        assert_true(lanes[i].start_ns <= lanes[i].end_ns);
    }
    assert_true(lanes[3].start_ns >= lanes[0].end_ns); /* a copy after what it copies */
    assert_true(lanes[2].start_ns >= lanes[4].end_ns); /* a kernel after the copy that it reads */
    assert_true(lanes[2].start_ns >= lanes[1].end_ns);
    oribi_run_destroy(run);
    oribi_session_destroy(session);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_copy_to_the_host_is_under_way_beside_a_kernel),
        cmocka_unit_test(a_copy_to_the_device_is_under_way_beside_a_kernel),
        cmocka_unit_test(two_devices_work_at_once),
        cmocka_unit_test(inspect_says_which_copies_are_beside),
        cmocka_unit_test(copies_that_nothing_runs_beside_stay_with_the_kernels),
        cmocka_unit_test(a_device_gets_its_branch_before_the_host_waits),
        cmocka_unit_test(nodes_with_a_state_keep_their_order),
        cmocka_unit_test(results_stay_what_they_are),
        cmocka_unit_test(failures_beside_name_node_device_and_member),
        cmocka_unit_test(a_stream_that_cannot_be_made_is_told_with_a_node),
        cmocka_unit_test(a_lost_device_is_told_and_found_again),
        cmocka_unit_test(a_late_event_beside_is_met_by_the_time_limit),
        cmocka_unit_test(a_trace_shows_copies_beside_in_lanes_of_their_own),
    };
    return cmocka_run_group_tests(tests, setup, NULL);
}
