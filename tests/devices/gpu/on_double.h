/* SPDX-License-Identifier: Apache-2.0 */
/* Plugin cuda or hip on the double of its driver (gpu_double/double.h), for the tests of both.
 * TEST_DEVICE_TYPE=HIP chooses that one. Include after cmocka.h.
 */
#ifndef ORIBI_TESTS_DEVICES_ON_DOUBLE_H_
#define ORIBI_TESTS_DEVICES_ON_DOUBLE_H_

#include "devices/on_fake.h"

typedef struct double_vendor { /* what the tests say by a vendor's name */
    const char *type, *plugin, *driver;
    const char *allocate, *htod, *dtoh, *peer, *launch, *load, *find, *record, *stream;
    const char *event, *event_wait, *query, *host_call, *context_set, *context_get, *shared;
    const char *out_of_memory;
} double_vendor;

static const double_vendor double_vendors[] = {
    {.type = "CUDA",
     .plugin = TEST_CUDA_PLUGIN,
     .driver = TEST_CUDA_DOUBLE,
     .allocate = "cuMemAlloc_v2",
     .htod = "cuMemcpyHtoDAsync_v2",
     .dtoh = "cuMemcpyDtoHAsync_v2",
     .peer = "cuMemcpyPeerAsync",
     .launch = "cuLaunchKernel",
     .load = "cuModuleLoadDataEx",
     .find = "cuModuleGetFunction",
     .record = "cuEventRecord",
     .stream = "cuStreamCreate",
     .event = "cuEventCreate",
     .event_wait = "cuEventSynchronize",
     .query = "cuStreamQuery",
     .host_call = "cuLaunchHostFunc",
     .context_set = "cuCtxSetCurrent",
     .context_get = "cuCtxGetCurrent",
     .shared = "cuFuncSetAttribute",
     .out_of_memory = "CUDA_ERROR_OUT_OF_MEMORY (2): out of memory"},
    {.type = "HIP",
     .plugin = TEST_HIP_PLUGIN,
     .driver = TEST_HIP_DOUBLE,
     .allocate = "hipMalloc",
     .htod = "hipMemcpyHtoDAsync",
     .dtoh = "hipMemcpyDtoHAsync",
     .peer = "hipMemcpyPeerAsync",
     .launch = "hipModuleLaunchKernel",
     .load = "hipModuleLoadDataEx",
     .find = "hipModuleGetFunction",
     .record = "hipEventRecord",
     .stream = "hipStreamCreateWithFlags",
     .event = "hipEventCreateWithFlags",
     .event_wait = "hipEventSynchronize",
     .query = "hipStreamQuery",
     .host_call = "hipStreamAddCallback",
     .context_set = "hipSetDevice",
     .context_get = "hipGetDevice",
     .shared = NULL,
     .out_of_memory = "hipErrorOutOfMemory (2): out of memory"},
};

static const double_vendor *vendor;
static void *double_library;
static void (*double_plant)(const char *symbol, int device, int after, int times, unsigned code);
static void (*double_heal)(void);
static int64_t (*double_live)(const char *what);
static int64_t (*double_calls)(const char *symbol);
static void (*double_set_delay)(int microseconds);

static inline void double_symbol(void *out, const char *name)
{
    void *found = dlsym(double_library, name);
    assert_non_null(found);
    memcpy(out, &found, sizeof found);
}

static inline void double_choose(void)
{
    const char *type = getenv("TEST_DEVICE_TYPE");
    vendor = &double_vendors[type != NULL && strcmp(type, "HIP") == 0];
    setenv("ORIBI_PLUGIN_PROBE", TEST_PROBE, 1);
}

/* Loads the plugin with these options; false: not, and the status says why. */
static inline bool double_try_load(const char *options, TF_Status *status)
{
    char spec[1200];
    snprintf(spec, sizeof spec, "%s:%s", vendor->plugin, options);
    oribi_plugin_load_file(spec, status);
    return TF_GetCode(status) == TF_OK;
}

static inline void double_load(void)
{
    char options[1000];
    TF_Status *status = TF_NewStatus();
    snprintf(options, sizeof options, "driver=%s,blas=%s", vendor->driver, vendor->driver);
    double_try_load(options, status);
    small_expect_ok(status);
    TF_DeleteStatus(status);
    double_library = dlopen(vendor->driver, RTLD_NOW | RTLD_NOLOAD);
    assert_non_null(double_library);
    double_symbol(&double_plant, "double_plant");
    double_symbol(&double_heal, "double_heal");
    double_symbol(&double_live, "double_live");
    double_symbol(&double_calls, "double_calls");
    double_symbol(&double_set_delay, "double_set_delay");
}

/* Closed sessions and devices leave nothing of the driver's. */
static inline void double_expect_nothing(void)
{
    static const char *const all[] = {"memory",  "pinned",   "streams", "events",
                                      "modules", "contexts", "handles"};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        if (double_live(all[i]) != 0) {
            print_error("%d %s are left\n", (int)double_live(all[i]), all[i]);
            fail();
        }
    }
}

static inline void expect_text(const TF_Status *status, const char *text)
{
    if (strstr(TF_Message(status), text) == NULL) {
        print_error("'%s' is not in: %s\n", text, TF_Message(status));
        fail();
    }
}

/* "CUDA:1"; the last four of them stay. */
static inline const char *double_name(int ordinal)
{
    static char names[4][16];
    static int next;
    char *name = names[next++ % 4];
    snprintf(name, sizeof names[0], "%s:%d", vendor->type, ordinal);
    return name;
}

#endif
