/* SPDX-License-Identifier: Apache-2.0 */
/* What Eigen's devices need of the host, as C functions. The C++ classes over them, header-only:
 * tensorflow/cc/eigen_cpu_device.h.
 * Source   the design's "Device Assignment API"; docs/device-contract.md has what differs. Since
 * 1.2.
 */
#ifndef ORIBI_TENSORFLOW_C_EIGEN_DEVICE_H_
#define ORIBI_TENSORFLOW_C_EIGEN_DEVICE_H_

#include "tensorflow/c/kernels.h"

#ifdef __cplusplus
extern "C" {
#endif

#if ORIBI_HAS_CONTRACT(1, 2)

/* Host memory for Eigen::Allocator, of the run: counted against the session's limit, and kept by it
 * from run to run. */
typedef struct TF_EigenAllocator TF_EigenAllocator;

/* Context  inside compute; the handle and what it allocated end before compute (or the done
 *          callback of an asynchronous kernel) does. */
TF_CAPI_EXPORT extern TF_EigenAllocator *TF_GetEigenAllocatorHandle(TF_OpKernelContext *ctx);
TF_CAPI_EXPORT extern void TF_DeleteEigenAllocatorHandle(TF_EigenAllocator *allocator);

/* num_bytes bytes, aligned to 64. Context  any thread of the computation.
 * Errors   beyond the session's limit the context fails, with the reason
 *          (TF_OpKernelContext_UpdateStatus), and the bytes come from the system, since Eigen does
 *          not look; NULL where that has none either. */
TF_CAPI_EXPORT extern void *TF_EigenAllocator_Allocate(TF_EigenAllocator *allocator,
                                                       size_t num_bytes);
/* NULL is fine. */
TF_CAPI_EXPORT extern void TF_EigenAllocator_Deallocate(TF_EigenAllocator *allocator, void *buffer);

#endif /* 1.2 */

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* ORIBI_TENSORFLOW_C_EIGEN_DEVICE_H_ */
