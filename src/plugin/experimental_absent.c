/* SPDX-License-Identifier: Apache-2.0 */
/* Helper functions of graph optimiser plugins, and the next-pluggable-device API: named, not
 * implemented.
 */
#include "plugin/absent.h"
#include "tensorflow/c/experimental/grappler/grappler.h"
#include "tensorflow/c/experimental/next_pluggable_device/c_api.h"

/* clang-format off */
ABSENT_VOID(TF_GetNodesToPreserveListSize, (const TF_GrapplerItem *item, int *num_values, size_t
    *storage_size, TF_Status *status), status)
ABSENT_VOID(TF_GetNodesToPreserveList, (const TF_GrapplerItem *item, char **values, size_t *lengths,
    int num_values, void *storage, size_t storage_size, TF_Status *status), status)
ABSENT_VOID(TF_GetFetchNodesListSize, (const TF_GrapplerItem *item, int *num_values, size_t
    *storage_size, TF_Status *status), status)
ABSENT_VOID(TF_GetFetchNodesList, (const TF_GrapplerItem *item, char **values, size_t *lengths, int
    num_values, void *storage, size_t storage_size, TF_Status *status), status)
ABSENT(TF_GraphProperties *, TF_NewGraphProperties, (const TF_GrapplerItem *item), NULL, NULL)
ABSENT_VOID(TF_DeleteGraphProperties, (TF_GraphProperties *graph_properties), NULL)
ABSENT_VOID(TF_InferStatically, (TF_GraphProperties *graph_properties, unsigned char
    assume_valid_feeds, unsigned char aggressive_shape_inference, unsigned char
    include_input_tensor_values, unsigned char include_output_tensor_values, TF_Status *s), s)
ABSENT_VOID(TF_GetInputPropertiesListSize, (TF_GraphProperties *graph_properties, const char *name,
    int *num_values, TF_Status *status), status)
ABSENT_VOID(TF_GetOutputPropertiesListSize, (TF_GraphProperties *graph_properties, const char *name,
    int *num_values, TF_Status *status), status)
ABSENT_VOID(TF_GetInputPropertiesList, (TF_GraphProperties *graph_properties, const char *name,
    TF_Buffer **properties, int num_values, TF_Status *status), status)
ABSENT_VOID(TF_GetOutputPropertiesList, (TF_GraphProperties *graph_properties, const char *name,
    TF_Buffer **properties, int num_values, TF_Status *status), status)
ABSENT(TF_FunctionLibraryDefinition *, TF_NewFunctionLibraryDefinition, (const TF_Buffer *graph_buf,
    TF_Status *status), status, NULL)
ABSENT_VOID(TF_DeleteFunctionLibraryDefinition, (TF_FunctionLibraryDefinition *fn_lib), NULL)
ABSENT_VOID(TF_LookUpOpDef, (TF_FunctionLibraryDefinition *fn_lib, const char *name, TF_Buffer *buf,
    TF_Status *s), s)
ABSENT(TF_Device *, TF_GetDevice, (TF_OpKernelContext *ctx), NULL, NULL)
ABSENT_VOID(TF_CreatePluginResource, (TF_OpKernelContext *ctx, const char *container_name, const
    char *plugin_resource_name, void *plugin_resource, void (*delete_func)(void *), TF_Status
    *status), status)
ABSENT_VOID(TF_LookupOrCreatePluginResource, (TF_OpKernelContext *ctx, const char *container_name,
    const char *plugin_resource_name, void **result_plugin_resource, void *(*create_func)(void *),
    void *create_func_args, void (*delete_func)(void *), TF_Status *status), status)
ABSENT(TF_VariableInfo *, TF_CreateVariableInfoFromContext, (TF_OpKernelContext *ctx, int index,
    TF_Status *status), status, NULL)
ABSENT_VOID(TF_LockVariableInfos, (TF_VariableInfo **vars, int num_vars, TF_Status *status), status)
ABSENT_VOID(TF_AllocateTempForVariableInfo, (TF_OpKernelContext *ctx, TF_VariableInfo *var_info,
    TF_Status *status), status)
ABSENT(TF_Tensor *, TF_GetTensorFromVariableInfo, (TF_VariableInfo *var_info, TF_Status *status),
    status, NULL)
ABSENT_VOID(TF_DeleteVariableInfo, (TF_VariableInfo *var_info), NULL)
ABSENT(TF_CoordinationServiceAgent *, TF_GetCoordinationServiceAgent, (TF_OpKernelContext *ctx),
    NULL, NULL)
ABSENT(bool, TF_CoordinationServiceIsInitialized, (TF_CoordinationServiceAgent *agent), NULL, false)
ABSENT_VOID(TF_CoordinationServiceInsertKeyValue, (const char *key, const char *value,
    TF_CoordinationServiceAgent *agent, TF_Status *status), status)
ABSENT(TF_Buffer *, TF_CoordinationServiceGetKeyValue, (const char *key, TF_CoordinationServiceAgent
    *agent, TF_Status *status), status, NULL)
ABSENT(TF_Buffer *, TF_CoordinationServiceGetKeyValueWithTimeout, (const char *key, int64_t
    timeout_seconds, TF_CoordinationServiceAgent *agent, TF_Status *status), status, NULL)
ABSENT(TF_Buffer *, TF_CoordinationServiceTryGetKeyValue, (const char *key,
    TF_CoordinationServiceAgent *agent, TF_Status *status), status, NULL)
ABSENT_VOID(TF_CoordinationServiceDeleteKeyValue, (const char *key, TF_CoordinationServiceAgent
    *agent, TF_Status *status), status)
ABSENT_VOID(TF_CreateAndSetPjRtCApiClient, (const char *device_type, TF_Status *status,
    PJRT_NamedValue *create_options, int num_options), status)
ABSENT_VOID(TF_ResetPjRtCClient, (const char *device_type, TF_Status *status), status)
ABSENT(PJRT_Client *, TF_GetPjRtCClient, (const char *device_type, TF_Status *status), status, NULL)
ABSENT(PJRT_Buffer *, TF_GetPjRtCBuffer, (TF_Tensor *c_tensor, TF_Status *status), status, NULL)
ABSENT_VOID(TF_CreatePjRtBuffer, (TF_Tensor *c_tensor, PJRT_Buffer *c_buffer, const char
    *device_type, TF_Status *status), status)
/* clang-format on */
