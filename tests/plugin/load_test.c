/* SPDX-License-Identifier: Apache-2.0 */
/* The loader against plugins that behave and plugins that do not. Each test starts from a cache of
 * verdicts that is switched off; those of the cache have a folder of their own.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/log.h"
#include "base/thread.h"
#include "oribi/oribi.h"
#include "plugin/plugin.h"

#define PLUGIN(name) TEST_PLUGINS "/" name ".so"

static char folder[] = "/tmp/oribi-load-test-XXXXXX";
static char message[1000];
static char logged[4000];

static void keep_log(void *arg, int level, const char *text)
{
    size_t used = strlen(logged);
    (void)arg;
    snprintf(logged + used, sizeof(logged) - used, "%d %s\n", level, text);
}

static TF_Code load(const char *spec)
{
    TF_Status *status = TF_NewStatus();
    logged[0] = '\0';
    bool ok = oribi_plugin_load(spec, status);
    TF_Code code = TF_GetCode(status);
    snprintf(message, sizeof(message), "%s", TF_Message(status));
    TF_DeleteStatus(status);
    assert_true(ok == (code == TF_OK));
    return code;
}

static void assert_loads(const char *spec)
{
    if (load(spec) != TF_OK) {
        fail_msg("%s", message);
    }
}

static void assert_says(const char *part)
{
    if (!strstr(message, part)) {
        fail_msg("'%s' is not in: %s", part, message);
    }
}

static const char *path_in_folder(const char *name)
{
    static char path[200];
    snprintf(path, sizeof(path), "%s/%s", folder, name);
    return path;
}

static bool count_plugin(void *arg, const oribi_plugin_info *plugin)
{
    *(int *)arg += !plugin->is_built_in;
    return true;
}

static int count_plugins(void)
{
    int n = 0;
    oribi_plugin_each(count_plugin, &n);
    return n;
}

typedef struct kernel_search {
    const char *op;
    const oribi_kernel_def *found;
} kernel_search;

static bool match_kernel(void *arg, const oribi_kernel_def *kernel)
{
    kernel_search *search = arg;
    search->found = strcmp(kernel->op_name, search->op) == 0 ? kernel : NULL;
    return !search->found;
}

/* Runs the op's kernel on one value, as a session would. */
static float run_add_one(const char *op_name, float x)
{
    kernel_search search = {op_name, NULL};
    TF_Status *status = TF_NewStatus();
    oribi_arena arena = {0};
    oribi_attrs attrs = {0};
    oribi_signature signature;
    const TF_DataType types[] = {TF_FLOAT};
    const oribi_op_def *op = oribi_op_find(op_name);
    assert_non_null(op);
    oribi_kernel_each(match_kernel, &search);
    assert_non_null(search.found);
    assert_true(oribi_op_resolve(op, "n", &attrs, types, 1, &arena, &signature, status));
    oribi_node_view node = {.name = "n", .op = op, .attrs = &attrs, .signature = &signature};
    oribi_kernel kernel;
    TF_Tensor *input = TF_AllocateTensor(TF_FLOAT, NULL, 0, sizeof(float));
    TF_Tensor *output = NULL;
    memcpy(TF_TensorData(input), &x, sizeof(x));

    assert_true(oribi_kernel_create(search.found, &node, &kernel, status));
    assert_true(oribi_kernel_run_once(&kernel, &input, &output, NULL, status));

    float y;
    memcpy(&y, TF_TensorData(output), sizeof(y));
    oribi_kernel_destroy(&kernel);
    TF_DeleteTensor(input);
    TF_DeleteTensor(output);
    TF_DeleteStatus(status);
    oribi_arena_destroy(&arena);
    return y;
}

static void plugins_of_other_compilers_load_and_run(void **state)
{
    (void)state;
    static const char *const plugins[][2] = {{PLUGIN("gcc_O3"), "TestGcc"},
                                             {PLUGIN("clang_O0"), "TestClang"},
                                             {PLUGIN("cxx"), "TestCxx"}};
    for (size_t i = 0; i < 3; i++) {
        if (!oribi_file_exists(plugins[i][0])) {
            print_message("not built here: %s\n", plugins[i][0]);
            continue;
        }
        assert_loads(plugins[i][0]);
        assert_true(run_add_one(plugins[i][1], 2.5f) == 3.5f);
        assert_string_equal(oribi_op_find(plugins[i][1])->provider, plugins[i][0]);
    }
}

static bool find_entry_points(void *arg, const oribi_plugin_info *plugin)
{
    const char **seek = arg; /* the file; then its entry points */
    if (strcmp(plugin->path, seek[0]) == 0) {
        seek[1] = plugin->entry_points;
    }
    return true;
}

static void the_designs_InitPlugin_counts_where_there_is_no_TF_InitKernel(void **state)
{
    (void)state;
    const char *seek[] = {PLUGIN("design"), NULL};

    assert_loads(PLUGIN("design"));
    assert_true(run_add_one("TestDesign", 2.5f) == 3.5f);
    oribi_plugin_each(find_entry_points, seek);
    assert_string_equal(seek[1], "InitPlugin");

    seek[0] = PLUGIN("design_and_own");
    assert_loads(PLUGIN("design_and_own"));
    oribi_plugin_each(find_entry_points, seek);
    assert_string_equal(seek[1], "TF_InitKernel");
    assert_non_null(oribi_op_find("TestDesignOwn"));
    assert_null(oribi_op_find("TestDesignNever"));
}

typedef struct kernel_count {
    const char *provider;
    size_t n;
} kernel_count;

static bool count_kernel_of(void *arg, const oribi_kernel_def *kernel)
{
    kernel_count *count = arg;
    count->n += strcmp(kernel->provider, count->provider) == 0;
    return true;
}

static size_t count_kernels(const char *provider)
{
    kernel_count count = {provider, 0};
    oribi_kernel_each(count_kernel_of, &count);
    return count.n;
}

/* The built-ins have no private door: as files they bring the same ops and kernels. */
static void built_in_plugins_work_as_files_too(void **state)
{
    (void)state;
    char path[500];
    TF_Status *status = TF_NewStatus();
    assert_true(oribi_plugin_load_built_ins(status));
    TF_DeleteStatus(status);

    snprintf(path, sizeof(path), "%s/plugins/oribi_ops_core.so", TEST_BINARY);
    assert_loads(path); /* any difference to the definitions that are there is an error */
    assert_int_equal(count_kernels(path), 0);
    snprintf(path, sizeof(path), "%s/plugins/oribi_cpu.so", TEST_BINARY);
    assert_loads(path);

    assert_true(count_kernels("built-in") > 0);
    assert_int_equal(count_kernels(path), count_kernels("built-in"));
}

static void one_file_under_many_names_is_one_plugin(void **state)
{
    (void)state;
    char link_path[200];
    char soft_path[200];
    void *data;
    size_t bytes;
    snprintf(link_path, sizeof(link_path), "%s/hard.so", folder);
    snprintf(soft_path, sizeof(soft_path), "%s/soft.so", folder);
    assert_int_equal(oribi_file_read(PLUGIN("own"), 1 << 24, &data, &bytes), 0);
    const char *copy = path_in_folder("own.so");
    assert_int_equal(oribi_file_write(copy, data, bytes, true), 0);
    oribi_free(data);
    assert_int_equal(link(copy, link_path), 0);
    assert_int_equal(symlink(copy, soft_path), 0);
    int before = count_plugins();

    assert_loads(copy);
    assert_loads(copy);
    assert_loads(link_path);
    assert_loads(soft_path);

    assert_int_equal(count_plugins(), before + 1);
    unlink(link_path);
    unlink(soft_path);
    unlink(copy);
}

static void options_are_seen_during_init_only(void **state)
{
    (void)state;

    assert_loads(PLUGIN("option") ":name=Blue,other=x=y");

    assert_non_null(oribi_op_find("TestOptionBlue"));
    assert_null(TF_PluginOption("name"));
    assert_loads(PLUGIN("option") ":name=Red");
    assert_non_null(strstr(logged, "loaded already"));
    assert_null(oribi_op_find("TestOptionRed"));
}

static void malformed_options_are_refused(void **state)
{
    (void)state;
    assert_int_equal(load(PLUGIN("gcc_O3") ":name"), TF_INVALID_ARGUMENT);
    assert_says("option 'name' is not of the form key=value");
    assert_int_equal(load(PLUGIN("gcc_O3") ":=x"), TF_INVALID_ARGUMENT);
    assert_int_equal(load(PLUGIN("gcc_O3") ":a=1,a=2"), TF_INVALID_ARGUMENT);
    assert_says("given twice");
}

static void plugin_that_aborts_is_reported_with_its_last_words(void **state)
{
    (void)state;
    assert_int_equal(load(PLUGIN("aborts")), TF_ABORTED);
    assert_says(PLUGIN("aborts"));
    assert_says("crashed in the probe (calling TF_InitKernel) with signal 6");
    assert_says("no such device: ?[31mfrobnicator");
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
    assert_says("which this Oribi 1.0.0 lacks");
    assert_null(strstr(message, "TF_NewStatus"));

    assert_int_equal(load(PLUGIN("missing_other")), TF_NOT_FOUND);
    assert_says("acme_start_engine");
}

static void plugin_for_a_newer_contract_is_refused_by_version_and_name(void **state)
{
    (void)state;
    assert_int_equal(load(PLUGIN("newer")), TF_UNIMPLEMENTED);
    assert_says("built for contract 1.4, this Oribi 1.0.0 has 1.2, missing TF_FrobnicateTensor");

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

static void different_definitions_of_one_op_name_both_files(void **state)
{
    (void)state;
    assert_loads(PLUGIN("conflict_a"));
    assert_loads(PLUGIN("conflict_same"));
    assert_int_equal(load(PLUGIN("conflict_b")), TF_ALREADY_EXISTS);
    assert_says("TestConflict");
    assert_says(PLUGIN("conflict_a"));
    assert_says(PLUGIN("conflict_b"));
}

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

static void load_fails_cleanly_at_each_allocation(void **state)
{
    (void)state;
    setenv("ORIBI_PLUGIN_PROBE", "", 1);
    for (uint64_t n = 1;; n++) {
        int64_t live = oribi_alloc_live();
        oribi_alloc_fail_at(n, true);
        TF_Status *status = TF_NewStatus();
        bool ok = status && oribi_plugin_load(PLUGIN("memory"), status);
        oribi_alloc_fail_at(0, false);
        if (ok) {
            TF_DeleteStatus(status);
            assert_true(n > 10);
            break;
        }
        assert_true(!status || TF_GetCode(status) == TF_RESOURCE_EXHAUSTED ||
                    TF_GetCode(status) == TF_NOT_FOUND);
        TF_DeleteStatus(status);
        assert_null(oribi_op_find("TestMemory"));
        assert_false(oribi_kernel_exists("TestMemory", "CPU"));
        assert_int_equal(oribi_alloc_live(), live);
    }
    setenv("ORIBI_PLUGIN_PROBE", TEST_PROBE, 1);
    assert_true(run_add_one("TestMemory", 4) == 5);
}

static void load_option_plugin(void *arg)
{
    TF_Status *status = TF_NewStatus();
    atomic_int *n_ok = arg;
    atomic_fetch_add(n_ok, oribi_plugin_load(PLUGIN("conflict_a"), status));
    atomic_fetch_add(n_ok, oribi_plugin_load_built_ins(status));
    TF_DeleteStatus(status);
}

static void threads_may_load_at_once(void **state)
{
    (void)state;
    atomic_int n_ok = 0;
    oribi_thread *threads[4];
    for (int i = 0; i < 4; i++) {
        threads[i] = oribi_thread_start(load_option_plugin, &n_ok, "loader", 0);
        assert_non_null(threads[i]);
    }
    for (int i = 0; i < 4; i++) {
        oribi_thread_join(threads[i]);
    }
    assert_int_equal(atomic_load(&n_ok), 8);
}

static int set_up(void **state)
{
    (void)state;
    setenv("ORIBI_PLUGIN_CACHE", "0", 1);
    setenv("ORIBI_PLUGIN_PROBE", TEST_PROBE, 1);
    unsetenv("ORIBI_PLUGIN_PATH");
    oribi_log_set_hook(keep_log, NULL);
    return mkdtemp(folder) ? 0 : -1;
}

static int tear_down(void **state)
{
    (void)state;
    return rmdir(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(threads_may_load_at_once),
        cmocka_unit_test(plugins_of_other_compilers_load_and_run),
        cmocka_unit_test(the_designs_InitPlugin_counts_where_there_is_no_TF_InitKernel),
        cmocka_unit_test(built_in_plugins_work_as_files_too),
        cmocka_unit_test(one_file_under_many_names_is_one_plugin),
        cmocka_unit_test(options_are_seen_during_init_only),
        cmocka_unit_test(malformed_options_are_refused),
        cmocka_unit_test(plugin_that_aborts_is_reported_with_its_last_words),
        cmocka_unit_test(plugin_that_crashes_in_a_constructor_is_reported),
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
        cmocka_unit_test(different_definitions_of_one_op_name_both_files),
        cmocka_unit_test(bad_plugin_on_the_search_path_is_a_warning),
        cmocka_unit_test(current_folder_is_never_searched),
        cmocka_unit_test(verdict_is_remembered_and_a_damaged_cache_is_harmless),
        cmocka_unit_test(helper_that_does_not_run_is_a_warning),
        cmocka_unit_test(load_fails_cleanly_at_each_allocation),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
