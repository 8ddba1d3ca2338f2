/* SPDX-License-Identifier: Apache-2.0 */
/* What Eigen's devices need of the host, as C functions. The C++ classes over them, header-only:
 * tensorflow/cc/eigen_cpu_device.h and eigen_gpu_device.h.
 * Source   the design's "Device Assignment API"; docs/reference/device-contract.md has what
 * differs. Since 1.2.
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

/* The stream of a computation on a pluggable device, for Eigen::StreamInterface. */
typedef struct TF_EigenStream TF_EigenStream;

/* Owns     the caller, who deletes the handle before compute ends; what it allocated goes with it,
 *          when the stream is done with it.
 * Context  inside compute; one thread at a time.
 * Errors   NULL, and the context fails: on the CPU, or without memory.
 */
TF_CAPI_EXPORT extern TF_EigenStream *TF_GetEigenStreamHandle(TF_OpKernelContext *ctx);
/* The design's other spelling. */
TF_CAPI_EXPORT extern TF_EigenStream *TF_GetEigenStream(TF_OpKernelContext *ctx);
/* Deletes the handle, not the stream. */
TF_CAPI_EXPORT extern void TF_DeleteEigenStreamHandle(TF_EigenStream *stream);

/* Address of the vendor's stream: a `const gpuStream_t *` to those who have that type. NULL: the
 * device's plugin shows none (TF_DeviceExtension.native_stream). */
TF_CAPI_EXPORT extern const void *TF_EigenStream_GetCudaStream(TF_EigenStream *stream);
/* The vendor runtime's properties, in the layout of the runtime that the device's plugin was built
 * with; NULL: it shows none. A kernel built with another version fills its own from the number. */
TF_CAPI_EXPORT extern const void *TF_EigenStream_GetDeviceProperties(TF_EigenStream *stream);
TF_CAPI_EXPORT extern int TF_EigenStream_GetDeviceOrdinal(TF_EigenStream *stream);

/* Device memory, aligned as the device likes it. NULL, and the context fails: none is left. */
TF_CAPI_EXPORT extern void *TF_EigenStream_Allocate(TF_EigenStream *stream, size_t num_bytes);
/* Whatever the stream still does with the buffer is done before others get it. NULL is fine. */
TF_CAPI_EXPORT extern void TF_EigenStream_Deallocate(TF_EigenStream *stream, void *buffer);

/* TF_EIGEN_SCRATCH_BYTES of device memory, made when first asked for; NULL as above. */
#define TF_EIGEN_SCRATCH_BYTES 1024
TF_CAPI_EXPORT extern void *TF_EigenStream_Scratchpad(TF_EigenStream *stream);
/* An unsigned int in device memory, 0 when first asked for; NULL as above. */
TF_CAPI_EXPORT extern unsigned int *TF_EigenStream_Semaphore(TF_EigenStream *stream);

#endif /* 1.2 */

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* ORIBI_TENSORFLOW_C_EIGEN_DEVICE_H_ */
