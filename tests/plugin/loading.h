/* SPDX-License-Identifier: Apache-2.0 */
/* What the tests of the loader share: loading with what it said and logged, a folder of their own,
 * the kernel of a plugin run once. The cache of verdicts is off. Included after cmocka.h.
 */
#ifndef ORIBI_TESTS_PLUGIN_LOADING_H_
#define ORIBI_TESTS_PLUGIN_LOADING_H_

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/log.h"
#include "oribi/oribi.h"
#include "plugin/plugin.h"

#define PLUGIN(name) TEST_PLUGINS "/" name ".so"

static char folder[] = "/tmp/oribi-load-test-XXXXXX";
static char message[1000];
static char logged[4000];

static inline void keep_log(void *arg, int level, const char *text)
{
    size_t used = strlen(logged);
    (void)arg;
    snprintf(logged + used, sizeof(logged) - used, "%d %s\n", level, text);
}

static inline TF_Code load(const char *spec)
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

static inline void assert_loads(const char *spec)
{
    if (load(spec) != TF_OK) {
        fail_msg("%s", message);
    }
}

static inline void assert_says(const char *part)
{
    if (!strstr(message, part)) {
        fail_msg("'%s' is not in: %s", part, message);
    }
}

static inline const char *path_in_folder(const char *name)
{
    static char path[200];
    snprintf(path, sizeof(path), "%s/%s", folder, name);
    return path;
}

static inline bool count_plugin(void *arg, const oribi_plugin_info *plugin)
{
    *(int *)arg += !plugin->is_built_in;
    return true;
}

static inline int count_plugins(void)
{
    int n = 0;
    oribi_plugin_each(count_plugin, &n);
    return n;
}

typedef struct kernel_search {
    const char *op;
    const oribi_kernel_def *found;
} kernel_search;

static inline bool match_kernel(void *arg, const oribi_kernel_def *kernel)
{
    kernel_search *search = arg;
    search->found = strcmp(kernel->op_name, search->op) == 0 ? kernel : NULL;
    return !search->found;
}

/* Runs the op's kernel on one value, as a session would. */
static inline float run_add_one(const char *op_name, float x)
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

static inline int set_up(void **state)
{
    (void)state;
    setenv("ORIBI_PLUGIN_CACHE", "0", 1);
    setenv("ORIBI_PLUGIN_PROBE", TEST_PROBE, 1);
    unsetenv("ORIBI_PLUGIN_PATH");
    oribi_log_set_hook(keep_log, NULL);
    return mkdtemp(folder) ? 0 : -1;
}

static inline int tear_down(void **state)
{
    (void)state;
    return rmdir(folder);
}

#endif
