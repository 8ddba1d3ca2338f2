/* SPDX-License-Identifier: Apache-2.0 */
/* Functions that other plugins' kernels launch on the example device, and its matrix product. Code
 * of this device is the address of a C function, called for each thread of each block:
 *
 *     void f(const uint32_t block[3], const uint32_t thread[3], void *const *args);
 *
 * An argument is the address of a value, of device memory as the device sees it, or of scratch that
 * the threads of a block share.
 */
#include <stdlib.h>
#include <string.h>

#include "fake.h"

#ifndef FAKE_PLAIN

enum { MAX_ARGS = 32 };

typedef void (*device_code)(const uint32_t block[3], const uint32_t thread[3], void *const *args);

typedef struct launched {
    device_code code;
    uint32_t grid[3], block[3];
    int n_args;
    TF_LaunchArg args[MAX_ARGS];
    void *addresses[MAX_ARGS];
    char bytes[]; /* values, then scratch */
} launched;

static void load_function(const SP_Device *device, const TF_DeviceCode *code, void **out_function,
                          TF_Status *status)
{
    device_code function = NULL;
    if (!fake_check("load_function", device->ordinal, status)) {
        return;
    }
    if (code->image_bytes != sizeof function) {
        TF_SetStatus(status, TF_INVALID_ARGUMENT,
                     "code of this device is the address of a function");
        return;
    }
    memcpy(&function, code->image, sizeof function);
    memcpy(out_function, &function, sizeof function);
}

static void unload_function(const SP_Device *device, void *function)
{
    (void)device;
    (void)function;
}

/* All threads of a block one after the other: no barrier can be waited for. */
static void run_block(const launched *self, const uint32_t block[3])
{
    uint32_t thread[3];
    for (thread[2] = 0; thread[2] < self->block[2]; thread[2]++) {
        for (thread[1] = 0; thread[1] < self->block[1]; thread[1]++) {
            for (thread[0] = 0; thread[0] < self->block[0]; thread[0]++) {
                self->code(block, thread, self->addresses);
            }
        }
    }
}

static void run(void *arg, bool runs)
{
    launched *self = arg;
    uint32_t block[3];
    for (block[2] = 0; runs && block[2] < self->grid[2]; block[2]++) {
        for (block[1] = 0; block[1] < self->grid[1]; block[1]++) {
            for (block[0] = 0; block[0] < self->grid[0]; block[0]++) {
                run_block(self, block);
            }
        }
    }
    free(self);
}

static size_t count_bytes(const TF_Launch *launch)
{
    size_t bytes = launch->shared_bytes;
    for (int i = 0; i < launch->n_args; i++) {
        bytes += launch->args[i].kind == TF_LAUNCH_MEMORY ? 0 : (launch->args[i].bytes + 15) & ~15u;
    }
    return bytes;
}

static void launch(const SP_Device *device, SP_Stream stream, void *function, const TF_Launch *what,
                   TF_Status *status)
{
    if (what->n_args < 0 || what->n_args > MAX_ARGS) {
        TF_SetStatus(status, TF_INVALID_ARGUMENT, "more than 32 arguments");
        return;
    }
    launched *self = calloc(1, sizeof *self + count_bytes(what));
    if (self == NULL) {
        TF_SetStatus(status, TF_RESOURCE_EXHAUSTED, "out of memory");
        return;
    }
    (void)device;
    memcpy(&self->code, &function, sizeof function);
    memcpy(self->grid, what->grid, sizeof self->grid);
    memcpy(self->block, what->block, sizeof self->block);
    size_t at = 0;
    for (int i = 0; i < what->n_args; i++) {
        const TF_LaunchArg *from = &what->args[i];
        if (from->kind == TF_LAUNCH_MEMORY) {
            self->addresses[i] = fake_address(from->value);
            continue;
        }
        self->addresses[i] = self->bytes + at;
        if (from->kind == TF_LAUNCH_VALUE) {
            memcpy(self->bytes + at, from->value, from->bytes);
        }
        at += (from->bytes + 15) & ~15u;
    }
    if (!fake_enqueue("launch", stream, run, self, status)) {
        free(self);
    }
}

static void run_gemm(void *arg, bool runs)
{
    TF_Gemm *g = arg;
    for (int64_t i = 0; runs && i < g->batch * g->m * g->n; i++) {
        const int64_t b = i / (g->m * g->n);
        const int64_t row = i / g->n % g->m;
        const int64_t column = i % g->n;
        const float *x = (const float *)g->a + b * g->stride_a;
        const float *y = (const float *)g->b + b * g->stride_b;
        float *z = (float *)g->c + b * g->stride_c + row * g->ldc + column;
        double sum = 0;
        for (int64_t k = 0; k < g->k; k++) {
            sum += (double)(g->transpose_a ? x[k * g->lda + row] : x[row * g->lda + k]) *
                   (double)(g->transpose_b ? y[column * g->ldb + k] : y[k * g->ldb + column]);
        }
        *z = (float)(g->alpha * sum + (g->beta != 0 ? g->beta * (double)*z : 0));
    }
    free(g);
}

static void gemm(const SP_Device *device, SP_Stream stream, const TF_Gemm *what, TF_Status *status)
{
    (void)device;
    TF_Gemm *self = what->dtype == TF_FLOAT ? malloc(sizeof *self) : NULL;
    if (self == NULL) {
        TF_SetStatus(status, what->dtype == TF_FLOAT ? TF_RESOURCE_EXHAUSTED : TF_UNIMPLEMENTED,
                     "products of floats only, while there is memory");
        return;
    }
    *self = *what;
    self->a = fake_address(what->a);
    self->b = fake_address(what->b);
    self->c = fake_address(what->c);
    if (!fake_enqueue("gemm", stream, run_gemm, self, status)) {
        free(self);
    }
}

/* What kernels written for the vendor's own calls would take: here the stream itself. */
static const void *native_stream(const SP_Device *device, SP_Stream stream)
{
    (void)device;
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
