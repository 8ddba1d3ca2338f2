/* SPDX-License-Identifier: Apache-2.0 */
/* The loader against plugins that behave: compilers, files and names, options, threads, memory that
 * runs out. Those that do not behave: load_bad_test.c; where it looks: load_search_test.c.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/thread.h"
#include "plugin/loading.h"

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
    /* One more is of the target for Ethos-U NPUs, which is no file. */
    assert_int_equal(count_kernels(path) + 1, count_kernels("built-in"));
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
        cmocka_unit_test(different_definitions_of_one_op_name_both_files),
        cmocka_unit_test(load_fails_cleanly_at_each_allocation),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
