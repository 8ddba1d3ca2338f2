/* SPDX-License-Identifier: Apache-2.0 */
/* Images and launches. An image's functions are those that plugins/device_ops/code has as C, in
 * this library; what it says of their parameters, where it is PTX, must be what C says. Parameters
 * are copied at the launch, by their sizes, as a driver does.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gpu_double/double.h"

enum { MAX_ARGS = 16, PLAIN_SHARED = 48 << 10, MOST_SHARED = 227 << 10, MAX_THREADS = 1024 };

typedef struct code_function {
    struct code_function *next;
    double_kernel kernel;
    size_t n_memories, value_bytes, allowed;
} code_function;

typedef struct code_module {
    int device;
    char *text; /* of the image */
    code_function *functions;
} code_module;

/* --- Images ---------------------------------------------------------------------------------- */

static void *self_symbol(const char *name)
{
    Dl_info info;
    void *library = NULL, *found = NULL;
    if (dladdr((void *)(uintptr_t)double_live, &info) != 0 &&
        (library = dlopen(info.dli_fname, RTLD_NOW | RTLD_NOLOAD)) != NULL) {
        found = dlsym(library, name);
        (void)dlclose(library);
    }
    return found;
}

static const size_t *parameters_of(const char *name)
{
    char symbol[96];
    snprintf(symbol, sizeof symbol, "%s_parameters", name);
    return self_symbol(symbol);
}

/* Bytes of the next parameter of an entry, and the place after it; 0: no more. */
static size_t next_parameter(const char **at, const char *end)
{
    const char *param = strstr(*at, ".param");
    if (param == NULL || param >= end) {
        return 0;
    }
    const char *stop = strpbrk(param, ",)");
    const char *bracket = memchr(param, '[', (size_t)(stop - param));
    *at = stop;
    if (bracket != NULL) {
        return strtoul(bracket + 1, NULL, 10);
    }
    const char *width = strpbrk(param, "0123456789"); /* .u64, .f32 */
    return width != NULL ? strtoul(width, NULL, 10) / 8 : 0;
}

/* Each .entry of PTX has the parameters that the same function has in C. */
static bool check_entry(const char *entry, char *why, size_t why_bytes)
{
    char name[64] = "";
    (void)sscanf(entry, ".entry %63[A-Za-z0-9_]", name);
    const size_t *expected = parameters_of(name);
    const char *at = entry, *end = strchr(entry, ')');
    size_t n = 0, bytes = 0;
    if (expected == NULL || end == NULL) {
        snprintf(why, why_bytes, "no function %s in C", name);
        return false;
    }
    for (size_t i = next_parameter(&at, end); i > 0; i = next_parameter(&at, end)) {
        const size_t wanted = n < expected[0] ? sizeof(void *) : expected[1];
        if (i != wanted) {
            snprintf(why, why_bytes, "parameter %zu of %s has %zu bytes, in C %zu", n, name, i,
                     wanted);
            return false;
        }
        n++;
        bytes += i;
    }
    if (n != expected[0] + 1) {
        snprintf(why, why_bytes, "%s has %zu parameters, in C %zu", name, n, expected[0] + 1);
        return false;
    }
    return bytes > 0;
}

static bool check_image(const char *text, char *why, size_t why_bytes)
{
    if (strstr(text, ".version") == NULL) {
        return strstr(text, "KERNEL") != NULL; /* the source itself, where nothing compiles it */
    }
    for (const char *at = strstr(text, ".entry"); at != NULL; at = strstr(at + 1, ".entry")) {
        if (!check_entry(at, why, why_bytes)) {
            return false;
        }
    }
    return true;
}

static void say(const char *why, unsigned n, const gpu_option *options, void **values)
{
#ifndef GPU_DOUBLE_HIP
    char *log = NULL;
    size_t bytes = 0;
    for (unsigned i = 0; i < n; i++) {
        if (options[i] == CUDA_JIT_ERROR_LOG) {
            log = values[i];
        } else if (options[i] == CUDA_JIT_ERROR_LOG_BYTES) {
            bytes = (size_t)(uintptr_t)values[i];
        }
    }
    if (log != NULL && bytes > 0) {
        snprintf(log, bytes, "%s", why);
    }
#else
    (void)why;
    (void)n;
    (void)options;
    (void)values;
#endif
}

gpu_result gpu_symbol_module_load(gpu_module *module, const void *image, unsigned n,
                                  gpu_option *options, void **values)
{
    int device;
    char why[200] = "no image of this double";
    const gpu_result code = double_enter_current(GPU_TEXT(gpu_symbol_module_load), &device);
    if (code != GPU_SUCCESS) {
        return code;
    }
    if (!check_image(image, why, sizeof why)) {
        say(why, n, options, values);
        return DOUBLE_INVALID_IMAGE;
    }
    code_module *self = calloc(1, sizeof *self);
    if (self == NULL || (self->text = strdup(image)) == NULL) {
        free(self);
        return GPU_OUT_OF_MEMORY;
    }
    self->device = device;
    *module = (gpu_module)(void *)self;
    double_count("modules", 1);
    return GPU_SUCCESS;
}

gpu_result gpu_symbol_module_unload(gpu_module module)
{
    int device;
    const gpu_result code = double_enter_current(GPU_TEXT(gpu_symbol_module_unload), &device);
    code_module *self = (code_module *)(void *)module;
    if (code != GPU_SUCCESS && code != double_state(device)) {
        return code;
    }
    while (self->functions != NULL) {
        code_function *function = self->functions;
        self->functions = function->next;
        free(function);
    }
    free(self->text);
    free(self);
    double_count("modules", -1);
    return code;
}

gpu_result gpu_symbol_module_function(gpu_function *function, gpu_module module, const char *name)
{
    int device;
    const gpu_result code = double_enter_current(GPU_TEXT(gpu_symbol_module_function), &device);
    code_module *owner = (code_module *)(void *)module;
    const size_t *parameters = parameters_of(name);
    void *found = self_symbol(name);
    if (code != GPU_SUCCESS) {
        return code;
    }
    if (parameters == NULL || found == NULL || strstr(owner->text, name) == NULL) {
        return DOUBLE_NOT_FOUND;
    }
    code_function *self = calloc(1, sizeof *self);
    if (self == NULL) {
        return GPU_OUT_OF_MEMORY;
    }
    memcpy(&self->kernel, &found, sizeof found);
    self->n_memories = parameters[0];
    self->value_bytes = parameters[1];
    self->allowed = PLAIN_SHARED;
    self->next = owner->functions;
    owner->functions = self;
    *function = (gpu_function)(void *)self;
    return GPU_SUCCESS;
}

#ifndef GPU_DOUBLE_HIP
gpu_result gpu_symbol_function_attribute(gpu_function function, unsigned attribute, int value)
{
    int device;
    const gpu_result code = double_enter_current(GPU_TEXT(gpu_symbol_function_attribute), &device);
    if (code != GPU_SUCCESS || attribute != CUDA_FUNCTION_MAX_DYNAMIC_SHARED || value < 0 ||
        value > MOST_SHARED) {
        return code != GPU_SUCCESS ? code : DOUBLE_INVALID_VALUE;
    }
    ((code_function *)(void *)function)->allowed = (size_t)value;
    return GPU_SUCCESS;
}
#endif

/* --- Launches -------------------------------------------------------------------------------- */

typedef struct launch_step {
    double_kernel kernel;
    unsigned grid[3], block[3];
    size_t shared;
    void *args[MAX_ARGS];
    _Alignas(16) char bytes[]; /* of the parameters */
} launch_step;

static bool step_launch(void *arg, bool is_lost)
{
    const launch_step *self = arg;
    return is_lost ||
           double_run_grid(self->kernel, self->args, self->grid, self->block, self->shared);
}

static gpu_result check_launch(const code_function *f, const unsigned grid[3],
                               const unsigned block[3], unsigned shared)
{
    const bool is_grid = grid[0] > 0 && grid[0] <= INT32_MAX && grid[1] > 0 && grid[1] <= 65535 &&
                         grid[2] > 0 && grid[2] <= 65535;
    const bool is_block = block[0] > 0 && block[1] > 0 && block[2] > 0 && block[2] <= 64 &&
                          (uint64_t)block[0] * block[1] * block[2] <= MAX_THREADS;
    return is_grid && is_block && shared <= f->allowed && f->n_memories + 1 <= MAX_ARGS
               ? GPU_SUCCESS
               : DOUBLE_INVALID_VALUE;
}

gpu_result gpu_symbol_launch(gpu_function function, unsigned grid_x, unsigned grid_y,
                             unsigned grid_z, unsigned block_x, unsigned block_y, unsigned block_z,
                             unsigned shared_bytes, gpu_stream stream, void **params, void **extra)
{
    const char *symbol = GPU_TEXT(gpu_symbol_launch);
    const code_function *f = (const code_function *)(const void *)function;
    const unsigned grid[3] = {grid_x, grid_y, grid_z}, block[3] = {block_x, block_y, block_z};
    int device;
    gpu_result code = double_enter_current(symbol, &device);
    code = code == GPU_SUCCESS && extra == NULL ? check_launch(f, grid, block, shared_bytes) : code;
    if (code != GPU_SUCCESS) {
        return code;
    }
    launch_step *self = calloc(1, sizeof *self + f->n_memories * sizeof(void *) + f->value_bytes);
    if (self == NULL) {
        return GPU_OUT_OF_MEMORY;
    }
    self->kernel = f->kernel;
    memcpy(self->grid, grid, sizeof grid);
    memcpy(self->block, block, sizeof block);
    self->shared = shared_bytes;
    for (size_t i = 0; i <= f->n_memories; i++) {
        self->args[i] = self->bytes + i * sizeof(void *);
        memcpy(self->args[i], params[i], i < f->n_memories ? sizeof(void *) : f->value_bytes);
    }
    return double_enqueue(symbol, stream, step_launch, self);
}
