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
#include "platform/common/uart_far_end.h"
#include "tests/hooks/far_line.h"
#include "tests/support/fail_nth.h"
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

/* A far end in a thread: silent for the first `deaf` bytes' worth of connections. */
typedef struct far {
    oribi_desk *desk;
    int listener, fd;
    pthread_t thread;
    uint8_t *buffer;
} far;

static int32_t far_receive(void *context, void *data, uint32_t bytes, int32_t timeout_ms)
{
    const far *f = context;
    return far_line_receive(f->fd, data, bytes, timeout_ms);
}

static int32_t far_send(void *context, const void *data, uint32_t bytes)
{
    const far *f = context;
    return send(f->fd, data, bytes, MSG_NOSIGNAL) == (ssize_t)bytes ? 0 : -1;
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
    struct uart_far_end end = {f,        far_receive, far_send, far_invoke, f->buffer,
                               1u << 20, 500,         0,        0};
    while (uart_far_end_serve(&end) == 0) {
    }
    return NULL;
}

static void a_silent_far_end_is_an_error_and_the_next_run_is_good(void **state)
{
    TF_Status *status = *state;
    far f = {.buffer = malloc(1u << 20)};
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    char spec[512];
    int8_t expected[10];
    snprintf(address.sun_path, sizeof address.sun_path, "/tmp/oribi-desk-%d", (int)getpid());
    (void)unlink(address.sun_path);
    f.listener = socket(AF_UNIX, SOCK_STREAM, 0);
    assert_int_equal(bind(f.listener, (const struct sockaddr *)&address, sizeof address), 0);
    assert_int_equal(listen(f.listener, 1), 0);
    oribi_compile *compile = compile_digits("uart_accel", status);
    oribi_desk *desk = oribi_desk_create(compile, status);
    f.desk = oribi_desk_create(compile, status);
    snprintf(spec, sizeof spec, "uart_accel=%s:path=%s,timeout=50", UART_DRIVER, address.sun_path);
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
    (void)unlink(address.sun_path);
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
        cmocka_unit_test(a_compilation_says_why_a_node_was_not_taken),
    };
    return cmocka_run_group_tests(tests, load_target, drop_status);
}
