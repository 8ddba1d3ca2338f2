/* SPDX-License-Identifier: Apache-2.0 */
/* The loader against plugins that end, hang or forge, that fail, that miss functions, or that are
 * no plugins: each is refused with its reason and leaves nothing.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <signal.h>
#include <sys/stat.h>
#include <time.h>

#include <cmocka.h>

#include "plugin/loading.h"

static void plugin_that_aborts_is_reported_with_its_last_words(void **state)
{
    (void)state;
    assert_int_equal(load(PLUGIN("aborts")), TF_ABORTED);
    assert_says(PLUGIN("aborts"));
    assert_says("crashed in the probe (calling TF_InitKernel) with signal 6");
    assert_says("no such device: ?[31mfrobnicator");
}

static void the_first_error_and_the_last_lines_are_kept(void **state)
{
    (void)state;
    assert_int_equal(load(PLUGIN("says_much")), TF_ABORTED);
    assert_says("it said: \"vendor.so: undefined symbol: PyFrobnicate\"");
    assert_says("and last: \"no backend was loaded | the end is near | giving up\"");
}

static void devices_are_opened_in_the_probe(void **state)
{
    (void)state;
    assert_int_equal(load(PLUGIN("device_CRASHES")), TF_ABORTED);
    assert_says("the probe (opening its device ");
    assert_int_equal(load(PLUGIN("device_COUNTS")), TF_INTERNAL);
    assert_says("there are -1 devices");
    assert_int_equal(load(PLUGIN("device_CORRUPTS")), TF_DATA_LOSS);
    assert_says("what was copied to it and back is not the same");
    assert_loads(PLUGIN("device_NOTHING"));
}

static void plugin_that_crashes_in_a_constructor_is_reported(void **state)
{
    (void)state;
    assert_int_equal(load(PLUGIN("crashes_at_load")), TF_ABORTED);
    assert_says("the probe (mapping the file)"); /* a sanitizer turns the signal into an exit */
}

static void plugin_that_exits_is_reported(void **state)
{
    (void)state;
    assert_int_equal(load(PLUGIN("exits")), TF_ABORTED);
    assert_says("ended the probe (calling TF_InitKernel) with exit code 0");
}

static void plugin_that_hangs_is_ended(void **state)
{
    (void)state;
    setenv("ORIBI_PLUGIN_PROBE_TIMEOUT_MS", "300", 1);
    TF_Code code = load(PLUGIN("hangs"));
    unsetenv("ORIBI_PLUGIN_PROBE_TIMEOUT_MS");
    assert_int_equal(code, TF_DEADLINE_EXCEEDED);
    assert_says("hung in the probe (calling TF_InitKernel) and was ended after 300 ms");
}

/* Is the process gone, or a corpse that nobody has buried yet? */
static bool is_dead(int pid)
{
    char path[64];
    char line[512] = "";
    snprintf(path, sizeof(path), "/proc/%d/stat", pid);
    FILE *file = fopen(path, "r");
    if (!file) {
        return true;
    }
    char *got = fgets(line, sizeof(line), file);
    fclose(file);
    const char *state = strrchr(line, ')');
    return !got || !state || state[2] == 'Z' || state[2] == 'X';
}

static void child_that_a_plugin_leaves_in_the_probe_is_killed(void **state)
{
    (void)state;
    char spec[500];
    void *data;
    size_t bytes;
    snprintf(spec, sizeof(spec), "%s:pid=%s/pid", PLUGIN("forks"), folder);

    assert_loads(spec);

    assert_int_equal(oribi_file_read(path_in_folder("pid"), 100, &data, &bytes), 0);
    char text[101] = "";
    memcpy(text, data, bytes);
    int pid = atoi(text);
    oribi_free(data);
    unlink(path_in_folder("pid"));
    assert_true(pid > 1);
    for (int i = 0; i < 1000 && !is_dead(pid); i++) {
        struct timespec time = {0, 10000000};
        nanosleep(&time, NULL);
    }
    assert_true(is_dead(pid));
}

static void talkative_plugin_loads_and_cannot_forge_a_verdict(void **state)
{
    (void)state;
    assert_loads(PLUGIN("chatters"));
}

static void failed_plugin_leaves_nothing_behind(void **state)
{
    (void)state;
    int before = count_plugins();

    assert_int_equal(load(PLUGIN("registers_twice")), TF_ALREADY_EXISTS);
    assert_says(PLUGIN("registers_twice"));
    assert_null(oribi_op_find("TestRegistersTwice"));

    assert_int_not_equal(load(PLUGIN("registers_half")), TF_OK);
    assert_says("no_such_type");
    assert_null(oribi_op_find("TestHalfGood"));

    assert_int_not_equal(load(PLUGIN("ignores_failure")), TF_OK);
    assert_says("broken");
    assert_null(oribi_op_find("TestIgnoresGood"));
    assert_false(oribi_kernel_exists("TestIgnoresGood", "CPU"));

    assert_int_not_equal(load(PLUGIN("ignores_kernel_failure")), TF_OK);
    assert_null(oribi_op_find("TestIgnoresKernel"));
    assert_false(oribi_kernel_exists("TestIgnoresKernel", "CPU"));

    assert_int_equal(count_plugins(), before);
}

static void failure_is_rolled_back_without_a_probe_too(void **state)
{
    (void)state;
    setenv("ORIBI_PLUGIN_PROBE", "", 1);
    failed_plugin_leaves_nothing_behind(state);
    setenv("ORIBI_PLUGIN_PROBE", TEST_PROBE, 1);
    assert_non_null(strstr(logged, "without a probe (ORIBI_PLUGIN_PROBE is empty)"));
}

static void missing_functions_are_named(void **state)
{
    (void)state;
    assert_int_equal(load(PLUGIN("missing_function")), TF_UNIMPLEMENTED);
    assert_says(PLUGIN("missing_function"));
    assert_says("TF_FrobnicateTensor");
    assert_says("SE_DefenestrateStream");
    assert_says("which this Oribi 1.1.0 lacks");
    assert_null(strstr(message, "TF_NewStatus"));

    assert_int_equal(load(PLUGIN("missing_other")), TF_NOT_FOUND);
    assert_says("acme_start_engine");
}

static void plugin_for_a_newer_contract_is_refused_by_version_and_name(void **state)
{
    (void)state;
    assert_int_equal(load(PLUGIN("newer")), TF_UNIMPLEMENTED);
    assert_says("built for contract 1.5, this Oribi 1.1.0 has 1.4, missing TF_FrobnicateTensor");

    assert_loads(PLUGIN("newer_with_floor"));
}

static void file_that_is_no_plugin_is_refused_with_the_reason(void **state)
{
    (void)state;
    const char *path = path_in_folder("text.so");
    assert_int_equal(oribi_file_write(path, "just text\n", 10, true), 0);
    assert_int_equal(load(path), TF_INVALID_ARGUMENT);
    assert_says("not a shared library (it has no ELF header)");
    unlink(path);
    assert_int_equal(load(path), TF_NOT_FOUND);
    assert_says(path);
    assert_int_not_equal(load(folder), TF_OK);
    assert_int_equal(load(PLUGIN("no_entry")), TF_INVALID_ARGUMENT);
    assert_says("none of the entry points SE_InitPlugin, TF_InitKernel");
}

static void optimiser_that_fills_in_nothing_is_refused(void **state)
{
    (void)state;
    assert_int_equal(load(PLUGIN("graph_only")), TF_FAILED_PRECONDITION);
    assert_says("TF_InitGraph did not set device_type");
}

static void device_plugin_that_fills_in_nothing_is_refused(void **state)
{
    (void)state;
    assert_int_equal(load(PLUGIN("device_only")), TF_FAILED_PRECONDITION);
    assert_says("'destroy_platform' field in SE_PlatformRegistrationParams must be set.");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plugin_that_aborts_is_reported_with_its_last_words),
        cmocka_unit_test(plugin_that_crashes_in_a_constructor_is_reported),
        cmocka_unit_test(the_first_error_and_the_last_lines_are_kept),
        cmocka_unit_test(devices_are_opened_in_the_probe),
        cmocka_unit_test(plugin_that_exits_is_reported),
        cmocka_unit_test(plugin_that_hangs_is_ended),
        cmocka_unit_test(child_that_a_plugin_leaves_in_the_probe_is_killed),
        cmocka_unit_test(talkative_plugin_loads_and_cannot_forge_a_verdict),
        cmocka_unit_test(failed_plugin_leaves_nothing_behind),
        cmocka_unit_test(failure_is_rolled_back_without_a_probe_too),
        cmocka_unit_test(missing_functions_are_named),
        cmocka_unit_test(plugin_for_a_newer_contract_is_refused_by_version_and_name),
        cmocka_unit_test(file_that_is_no_plugin_is_refused_with_the_reason),
        cmocka_unit_test(optimiser_that_fills_in_nothing_is_refused),
        cmocka_unit_test(device_plugin_that_fills_in_nothing_is_refused),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
