/* SPDX-License-Identifier: Apache-2.0 */
/* Functions that other plugins' kernels launch on the example device, and its matrix product. Code
 * of the device is the address of a C function, called for each thread of each block, one after the
 * other. An argument is the address of a value, of device memory as the device sees it, or of
 * scratch that a block's threads share.
 */
#include <stdlib.h>
#include <string.h>

#include "fake.h"

#pragma GCC diagnostic ignored "-Wunused-parameter" /* each member is told its device */

#if FAKE_HAS_EXTENSION

enum { MAX_ARGS = 32 };

typedef void (*device_code)(const uint32_t block[3], const uint32_t thread[3], void *const *args);

typedef struct launched {
    device_code code;
    TF_Launch what;
    TF_LaunchArg args[MAX_ARGS];
    max_align_t bytes[]; /* values and scratch, in the order of args */
} launched;

static size_t bytes_of(const TF_LaunchArg *arg)
{
    const size_t unit = sizeof(max_align_t);
    return arg->kind == TF_LAUNCH_MEMORY ? 0 : (arg->bytes + unit - 1) / unit * unit;
}

static void load_function(const SP_Device *device, const TF_DeviceCode *code, void **function,
                          TF_Status *status)
{
    if (!fake_check("load_function", device->ordinal, status)) {
        return;
    }
    if (code->image_bytes != sizeof *function) {
        TF_SetStatus(status, TF_INVALID_ARGUMENT,
                     "code of this device is the address of a function");
        return;
    }
    memcpy(function, code->image, sizeof *function);
}

static void unload_function(const SP_Device *device, void *function)
{
}

/* Number i among size[0] * size[1] * size[2], the first dimension fastest. */
static void place(uint64_t i, const uint32_t size[3], uint32_t out[3])
{
    out[0] = (uint32_t)(i % size[0]);
    out[1] = (uint32_t)(i / size[0] % size[1]);
    out[2] = (uint32_t)(i / size[0] / size[1]);
}

static bool launch_step(void *arg, bool runs)
{
    launched *l = arg;
    const uint64_t n_blocks = (uint64_t)l->what.grid[0] * l->what.grid[1] * l->what.grid[2];
    const uint64_t n_threads = (uint64_t)l->what.block[0] * l->what.block[1] * l->what.block[2];
    void *addresses[MAX_ARGS];
    char *bytes = (char *)l->bytes;
    for (int i = 0; i < l->what.n_args; i++) {
        const bool is_memory = l->args[i].kind == TF_LAUNCH_MEMORY;
        addresses[i] = is_memory ? fake_address(l->args[i].value) : bytes;
        bytes += bytes_of(&l->args[i]);
    }
    for (uint64_t i = 0; runs && i < n_blocks * n_threads; i++) {
        uint32_t block[3], thread[3];
        place(i / n_threads, l->what.grid, block);
        place(i % n_threads, l->what.block, thread);
        l->code(block, thread, addresses);
    }
    return runs;
}

static void launch(const SP_Device *device, SP_Stream stream, void *function, const TF_Launch *what,
                   TF_Status *status)
{
    size_t total = sizeof(launched);
    if (what->n_args < 0 || what->n_args > MAX_ARGS) {
        TF_SetStatus(status, TF_INVALID_ARGUMENT, "more than 32 arguments");
        return;
    }
    for (int i = 0; i < what->n_args; i++) {
        total += bytes_of(&what->args[i]);
    }
    launched *l = calloc(1, total);
    if (l == NULL) {
        TF_SetStatus(status, TF_RESOURCE_EXHAUSTED, "out of memory");
        return;
    }
    memcpy(&l->code, &function, sizeof function);
    l->what = *what;
    char *bytes = (char *)l->bytes;
    for (int i = 0; i < what->n_args; i++) {
        l->args[i] = what->args[i];
        if (what->args[i].kind == TF_LAUNCH_VALUE) { /* the caller's may change */
            memcpy(bytes, what->args[i].value, what->args[i].bytes);
        }
        bytes += bytes_of(&what->args[i]);
    }
    (void)fake_enqueue(stream, "launch", launch_step, l, total, status);
    free(l);
}

/* --- Matrix products ------------------------------------------------------------------------- */

static bool gemm_step(void *arg, bool runs)
{
    const TF_Gemm *g = arg;
    for (int64_t i = 0; runs && i < g->batch * g->m * g->n; i++) {
        const int64_t batch = i / (g->m * g->n), row = i / g->n % g->m, column = i % g->n;
        const float *a = (const float *)g->a + batch * g->stride_a;
        const float *b = (const float *)g->b + batch * g->stride_b;
        float *c = (float *)g->c + batch * g->stride_c + row * g->ldc + column;
        double sum = 0;
        for (int64_t k = 0; k < g->k; k++) {
            sum += (double)(g->transpose_a ? a[k * g->lda + row] : a[row * g->lda + k]) *
                   (double)(g->transpose_b ? b[column * g->ldb + k] : b[k * g->ldb + column]);
        }
        *c = (float)(g->alpha * sum + (g->beta != 0 ? g->beta * (double)*c : 0));
    }
    return runs;
}

static void gemm(const SP_Device *device, SP_Stream stream, const TF_Gemm *what, TF_Status *status)
{
    TF_Gemm own = *what;
    own.a = fake_address(what->a);
    own.b = fake_address(what->b);
    own.c = fake_address(what->c);
    if (what->dtype != TF_FLOAT) {
        TF_SetStatus(status, TF_UNIMPLEMENTED, "products of floats only");
    } else {
        (void)fake_enqueue(stream, "gemm", gemm_step, &own, sizeof own, status);
    }
}

/* What kernels written for the vendor's own calls would take: here the stream itself. */
static const void *native_stream(const SP_Device *device, SP_Stream stream)
{
    return stream;
}

void fake_fill_launch(TF_DeviceExtension *extension)
{
    extension->load_function = load_function;
    extension->unload_function = unload_function;
    extension->launch = launch;
    extension->gemm = gemm;
    extension->native_stream = native_stream;
}

#endif
