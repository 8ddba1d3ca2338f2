/* SPDX-License-Identifier: Apache-2.0 */
/* Desks: runs with the drivers of the example accelerators as shared objects, and the far end that
 * computes with the host's kernels. Order of hooks and every failure: desk_test.py. */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cmocka.h>

#include "oribi/desk.h"
#include "oribi/target.h"
#include "examples/accelerators/uart_accel/common/uart_far_end.h"
#include "tests/hooks/far_line.h"
#include "tests/support/fail_nth.h"
#include "tests/support/onnx_writer.h"
#include "tvm/runtime/device.h"

#define DIGITS         TEST_SOURCE "/examples/digits/digits_int8.tflite"
#define WOOFLES_DRIVER TEST_BINARY "/examples/woofles_driver.so"
#define UART_DRIVER    TEST_BINARY "/examples/uart_accel_driver.so"

static int load_target(void **state)
{
    TF_Status *status = TF_NewStatus();
    oribi_plugin_load_file(TEST_BINARY "/examples/woofles_target.so", status);
    *state = status;
    return TF_GetCode(status) == TF_OK ? 0 : -1;
}

static int drop_status(void **state)
{
    TF_DeleteStatus(*state);
    return 0;
}

static void assert_ok(const TF_Status *status)
{
    assert_string_equal(TF_Message(status), "");
    assert_int_equal(TF_GetCode(status), TF_OK);
}

static void write_model(const char *path, bytes *graph)
{
    bytes model = make_model(13, graph);
    FILE *file = fopen(path, "wb");
    assert_int_equal(fwrite(model.data, 1, model.n, file), model.n);
    assert_int_equal(fclose(file), 0);
    free(model.data);
}

static oribi_compile *compile_digits(const char *device, TF_Status *status)
{
    oribi_compile *compile = oribi_compile_create(status);
    if (device != NULL) {
        oribi_compile_set_option(compile, "target-device", device, status);
        assert_ok(status);
    }
    oribi_compile_model(compile, DIGITS, status);
    assert_ok(status);
    return compile;
}

static TF_Tensor *make_picture(int seed)
{
    const int64_t dims[4] = {1, 8, 8, 1};
    TF_Tensor *tensor = TF_AllocateTensor(TF_INT8, dims, 4, 64);
    int8_t *at = TF_TensorData(tensor);
    for (int i = 0; i < 64; i++) {
        at[i] = (int8_t)(i * 37 % 120 + seed);
    }
    return tensor;
}

/* What a session without devices makes of it. */
static void run_on_cpu(const TF_Tensor *picture, int8_t out[10], TF_Status *status)
{
    oribi_model *model = oribi_model_open(DIGITS, NULL, status);
    oribi_session *session = oribi_session_create(model, NULL, status);
    oribi_run *run = oribi_run_create(session, status);
    oribi_run_set_input(run, 0, picture, status);
    oribi_run_execute(run, status);
    TF_Tensor *output = oribi_run_output(run, 0, status);
    assert_ok(status);
    memcpy(out, TF_TensorData(output), 10);
    TF_DeleteTensor(output);
    oribi_run_destroy(run);
    oribi_session_destroy(session);
    oribi_model_destroy(model);
}

/* --- Runs ------------------------------------------------------------------------------------- */

static void a_desk_computes_what_the_cpu_computes(void **state)
{
    TF_Status *status = *state;
    oribi_compile *compile = compile_digits("npu=woofles", status);
    oribi_desk *desk = oribi_desk_create(compile, status);
    assert_ok(status);
    oribi_desk_load_driver(desk, "npu=" WOOFLES_DRIVER, status);
    assert_ok(status);
    assert_int_equal(oribi_desk_num_inputs(desk), 1);
    assert_int_equal(oribi_desk_num_outputs(desk), 1);
    for (int i = 0; i < 3; i++) {
        int8_t expected[10];
        TF_Tensor *picture = make_picture(i), *output = NULL;
        run_on_cpu(picture, expected, status);
        oribi_desk_run(desk, (const TF_Tensor *const *)&picture, &output, status);
        assert_ok(status);
        assert_memory_equal(TF_TensorData(output), expected, 10);
        TF_DeleteTensor(output);
        TF_DeleteTensor(picture);
    }
    oribi_desk_destroy(desk);
    oribi_compile_destroy(compile);
}

static void what_is_missing_is_said(void **state)
{
    TF_Status *status = *state;
    oribi_compile *without = compile_digits(NULL, status), *empty = oribi_compile_create(status);
    assert_null(oribi_desk_create(without, status));
    assert_int_equal(TF_GetCode(status), TF_FAILED_PRECONDITION);
    assert_null(oribi_desk_create(empty, status));
    assert_int_equal(TF_GetCode(status), TF_FAILED_PRECONDITION);
    oribi_compile *compile = compile_digits("npu=woofles", status);
    oribi_desk *desk = oribi_desk_create(compile, status);
    TF_Tensor *picture = make_picture(0), *output = NULL;
    oribi_desk_run(desk, (const TF_Tensor *const *)&picture, &output, status);
    assert_int_equal(TF_GetCode(status), TF_FAILED_PRECONDITION);
    assert_non_null(strstr(TF_Message(status), "device 'npu' has no driver"));
    const struct {
        const char *spec;
        TF_Code code;
        const char *message;
    } cases[] = {
        {"npu", TF_INVALID_ARGUMENT, "NAME=FILE"},
        {"=x.so", TF_INVALID_ARGUMENT, "NAME=FILE"},
        {"other=" WOOFLES_DRIVER, TF_NOT_FOUND, "no device 'other'"},
        {"npu=/nowhere.so", TF_NOT_FOUND, "nowhere.so"},
        {"npu=" UART_DRIVER, TF_NOT_FOUND, "TVMDeviceWooflesDeskCreate"},
        {"npu=" WOOFLES_DRIVER ":x=1", TF_UNAVAILABLE, "x=1"},
        {"woofles=" WOOFLES_DRIVER, TF_OK, ""}, /* by kind */
        {"npu=" WOOFLES_DRIVER, TF_ALREADY_EXISTS, "already"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        oribi_desk_load_driver(desk, cases[i].spec, status);
        assert_int_equal(TF_GetCode(status), cases[i].code);
        assert_non_null(strstr(TF_Message(status), cases[i].message));
    }
    const TF_Tensor *none = NULL;
    oribi_desk_run(desk, &none, &output, status);
    assert_int_equal(TF_GetCode(status), TF_INVALID_ARGUMENT);
    assert_null(output);
    TF_DeleteTensor(picture);
    oribi_desk_destroy(NULL);
    oribi_desk_destroy(desk);
    oribi_compile_destroy(compile);
    oribi_compile_destroy(empty);
    oribi_compile_destroy(without);
}

/* One desk, one run. */
typedef struct one_run {
    oribi_compile *compile;
    TF_Tensor *picture;
    int8_t expected[10];
    TF_Status *status;
} one_run;

static bool make_and_run(void *arg)
{
    one_run *r = arg;
    TF_Tensor *output = NULL;
    oribi_desk *desk = oribi_desk_create(r->compile, r->status);
    if (desk != NULL) {
        oribi_desk_load_driver(desk, "npu=" WOOFLES_DRIVER, r->status);
    }
    if (TF_GetCode(r->status) == TF_OK) {
        oribi_desk_run(desk, (const TF_Tensor *const *)&r->picture, &output, r->status);
    }
    const bool is_good = output != NULL;
    assert_int_equal(is_good, TF_GetCode(r->status) == TF_OK);
    if (is_good) {
        assert_memory_equal(TF_TensorData(output), r->expected, 10);
    }
    TF_DeleteTensor(output);
    oribi_desk_destroy(desk);
    TF_SetStatus(r->status, TF_OK, ""); /* long messages are blocks, too */
    return is_good;
}

static void memory_that_runs_out_leaves_nothing_behind(void **state)
{
    one_run r = {.status = *state, .picture = make_picture(1)};
    r.compile = compile_digits("npu=woofles", r.status);
    run_on_cpu(r.picture, r.expected, r.status);
    assert_true(make_and_run(&r)); /* dense constants stay with the compilation from now on */
    fail_each_allocation(make_and_run, &r);
    TF_DeleteTensor(r.picture);
    oribi_compile_destroy(r.compile);
}

/* --- Far end ---------------------------------------------------------------------------------- */

/* A far end in a thread. */
typedef struct far {
    oribi_desk *desk;
    int listener, fd;
    pthread_t thread;
    uint8_t *buffer;
} far;

static int32_t far_receive(void *context, void *data, uint32_t n, int32_t timeout_ms)
{
    const far *f = context;
    return far_line_receive(f->fd, data, n, timeout_ms);
}

static int32_t far_send(void *context, const void *data, uint32_t n)
{
    const far *f = context;
    return send(f->fd, data, n, MSG_NOSIGNAL) == (ssize_t)n ? 0 : -1;
}

static int32_t far_invoke(void *context, int32_t op, const uint8_t *params, uint32_t params_bytes,
                          const uint8_t *in, uint32_t in_bytes, uint8_t *out, uint32_t out_bytes)
{
    const far *f = context;
    TF_Status *status = TF_NewStatus();
    oribi_desk_invoke(f->desk, op, params, params_bytes, in, in_bytes, out, out_bytes, status);
    const int32_t code = TF_GetCode(status) == TF_OK ? 0 : TVM_DEVICE_E_UNSUPPORTED;
    TF_DeleteStatus(status);
    return code;
}

static void *far_main(void *arg)
{
    far *f = arg;
    struct uart_far_end end = {.context = f,
                               .receive = far_receive,
                               .send = far_send,
                               .invoke = far_invoke,
                               .buffer = f->buffer,
                               .buffer_bytes = 1u << 20,
                               .gap_ms = 500};
    while (uart_far_end_serve(&end) == 0) {
    }
    return NULL;
}

static int listen_at(const char *path)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    snprintf(address.sun_path, sizeof address.sun_path, "%s", path);
    (void)unlink(path);
    const int fd = socket(AF_UNIX, SOCK_STREAM, 0);
    assert_int_equal(bind(fd, (const struct sockaddr *)&address, sizeof address), 0);
    assert_int_equal(listen(fd, 1), 0);
    return fd;
}

static void a_silent_far_end_is_an_error_and_the_next_run_is_good(void **state)
{
    TF_Status *status = *state;
    far f = {.buffer = malloc(1u << 20)};
    char path[64], spec[512];
    int8_t expected[10];
    snprintf(path, sizeof path, "/tmp/oribi-desk-%d", (int)getpid());
    f.listener = listen_at(path);
    oribi_compile *compile = compile_digits("uart_accel", status);
    oribi_desk *desk = oribi_desk_create(compile, status);
    f.desk = oribi_desk_create(compile, status);
    snprintf(spec, sizeof spec, "uart_accel=%s:path=%s,timeout=50", UART_DRIVER, path);
    oribi_desk_load_driver(desk, spec, status);
    assert_ok(status);
    TF_Tensor *picture = make_picture(2), *output = NULL;
    run_on_cpu(picture, expected, status);

    oribi_desk_run(desk, (const TF_Tensor *const *)&picture, &output, status); /* nobody accepts */
    assert_int_equal(TF_GetCode(status), TF_DEADLINE_EXCEEDED);
    assert_non_null(
        strstr(TF_Message(status), "device 'uart_accel' (uart_accel): Activate failed"));
    assert_non_null(strstr(TF_Message(status), "-32002"));
    assert_null(output);

    f.fd = accept(f.listener, NULL, NULL);
    assert_int_equal(pthread_create(&f.thread, NULL, far_main, &f), 0);
    oribi_desk_run(desk, (const TF_Tensor *const *)&picture, &output, status);
    assert_ok(status);
    assert_memory_equal(TF_TensorData(output), expected, 10);
    TF_DeleteTensor(output);
    TF_DeleteTensor(picture);
    oribi_desk_destroy(desk); /* hangs up */
    pthread_join(f.thread, NULL);
    oribi_desk_destroy(f.desk);
    oribi_compile_destroy(compile);
    (void)close(f.fd);
    (void)close(f.listener);
    (void)unlink(path);
    free(f.buffer);
}

static void unknown_operators_and_sizes_are_refused(void **state)
{
    TF_Status *status = *state;
    oribi_compile *compile = compile_digits("uart_accel", status);
    oribi_desk *desk = oribi_desk_create(compile, status);
    uint8_t in[64] = {0}, out[64], before[64];
    memset(out, 7, sizeof out);
    memset(before, 7, sizeof before);
    oribi_desk_invoke(desk, 99, in, 0, in, sizeof in, out, sizeof out, status);
    assert_int_equal(TF_GetCode(status), TF_NOT_FOUND);
    assert_non_null(strstr(TF_Message(status), "operator 99"));
    oribi_desk_invoke(desk, 1, in, sizeof in, in, sizeof in, out, sizeof out, status);
    assert_int_equal(TF_GetCode(status), TF_NOT_FOUND);
    assert_memory_equal(out, before, sizeof out);
    oribi_desk_destroy(desk);
    oribi_compile_destroy(compile);
}

/* A region of two operators that reads one value twice, with scratch. */
static void write_pair(void *user, const oribi_region *region, oribi_target_code *code,
                       TF_Status *status)
{
    const int32_t params[2] = {oribi_region_num_nodes(region), 7};
    (void)user;
    oribi_target_set_op(code, 42);
    oribi_target_set_scratch(code, 8);
    oribi_target_set_params(code, params, sizeof params, 4, status);
}

static const char *const neg_sub[] = {"Neg", "Sub"};
static const oribi_target_pattern pair_patterns[] = {
    {sizeof(oribi_target_pattern), "pair", neg_sub, 2, NULL, NULL, write_pair, NULL},
};
static const oribi_target pair = {.struct_size = sizeof(oribi_target),
                                  .name = "pair",
                                  .device_api = 1,
                                  .patterns = pair_patterns,
                                  .n_patterns = 1};

static void regions_of_several_operators_are_computed_whole(void **state)
{
    TF_Status *status = *state;
    const int64_t dims[1] = {4};
    const float in[8] = {1, 2, 3, -4, 1, 2, 3, -4};
    const int32_t params[2] = {2, 7};
    float out[6];
    char path[64];
    bytes graph = {0};
    put_node(&graph, "", "Neg", "neg", "x", "n");
    put_node(&graph, "", "Sub", "sub", "n,x", "out");
    put_value(&graph, GRAPH_INPUT, "x", ONNX_FLOAT, dims, 1);
    put_value(&graph, GRAPH_OUTPUT, "out", ONNX_FLOAT, dims, 1);
    snprintf(path, sizeof path, "/tmp/oribi-pair-%d.onnx", (int)getpid());
    write_model(path, &graph);
    oribi_target_register(&pair, status);
    assert_ok(status);
    oribi_compile *compile = oribi_compile_create(status);
    oribi_compile_set_option(compile, "target-device", "pair", status);
    oribi_compile_model(compile, path, status);
    assert_ok(status);
    oribi_desk *desk = oribi_desk_create(compile, status);

    memset(out, 1, sizeof out);
    oribi_desk_invoke(desk, 42, params, sizeof params, in, sizeof in, out, sizeof out, status);
    assert_ok(status);
    for (int i = 0; i < 6; i++) {
        assert_true(out[i] == (i < 4 ? -2.0f * in[i] : 0.0f)); /* scratch comes back as zeros */
    }
    const struct {
        size_t in, out;
    } wrong[] = {{sizeof in - 4, sizeof out}, {sizeof in, 16}, {16, sizeof out}, {0, 0}};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        memset(out, 1, sizeof out);
        const float before = out[0];
        oribi_desk_invoke(desk, 42, params, sizeof params, in, wrong[i].in, out, wrong[i].out,
                          status);
        assert_int_equal(TF_GetCode(status), TF_INVALID_ARGUMENT);
        assert_non_null(strstr(TF_Message(status), "node 'neg'"));
        assert_true(memcmp(&out[0], &before, 4) == 0);
    }
    oribi_desk_destroy(desk);
    oribi_compile_destroy(compile);
    (void)unlink(path);
}

/* --- State ------------------------------------------------------------------------------------ */

/* sum = x + kept; out = -sum: what one run leaves in `kept` is its sum. */
static void write_accumulator(const char *path)
{
    const int64_t dims[1] = {4};
    bytes graph = {0};
    put_node(&graph, "", "Add", "add", "x,kept", "sum");
    put_node(&graph, "", "Neg", "neg", "sum", "out");
    put_value(&graph, GRAPH_INPUT, "x", ONNX_FLOAT, dims, 1);
    put_value(&graph, GRAPH_INPUT, "kept", ONNX_FLOAT, dims, 1);
    put_value(&graph, GRAPH_OUTPUT, "sum", ONNX_FLOAT, dims, 1);
    put_value(&graph, GRAPH_OUTPUT, "out", ONNX_FLOAT, dims, 1);
    write_model(path, &graph);
}

static float run_accumulator(oribi_desk *desk, float x, TF_Status *status)
{
    const int64_t dims[1] = {4};
    TF_Tensor *input = TF_AllocateTensor(TF_FLOAT, dims, 1, 16), *output = NULL;
    for (int i = 0; i < 4; i++) {
        ((float *)TF_TensorData(input))[i] = x;
    }
    oribi_desk_run(desk, (const TF_Tensor *const *)&input, &output, status);
    const float result = output != NULL ? ((const float *)TF_TensorData(output))[3] : 0.0f;
    assert_int_equal(output != NULL, TF_GetCode(status) == TF_OK);
    TF_DeleteTensor(output);
    TF_DeleteTensor(input);
    return result;
}

static void state_goes_on_after_good_runs_and_stays_after_failed_ones(void **state)
{
    TF_Status *status = *state;
    far f = {.buffer = malloc(1u << 16)};
    char model[64], path[64], spec[512];
    snprintf(model, sizeof model, "/tmp/oribi-desk-%d.onnx", (int)getpid());
    snprintf(path, sizeof path, "/tmp/oribi-desk-%d", (int)getpid());
    write_accumulator(model);
    oribi_compile *compile = oribi_compile_create(status);
    oribi_compile_set_option(compile, "target-device", "uart_accel", status); /* takes nothing, */
    oribi_compile_set_option(compile, "state", "kept=sum", status);           /* but is activated */
    oribi_compile_model(compile, model, status);
    assert_ok(status);
    oribi_desk *desk = oribi_desk_create(compile, status);
    assert_int_equal(oribi_desk_num_inputs(desk), 1);
    assert_int_equal(oribi_desk_num_outputs(desk), 1);
    f.listener = listen_at(path);
    snprintf(spec, sizeof spec, "uart_accel=%s:path=%s,timeout=50", UART_DRIVER, path);
    oribi_desk_load_driver(desk, spec, status);
    assert_ok(status);

    (void)run_accumulator(desk, 5.0f, status); /* nobody answers */
    assert_int_equal(TF_GetCode(status), TF_DEADLINE_EXCEEDED);
    f.fd = accept(f.listener, NULL, NULL);
    assert_int_equal(pthread_create(&f.thread, NULL, far_main, &f), 0);
    assert_true(run_accumulator(desk, 1.0f, status) == -1.0f); /* not -6 */
    assert_true(run_accumulator(desk, 10.0f, status) == -11.0f);
    shutdown(f.fd, SHUT_RDWR);
    pthread_join(f.thread, NULL);
    (void)run_accumulator(desk, 100.0f, status); /* the line is cut */
    assert_int_equal(TF_GetCode(status), TF_UNAVAILABLE);
    (void)run_accumulator(desk, 100.0f, status);
    assert_int_equal(TF_GetCode(status), TF_UNAVAILABLE);

    oribi_desk_destroy(desk);
    oribi_compile_destroy(compile);
    (void)close(f.fd);
    (void)close(f.listener);
    (void)unlink(path);
    (void)unlink(model);
    free(f.buffer);
}

/* --- Why -------------------------------------------------------------------------------------- */

static int32_t too_wide(void *user, const oribi_region *region, char *why, size_t why_bytes)
{
    (void)user;
    (void)region;
    snprintf(why, why_bytes, "too wide");
    return 0;
}

static void write_nothing(void *user, const oribi_region *region, oribi_target_code *code,
                          TF_Status *status)
{
    (void)user;
    (void)region;
    (void)code;
    TF_SetStatus(status, TF_OK, "");
}

static const char *const conv[] = {"Oribi>QConv2D"}, *const pool[] = {"Oribi>QMaxPool"};
static const char *const add_softmax[] = {"Oribi>QAdd", "Oribi>QSoftmax"};
static const oribi_target_pattern picky_patterns[] = {
    {sizeof(oribi_target_pattern), "conv", conv, 1, too_wide, NULL, write_nothing, NULL},
    {sizeof(oribi_target_pattern), "pool", pool, 1, NULL, NULL, write_nothing, NULL},
    {sizeof(oribi_target_pattern), "sum", add_softmax, 2, NULL, NULL, write_nothing, NULL},
};
static const oribi_target picky = {.struct_size = sizeof(oribi_target),
                                   .name = "picky",
                                   .device_api = 1,
                                   .patterns = picky_patterns,
                                   .n_patterns = 3};

static void assert_says(const TF_Buffer *json, const char *text)
{
    char *copy = malloc(json->length + 1);
    memcpy(copy, json->data, json->length);
    copy[json->length] = 0;
    if (strstr(copy, text) == NULL) {
        fail_msg("no '%s' in %s", text, copy);
    }
    free(copy);
}

static void a_compilation_says_why_a_node_was_not_taken(void **state)
{
    TF_Status *status = *state;
    TF_Buffer *json = TF_NewBuffer();
    oribi_compile *compile = oribi_compile_create(status);
    oribi_compile_describe(compile, "devices", json, status);
    assert_int_equal(TF_GetCode(status), TF_FAILED_PRECONDITION);
    oribi_compile_destroy(compile);
    oribi_target_register(&picky, status);
    assert_ok(status);
    compile = compile_digits("p=picky", status);
    oribi_compile_describe(compile, "memory", json, status);
    assert_int_equal(TF_GetCode(status), TF_INVALID_ARGUMENT);
    oribi_compile_describe(compile, "devices", json, status);
    assert_ok(status);
    assert_says(json,
                "\"op\":\"Oribi>QConv2D\",\"device\":\"cpu\",\"why\":\"picky, conv: too wide\"");
    assert_says(json, "\"op\":\"Oribi>QMaxPool\",\"device\":\"p\",\"us\":0,"
                      "\"why\":\"picky, pool: taken\"");
    assert_says(json, "\"op\":\"Oribi>QAdd\",\"device\":\"cpu\",\"why\":\"a pattern has its op,");
    assert_says(json, "\"op\":\"Reshape\",\"device\":\"cpu\",\"why\":\"no pattern of a target");
    oribi_compile_describe(compile, "devices", json, status);
    assert_int_equal(TF_GetCode(status), TF_INVALID_ARGUMENT); /* it is not empty */
    TF_DeleteBuffer(json);
    oribi_compile_destroy(compile);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_desk_computes_what_the_cpu_computes),
        cmocka_unit_test(what_is_missing_is_said),
        cmocka_unit_test(memory_that_runs_out_leaves_nothing_behind),
        cmocka_unit_test(a_silent_far_end_is_an_error_and_the_next_run_is_good),
        cmocka_unit_test(unknown_operators_and_sizes_are_refused),
        cmocka_unit_test(regions_of_several_operators_are_computed_whole),
        cmocka_unit_test(state_goes_on_after_good_runs_and_stays_after_failed_ones),
        cmocka_unit_test(a_compilation_says_why_a_node_was_not_taken),
    };
    cmocka_set_test_filter(getenv("TEST_ONLY"));
    return cmocka_run_group_tests(tests, load_target, drop_status);
}
