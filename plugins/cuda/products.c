/* SPDX-License-Identifier: Apache-2.0 */
/* Matrix products by cuBLAS, where its library is: found at the first product, else the device's
 * own kernels make them. The plugin's option blas=FILE names another one. cuBLAS counts columns
 * first: c = a b by rows is its c' = b' a' by columns.
 *
 * Source   NVIDIA's cuBLAS reference, cublasGemmStridedBatchedEx.
 */
#include <limits.h>
#include <stdio.h>

#include "cuda/blas.h"
#include "gpu/gpu.h"
#include "tensorflow/c/kernels_extension.h"

static struct {
    pthread_mutex_t lock;
    bool is_known;
    cuda_blas_calls calls;
    char chosen[500]; /* by the plugin's option */
    char why[200];    /* there is none; empty: there is */
} blas = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void find_blas(void)
{
    static const char *const names[] = {"libcublas.so.13", "libcublas.so.12", "libcublas.so.11",
                                        NULL};
    void *library = gpu_library(blas.chosen, names, blas.why, sizeof blas.why);
    if (library != NULL) {
        blas.why[0] = '\0';
#define CUDA_BLAS_FIND(result, name, symbol, params)                                               \
    if (!gpu_symbol(library, GPU_TEXT(symbol), &blas.calls.name)) {                                \
        snprintf(blas.why, sizeof blas.why, "cuBLAS has no %s", GPU_TEXT(symbol));                 \
    }
        CUDA_BLAS_CALLS(CUDA_BLAS_FIND)
#undef CUDA_BLAS_FIND
    }
}

static bool has_blas(TF_Status *status)
{
    pthread_mutex_lock(&blas.lock);
    if (!blas.is_known) {
        find_blas();
        blas.is_known = true;
    }
    pthread_mutex_unlock(&blas.lock);
    if (blas.why[0] != '\0') {
        TF_SetStatus(status, TF_UNIMPLEMENTED, blas.why);
    }
    return blas.why[0] == '\0';
}

static bool check(unsigned code, const char *symbol, TF_Status *status)
{
    char message[100];
    if (code != 0) {
        snprintf(message, sizeof message, "%s: cuBLAS status %u", symbol, code);
        TF_SetStatus(status, code == CUDA_BLAS_ALLOC_FAILED ? TF_RESOURCE_EXHAUSTED : TF_INTERNAL,
                     message);
    }
    return code == 0;
}

/* The stream's own handle, since one handle serves one thread at a time. */
static cuda_blas_handle handle_of(SP_Stream stream, TF_Status *status)
{
    cuda_blas_handle handle = NULL;
    pthread_mutex_lock(&stream->lock);
    if (stream->products == NULL && check(blas.calls.create(&handle), "cublasCreate_v2", status)) {
        if (check(blas.calls.set_stream(handle, stream->handle), "cublasSetStream_v2", status)) {
            stream->products = handle;
        } else {
            (void)blas.calls.destroy(handle);
        }
    }
    handle = stream->products;
    pthread_mutex_unlock(&stream->lock);
    return handle;
}

void gpu_vendor_end_products(SP_Stream stream)
{
    if (stream->products != NULL) {
        (void)blas.calls.destroy(stream->products);
    }
}

typedef struct blas_types {
    unsigned data, compute;
    bool is_double; /* what alpha and beta are */
} blas_types;

static bool types_of(TF_DataType dtype, blas_types *out, TF_Status *status)
{
    switch (dtype) {
    case TF_FLOAT:
        *out = (blas_types){CUDA_BLAS_R_32F, CUDA_BLAS_COMPUTE_32F, false};
        return true;
    case TF_DOUBLE:
        *out = (blas_types){CUDA_BLAS_R_64F, CUDA_BLAS_COMPUTE_64F, true};
        return true;
    case TF_HALF:
        *out = (blas_types){CUDA_BLAS_R_16F, CUDA_BLAS_COMPUTE_32F, false};
        return true;
    case TF_BFLOAT16:
        *out = (blas_types){CUDA_BLAS_R_16BF, CUDA_BLAS_COMPUTE_32F, false};
        return true;
    default:
        TF_SetStatus(status, TF_UNIMPLEMENTED, "gemm: the type must be a floating-point type");
        return false;
    }
}

static unsigned operation(int32_t is_transposed)
{
    return is_transposed ? CUDA_BLAS_TRANSPOSED : CUDA_BLAS_PLAIN;
}

/* From row to row; cuBLAS takes no 0, which rows without elements have. */
static int step(int64_t elements)
{
    return elements > 0 ? (int)elements : 1;
}

static bool fits(const TF_Gemm *g)
{
    return g->m <= INT_MAX && g->n <= INT_MAX && g->k <= INT_MAX && g->lda <= INT_MAX &&
           g->ldb <= INT_MAX && g->ldc <= INT_MAX && g->batch <= INT_MAX;
}

void gpu_vendor_gemm(SP_Stream stream, const TF_Gemm *g, TF_Status *status)
{
    blas_types types;
    if (!types_of(g->dtype, &types, status) || !has_blas(status)) {
        return;
    }
    if (g->m == 0 || g->n == 0 || g->batch == 0) {
        return;
    }
    if (!fits(g)) {
        TF_SetStatus(status, TF_UNIMPLEMENTED, "gemm: a matrix has 2^31 rows or columns or more");
        return;
    }
    const float alpha = (float)g->alpha, beta = (float)g->beta;
    const gpu_context before = gpu_enter(stream->device);
    cuda_blas_handle handle = handle_of(stream, status);
    if (handle != NULL) {
        (void)check(blas.calls.gemm(
                        handle, operation(g->transpose_b), operation(g->transpose_a), (int)g->n,
                        (int)g->m, (int)g->k, types.is_double ? (const void *)&g->alpha : &alpha,
                        g->b, types.data, step(g->ldb), g->stride_b, g->a, types.data, step(g->lda),
                        g->stride_a, types.is_double ? (const void *)&g->beta : &beta, g->c,
                        types.data, step(g->ldc), g->stride_c, (int)g->batch, types.compute,
                        CUDA_BLAS_GEMM_DEFAULT),
                    "cublasGemmStridedBatchedEx", status);
    }
    gpu_leave(stream->device, before);
}

void gpu_vendor_open_products(void)
{
    const char *chosen = TF_PluginOption("blas"); /* options can be read now alone */
    snprintf(blas.chosen, sizeof blas.chosen, "%s", chosen != NULL ? chosen : "");
}
