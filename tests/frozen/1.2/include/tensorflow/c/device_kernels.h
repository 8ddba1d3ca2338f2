/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels on pluggable devices: functions of the device, launched on the stream of the computation,
 * and matrix products. One C entry that hides cudaLaunchKernel and its twins: core knows no vendor,
 * the device's plugin does (device_extension.h).
 * Source   the design's "CudaLaunchKernel API", and its open question about MatMul. Since 1.2.
 */
#ifndef ORIBI_TENSORFLOW_C_DEVICE_KERNELS_H_
#define ORIBI_TENSORFLOW_C_DEVICE_KERNELS_H_

#include "tensorflow/c/device_extension.h"
#include "tensorflow/c/kernels.h"

#ifdef __cplusplus
extern "C" {
#endif

#if ORIBI_HAS_CONTRACT(1, 2)

/* A function of the device that ctx runs on. */
typedef struct TF_DeviceFunction TF_DeviceFunction;

/* Loads, perhaps compiles: seconds for some devices. A kernel does it once, in its first compute,
 * and keeps the function in its state.
 * Owns     the caller deletes it, in the kernel's destroy; it holds the device open.
 * Context  inside compute; any thread.
 * Errors   NULL: FAILED_PRECONDITION on the CPU; UNIMPLEMENTED where the plugin loads no functions;
 *          the plugin's own, with the device's name before it.
 */
TF_CAPI_EXPORT extern TF_DeviceFunction *
TF_LoadDeviceFunction(TF_OpKernelContext *ctx, const TF_DeviceCode *code, TF_Status *status);
TF_CAPI_EXPORT extern void TF_DeleteDeviceFunction(TF_DeviceFunction *function);

/* Enqueues one launch on the stream of the computation, and does not wait. Tensors that are its
 * arguments live until it is done; values are copied.
 * Errors   as above; INVALID_ARGUMENT for a grid or block of 0, or a function of another device.
 */
TF_CAPI_EXPORT extern void TF_LaunchKernel(TF_OpKernelContext *ctx, TF_DeviceFunction *function,
                                           const TF_Launch *launch, TF_Status *status);

/* Enqueues a matrix product of the plugin's own. UNIMPLEMENTED where it has none. */
TF_CAPI_EXPORT extern void TF_LaunchGemm(TF_OpKernelContext *ctx, const TF_Gemm *gemm,
                                         TF_Status *status);

#endif /* 1.2 */

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* ORIBI_TENSORFLOW_C_DEVICE_KERNELS_H_ */
