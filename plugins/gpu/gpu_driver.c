/* SPDX-License-Identifier: Apache-2.0 */
/* The vendor's library, opened at run time, so that the plugin is built and loads where there is
 * none. The plugin's option driver=FILE names another one: a driver in an unusual place, or a
 * double of it for tests.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#include "gpu.h"
#include "tensorflow/c/kernels_extension.h"

gpu_calls gpu_driver;

static const char *const library_names[] = {GPU_LIBRARIES, NULL};

bool gpu_check(gpu_result code, const char *symbol, TF_Status *status)
{
    const char *name = NULL, *text = NULL;
    char message[200];
    if (code == GPU_SUCCESS) {
        return true;
    }
    gpu_vendor_error(code, &name, &text);
    snprintf(message, sizeof message, "%s: %s (%u): %s", symbol,
             name != NULL ? name : "an error without a name", code, text != NULL ? text : "?");
    TF_SetStatus(status, code == GPU_OUT_OF_MEMORY ? TF_RESOURCE_EXHAUSTED : TF_INTERNAL, message);
    return false;
}

void *gpu_library(const char *chosen, const char *const *names, char *why, size_t why_bytes)
{
    if (chosen != NULL && chosen[0] != '\0') {
        void *library = dlopen(chosen, RTLD_NOW | RTLD_LOCAL);
        snprintf(why, why_bytes, "%s", library != NULL ? "" : dlerror());
        return library;
    }
    for (int i = 0; names[i] != NULL; i++) {
        void *library = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
        if (library != NULL) {
            return library;
        }
        const char *reason = dlerror();
        if (i == 0) {
            snprintf(why, why_bytes, "%s", reason);
        }
    }
    return NULL;
}

bool gpu_symbol(void *library, const char *name, void *out)
{
    void *found = dlsym(library, name);
    memcpy(out, &found, sizeof found); /* a pointer to a function, whatever its type */
    return found != NULL;
}

static const char *fill_calls(void *library)
{
#define GPU_FIND(result, name, params)                                                             \
    if (!gpu_symbol(library, GPU_TEXT(gpu_symbol_##name), &gpu_driver.name)) {                     \
        return GPU_TEXT(gpu_symbol_##name);                                                        \
    }
    GPU_CALLS(GPU_FIND)
    GPU_VENDOR_CALLS(GPU_FIND)
#undef GPU_FIND
    return NULL;
}

bool gpu_driver_open(TF_Status *status)
{
    char why[256] = "", message[400];
    void *library = gpu_library(TF_PluginOption("driver"), library_names, why, sizeof why);
    if (library == NULL) {
        snprintf(message, sizeof message, "%s: %s", gpu_vendor_absent, why);
        TF_SetStatus(status, TF_UNAVAILABLE, message);
        return false;
    }
    const char *missing = fill_calls(library);
    if (missing != NULL) {
        snprintf(message, sizeof message,
                 "the driver of " GPU_VENDOR " is too old for this plugin: it has no %s", missing);
        TF_SetStatus(status, TF_UNAVAILABLE, message);
        (void)dlclose(library);
        return false;
    }
    const gpu_result code = gpu_driver.init(0); /* from here on the library stays */
    if (!gpu_check(code, GPU_TEXT(gpu_symbol_init), status)) {
        snprintf(message, sizeof message, "%s", TF_Message(status));
        TF_SetStatus(status, TF_UNAVAILABLE, message);
        return false;
    }
    return true;
}
