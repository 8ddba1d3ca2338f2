/* SPDX-License-Identifier: Apache-2.0 */
/* docs/reference/device-members.md against the header, the tests it names, and what the host really
 * calls. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

#include "base/file.h"
#include "device/device.h"
#include "devices/on_spy.h"

enum { MAX_ROWS = 100 };

typedef struct row {
    char member[48], called[200], file[48], test[100];
} row;

static row rows[MAX_ROWS];
static int n_rows;

static char *read_text(const char *path)
{
    void *data = NULL;
    size_t bytes = 0;
    if (oribi_file_read(path, 1 << 20, &data, &bytes) != 0) {
        fail_msg("cannot read %s", path);
    }
    char *text = malloc(bytes + 1);
    assert_non_null(text);
    memcpy(text, data, bytes);
    text[bytes] = '\0';
    oribi_free(data);
    return text;
}

static int setup(void **state)
{
    (void)state;
    char *text = read_text(TEST_SOURCE "/docs/reference/device-members.md");
    for (char *line = strtok(text, "\n"); line != NULL; line = strtok(NULL, "\n")) {
        row r = {.member = ""};
        if (sscanf(line, "| `%47[a-z_0-9]` | %199[^|]| `%47[a-z_]: %99[a-z_A-Z0-9]`", r.member,
                   r.called, r.file, r.test) >= 2) {
            assert_true(n_rows < MAX_ROWS);
            rows[n_rows++] = r;
        }
    }
    free(text);
    spy_load("");
    return 0;
}

static const row *find_row(const char *member)
{
    for (int i = 0; i < n_rows; i++) {
        if (strcmp(rows[i].member, member) == 0) {
            return &rows[i];
        }
    }
    return NULL;
}

static bool is_never_called(const row *r)
{
    return strncmp(r->called, "never", 5) == 0;
}

static void the_table_has_each_member_of_the_header_once(void **state)
{
    (void)state;
    char *header = read_text(
        TEST_SOURCE "/include/tensorflow/c/experimental/stream_executor/stream_executor.h");
    int n = 0;
    for (const char *at = header; (at = strstr(at, "(*")) != NULL; at++) {
        char member[48];
        if (sscanf(at, "(*%47[a-z_0-9])(", member) == 1) {
            if (find_row(member) == NULL) {
                fail_msg("'%s' is not in docs/reference/device-members.md", member);
            }
            n++;
        }
    }
    free(header);
    assert_true(n > 40);
    assert_int_equal(n, n_rows);
}

static void each_test_that_the_table_names_is_there(void **state)
{
    (void)state;
    for (int i = 0; i < n_rows; i++) {
        char path[300], start[200];
        assert_int_equal(rows[i].file[0] == '\0', is_never_called(&rows[i]));
        if (rows[i].file[0] == '\0') {
            continue;
        }
        snprintf(path, sizeof path, "%s/tests/devices/%s.c", TEST_SOURCE, rows[i].file);
        snprintf(start, sizeof start, "static void %s(void **state)", rows[i].test);
        char *text = read_text(path);
        if (strstr(text, start) == NULL) {
            fail_msg("%s: there is no '%s'", path, rows[i].test);
        }
        free(text);
    }
}

/* --- What is called -------------------------------------------------------------------------- */

static void ignore_event(void *arg, const oribi_trace_event *event)
{
    (void)arg;
    (void)event;
}

static void run_once(oribi_session *session, bool is_traced, uint64_t limit_ns, const char *fault)
{
    TF_Status *status = TF_NewStatus();
    oribi_run *run = device_run(session, ROWS, -3);
    oribi_run_set_trace(run, is_traced ? ignore_event : NULL, NULL);
    oribi_run_set_time_limit(run, limit_ns);
    if (fault != NULL) {
        fake_plant(fault, 0, 0, 1);
    }
    oribi_run_execute(run, status);
    assert_int_equal(TF_GetCode(status) == TF_OK, fault == NULL);
    oribi_run_destroy(run);
    TF_DeleteStatus(status);
}

static void use_sessions(void)
{
    static const char *const places[] = {"sum=FAKE:1", "relu=FAKE:0", NULL};
    oribi_session *session = device_session(device_dense(ROWS, true), "FAKE:0", places);
    run_once(session, false, 0, NULL);
    run_once(session, true, 0, NULL);
    run_once(session, false, 60000000000u, NULL);
    run_once(session, false, 0, "launch");
    oribi_session_destroy(session);

    TF_Status *status = TF_NewStatus();
    small_graph g = device_dense(ROWS, false);
    oribi_options *options = small_options();
    oribi_options_set_device(options, "FAKE:0", status);
    oribi_options_set_unified_memory(options, true);
    session = oribi_session_from_graph(g.graph, options, status);
    small_expect_ok(status);
    run_once(session, false, 0, NULL);
    oribi_session_destroy(session);
    oribi_options_destroy(options);
    TF_DeleteStatus(g.status);
    TF_DeleteStatus(status);
}

static void devices_are_listed_with_what_they_tell(void **state)
{
    (void)state;
    TF_Status *status = TF_NewStatus();
    TF_Buffer *json = TF_NewBuffer();

    oribi_describe("devices", json, status);

    small_expect_ok(status);
    assert_true(small_has(json, "\"gflops\":1e+02"));
    assert_true(small_has(json, "\"bandwidth\":1000000000"));
    assert_true(small_has(json, "\"numa_node\":0"));
    assert_true(small_has(json, "\"total_bytes\":4294967296"));
    assert_true(small_has(json, "\"plugin_bytes_in_use\":"));
    TF_DeleteBuffer(json);
    TF_DeleteStatus(status);
}

static void expect_fill(oribi_stream *stream, oribi_buffer *buffer, const void *element,
                        size_t element_bytes, const char *member)
{
    enum { BYTES = 64 };
    unsigned char found[BYTES] = {0};
    bool is_done = false;
    TF_Status *status = TF_NewStatus();
    const int64_t n = spy_calls(member);

    assert_true(oribi_stream_fill(stream, buffer, buffer->data, element, element_bytes, BYTES,
                                  &is_done, status));
    assert_true(is_done);
    assert_int_equal(spy_calls(member), n + 1);
    assert_true(oribi_stream_to_host(stream, found, buffer, buffer->data, BYTES, status));
    assert_true(oribi_stream_wait_all(stream, status));

    for (size_t i = 0; i < BYTES; i += element_bytes) {
        assert_memory_equal(found + i, element, element_bytes);
    }
    TF_DeleteStatus(status);
}

static void fills_are_what_the_bytes_say(void **state)
{
    (void)state;
    TF_Status *status = TF_NewStatus();
    oribi_device *device = oribi_device_open(oribi_platform_find("FAKE"), 0, status);
    assert_non_null(device);
    oribi_stream *stream = oribi_stream_create(device, 0, NULL, status);
    oribi_buffer *buffer = oribi_device_allocate(device, stream, NULL, 64, status);
    assert_true(stream != NULL && buffer != NULL);
    const uint8_t byte = 0xa5;
    const uint16_t two = 0x1234;
    const float four = 1.5f;
    const double zero = 0;

    expect_fill(stream, buffer, &byte, sizeof byte, "memset");
    expect_fill(stream, buffer, &two, sizeof two, "memset32");
    expect_fill(stream, buffer, &zero, sizeof zero, "mem_zero");
    expect_fill(stream, buffer, &four, sizeof four, "memset32");
    expect_fill(stream, buffer, &zero, sizeof(float), "mem_zero");

    const double eight = 1.5; /* the plugin has no fill for that */
    bool is_done = true;
    assert_true(oribi_stream_fill(stream, buffer, buffer->data, &eight, sizeof eight, 64, &is_done,
                                  status));
    assert_false(is_done);
    oribi_buffer_release(buffer);
    oribi_stream_destroy(stream);
    oribi_device_release(device);
    TF_DeleteStatus(status);
}

/* Those of the process's end are platform_test's. */
static bool comes_at_the_end(const row *r)
{
    return strncmp(r->called, "at the end of the process", 25) == 0;
}

static void each_member_is_called_as_the_table_says(void **state)
{
    (void)state;
    use_sessions();
    for (int i = 0; i < n_rows; i++) {
        const int64_t n = spy_calls(rows[i].member);
        if (is_never_called(&rows[i]) ? n != 0 : n == 0 && !comes_at_the_end(&rows[i])) {
            fail_msg("'%s' was called %d times, and the table says: %s", rows[i].member, (int)n,
                     rows[i].called);
        }
    }
    assert_int_equal(spy_calls("create_device"), spy_calls("destroy_device"));
    assert_int_equal(spy_calls("synchronize_all_activity"), spy_calls("destroy_device"));
    assert_int_equal(spy_calls("create_stream"), spy_calls("destroy_stream"));
    assert_int_equal(spy_calls("create_event"), spy_calls("destroy_event"));
    assert_int_equal(spy_calls("create_timer"), spy_calls("destroy_timer"));
    assert_int_equal(spy_calls("allocate"), spy_calls("deallocate"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_table_has_each_member_of_the_header_once),
        cmocka_unit_test(each_test_that_the_table_names_is_there),
        cmocka_unit_test(devices_are_listed_with_what_they_tell),
        cmocka_unit_test(fills_are_what_the_bytes_say),
        cmocka_unit_test(each_member_is_called_as_the_table_says),
    };
    return cmocka_run_group_tests(tests, setup, NULL);
}
