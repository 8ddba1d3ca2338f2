/* SPDX-License-Identifier: Apache-2.0 */
/* Where the loader looks, and what it remembers: the search path, the cache of verdicts, the helper
 * that probes.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <cmocka.h>

#include "plugin/loading.h"

static void bad_plugin_on_the_search_path_is_a_warning(void **state)
{
    (void)state;
    char path[1000];
    TF_Status *status = TF_NewStatus();
    const char *bad = path_in_folder("bad.so");
    assert_int_equal(oribi_file_write(bad, "x", 1, true), 0);
    snprintf(path, sizeof(path), "%s::%s:%s:%s", folder, PLUGIN("aborts"), PLUGIN("search"),
             "/no/such/folder");
    setenv("ORIBI_PLUGIN_PATH", path, 1);
    logged[0] = '\0';

    bool ok = oribi_plugin_load_found(status);

    unsetenv("ORIBI_PLUGIN_PATH");
    unlink(bad);
    assert_true(ok);
    assert_int_equal(TF_GetCode(status), TF_OK);
    assert_true(run_add_one("TestSearch", 1) == 2);
    assert_non_null(strstr(logged, "1 plugin '"));
    assert_non_null(strstr(logged, "bad.so': not a shared library"));
    assert_non_null(strstr(logged, "aborts.so': crashed in the probe"));
    assert_non_null(strstr(logged, "/no/such/folder"));
    TF_DeleteStatus(status);
}

static void current_folder_is_never_searched(void **state)
{
    (void)state;
    char before[1000];
    TF_Status *status = TF_NewStatus();
    assert_non_null(getcwd(before, sizeof(before)));
    assert_int_equal(chdir(TEST_PLUGINS), 0);
    setenv("ORIBI_PLUGIN_PATH", "::", 1);
    int n_before = count_plugins();

    bool ok = oribi_plugin_load_found(status);

    unsetenv("ORIBI_PLUGIN_PATH");
    assert_int_equal(chdir(before), 0);
    assert_true(ok);
    assert_int_equal(count_plugins(), n_before);
    TF_DeleteStatus(status);
}

/* A helper of our own that leaves a mark each time that it runs, and says yes. */
static void write_counting_probe(const char *path)
{
    char script[600];
    int n = snprintf(script, sizeof(script),
                     "#!/bin/sh\necho x >> '%s/runs'\nprintf 'oribi-probe 1\\nverdict 0 \\n'\n",
                     folder);
    assert_int_equal(oribi_file_write(path, script, (size_t)n, true), 0);
    assert_int_equal(chmod(path, 0700), 0);
}

static size_t count_runs(void)
{
    void *data;
    size_t bytes;
    if (oribi_file_read(path_in_folder("runs"), 1000, &data, &bytes) != 0) {
        return 0;
    }
    oribi_free(data);
    return bytes / 2;
}

/* Probes in a process of its own, so that only the file can remember. */
static void probe_in_child(void)
{
    pid_t child = fork();
    if (child == 0) {
        TF_Status *status = TF_NewStatus();
        _exit(oribi_plugin_load(PLUGIN("memory"), status) ? 0 : 1);
    }
    int wait_status;
    assert_int_equal(waitpid(child, &wait_status, 0), child);
    assert_int_equal(wait_status, 0);
}

static void verdict_is_remembered_and_a_damaged_cache_is_harmless(void **state)
{
    (void)state;
    char helper[200];
    char cache[200];
    snprintf(helper, sizeof(helper), "%s/helper", folder);
    snprintf(cache, sizeof(cache), "%s/oribi/plugin-verdicts-1", folder);
    write_counting_probe(helper);
    setenv("ORIBI_PLUGIN_PROBE", helper, 1);
    setenv("XDG_CACHE_HOME", folder, 1);
    unsetenv("ORIBI_PLUGIN_CACHE");

    probe_in_child();
    assert_int_equal(count_runs(), 1);
    probe_in_child();
    assert_int_equal(count_runs(), 1);

    void *data;
    size_t bytes;
    assert_int_equal(oribi_file_read(cache, 100000, &data, &bytes), 0);
    ((char *)data)[30] ^= 1; /* the checksum no longer fits */
    assert_int_equal(oribi_file_write(cache, data, bytes, true), 0);
    oribi_free(data);
    probe_in_child();
    assert_int_equal(count_runs(), 2);
    assert_int_equal(oribi_file_write(cache, "\0\xff junk", 7, true), 0);
    probe_in_child();
    assert_int_equal(count_runs(), 3);
    probe_in_child();
    assert_int_equal(count_runs(), 3);

    setenv("ORIBI_PLUGIN_CACHE", "0", 1);
    probe_in_child();
    assert_int_equal(count_runs(), 4);
    setenv("ORIBI_PLUGIN_PROBE", TEST_PROBE, 1);
    unsetenv("XDG_CACHE_HOME");
    unlink(cache);
    unlink(helper);
    unlink(path_in_folder("runs"));
    rmdir(path_in_folder("oribi"));
}

static void helper_that_does_not_run_is_a_warning(void **state)
{
    (void)state;
    const char *helper = path_in_folder("broken");
    assert_int_equal(oribi_file_write(helper,
                                      "\x7f"
                                      "ELFx",
                                      5, true),
                     0);
    assert_int_equal(chmod(helper, 0600), 0);
    setenv("ORIBI_PLUGIN_PROBE", helper, 1);
    TF_Code code = load(PLUGIN("registers_half"));
    setenv("ORIBI_PLUGIN_PROBE", TEST_PROBE, 1);
    unlink(helper);
    assert_int_not_equal(code, TF_OK); /* by the real init, rolled back */
    assert_non_null(strstr(logged, "does not run"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bad_plugin_on_the_search_path_is_a_warning),
        cmocka_unit_test(current_folder_is_never_searched),
        cmocka_unit_test(verdict_is_remembered_and_a_damaged_cache_is_harmless),
        cmocka_unit_test(helper_that_does_not_run_is_a_warning),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
