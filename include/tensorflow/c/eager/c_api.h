/* SPDX-License-Identifier: Apache-2.0 */
/* Of TensorFlow's eager API what bindings need to load and to hand tensors over: contexts, and
 * handles of tensors in the host's memory. Ops are run by graphs and sessions (c_api.h).
 */
#ifndef ORIBI_TENSORFLOW_C_EAGER_C_API_H_
#define ORIBI_TENSORFLOW_C_EAGER_C_API_H_

#include "tensorflow/c/c_api.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct TFE_ContextOptions TFE_ContextOptions;
typedef struct TFE_Context TFE_Context;
typedef struct TFE_TensorHandle TFE_TensorHandle;

#if ORIBI_HAS_CONTRACT(1, 4)
/* NULL: no memory. */
TF_CAPI_EXPORT extern TFE_ContextOptions *TFE_NewContextOptions(void);
/* A ConfigProto, of which nothing counts here; INVALID_ARGUMENT: it is none. */
TF_CAPI_EXPORT extern void TFE_ContextOptionsSetConfig(TFE_ContextOptions *options,
                                                       const void *proto, size_t proto_len,
                                                       TF_Status *status);
TF_CAPI_EXPORT extern void TFE_ContextOptionsSetAsync(TFE_ContextOptions *options,
                                                      unsigned char enable);
TF_CAPI_EXPORT extern void TFE_DeleteContextOptions(TFE_ContextOptions *options);
TF_CAPI_EXPORT extern TFE_Context *TFE_NewContext(const TFE_ContextOptions *opts,
                                                  TF_Status *status);
TF_CAPI_EXPORT extern void TFE_DeleteContext(TFE_Context *ctx);
/* The caller deletes the list. */
TF_CAPI_EXPORT extern TF_DeviceList *TFE_ContextListDevices(TFE_Context *ctx, TF_Status *status);

/* A reference of the tensor's memory. */
TF_CAPI_EXPORT extern TFE_TensorHandle *TFE_NewTensorHandle(const TF_Tensor *t, TF_Status *status);
TF_CAPI_EXPORT extern void TFE_DeleteTensorHandle(TFE_TensorHandle *h);
TF_CAPI_EXPORT extern TF_DataType TFE_TensorHandleDataType(TFE_TensorHandle *h);
TF_CAPI_EXPORT extern int TFE_TensorHandleNumDims(TFE_TensorHandle *h, TF_Status *status);
TF_CAPI_EXPORT extern int64_t TFE_TensorHandleDim(TFE_TensorHandle *h, int dim_index,
                                                  TF_Status *status);
/* Names of devices live as long as the process. */
TF_CAPI_EXPORT extern const char *TFE_TensorHandleDeviceName(TFE_TensorHandle *h,
                                                             TF_Status *status);
TF_CAPI_EXPORT extern const char *TFE_TensorHandleBackingDeviceName(TFE_TensorHandle *h,
                                                                    TF_Status *status);
/* A new handle of the same memory, which the caller deletes. */
TF_CAPI_EXPORT extern TF_Tensor *TFE_TensorHandleResolve(TFE_TensorHandle *h, TF_Status *status);
/* INVALID_ARGUMENT: the context has no such device. */
TF_CAPI_EXPORT extern TFE_TensorHandle *TFE_TensorHandleCopyToDevice(TFE_TensorHandle *h,
                                                                     TFE_Context *ctx,
                                                                     const char *device_name,
                                                                     TF_Status *status);
#endif /* 1.4 */

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif
