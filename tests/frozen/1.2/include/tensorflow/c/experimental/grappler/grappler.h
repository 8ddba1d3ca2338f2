/* SPDX-License-Identifier: Apache-2.0 */
/* Graph optimisers as plugins: TF_InitGraph registers one for a device type, and each session that
 * uses such a device calls it before the host's own passes. It takes and gives serialised
 * GraphDefs; what comes back must have the same inputs and outputs, of the same types and shapes,
 * else it is left aside with a warning in the log. Of an absent optional input (ONNX has them) the
 * message shows a node of the op `Oribi>Absent`.
 */
#ifndef ORIBI_TENSORFLOW_C_EXPERIMENTAL_GRAPPLER_H_
#define ORIBI_TENSORFLOW_C_EXPERIMENTAL_GRAPPLER_H_

#include "tensorflow/c/c_api_macros.h"
#include "tensorflow/c/tf_buffer.h"
#include "tensorflow/c/tf_status.h"

#ifdef __cplusplus
extern "C" {
#endif

#define GO_MAJOR 0
#define GO_MINOR 0
#define GO_PATCH 1

typedef struct TF_GrapplerItem TF_GrapplerItem;
typedef struct TF_GraphProperties TF_GraphProperties;
typedef struct TF_FunctionLibraryDefinition TF_FunctionLibraryDefinition;

typedef enum TF_TriState {
    TF_TriState_Default = 0,
    TF_TriState_Off = 1,
    TF_TriState_On = 2
} TF_TriState;

/* Which of the host's own optimisers stay on beside the plugin. struct_size is 92. */
typedef struct TP_OptimizerConfigs {
    size_t struct_size;
    void *ext;
    TF_TriState disable_model_pruning;
    TF_TriState implementation_selector;
    TF_TriState function_optimization;
    TF_TriState common_subgraph_elimination;
    TF_TriState arithmetic_optimization;
    TF_TriState debug_stripper;
    TF_TriState constant_folding;
    TF_TriState shape_optimization;
    TF_TriState auto_mixed_precision;
    TF_TriState auto_mixed_precision_onednn_bfloat16;
    TF_TriState auto_mixed_precision_mkl;
    TF_TriState pin_to_host_optimization;
    TF_TriState layout_optimizer;
    TF_TriState remapping;
    TF_TriState loop_optimization;
    TF_TriState dependency_optimization;
    TF_TriState auto_parallel;
    TF_TriState memory_optimization;
    TF_TriState scoped_allocator_optimization;
} TP_OptimizerConfigs;
#define TP_OPTIMIZER_CONFIGS_STRUCT_SIZE                                                           \
    TF_OFFSET_OF_END(TP_OptimizerConfigs, scoped_allocator_optimization)

typedef struct TP_Optimizer {
    size_t struct_size;
    void *ext;
    void *(*create_func)(void);
    void (*optimize_func)(void *optimizer, const TF_Buffer *graph, const TF_GrapplerItem *item,
                          TF_Buffer *optimized, TF_Status *status);
    void (*destroy_func)(void *optimizer);
} TP_Optimizer;
#define TP_OPTIMIZER_STRUCT_SIZE TF_OFFSET_OF_END(TP_Optimizer, destroy_func)

typedef struct TP_OptimizerRegistrationParams {
    size_t struct_size;
    void *ext;
    int32_t major_version, minor_version, patch_version;
    const char *device_type;
    TP_OptimizerConfigs *optimizer_configs;
    TP_Optimizer *optimizer;
} TP_OptimizerRegistrationParams;
#define TP_OPTIMIZER_REGISTRATION_PARAMS_STRUCT_SIZE                                               \
    TF_OFFSET_OF_END(TP_OptimizerRegistrationParams, optimizer)

/* Exported by the plugin. Fills in params->device_type ("CPU", or that of a device plugin) and
 * optimizer->optimize_func, perhaps create_func with destroy_func, and what of the host's own
 * passes stays off: constant_folding, remapping (fusing) and layout_optimizer are heeded. Context
 * once, when the plugin is loaded; optimize_func on the thread that makes a session, several at a
 * time.
 */
void TF_InitGraph(TP_OptimizerRegistrationParams *params, TF_Status *status);

/* Count and total bytes of the names of nodes that must survive; call it before the list. */
TF_CAPI_EXPORT extern void TF_GetNodesToPreserveListSize(const TF_GrapplerItem *item,
                                                         int *num_values, size_t *storage_size,
                                                         TF_Status *status);

/* Those names: values[i] points into storage, lengths[i] bytes, no NUL. INVALID_ARGUMENT: storage
 * too small. */
TF_CAPI_EXPORT extern void TF_GetNodesToPreserveList(const TF_GrapplerItem *item, char **values,
                                                     size_t *lengths, int num_values, void *storage,
                                                     size_t storage_size, TF_Status *status);

/* The same two calls for the nodes whose outputs are fetched. */
TF_CAPI_EXPORT extern void TF_GetFetchNodesListSize(const TF_GrapplerItem *item, int *num_values,
                                                    size_t *storage_size, TF_Status *status);
TF_CAPI_EXPORT extern void TF_GetFetchNodesList(const TF_GrapplerItem *item, char **values,
                                                size_t *lengths, int num_values, void *storage,
                                                size_t storage_size, TF_Status *status);

/* Inferred properties of an item; the caller deletes it. */
TF_CAPI_EXPORT extern TF_GraphProperties *TF_NewGraphProperties(const TF_GrapplerItem *item);
TF_CAPI_EXPORT extern void TF_DeleteGraphProperties(TF_GraphProperties *graph_properties);

/* Makes the properties known; before it the lists are empty. The flags are 0 or 1: with the last
 * two constants come with their values. Types and shapes are those of the session, so that the
 * first two change nothing. */
TF_CAPI_EXPORT extern void TF_InferStatically(TF_GraphProperties *graph_properties,
                                              unsigned char assume_valid_feeds,
                                              unsigned char aggressive_shape_inference,
                                              unsigned char include_input_tensor_values,
                                              unsigned char include_output_tensor_values,
                                              TF_Status *s);

/* Count of a node's inputs (outputs), then one serialised OpInfo.TensorProperties for each into
 * buffers that the caller made empty. */
TF_CAPI_EXPORT extern void TF_GetInputPropertiesListSize(TF_GraphProperties *graph_properties,
                                                         const char *name, int *num_values,
                                                         TF_Status *status);
TF_CAPI_EXPORT extern void TF_GetOutputPropertiesListSize(TF_GraphProperties *graph_properties,
                                                          const char *name, int *num_values,
                                                          TF_Status *status);
TF_CAPI_EXPORT extern void TF_GetInputPropertiesList(TF_GraphProperties *graph_properties,
                                                     const char *name, TF_Buffer **properties,
                                                     int num_values, TF_Status *status);
TF_CAPI_EXPORT extern void TF_GetOutputPropertiesList(TF_GraphProperties *graph_properties,
                                                      const char *name, TF_Buffer **properties,
                                                      int num_values, TF_Status *status);

/* Functions of a serialised GraphDef; the caller deletes it. */
TF_CAPI_EXPORT extern TF_FunctionLibraryDefinition *
TF_NewFunctionLibraryDefinition(const TF_Buffer *graph_buf, TF_Status *status);
TF_CAPI_EXPORT extern void TF_DeleteFunctionLibraryDefinition(TF_FunctionLibraryDefinition *fn_lib);

/* Serialised OpDef of an op or function; NOT_FOUND. */
TF_CAPI_EXPORT extern void TF_LookUpOpDef(TF_FunctionLibraryDefinition *fn_lib, const char *name,
                                          TF_Buffer *buf, TF_Status *s);

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* ORIBI_TENSORFLOW_C_EXPERIMENTAL_GRAPPLER_H_ */
