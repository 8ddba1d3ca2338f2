/* SPDX-License-Identifier: Apache-2.0 */
/* Names of TensorFlow's next-pluggable-device API (PJRT). Plugins that serve both device APIs
 * import them, so they are here; resources and variables work, PJRT itself and its coordination
 * service are out of scope, and their functions say UNIMPLEMENTED.
 */
#ifndef ORIBI_TENSORFLOW_C_EXPERIMENTAL_NEXT_PLUGGABLE_DEVICE_C_API_H_
#define ORIBI_TENSORFLOW_C_EXPERIMENTAL_NEXT_PLUGGABLE_DEVICE_C_API_H_

#include "tensorflow/c/kernels.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct TF_Device TF_Device;
typedef struct TF_VariableInfo TF_VariableInfo;
typedef struct TF_CoordinationServiceAgent TF_CoordinationServiceAgent;
typedef struct PJRT_NamedValue PJRT_NamedValue;
typedef struct PJRT_Client PJRT_Client;
typedef struct PJRT_Buffer PJRT_Buffer;

TF_CAPI_EXPORT extern TF_Device *TF_GetDevice(TF_OpKernelContext *ctx);
TF_CAPI_EXPORT extern void TF_CreatePluginResource(TF_OpKernelContext *ctx,
                                                   const char *container_name,
                                                   const char *plugin_resource_name,
                                                   void *plugin_resource,
                                                   void (*delete_func)(void *), TF_Status *status);
TF_CAPI_EXPORT extern void
TF_LookupOrCreatePluginResource(TF_OpKernelContext *ctx, const char *container_name,
                                const char *plugin_resource_name, void **result_plugin_resource,
                                void *(*create_func)(void *), void *create_func_args,
                                void (*delete_func)(void *), TF_Status *status);
TF_CAPI_EXPORT extern TF_VariableInfo *
TF_CreateVariableInfoFromContext(TF_OpKernelContext *ctx, int index, TF_Status *status);
TF_CAPI_EXPORT extern void TF_LockVariableInfos(TF_VariableInfo **vars, int num_vars,
                                                TF_Status *status);
TF_CAPI_EXPORT extern void TF_AllocateTempForVariableInfo(TF_OpKernelContext *ctx,
                                                          TF_VariableInfo *var_info,
                                                          TF_Status *status);
TF_CAPI_EXPORT extern TF_Tensor *TF_GetTensorFromVariableInfo(TF_VariableInfo *var_info,
                                                              TF_Status *status);
TF_CAPI_EXPORT extern void TF_DeleteVariableInfo(TF_VariableInfo *var_info);
TF_CAPI_EXPORT extern TF_CoordinationServiceAgent *
TF_GetCoordinationServiceAgent(TF_OpKernelContext *ctx);
TF_CAPI_EXPORT extern bool TF_CoordinationServiceIsInitialized(TF_CoordinationServiceAgent *agent);
TF_CAPI_EXPORT extern void TF_CoordinationServiceInsertKeyValue(const char *key, const char *value,
                                                                TF_CoordinationServiceAgent *agent,
                                                                TF_Status *status);
TF_CAPI_EXPORT extern TF_Buffer *
TF_CoordinationServiceGetKeyValue(const char *key, TF_CoordinationServiceAgent *agent,
                                  TF_Status *status);
TF_CAPI_EXPORT extern TF_Buffer *
TF_CoordinationServiceGetKeyValueWithTimeout(const char *key, int64_t timeout_seconds,
                                             TF_CoordinationServiceAgent *agent, TF_Status *status);
TF_CAPI_EXPORT extern TF_Buffer *
TF_CoordinationServiceTryGetKeyValue(const char *key, TF_CoordinationServiceAgent *agent,
                                     TF_Status *status);
TF_CAPI_EXPORT extern void TF_CoordinationServiceDeleteKeyValue(const char *key,
                                                                TF_CoordinationServiceAgent *agent,
                                                                TF_Status *status);
TF_CAPI_EXPORT extern void TF_CreateAndSetPjRtCApiClient(const char *device_type, TF_Status *status,
                                                         PJRT_NamedValue *create_options,
                                                         int num_options);
TF_CAPI_EXPORT extern void TF_ResetPjRtCClient(const char *device_type, TF_Status *status);
TF_CAPI_EXPORT extern PJRT_Client *TF_GetPjRtCClient(const char *device_type, TF_Status *status);
TF_CAPI_EXPORT extern PJRT_Buffer *TF_GetPjRtCBuffer(TF_Tensor *c_tensor, TF_Status *status);
TF_CAPI_EXPORT extern void TF_CreatePjRtBuffer(TF_Tensor *c_tensor, PJRT_Buffer *c_buffer,
                                               const char *device_type, TF_Status *status);

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* ORIBI_TENSORFLOW_C_EXPERIMENTAL_NEXT_PLUGGABLE_DEVICE_C_API_H_ */
