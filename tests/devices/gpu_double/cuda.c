/* SPDX-License-Identifier: Apache-2.0 */
/* What CUDA has of its own: the library, devices, primary contexts, host calls, and cuBLAS. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cuda/blas.h"
#include "gpu_double/double.h"

struct CUctx_st {
    int device, users;
};

static struct CUctx_st contexts[DOUBLE_MAX_DEVICES] = {{0, 0}, {1, 0}, {2, 0}, {3, 0}};
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static bool is_open;
static _Thread_local gpu_context current;

int double_current(void)
{
    return current != NULL ? current->device : -1;
}

gpu_context double_context(int device)
{
    return &contexts[device];
}

static int n_devices(void)
{
    const char *text = getenv("ORIBI_GPU_DOUBLE_DEVICES");
    const int n = text != NULL ? atoi(text) : 2;
    return n < 0 ? 0 : n > DOUBLE_MAX_DEVICES ? DOUBLE_MAX_DEVICES : n;
}

static gpu_result check_device(const char *symbol, int device)
{
    const gpu_result code = double_enter(symbol, -1);
    if (code != GPU_SUCCESS) {
        return code;
    }
    pthread_mutex_lock(&lock);
    const bool open = is_open;
    pthread_mutex_unlock(&lock);
    return !open                                 ? (gpu_result)DOUBLE_NOT_INITIALIZED
           : device >= 0 && device < n_devices() ? GPU_SUCCESS
                                                 : (gpu_result)101;
}

gpu_result cuInit(unsigned flags)
{
    const gpu_result code = double_enter("cuInit", -1);
    if (code != GPU_SUCCESS || flags != 0) {
        return code != GPU_SUCCESS ? code : DOUBLE_INVALID_VALUE;
    }
    pthread_mutex_lock(&lock);
    is_open = true;
    pthread_mutex_unlock(&lock);
    return n_devices() > 0 ? GPU_SUCCESS : GPU_NO_DEVICE;
}

gpu_result cuDriverGetVersion(int *version)
{
    *version = 13000;
    return GPU_SUCCESS;
}

gpu_result cuDeviceGetCount(int *count)
{
    *count = n_devices();
    return check_device("cuDeviceGetCount", 0);
}

gpu_result cuDeviceGet(int *device, int ordinal)
{
    *device = ordinal;
    return check_device("cuDeviceGet", ordinal);
}

gpu_result cuDeviceGetName(char *name, int bytes, int device)
{
    snprintf(name, (size_t)bytes, "double %d", device);
    return check_device("cuDeviceGetName", device);
}

gpu_result cuDeviceGetPCIBusId(char *name, int bytes, int device)
{
    snprintf(name, (size_t)bytes, "0000:%02X:00.0", device + 1);
    return check_device("cuDeviceGetPCIBusId", device);
}

gpu_result cuDeviceGetAttribute(int *value, unsigned attribute, int device)
{
    *value = attribute == CUDA_DEVICE_MEMORY_CLOCK_KHZ ? 1000000 : 256;
    return check_device("cuDeviceGetAttribute", device);
}

gpu_result cuDeviceCanAccessPeer(int *can, int device, int peer)
{
    *can = device != peer;
    return check_device("cuDeviceCanAccessPeer", device);
}

gpu_result cuCtxEnablePeerAccess(gpu_context peer, unsigned flags)
{
    int device;
    const gpu_result code = double_enter_current("cuCtxEnablePeerAccess", &device);
    return code != GPU_SUCCESS                    ? code
           : peer->device == device || flags != 0 ? (gpu_result)DOUBLE_INVALID_VALUE
                                                  : GPU_SUCCESS;
}

gpu_result cuDevicePrimaryCtxRetain(gpu_context *context, int device)
{
    const gpu_result code = check_device("cuDevicePrimaryCtxRetain", device);
    if (code == GPU_SUCCESS) {
        pthread_mutex_lock(&lock);
        contexts[device].users++;
        pthread_mutex_unlock(&lock);
        *context = &contexts[device];
        double_count("contexts", 1);
    }
    return code;
}

gpu_result cuDevicePrimaryCtxRelease_v2(int device)
{
    const gpu_result code = check_device("cuDevicePrimaryCtxRelease_v2", device);
    if (code == GPU_SUCCESS) {
        pthread_mutex_lock(&lock);
        contexts[device].users--;
        pthread_mutex_unlock(&lock);
        double_count("contexts", -1);
    }
    return code;
}

gpu_result cuCtxGetCurrent(gpu_context *context)
{
    *context = current;
    return double_is_host_call ? (gpu_result)DOUBLE_NOT_PERMITTED : GPU_SUCCESS;
}

gpu_result cuCtxSetCurrent(gpu_context context)
{
    current = context;
    return double_is_host_call ? (gpu_result)DOUBLE_NOT_PERMITTED : GPU_SUCCESS;
}

static const struct {
    gpu_result code;
    const char *name, *text;
} errors[] = {
    {DOUBLE_INVALID_VALUE, "CUDA_ERROR_INVALID_VALUE", "invalid argument"},
    {GPU_OUT_OF_MEMORY, "CUDA_ERROR_OUT_OF_MEMORY", "out of memory"},
    {DOUBLE_NOT_INITIALIZED, "CUDA_ERROR_NOT_INITIALIZED", "initialization error"},
    {GPU_NO_DEVICE, "CUDA_ERROR_NO_DEVICE", "no CUDA-capable device is detected"},
    {DOUBLE_INVALID_IMAGE, "CUDA_ERROR_INVALID_IMAGE", "device kernel image is invalid"},
    {DOUBLE_INVALID_CONTEXT, "CUDA_ERROR_INVALID_CONTEXT", "invalid device context"},
    {DOUBLE_INVALID_HANDLE, "CUDA_ERROR_INVALID_HANDLE", "invalid resource handle"},
    {DOUBLE_NOT_FOUND, "CUDA_ERROR_NOT_FOUND", "named symbol not found"},
    {DOUBLE_LAUNCH_FAILED, "CUDA_ERROR_LAUNCH_FAILED", "unspecified launch failure"},
    {DOUBLE_NOT_PERMITTED, "CUDA_ERROR_NOT_PERMITTED", "operation not permitted"},
};

gpu_result cuGetErrorName(gpu_result code, const char **text)
{
    for (size_t i = 0; i < sizeof errors / sizeof *errors; i++) {
        if (errors[i].code == code) {
            *text = errors[i].name;
            return GPU_SUCCESS;
        }
    }
    return DOUBLE_INVALID_VALUE;
}

gpu_result cuGetErrorString(gpu_result code, const char **text)
{
    for (size_t i = 0; i < sizeof errors / sizeof *errors; i++) {
        if (errors[i].code == code) {
            *text = errors[i].text;
            return GPU_SUCCESS;
        }
    }
    return DOUBLE_INVALID_VALUE;
}

/* --- Host calls ------------------------------------------------------------------------------ */

typedef struct call_step {
    void (*call)(void *);
    void *arg;
} call_step;

static bool step_call(void *arg, bool is_lost)
{
    const call_step *self = arg;
    if (!is_lost) {
        double_is_host_call = true;
        self->call(self->arg);
        double_is_host_call = false;
    }
    return true;
}

gpu_result cuLaunchHostFunc(gpu_stream stream, void (*call)(void *), void *arg)
{
    int device;
    const gpu_result code = double_enter_current("cuLaunchHostFunc", &device);
    call_step *self = code == GPU_SUCCESS ? calloc(1, sizeof *self) : NULL;
    if (self == NULL) {
        return code != GPU_SUCCESS ? code : GPU_OUT_OF_MEMORY;
    }
    *self = (call_step){call, arg};
    return double_enqueue("cuLaunchHostFunc", stream, step_call, self);
}

/* --- cuBLAS ---------------------------------------------------------------------------------- */

enum { BLAS_NOT_INITIALIZED = 1, BLAS_INVALID_VALUE = 7, BLAS_NOT_SUPPORTED = 15 };

struct cublasContext {
    gpu_stream stream;
};

#define DOUBLE_DECLARE_BLAS(result, name, symbol, params) result symbol params;
CUDA_BLAS_CALLS(DOUBLE_DECLARE_BLAS)
#undef DOUBLE_DECLARE_BLAS

unsigned cublasCreate_v2(cuda_blas_handle *handle)
{
    int device;
    if (double_enter_current("cublasCreate_v2", &device) != GPU_SUCCESS) {
        return BLAS_NOT_INITIALIZED;
    }
    *handle = calloc(1, sizeof **handle);
    double_count("handles", 1);
    return *handle != NULL ? 0 : CUDA_BLAS_ALLOC_FAILED;
}

unsigned cublasDestroy_v2(cuda_blas_handle handle)
{
    free(handle);
    double_count("handles", -1);
    return 0;
}

unsigned cublasSetStream_v2(cuda_blas_handle handle, gpu_stream stream)
{
    handle->stream = stream;
    return 0;
}

typedef struct gemm_step { /* by columns: c [m, n] = op(a) [m, k] op(b) [k, n] */
    int m, n, k, batch;
    bool turn_a, turn_b, is_double;
    double alpha, beta;
    const char *a, *b;
    char *c;
    long long lda, ldb, ldc, stride_a, stride_b, stride_c;
} gemm_step;

static double get(const char *memory, long long i, bool is_double)
{
    return is_double ? ((const double *)(const void *)memory)[i]
                     : (double)((const float *)(const void *)memory)[i];
}

static void put(char *memory, long long i, bool is_double, double value)
{
    if (is_double) {
        ((double *)(void *)memory)[i] = value;
    } else {
        ((float *)(void *)memory)[i] = (float)value;
    }
}

static bool step_gemm(void *arg, bool is_lost)
{
    const gemm_step *g = arg;
    for (int p = 0; !is_lost && p < g->batch; p++) {
        const long long a = p * g->stride_a, b = p * g->stride_b, c = p * g->stride_c;
        for (int j = 0; j < g->n; j++) {
            for (int i = 0; i < g->m; i++) {
                double sum = 0;
                for (int l = 0; l < g->k; l++) {
                    sum +=
                        get(g->a, a + (g->turn_a ? l + i * g->lda : i + l * g->lda), g->is_double) *
                        get(g->b, b + (g->turn_b ? j + l * g->ldb : l + j * g->ldb), g->is_double);
                }
                const long long at = c + i + j * g->ldc;
                const double old = g->beta != 0 ? g->beta * get(g->c, at, g->is_double) : 0;
                put(g->c, at, g->is_double, g->alpha * sum + old);
            }
        }
    }
    return true;
}

/* Rows of a matrix in memory are columns apart by at least as many elements. */
static bool is_matrix(const void *memory, long long rows, long long columns, int ld, int batch,
                      long long stride, size_t element)
{
    const long long last = (columns - 1) * ld + rows + (batch - 1) * stride;
    return ld >= 1 && ld >= rows &&
           (rows == 0 || columns == 0 ||
            double_is_memory(double_current(), (gpu_address)(uintptr_t)memory,
                             (size_t)last * element));
}

unsigned cublasGemmStridedBatchedEx(cuda_blas_handle handle, unsigned transpose_a,
                                    unsigned transpose_b, int m, int n, int k, const void *alpha,
                                    const void *a, unsigned a_type, int lda, long long stride_a,
                                    const void *b, unsigned b_type, int ldb, long long stride_b,
                                    const void *beta, void *c, unsigned c_type, int ldc,
                                    long long stride_c, int batch, unsigned compute, int algorithm)
{
    const bool is_double = a_type == CUDA_BLAS_R_64F;
    const size_t element = is_double ? sizeof(double) : sizeof(float);
    int device;
    if (double_enter_current("cublasGemmStridedBatchedEx", &device) != GPU_SUCCESS) {
        return 14; /* an internal error */
    }
    if (a_type != b_type || a_type != c_type || (a_type != CUDA_BLAS_R_32F && !is_double) ||
        compute != (is_double ? CUDA_BLAS_COMPUTE_64F : CUDA_BLAS_COMPUTE_32F) ||
        algorithm != CUDA_BLAS_GEMM_DEFAULT) {
        return BLAS_NOT_SUPPORTED;
    }
    if (m < 1 || n < 1 || k < 0 ||
        !is_matrix(a, transpose_a ? k : m, transpose_a ? m : k, lda, batch, stride_a, element) ||
        !is_matrix(b, transpose_b ? n : k, transpose_b ? k : n, ldb, batch, stride_b, element) ||
        !is_matrix(c, m, n, ldc, batch, stride_c, element)) {
        return BLAS_INVALID_VALUE;
    }
    gemm_step *self = calloc(1, sizeof *self);
    if (self == NULL) {
        return CUDA_BLAS_ALLOC_FAILED;
    }
    *self = (gemm_step){.m = m,
                        .n = n,
                        .k = k,
                        .batch = batch,
                        .turn_a = transpose_a != 0,
                        .turn_b = transpose_b != 0,
                        .is_double = is_double,
                        .alpha = get(alpha, 0, is_double),
                        .beta = get(beta, 0, is_double),
                        .a = a,
                        .b = b,
                        .c = c,
                        .lda = lda,
                        .ldb = ldb,
                        .ldc = ldc,
                        .stride_a = stride_a,
                        .stride_b = stride_b,
                        .stride_c = stride_c};
    return double_enqueue("cublasGemmStridedBatchedEx", handle->stream, step_gemm, self) ==
                   GPU_SUCCESS
               ? 0
               : 13; /* execution failed */
}
