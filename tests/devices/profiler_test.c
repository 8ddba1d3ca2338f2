/* SPDX-License-Identifier: Apache-2.0 */
/* A plugin with a profiler and a graph optimiser, through the loader: events with their lanes and
 * our clock, one profile at a time, and an optimiser that leaves our passes on.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/thread.h"
#include "session/small.h"

static char seen[500];
static uint64_t first_ns, last_ns;

static void note(void *arg, const oribi_profile_event *event)
{
    (void)arg;
    (void)snprintf(seen + strlen(seen), sizeof seen - strlen(seen), "%s|%s|%s|%llu;", event->device,
                   event->lane, event->name, (unsigned long long)(event->end_ns - event->start_ns));
    first_ns = first_ns == 0 ? event->start_ns : first_ns;
    last_ns = event->start_ns;
}

static void events_come_with_lanes_and_times(void **state)
{
    (void)state;
    TF_Status *status = TF_NewStatus();
    for (int i = 0; i < 2; i++) {
        seen[0] = 0;
        first_ns = 0;
        const uint64_t before = oribi_now_ns();
        oribi_profile_begin(status);
        small_expect_ok(status);
        oribi_profile_begin(status);
        assert_int_equal(TF_GetCode(status), TF_FAILED_PRECONDITION);
        const uint64_t after = oribi_now_ns();
        oribi_profile_end(note, NULL, status);
        small_expect_ok(status);
        assert_string_equal(seen, "/device:FAKE:0|stream 1|gemm|2000;"
                                  "/device:FAKE:0|stream 1|copy|1000;");
        assert_int_equal(last_ns - first_ns, 3000);
        assert_in_range(first_ns, before + 6000, after + 6000); /* 1 us + 5 us since begin */
    }
    oribi_profile_end(note, NULL, status);
    assert_int_equal(TF_GetCode(status), TF_FAILED_PRECONDITION);
    TF_DeleteStatus(status);
}

static void an_optimiser_that_wrote_no_node_leaves_our_passes_on(void **state)
{
    (void)state;
    TF_Status *status = TF_NewStatus();
    oribi_options *options = small_options();
    oribi_model *model =
        oribi_model_open(TEST_SOURCE "/examples/digits/digits.onnx", options, status);
    small_expect_ok(status);
    oribi_session *session = oribi_session_create(model, options, status);
    small_expect_ok(status);
    TF_Buffer *json = TF_NewBuffer();
    oribi_session_describe(session, "graph", json, status);
    small_expect_ok(status);
    const char *text = json->data;
    assert_non_null(memmem(text, json->length, "_FusedConv2D", 12));
    TF_DeleteBuffer(json);
    oribi_session_destroy(session);
    oribi_model_destroy(model);
    oribi_options_destroy(options);
    TF_DeleteStatus(status);
}

static int load(void **state)
{
    TF_Status *status = TF_NewStatus();
    (void)state;
    setenv("ORIBI_PLUGIN_PROBE", TEST_PROBE, 1);
    oribi_plugin_load_file(TEST_BINARY "/tests/devices/examples/profiler.so", status);
    small_expect_ok(status);
    TF_DeleteStatus(status);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(events_come_with_lanes_and_times),
        cmocka_unit_test(an_optimiser_that_wrote_no_node_leaves_our_passes_on),
    };
    return cmocka_run_group_tests(tests, load, NULL);
}
