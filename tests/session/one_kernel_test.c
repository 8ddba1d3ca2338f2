/* SPDX-License-Identifier: Apache-2.0 */
/* Ops of one kernel on the host: whose their state is and when it changes, which descriptor a node
 * gets, how often prepare is asked. What they become as emitted C:
 * tests/compile/one_kernel_test.py.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "base/thread.h"
#include "oribi/kernel_kit.h"
#include "oribi/oribi.h"
#include "oribi/target.h"
#include "support/onnx_writer.h"

/* --- Test>Tally(x: T, sum: T) -> (y: T, next: T): y = next = sum +- x ----------------------------
 */

struct own_tally_args {
    int32_t count, sign, is_float, scratch;
    const int8_t *signs; /* of no use but to be there */
};
#define TALLY_ARGS(X, type)                                                                        \
    X(type, NUMBER, count)                                                                         \
    X(type, NUMBER, sign) X(type, NUMBER, is_float) X(type, NUMBER, scratch) X(type, ARRAY, signs)
ORIBI_ARGS_TABLE(tally_args, struct own_tally_args, "tally", TALLY_ARGS);

static const char tally_source[] = "/* emit: own_tally.h */\n/* emit: own_tally.c */\n"
                                   "/* emit: end */\n";
static _Atomic int n_asked;

static void tally_prepare(void *user, const oribi_region *region, oribi_target_code *code,
                          TF_Status *status)
{
    static const int32_t both[] = {0, 1};
    oribi_region_tensor x = {.struct_size = sizeof x};
    atomic_fetch_add(&n_asked, 1);
    oribi_region_input(region, 0, 0, &x, status);
    const TF_DataType type = oribi_region_attr_type(region, 0, "T", status);
    assert_int_equal(type, *(const TF_DataType *)user);
    const int32_t negates = oribi_region_attr_bool(region, 0, "negates", status);
    int32_t multiplier = 0, shift = 0;
    oribi_target_multiplier(0.5, &multiplier, &shift, status);
    assert_int_equal(multiplier, 1 << 30);
    assert_int_equal(shift, 0);
    const int8_t sign = (int8_t)(negates ? -1 : 1);
    const struct own_tally_args args = {.count = (int32_t)(x.bytes / (type == TF_FLOAT ? 4 : 1)),
                                        .sign = sign,
                                        .is_float = type == TF_FLOAT,
                                        .scratch = 64};
    oribi_target_set_arguments(code, &args, sizeof args, status);
    oribi_target_set_array(code, "signs", &sign, 1, status);
    oribi_target_set_inputs(code, both, 2, status);
    oribi_target_set_in_place(code, 0, status);
    oribi_target_set_macs(code, args.count);
    oribi_target_set_scratch(code, 64);
    float first[8] = {0};
    first[0] = 100; /* of floats: what the first element is counted from */
    const bool has_first = type == TF_FLOAT && x.bytes <= sizeof first;
    oribi_target_set_state(code, 0, x.dims, x.rank, has_first ? first : NULL, status);
}

static void tally_run(const void *args, const void *const *in, void *const *out, void *scratch)
{
    const struct own_tally_args *a = args;
    memset(scratch, 0xff, (size_t)a->scratch);
    for (int32_t i = 0; i < a->count; i++) {
        if (a->is_float) {
            const float sum =
                ((const float *)in[1])[i] + (float)a->signs[0] * ((const float *)in[0])[i];
            ((float *)out[0])[i] = ((float *)out[1])[i] = sum;
        } else {
            const int sum = ((const int8_t *)in[1])[i] + a->sign * ((const int8_t *)in[0])[i];
            ((int8_t *)out[0])[i] = ((int8_t *)out[1])[i] = (int8_t)sum;
        }
    }
}

static void tally_shape(TF_ShapeInferenceContext *context, TF_Status *status)
{
    TF_ShapeHandle *shape = TF_NewShapeHandle();
    TF_ShapeInferenceContextGetInput(context, 0, shape, status);
    for (int i = 0; i < 2; i++) {
        TF_ShapeInferenceContextSetOutput(context, i, shape, status);
    }
    TF_DeleteShapeHandle(shape);
}

static const char *const sources[] = {tally_source};
static const TF_DataType dtypes[] = {TF_FLOAT, TF_INT8};
static const oribi_target_type types[] = {{"T", TF_FLOAT}, {"T", TF_INT8}};
#define TALLY(index)                                                                               \
    {                                                                                              \
        .struct_size = sizeof(oribi_target_kernel), .op = "Test>Tally", .types = &types[index],    \
        .n_types = 1, .prefix = "own_", .name = "tally", .sources = sources, .n_sources = 1,       \
        .licence = "MIT", .args = &tally_args, .n_states = 1, .prepare = tally_prepare,            \
        .run = tally_run, .user = (void *)(uintptr_t)&dtypes[index]                                \
    }
static const oribi_target_kernel tallies[] = {TALLY(0), TALLY(1)};

/* --- Test>Fails(x) -> y: fails when it is told to
 * -------------------------------------------------- */

static _Atomic bool must_fail;

static bool fails_run(const void *state, oribi_kit_run *run)
{
    (void)state;
    return !must_fail ? oribi_kit_output_alias(run, 0, (const int64_t[]){2}, 1)
                      : oribi_kit_fail(run, TF_ABORTED, "as told");
}
ORIBI_KIT_COMPUTE(fails, 1)

static int setup(void **state)
{
    (void)state;
    TF_Status *status = TF_NewStatus();
    oribi_kit_register_op("Test>Tally", "x: T; sum: T", "y: T; next: T",
                          "T: {float, int8}; negates: bool = false", NULL, tally_shape);
    for (size_t i = 0; i < 2; i++) {
        oribi_target_register_kernel(&tallies[i], status);
        assert_string_equal(TF_Message(status), "");
    }
    oribi_kit_register_op("Test>Fails", "x: float", "y: float", NULL, NULL,
                          oribi_kit_shape_unchanged);
    oribi_kit_register_kernel("Test>Fails", "CPU", NULL, fails_compute, NULL);
    TF_DeleteStatus(status);
    return 0;
}

/* --- Models ---------------------------------------------------------------------------------- */

static bytes kept[16]; /* of models, which borrow them */
static size_t n_kept;

/* x -> Tally -> Fails -> y, of so many elements (-1: any). */
static oribi_model *make(int onnx_type, int64_t n, int64_t negates, bool may_fail,
                         TF_Status *status)
{
    bytes graph = {0}, node = make_node("test", "Tally", "t", "x", may_fail ? "m" : "y");
    put_attr_int(&node, "negates", negates);
    put_message(&graph, GRAPH_NODE, &node);
    if (may_fail) {
        put_node(&graph, "test", "Fails", "f", "m", "y");
    }
    put_value(&graph, GRAPH_INPUT, "x", onnx_type, &n, 1);
    put_value(&graph, GRAPH_OUTPUT, "y", onnx_type, &n, 1);
    bytes model = make_model(13, &graph);
    oribi_model *made = oribi_model_from_memory(model.data, model.n, "tally", NULL, status);
    assert_string_equal(TF_Message(status), "");
    assert_true(n_kept < sizeof kept / sizeof kept[0]);
    kept[n_kept++] = model;
    return made;
}

static int teardown(void **state)
{
    (void)state;
    while (n_kept > 0) {
        free(kept[--n_kept].data);
    }
    return 0;
}

static oribi_session *make_session(int onnx_type, int64_t n, int64_t negates, bool may_fail)
{
    TF_Status *status = TF_NewStatus();
    oribi_model *model = make(onnx_type, n, negates, may_fail, status);
    oribi_session *session = oribi_session_create(model, NULL, status);
    assert_string_equal(TF_Message(status), "");
    oribi_model_destroy(model);
    TF_DeleteStatus(status);
    return session;
}

static oribi_run *make_run(oribi_session *session)
{
    TF_Status *status = TF_NewStatus();
    oribi_run *run = oribi_run_create(session, status);
    assert_string_equal(TF_Message(status), "");
    TF_DeleteStatus(status);
    return run;
}

/* Runs on n times x; element `at` of the output, or -1000 when the run failed. */
static float run_on(oribi_run *run, int64_t n, float x, int at)
{
    TF_Status *status = TF_NewStatus();
    TF_Tensor *in = TF_AllocateTensor(TF_FLOAT, &n, 1, (size_t)n * sizeof x);
    float result = -1000;
    for (int64_t i = 0; i < n; i++) {
        ((float *)TF_TensorData(in))[i] = x;
    }
    oribi_run_set_input(run, 0, in, status);
    TF_DeleteTensor(in);
    oribi_run_execute(run, status);
    if (TF_GetCode(status) == TF_OK) {
        TF_Tensor *out = oribi_run_output(run, 0, status);
        result = ((float *)TF_TensorData(out))[at];
        TF_DeleteTensor(out);
    }
    TF_DeleteStatus(status);
    return result;
}

/* --- Tests ----------------------------------------------------------------------------------- */

static void each_run_object_has_a_state_that_begins_as_prepare_says(void **state)
{
    (void)state;
    oribi_session *session = make_session(ONNX_FLOAT, 2, 0, false);
    oribi_run *one = make_run(session), *two = make_run(session);
    assert_true(run_on(one, 2, 1, 0) == 101);
    assert_true(run_on(one, 2, 1, 1) == 2);
    assert_true(run_on(two, 2, 7, 1) == 7);
    assert_true(run_on(one, 2, 1, 0) == 103);
    oribi_run_destroy(one);
    oribi_run_destroy(two);
    oribi_session_destroy(session);
}

static void a_run_that_fails_leaves_the_state_as_it_was(void **state)
{
    (void)state;
    oribi_session *session = make_session(ONNX_FLOAT, 2, 1, true);
    oribi_run *run = make_run(session);
    assert_true(run_on(run, 2, 5, 0) == 95);
    must_fail = true;
    assert_true(run_on(run, 2, 5, 0) == -1000);
    must_fail = false;
    assert_true(run_on(run, 2, 5, 0) == 90);
    oribi_run_destroy(run);
    oribi_session_destroy(session);
}

static void prepare_is_asked_when_the_session_is_made_and_runs_allocate_nothing(void **state)
{
    (void)state;
    TF_Status *status = TF_NewStatus();
    oribi_session *session = make_session(ONNX_FLOAT, 3, 0, false);
    const int before = n_asked;
    oribi_run *run = make_run(session);
    for (int i = 0; i < 4; i++) {
        assert_true(run_on(run, 3, 1, 2) == (float)(i + 1));
    }
    const uint64_t allocations = oribi_alloc_count();
    for (int i = 0; i < 4; i++) {
        oribi_run_execute(run, status);
        assert_int_equal(TF_GetCode(status), TF_OK);
    }
    assert_int_equal(oribi_alloc_count(), allocations);
    assert_int_equal(n_asked, before);
    TF_DeleteStatus(status);
    oribi_run_destroy(run);
    oribi_session_destroy(session);
}

static void the_types_of_a_node_choose_its_descriptor(void **state)
{
    (void)state;
    TF_Status *status = TF_NewStatus();
    oribi_session *session = make_session(3 /* int8 */, 2, 1, false); /* prepare checks its user */
    oribi_run *run = make_run(session);
    const int64_t n = 2;
    TF_Tensor *in = TF_AllocateTensor(TF_INT8, &n, 1, 2);
    memset(TF_TensorData(in), 3, 2);
    oribi_run_set_input(run, 0, in, status);
    for (int i = 1; i < 4; i++) {
        oribi_run_execute(run, status);
        TF_Tensor *out = oribi_run_output(run, 0, status);
        assert_int_equal(((int8_t *)TF_TensorData(out))[1], -3 * i);
        TF_DeleteTensor(out);
    }
    TF_DeleteTensor(in);
    oribi_run_destroy(run);
    oribi_session_destroy(session);
    TF_DeleteStatus(status);
}

static void a_state_of_unknown_size_is_refused_with_the_remedy(void **state)
{
    (void)state;
    TF_Status *status = TF_NewStatus();
    oribi_model *model = make(ONNX_FLOAT, -1, 0, false, status);
    assert_null(oribi_session_create(model, NULL, status));
    assert_non_null(strstr(TF_Message(status), "fix the sizes of inputs"));
    oribi_options *options = oribi_options_create(status);
    const int64_t four = 4;
    oribi_options_set_input_shape(options, "x", &four, 1, status);
    oribi_session *session = oribi_session_create(model, options, status);
    assert_string_equal(TF_Message(status), "");
    oribi_run *run = make_run(session);
    assert_true(run_on(run, 4, 1, 3) == 1);
    oribi_run_destroy(run);
    oribi_session_destroy(session);
    oribi_options_destroy(options);
    oribi_model_destroy(model);
    TF_DeleteStatus(status);
}

static void a_second_descriptor_for_a_type_is_refused_and_the_same_is_not(void **state)
{
    (void)state;
    TF_Status *status = TF_NewStatus();
    oribi_target_kernel other = tallies[0];
    oribi_target_register_kernel(&other, status);
    assert_int_equal(TF_GetCode(status), TF_ALREADY_EXISTS);
    oribi_target_register_kernel(NULL, status);
    assert_int_equal(TF_GetCode(status), TF_INVALID_ARGUMENT);
    other.types = NULL;
    oribi_target_register_kernel(&other, status);
    assert_non_null(strstr(TF_Message(status), "has no types"));
    TF_DeleteStatus(status);
}

/* --- Sizes that change: Test>Sum has no state
 * ----------------------------------------------------- */

static void sum_prepare(void *user, const oribi_region *region, oribi_target_code *code,
                        TF_Status *status)
{
    oribi_region_tensor x = {.struct_size = sizeof x};
    (void)user;
    atomic_fetch_add(&n_asked, 1);
    oribi_region_input(region, 0, 0, &x, status);
    const struct own_tally_args args = {.count = (int32_t)(x.bytes / 4)};
    oribi_target_set_arguments(code, &args, sizeof args, status);
}

static void sum_run(const void *args, const void *const *in, void *const *out, void *scratch)
{
    const struct own_tally_args *a = args;
    const float *x = in[0];
    float sum = 0;
    assert_null(scratch);
    for (int32_t i = 0; i < a->count; i++) {
        sum += x[i];
    }
    for (int32_t i = 0; i < a->count; i++) {
        ((float *)out[0])[i] = sum;
    }
}

static void register_sum(TF_Status *status)
{
    static oribi_target_kernel sum;
    sum = tallies[0];
    sum.op = "Test>Sum";
    sum.n_types = sum.n_states = 0;
    sum.prepare = sum_prepare;
    sum.run = sum_run;
    oribi_kit_register_op("Test>Sum", "x: float", "y: float", NULL, NULL,
                          oribi_kit_shape_unchanged);
    oribi_target_register_kernel(&sum, status);
    assert_string_equal(TF_Message(status), "");
}

static void run_often(void *arg)
{
    oribi_run *run = make_run(arg);
    for (int i = 0; i < 300; i++) {
        const int64_t n = 1 + i % 3 + (int64_t)(uintptr_t)oribi_thread_self() % 2;
        assert_true(run_on(run, n, 2, 0) == (float)(2 * n));
    }
    oribi_run_destroy(run);
}

static void sizes_may_change_from_run_to_run_on_several_threads(void **state)
{
    (void)state;
    TF_Status *status = TF_NewStatus();
    oribi_thread *threads[3];
    register_sum(status);
    bytes graph = {0};
    const int64_t any = -1;
    put_node(&graph, "test", "Sum", "s", "x", "y");
    put_value(&graph, GRAPH_INPUT, "x", ONNX_FLOAT, &any, 1);
    put_value(&graph, GRAPH_OUTPUT, "y", ONNX_FLOAT, &any, 1);
    bytes bytes_of = make_model(13, &graph);
    oribi_model *model = oribi_model_from_memory(bytes_of.data, bytes_of.n, "sum", NULL, status);
    oribi_session *session = oribi_session_create(model, NULL, status);
    assert_string_equal(TF_Message(status), "");
    for (int i = 0; i < 3; i++) {
        threads[i] = oribi_thread_start(run_often, session, "test", 0);
        assert_non_null(threads[i]);
    }
    for (int i = 0; i < 3; i++) {
        oribi_thread_join(threads[i]);
    }
    oribi_run *run = make_run(session);
    assert_true(run_on(run, 5, 1, 4) == 5);
    const int before = n_asked;
    assert_true(run_on(run, 5, 1, 4) == 5);
    assert_int_equal(n_asked, before);
    oribi_run_destroy(run);
    oribi_session_destroy(session);
    oribi_model_destroy(model);
    free(bytes_of.data);
    TF_DeleteStatus(status);
}

/* Each allocation fails once: nothing is lost, and what is told is a lack of memory. */
static void a_lack_of_memory_is_told_and_nothing_is_lost(void **state)
{
    (void)state;
    TF_Status *status = TF_NewStatus();
    oribi_model *model = make(ONNX_FLOAT, 2, 0, false, status);
    oribi_session_destroy(oribi_session_create(model, NULL, status)); /* once, for what is kept */
    const int64_t live = oribi_alloc_live();
    int n_failed = 0;
    for (uint64_t n = 1; n <= 600; n++) {
        oribi_alloc_fail_at(n, false);
        oribi_session *session = oribi_session_create(model, NULL, status);
        oribi_run *run = session != NULL ? oribi_run_create(session, status) : NULL;
        oribi_alloc_fail_at(0, false);
        n_failed += run == NULL ? 1 : 0;
        assert_int_equal(TF_GetCode(status), run == NULL ? TF_RESOURCE_EXHAUSTED : TF_OK);
        assert_true(run == NULL || run_on(run, 2, 1, 1) == 1);
        oribi_run_destroy(run);
        oribi_session_destroy(session);
    }
    assert_in_range(oribi_alloc_live(), 0, live + 2); /* threads that came late */
    assert_true(n_failed > 100);
    oribi_model_destroy(model);
    TF_DeleteStatus(status);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_run_object_has_a_state_that_begins_as_prepare_says),
        cmocka_unit_test(a_run_that_fails_leaves_the_state_as_it_was),
        cmocka_unit_test(prepare_is_asked_when_the_session_is_made_and_runs_allocate_nothing),
        cmocka_unit_test(the_types_of_a_node_choose_its_descriptor),
        cmocka_unit_test(a_state_of_unknown_size_is_refused_with_the_remedy),
        cmocka_unit_test(a_second_descriptor_for_a_type_is_refused_and_the_same_is_not),
        cmocka_unit_test(a_lack_of_memory_is_told_and_nothing_is_lost),
        cmocka_unit_test(sizes_may_change_from_run_to_run_on_several_threads),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
