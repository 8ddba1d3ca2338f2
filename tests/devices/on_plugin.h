/* SPDX-License-Identifier: Apache-2.0 */
/* Models on whatever OpenCL device is here (PoCL in the project's tests), against the CPU's
 * kernels. Include after cmocka.h.
 */
#ifndef ORIBI_TESTS_DEVICES_ON_PLUGIN_H_
#define ORIBI_TESTS_DEVICES_ON_PLUGIN_H_

#include <math.h>
#include <unistd.h>

#include "devices/on_fake.h"

static const char *plugin_file = TEST_BINARY "/plugins/oribi_opencl.so"; /* and its options */
static const char *plugin_type = "OPENCL";

static char plugin_cache[] = "/tmp/oribi_opencl_XXXXXX"; /* of compiled programs */

typedef oribi_value_id (*plugin_build_fn)(small_graph *g);

static bool plugin_builds_for_cpu; /* what a build function may look at */

static inline oribi_session *plugin_open(plugin_build_fn build, const char *device,
                                         TF_Status *status)
{
    small_graph g = small_begin();
    plugin_builds_for_cpu = device == NULL;
    small_output(&g, build(&g), "z");
    return device_try_session(&g, device, NULL, device == NULL, status);
}

static inline void plugin_bind_ramp(oribi_run *run, int rank, const int64_t *dims)
{
    TF_Tensor *x = small_tensor(rank, dims, 0);
    for (int64_t i = 0; i < TF_TensorElementCount(x); i++) {
        ((float *)TF_TensorData(x))[i] = (float)((i * 37) % 23) * 0.25f - 2.5f;
    }
    small_bind(run, 0, x);
}

/* Steps of the session that the plugin's devices run. */
static inline int plugin_count_steps(oribi_session *session)
{
    char text[64];
    snprintf(text, sizeof text, "\"device\":\"%s", plugin_type);
    return device_count_steps(session, text);
}

/* Strict placement: a node without a kernel on the device fails, so that nothing is compared with
 * itself. */
static inline void plugin_expect_as_cpu(plugin_build_fn build, int rank, const int64_t *dims)
{
    TF_Status *status = TF_NewStatus();
    oribi_session *cpu = plugin_open(build, NULL, status);
    small_expect_ok(status);
    oribi_session *other = plugin_open(build, plugin_type, status);
    small_expect_ok(status);
    oribi_run *expected = small_run_of(cpu), *run = small_run_of(other);
    plugin_bind_ramp(expected, rank, dims);
    plugin_bind_ramp(run, rank, dims);

    assert_true(plugin_count_steps(other) > 0);
    small_execute(expected);
    for (int i = 0; i < 3; i++) {
        small_execute(run);
        assert_int_equal(oribi_run_num_waits(run), 1);
        device_expect_same(expected, run);
    }

    oribi_run_destroy(expected);
    oribi_run_destroy(run);
    oribi_session_destroy(cpu);
    oribi_session_destroy(other);
    TF_DeleteStatus(status);
}

static inline int plugin_remove_cache(void **state)
{
    char command[300];
    (void)state;
    snprintf(command, sizeof command, "rm -rf '%s'", plugin_cache);
    return system(command);
}

static inline oribi_value_id plugin_probe(small_graph *g)
{
    const int64_t dims[1] = {4};
    const oribi_value_id x = small_input(g, "x", 1, dims);
    return device_node(g, "Relu", "node", &x, 1);
}

static inline bool plugin_has_device(void)
{
    TF_Status *status = TF_NewStatus();
    oribi_session *session = plugin_open(plugin_probe, plugin_type, status);
    const bool ok = TF_GetCode(status) != TF_NOT_FOUND;
    oribi_session_destroy(session);
    TF_DeleteStatus(status);
    return ok;
}

/* The plugin's file, without options. */
static inline bool plugin_is_built(void)
{
    char path[500];
    snprintf(path, sizeof path, "%s", plugin_file);
    path[strcspn(path, ":")] = '\0';
    return access(path, R_OK) == 0;
}

/* For main, before the tests: loads the plugin, with a cache of programs of its own. 0, or what
 * main returns; 77 where the plugin was not built or has no device.
 */
static inline int plugin_setup(void)
{
    TF_Status *status = TF_NewStatus();
    int result = 0;
    if (getenv("TEST_DEVICE_TYPE") != NULL && getenv("TEST_DEVICE_PLUGIN") != NULL) {
        plugin_type = getenv("TEST_DEVICE_TYPE");
        plugin_file = getenv("TEST_DEVICE_PLUGIN");
    }
    if (!plugin_is_built()) {
        printf("skipped: the plugin of %s was not built\n", plugin_type);
        TF_DeleteStatus(status);
        return 77;
    }
    if (mkdtemp(plugin_cache) == NULL || setenv("XDG_CACHE_HOME", plugin_cache, 1) != 0 ||
        setenv("ORIBI_PLUGIN_PROBE", TEST_PROBE, 1) != 0) {
        TF_DeleteStatus(status);
        return 1;
    }
    oribi_plugin_load_file(plugin_file, status);
    if (TF_GetCode(status) == TF_UNAVAILABLE) {
        printf("skipped: %s\n", TF_Message(status));
        (void)plugin_remove_cache(NULL);
        result = 77;
    } else if (TF_GetCode(status) != TF_OK) {
        fprintf(stderr, "%s\n", TF_Message(status));
        result = 1;
    } else if (!plugin_has_device()) {
        printf("skipped: %s has no device here\n", plugin_type);
        (void)plugin_remove_cache(NULL);
        result = 77;
    }
    TF_DeleteStatus(status);
    return result;
}

#endif
