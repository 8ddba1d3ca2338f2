/* SPDX-License-Identifier: Apache-2.0 */
/* Sessions of TensorFlow's C API: what is fed, fetched and run. */
#include "binding/binding_small.h"

#include <pthread.h>

#include "oribi/oribi.h"
#include "support/fail_nth.h"

/* x + 2, times y: the graph of most tests. */
typedef struct sums {
    TF_Graph *graph;
    TF_Output x, y, sum, product;
} sums;

static sums make_sums(void)
{
    sums s = {.graph = TF_NewGraph()};
    const int64_t open[] = {-1, 2};
    s.x = placeholder(s.graph, "x", open, 2);
    s.y = placeholder(s.graph, "y", NULL, 0);
    s.sum = binary(s.graph, "AddV2", "sum", s.x, constant(s.graph, "two", one_float(2)));
    s.product = binary(s.graph, "Mul", "product", s.sum, s.y);
    return s;
}

static const int64_t one_by_two[] = {1, 2};
static const float ones[] = {1, 1, 1, 1, 1, 1, 1, 1};

static TF_Tensor *run(TF_Session *session, const TF_Output *feeds, TF_Tensor *const *values, int n,
                      TF_Output fetch)
{
    TF_Tensor *out = NULL;
    TF_SessionRun(session, NULL, feeds, values, n, &fetch, &out, 1, NULL, 0, NULL, status);
    for (int i = 0; i < n; i++) {
        TF_DeleteTensor(values[i]);
    }
    return out;
}

static void feeds_and_fetches_are_any_tensors(void **state)
{
    (void)state;
    sums s = make_sums();
    TF_Session *session = session_of(s.graph);
    const TF_Output both[] = {s.x, s.y}, middle[] = {s.sum, s.y};

    TF_Tensor *out = run(session, both, (TF_Tensor *[]){floats(one_by_two, 2, ones), one_float(5)},
                         2, s.product);
    expect_ok();
    assert_int_equal(TF_NumDims(out), 2);
    assert_true(float_of(out) == 15);
    TF_DeleteTensor(out);

    /* The sum is fed, and nothing before it is computed. */
    out = run(session, middle, (TF_Tensor *[]){floats(one_by_two, 2, ones), one_float(7)}, 2,
              s.product);
    expect_ok();
    assert_true(float_of(out) == 7);
    TF_DeleteTensor(out);

    /* A placeholder that is not needed is not asked for. */
    out = run(session, both, (TF_Tensor *[]){floats(one_by_two, 2, ones)}, 1, s.sum);
    expect_ok();
    assert_true(float_of(out) == 3);
    TF_DeleteTensor(out);
    end(session, s.graph);
}

static void shapes_change_from_run_to_run(void **state)
{
    (void)state;
    sums s = make_sums();
    TF_Session *session = session_of(s.graph);
    const int64_t shapes[][3] = {{1, 2, 0}, {3, 2, 0}, {1, 2, 0}, {2, 2, 2}, {4, 0, 0}};
    const int ranks[] = {2, 2, 2, 3, 1};
    for (int i = 0; i < 5; i++) { /* the last two are not what the placeholder says */
        TF_Tensor *out =
            run(session, &s.x, (TF_Tensor *[]){floats(shapes[i], ranks[i], ones)}, 1, s.sum);
        expect_ok();
        assert_int_equal(TF_NumDims(out), ranks[i]);
        assert_int_equal(TF_Dim(out, 0), shapes[i][0]);
        assert_true(float_of(out) == 3);
        TF_DeleteTensor(out);
    }
    end(session, s.graph);
}

static void the_same_tensor_may_be_fetched_twice_and_constants_too(void **state)
{
    (void)state;
    sums s = make_sums();
    TF_Session *session = session_of(s.graph);
    const TF_Output fetches[] = {s.sum, {TF_GraphOperationByName(s.graph, "two"), 0}, s.sum};
    TF_Tensor *x = floats(one_by_two, 2, ones), *out[3] = {NULL};
    TF_SessionRun(session, NULL, &s.x, &x, 1, fetches, out, 3, NULL, 0, NULL, status);
    expect_ok();
    assert_true(float_of(out[0]) == 3 && float_of(out[1]) == 2 && float_of(out[2]) == 3);
    for (int i = 0; i < 3; i++) {
        TF_DeleteTensor(out[i]);
    }
    TF_DeleteTensor(x);
    end(session, s.graph);
}

static void operations_that_are_added_later_run_too(void **state)
{
    (void)state;
    sums s = make_sums();
    TF_Session *session = session_of(s.graph);
    TF_Tensor *out = run(session, &s.y, (TF_Tensor *[]){one_float(1)}, 1, s.y);
    TF_DeleteTensor(out);
    const TF_Output negated = {add(s.graph, "Neg", "neg", &s.y, 1), 0};
    out = run(session, &s.y, (TF_Tensor *[]){one_float(4)}, 1, negated);
    expect_ok();
    assert_true(float_of(out) == -4);
    TF_DeleteTensor(out);
    end(session, s.graph);
}

static void what_cannot_run_says_why(void **state)
{
    (void)state;
    sums s = make_sums();
    TF_Graph *other = TF_NewGraph();
    TF_Session *session = session_of(s.graph);
    TF_Output elsewhere = placeholder(other, "x", NULL, 0);

    assert_null(run(session, NULL, NULL, 0, s.product));
    expect_code(TF_INVALID_ARGUMENT, "You must feed a value for placeholder tensor");
    assert_null(run(session, NULL, NULL, 0, (TF_Output){s.sum.oper, 1}));
    expect_code(TF_INVALID_ARGUMENT, "has no output 1");
    assert_null(run(session, NULL, NULL, 0, elsewhere));
    expect_code(TF_INVALID_ARGUMENT, "no operation of the session's graph");
    const TF_Output twice[] = {s.y, s.y};
    assert_null(run(session, twice, (TF_Tensor *[]){one_float(1), one_float(1)}, 2, s.y));
    expect_code(TF_INVALID_ARGUMENT, "fed more than once");
    TF_Tensor *bytes = TF_AllocateTensor(TF_UINT8, NULL, 0, 1);
    *(uint8_t *)TF_TensorData(bytes) = 0;
    assert_null(run(session, &s.y, &bytes, 1, s.y));
    expect_code(TF_INVALID_ARGUMENT, "is fed a tensor of type 4");
    TF_CloseSession(session, status);
    assert_null(run(session, &s.y, (TF_Tensor *[]){one_float(1)}, 1, s.y));
    expect_code(TF_CANCELLED, "Session has been closed.");
    TF_DeleteGraph(other);
    end(session, s.graph);
}

static void a_graph_lives_as_long_as_its_session(void **state)
{
    (void)state;
    sums s = make_sums();
    TF_Session *session = session_of(s.graph);
    TF_DeleteGraph(s.graph);
    TF_Tensor *out = run(session, &s.x, (TF_Tensor *[]){floats(one_by_two, 2, ones)}, 1, s.sum);
    expect_ok();
    assert_true(float_of(out) == 3);
    TF_DeleteTensor(out);
    TF_DeleteSession(session, status);
    expect_ok();
}

static void the_library_is_not_shut_down_under_a_graph(void **state)
{
    (void)state;
    sums s = make_sums();
    oribi_shutdown(status);
    expect_code(TF_FAILED_PRECONDITION, "");
    TF_DeleteGraph(s.graph);
}

/* --- Options -------------------------------------------------------------------------------- */

static void options_are_read_and_checked(void **state)
{
    (void)state;
    sums s = make_sums();
    TF_SessionOptions *options = TF_NewSessionOptions();
    const uint8_t two_threads[] = {0x10, 2}, spoiled[] = {0x10};
    TF_SetConfig(options, two_threads, sizeof two_threads, status);
    expect_ok();
    TF_Session *session = TF_NewSession(s.graph, options, status);
    expect_ok();
    TF_Tensor *out = run(session, &s.x, (TF_Tensor *[]){floats(one_by_two, 2, ones)}, 1, s.sum);
    expect_ok();
    TF_DeleteTensor(out);

    TF_SetConfig(options, spoiled, sizeof spoiled, status);
    expect_code(TF_INVALID_ARGUMENT, "Unparseable ConfigProto");
    TF_SetTarget(options, "grpc://localhost:1");
    assert_null(TF_NewSession(s.graph, options, status));
    expect_code(TF_NOT_FOUND, "No session factory");
    TF_DeleteSessionOptions(options);

    TF_Buffer *made = TF_CreateConfig(0, 1, 2), *run_options = TF_CreateRunOptions(1);
    assert_non_null(made);
    options = TF_NewSessionOptions();
    TF_SetConfig(options, made->data, made->length, status);
    expect_ok();
    TF_DeleteSessionOptions(options);
    TF_Output fetch = s.sum;
    TF_Tensor *x = floats(one_by_two, 2, ones);
    TF_SessionRun(session, run_options, &s.x, &x, 1, &fetch, &out, 1, NULL, 0, NULL, status);
    expect_ok();
    TF_DeleteTensor(out);
    TF_DeleteTensor(x);
    TF_DeleteBuffer(made);
    TF_DeleteBuffer(run_options);
    end(session, s.graph);
}

static void the_host_is_the_device(void **state)
{
    (void)state;
    sums s = make_sums();
    TF_Session *session = session_of(s.graph);
    TF_DeviceList *list = TF_SessionListDevices(session, status);
    expect_ok();
    assert_int_equal(TF_DeviceListCount(list), 1);
    assert_non_null(strstr(TF_DeviceListName(list, 0, status), "device:CPU:0"));
    assert_string_equal(TF_DeviceListType(list, 0, status), "CPU");
    assert_true(TF_DeviceListMemoryBytes(list, 0, status) > 0);
    assert_true(TF_DeviceListIncarnation(list, 0, status) != 0);
    expect_ok();
    assert_null(TF_DeviceListName(list, 1, status));
    expect_code(TF_INVALID_ARGUMENT, "out of bounds");
    TF_DeleteDeviceList(list);
    end(session, s.graph);
}

/* --- Partial runs --------------------------------------------------------------------------- */

static void a_partial_run_takes_feeds_one_after_another(void **state)
{
    (void)state;
    sums s = make_sums();
    TF_Session *session = session_of(s.graph);
    const TF_Output feeds[] = {s.x, s.y}, fetches[] = {s.sum, s.product};
    const char *handle = NULL;
    TF_Tensor *x = floats(one_by_two, 2, ones), *y = one_float(5), *out = NULL;
    TF_SessionPRunSetup(session, feeds, 2, fetches, 2, NULL, 0, &handle, status);
    expect_ok();
    TF_SessionPRun(session, handle, feeds, &x, 1, fetches, &out, 1, NULL, 0, status);
    expect_ok();
    assert_true(float_of(out) == 3);
    TF_DeleteTensor(out);
    TF_SessionPRun(session, handle, feeds, &x, 1, fetches, &out, 1, NULL, 0, status);
    expect_code(TF_INVALID_ARGUMENT, "already been fed");
    TF_SessionPRun(session, handle, feeds + 1, &y, 1, fetches + 1, &out, 1, NULL, 0, status);
    expect_ok();
    assert_true(float_of(out) == 15);
    TF_DeleteTensor(out);
    TF_SessionPRun(session, "another", NULL, NULL, 0, NULL, NULL, 0, NULL, 0, status);
    expect_code(TF_INVALID_ARGUMENT, "no partial run 'another'");
    TF_DeletePRunHandle(handle);
    TF_DeleteTensor(x);
    TF_DeleteTensor(y);
    end(session, s.graph);
}

/* --- Variables ------------------------------------------------------------------------------ */

typedef struct counter {
    TF_Graph *graph;
    TF_Output delta, read;
    TF_Operation *reset, *step, *read_after;
} counter;

static counter make_counter(void)
{
    counter c = {.graph = TF_NewGraph()};
    TF_OperationDescription *desc = TF_NewOperation(c.graph, "VarHandleOp", "total");
    TF_SetAttrType(desc, "dtype", TF_FLOAT);
    TF_SetAttrShape(desc, "shape", NULL, 0);
    const TF_Output variable = {TF_FinishOperation(desc, status), 0};
    expect_ok();
    c.delta = placeholder(c.graph, "delta", NULL, 0);
    const TF_Output zero = constant(c.graph, "zero", one_float(0));
    c.reset = binary(c.graph, "AssignVariableOp", "reset", variable, zero).oper;
    c.step = binary(c.graph, "AssignAddVariableOp", "step", variable, c.delta).oper;
    for (int i = 0; i < 2; i++) {
        desc = TF_NewOperation(c.graph, "ReadVariableOp", i == 0 ? "read" : "read_after");
        TF_AddInput(desc, variable);
        TF_SetAttrType(desc, "dtype", TF_FLOAT);
        if (i == 1) {
            TF_AddControlInput(desc, c.step);
        }
        TF_Operation *op = TF_FinishOperation(desc, status);
        expect_ok();
        *(i == 0 ? &c.read.oper : &c.read_after) = op;
    }
    return c;
}

static void run_target(TF_Session *session, const TF_Output *feed, float value,
                       const TF_Operation *target)
{
    TF_Tensor *given = one_float(value);
    TF_SessionRun(session, NULL, feed, &given, feed != NULL ? 1 : 0, NULL, NULL, 0, &target, 1,
                  NULL, status);
    TF_DeleteTensor(given);
}

static void targets_assign_variables_of_the_session(void **state)
{
    (void)state;
    counter c = make_counter();
    TF_Session *session = session_of(c.graph), *other = session_of(c.graph);
    assert_null(run(session, NULL, NULL, 0, c.read));
    expect_code(TF_FAILED_PRECONDITION, "nothing has assigned it");
    run_target(session, NULL, 0, c.reset);
    expect_ok();
    for (int i = 1; i <= 3; i++) {
        run_target(session, &c.delta, 1.5f, c.step);
        expect_ok();
        TF_Tensor *out = run(session, NULL, NULL, 0, c.read);
        expect_ok();
        assert_true(float_of(out) == 1.5f * (float)i);
        TF_DeleteTensor(out);
    }
    assert_null(run(other, NULL, NULL, 0, c.read)); /* each session has its own */
    expect_code(TF_FAILED_PRECONDITION, "nothing has assigned it");
    TF_DeleteSession(other, status);
    end(session, c.graph);
}

static void what_waits_for_an_assignment_of_the_same_run_is_refused(void **state)
{
    (void)state;
    counter c = make_counter();
    TF_Session *session = session_of(c.graph);
    run_target(session, NULL, 0, c.reset);
    assert_null(
        run(session, &c.delta, (TF_Tensor *[]){one_float(1)}, 1, (TF_Output){c.read_after, 0}));
    expect_code(TF_UNIMPLEMENTED, "'step' (AssignAddVariableOp)");
    end(session, c.graph);
}

static void a_group_of_targets_runs_what_it_waits_for(void **state)
{
    (void)state;
    counter c = make_counter();
    TF_OperationDescription *desc = TF_NewOperation(c.graph, "NoOp", "group");
    TF_AddControlInput(desc, c.reset);
    TF_Operation *group = TF_FinishOperation(desc, status);
    expect_ok();
    TF_Session *session = session_of(c.graph);
    run_target(session, NULL, 0, group);
    expect_ok();
    TF_Tensor *out = run(session, NULL, NULL, 0, c.read);
    expect_ok();
    assert_true(float_of(out) == 0);
    TF_DeleteTensor(out);
    end(session, c.graph);
}

static void effects_that_are_not_had_are_refused(void **state)
{
    (void)state;
    counter c = make_counter();
    TF_OperationDescription *desc = TF_NewOperation(c.graph, "DestroyResourceOp", "gone");
    TF_AddInput(desc, TF_OperationInput((TF_Input){c.reset, 0}));
    TF_Operation *gone = TF_FinishOperation(desc, status);
    expect_ok();
    desc = TF_NewOperation(c.graph, "Identity", "later");
    TF_AddInput(desc, c.delta);
    TF_AddControlInput(desc, gone);
    const TF_Output later = {TF_FinishOperation(desc, status), 0};
    expect_ok();
    TF_Session *session = session_of(c.graph);
    run_target(session, NULL, 0, gone);
    expect_code(TF_UNIMPLEMENTED, "'gone' (DestroyResourceOp)");
    assert_null(run(session, &c.delta, (TF_Tensor *[]){one_float(1)}, 1, later));
    expect_code(TF_UNIMPLEMENTED, "'gone' (DestroyResourceOp)");
    end(session, c.graph);
}

/* --- Threads -------------------------------------------------------------------------------- */

enum { THREADS = 4, TIMES = 50 };

typedef struct worker {
    pthread_t thread;
    TF_Session *session;
    sums s;
    float own;
    int n_wrong;
} worker;

static void *work(void *arg)
{
    worker *self = arg;
    TF_Status *mine = TF_NewStatus();
    for (int i = 0; i < TIMES; i++) {
        const TF_Output feeds[] = {self->s.x, self->s.y};
        const TF_Output fetch = i % 2 == 0 ? self->s.product : self->s.sum;
        TF_Tensor *values[] = {floats(one_by_two, 2, ones), one_float(self->own)}, *out = NULL;
        TF_SessionRun(self->session, NULL, feeds, values, 2, &fetch, &out, 1, NULL, 0, NULL, mine);
        const float wanted = i % 2 == 0 ? 3 * self->own : 3;
        self->n_wrong += TF_GetCode(mine) != TF_OK || *(float *)TF_TensorData(out) != wanted;
        TF_DeleteTensor(out);
        TF_DeleteTensor(values[0]);
        TF_DeleteTensor(values[1]);
    }
    TF_DeleteStatus(mine);
    return NULL;
}

static void several_threads_run_one_session(void **state)
{
    (void)state;
    sums s = make_sums();
    TF_Session *session = session_of(s.graph);
    worker workers[THREADS];
    for (int i = 0; i < THREADS; i++) {
        workers[i] = (worker){.session = session, .s = s, .own = (float)i + 1};
        assert_int_equal(pthread_create(&workers[i].thread, NULL, work, &workers[i]), 0);
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_join(workers[i].thread, NULL);
        assert_int_equal(workers[i].n_wrong, 0);
    }
    end(session, s.graph);
}

/* --- Memory --------------------------------------------------------------------------------- */

/* Imports the bytes and runs them; false: something failed. */
static bool import_and_run(void *arg)
{
    const TF_Buffer *bytes = arg;
    TF_Graph *graph = TF_NewGraph();
    TF_ImportGraphDefOptions *options = TF_NewImportGraphDefOptions();
    TF_Session *session = NULL;
    TF_Tensor *out = NULL;
    bool ok = graph != NULL && options != NULL;
    if (ok) {
        TF_GraphImportGraphDef(graph, bytes, options, status);
        ok = TF_GetCode(status) == TF_OK;
    }
    session = ok ? TF_NewSession(graph, NULL, status) : NULL;
    TF_Tensor *x = session != NULL ? TF_AllocateTensor(TF_FLOAT, one_by_two, 2, 8) : NULL;
    if (x != NULL) {
        const TF_Output feed = {TF_GraphOperationByName(graph, "x"), 0};
        const TF_Output fetch = {TF_GraphOperationByName(graph, "sum"), 0};
        memcpy(TF_TensorData(x), ones, 8);
        TF_SessionRun(session, NULL, &feed, &x, 1, &fetch, &out, 1, NULL, 0, NULL, status);
    }
    ok = out != NULL && TF_GetCode(status) == TF_OK && *(float *)TF_TensorData(out) == 3;
    TF_DeleteTensor(out);
    TF_DeleteTensor(x);
    if (session != NULL) {
        TF_Status *ended = TF_NewStatus();
        TF_DeleteSession(session, ended);
        TF_DeleteStatus(ended);
    }
    TF_DeleteImportGraphDefOptions(options);
    TF_DeleteGraph(graph);
    return ok;
}

static void memory_that_runs_out_leaves_nothing_behind(void **state)
{
    (void)state;
    sums s = make_sums();
    TF_Buffer *bytes = TF_NewBuffer();
    TF_GraphToGraphDef(s.graph, bytes, status);
    expect_ok();
    TF_DeleteGraph(s.graph);
    assert_true(import_and_run(bytes));
    assert_true(fail_each_allocation(import_and_run, bytes) > 100);
    TF_DeleteBuffer(bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(feeds_and_fetches_are_any_tensors),
        cmocka_unit_test(shapes_change_from_run_to_run),
        cmocka_unit_test(the_same_tensor_may_be_fetched_twice_and_constants_too),
        cmocka_unit_test(operations_that_are_added_later_run_too),
        cmocka_unit_test(what_cannot_run_says_why),
        cmocka_unit_test(a_graph_lives_as_long_as_its_session),
        cmocka_unit_test(the_library_is_not_shut_down_under_a_graph),
        cmocka_unit_test(options_are_read_and_checked),
        cmocka_unit_test(the_host_is_the_device),
        cmocka_unit_test(a_partial_run_takes_feeds_one_after_another),
        cmocka_unit_test(targets_assign_variables_of_the_session),
        cmocka_unit_test(what_waits_for_an_assignment_of_the_same_run_is_refused),
        cmocka_unit_test(a_group_of_targets_runs_what_it_waits_for),
        cmocka_unit_test(effects_that_are_not_had_are_refused),
        cmocka_unit_test(several_threads_run_one_session),
        cmocka_unit_test(memory_that_runs_out_leaves_nothing_behind),
    };
    return cmocka_run_group_tests(tests, make_status, delete_status);
}
