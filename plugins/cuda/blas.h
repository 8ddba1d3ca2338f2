/* SPDX-License-Identifier: Apache-2.0 */
/* Our own declarations of what is used of cuBLAS; checked against cublas_v2.h by
 * tests/devices/gpu/vendor_types.c.
 */
#ifndef ORIBI_PLUGINS_CUDA_BLAS_H_
#define ORIBI_PLUGINS_CUDA_BLAS_H_

#include "cuda/cuda_vendor.h"

typedef struct cublasContext *cuda_blas_handle;

enum {
    CUDA_BLAS_ALLOC_FAILED = 3,
    CUDA_BLAS_PLAIN = 0,
    CUDA_BLAS_TRANSPOSED = 1,
    CUDA_BLAS_COMPUTE_32F = 68,
    CUDA_BLAS_COMPUTE_64F = 70,
    CUDA_BLAS_GEMM_DEFAULT = -1,
    CUDA_BLAS_R_32F = 0,
    CUDA_BLAS_R_64F = 1,
    CUDA_BLAS_R_16F = 2,
    CUDA_BLAS_R_16BF = 14
};

/* Enums of NVIDIA's are unsigned where none of their values is negative. */
#define CUDA_BLAS_CALLS(X)                                                                         \
    X(unsigned, create, cublasCreate_v2, (cuda_blas_handle * handle))                              \
    X(unsigned, destroy, cublasDestroy_v2, (cuda_blas_handle handle))                              \
    X(unsigned, set_stream, cublasSetStream_v2, (cuda_blas_handle handle, gpu_stream stream))      \
    X(unsigned, gemm, cublasGemmStridedBatchedEx,                                                  \
      (cuda_blas_handle handle, unsigned transpose_a, unsigned transpose_b, int m, int n, int k,   \
       const void *alpha, const void *a, unsigned a_type, int lda, long long stride_a,             \
       const void *b, unsigned b_type, int ldb, long long stride_b, const void *beta, void *c,     \
       unsigned c_type, int ldc, long long stride_c, int batch, unsigned compute, int algorithm))

typedef struct cuda_blas_calls {
#define CUDA_BLAS_MEMBER(result, name, symbol, params) result(*name) params;
    CUDA_BLAS_CALLS(CUDA_BLAS_MEMBER)
#undef CUDA_BLAS_MEMBER
} cuda_blas_calls;

#endif
