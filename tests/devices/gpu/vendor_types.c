/* SPDX-License-Identifier: Apache-2.0 */
/* Compiles where the plugins' own declarations of a vendor's functions are the vendor's: each
 * signature and each number. -DVENDOR_CUDA or -DVENDOR_HIP; -DPLANT_FAULT makes one wrong, which
 * has to be refused. Run by vendor_types.sh.
 */
#include <stddef.h>

#ifdef VENDOR_CUDA
#include <cublas_v2.h>
#include <cuda.h>

#include "cuda/blas.h"
#else
#define __HIP_PLATFORM_AMD__
#include <hip/hip_runtime_api.h>
#endif
#include "gpu/calls.h"

#define SAME_CALL(result, name, params)                                                            \
    _Static_assert(_Generic(&gpu_symbol_##name, result(*) params : 1, default : 0),                \
                   "another signature: " GPU_TEXT(gpu_symbol_##name));
GPU_CALLS(SAME_CALL)
GPU_VENDOR_CALLS(SAME_CALL)

#define SAME(ours, theirs) _Static_assert((int)(ours) == (int)(theirs), #ours)
#ifdef VENDOR_CUDA
SAME(GPU_SUCCESS, CUDA_SUCCESS);
SAME(GPU_OUT_OF_MEMORY, CUDA_ERROR_OUT_OF_MEMORY);
SAME(GPU_NO_DEVICE, CUDA_ERROR_NO_DEVICE);
SAME(GPU_NOT_READY, CUDA_ERROR_NOT_READY);
SAME(GPU_STREAM_NON_BLOCKING, CU_STREAM_NON_BLOCKING);
SAME(GPU_EVENT_DISABLE_TIMING, CU_EVENT_DISABLE_TIMING);
SAME(GPU_HOST_PORTABLE, CU_MEMHOSTALLOC_PORTABLE);
SAME(GPU_MANAGED_GLOBAL, CU_MEM_ATTACH_GLOBAL);
SAME(CUDA_JIT_ERROR_LOG, CU_JIT_ERROR_LOG_BUFFER);
SAME(CUDA_JIT_ERROR_LOG_BYTES, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES);
SAME(CUDA_FUNCTION_MAX_DYNAMIC_SHARED, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES);
SAME(CUDA_DEVICE_MEMORY_CLOCK_KHZ, CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE);
SAME(CUDA_DEVICE_MEMORY_BUS_BITS, CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH);
SAME(CUDA_BLAS_ALLOC_FAILED, CUBLAS_STATUS_ALLOC_FAILED);
SAME(CUDA_BLAS_PLAIN, CUBLAS_OP_N);
SAME(CUDA_BLAS_TRANSPOSED, CUBLAS_OP_T);
SAME(CUDA_BLAS_COMPUTE_32F, CUBLAS_COMPUTE_32F);
SAME(CUDA_BLAS_COMPUTE_64F, CUBLAS_COMPUTE_64F);
SAME(CUDA_BLAS_GEMM_DEFAULT, CUBLAS_GEMM_DEFAULT);
SAME(CUDA_BLAS_R_32F, CUDA_R_32F);
SAME(CUDA_BLAS_R_64F, CUDA_R_64F);
SAME(CUDA_BLAS_R_16F, CUDA_R_16F);
SAME(CUDA_BLAS_R_16BF, CUDA_R_16BF);
#define SAME_BLAS(result, name, symbol, params)                                                    \
    _Static_assert(_Generic(&symbol, result(*) params : 1, default : 0),                           \
                   "another signature: " #symbol);
CUDA_BLAS_CALLS(SAME_BLAS)
#ifdef PLANT_FAULT
SAME(GPU_NOT_READY, CUDA_ERROR_NO_DEVICE);
#endif
#else
SAME(GPU_SUCCESS, hipSuccess);
SAME(GPU_OUT_OF_MEMORY, hipErrorOutOfMemory);
SAME(GPU_NO_DEVICE, hipErrorNoDevice);
SAME(GPU_NOT_READY, hipErrorNotReady);
SAME(GPU_STREAM_NON_BLOCKING, hipStreamNonBlocking);
SAME(GPU_EVENT_DISABLE_TIMING, hipEventDisableTiming);
SAME(GPU_HOST_PORTABLE, hipHostMallocPortable);
SAME(GPU_MANAGED_GLOBAL, hipMemAttachGlobal);
#ifdef PLANT_FAULT
SAME_CALL(gpu_result, mem_alloc, (gpu_address address, size_t bytes))
#endif
#endif
