/* SPDX-License-Identifier: Apache-2.0 */
/* What is left of c_api.h: named, not implemented. What works of it is in src/binding. */
#include "c_api/absent.h"
#include "tensorflow/c/c_api.h"

/* clang-format off */

/* Version, libraries, registries */
ABSENT(TF_ApiDefMap *, TF_NewApiDefMap, (TF_Buffer *op_list_buffer, TF_Status *status), status,
    NULL)
ABSENT_VOID(TF_DeleteApiDefMap, (TF_ApiDefMap *apimap), NULL)
ABSENT_VOID(TF_ApiDefMapPut, (TF_ApiDefMap *api_def_map, const char *text, size_t text_len,
    TF_Status *status), status)
ABSENT(TF_Buffer *, TF_ApiDefMapGet, (TF_ApiDefMap *api_def_map, const char *name, size_t name_len,
    TF_Status *status), status, NULL)

/* Imports of objects of C++ */
ABSENT(TF_ImportGraphDefResults *, TF_GraphImportGraphDefWithResultsNoSerialization, (TF_Graph
    *graph, const TF_Buffer *graph_def, const TF_ImportGraphDefOptions *options, TF_Status *status),
    status, NULL)

/* Functions, loops, gradients */
ABSENT_STRUCT(TF_WhileParams, TF_NewWhile, (TF_Graph *g, TF_Output *inputs, int ninputs, TF_Status
    *status), status)
ABSENT_VOID(TF_FinishWhile, (const TF_WhileParams *params, TF_Status *status, TF_Output *outputs),
    status)
ABSENT_VOID(TF_AbortWhile, (const TF_WhileParams *params), NULL)
ABSENT_VOID(TF_AddGradients, (TF_Graph *g, TF_Output *y, int ny, TF_Output *x, int nx, TF_Output
    *dx, TF_Status *status, TF_Output *dy), status)
ABSENT_VOID(TF_AddGradientsWithPrefix, (TF_Graph *g, const char *prefix, TF_Output *y, int ny,
    TF_Output *x, int nx, TF_Output *dx, TF_Status *status, TF_Output *dy), status)
ABSENT(TF_Function *, TF_GraphToFunction, (const TF_Graph *fn_body, const char *fn_name, unsigned
    char append_hash_to_fn_name, int num_opers, const TF_Operation *const *opers, int ninputs, const
    TF_Output *inputs, int noutputs, const TF_Output *outputs, const char *const *output_names,
    const TF_FunctionOptions *opts, const char *description, TF_Status *status), status, NULL)
ABSENT(TF_Function *, TF_GraphToFunctionWithControlOutputs, (const TF_Graph *fn_body, const char
    *fn_name, unsigned char append_hash_to_fn_name, int num_opers, const TF_Operation *const *opers,
    int ninputs, const TF_Output *inputs, int noutputs, const TF_Output *outputs, const char *const
    *output_names, int ncontrol_outputs, const TF_Operation *const *control_outputs, const char
    *const *control_output_names, const TF_FunctionOptions *opts, const char *description, TF_Status
    *status), status, NULL)

/* Server */
ABSENT(TF_Server *, TF_NewServer, (const void *proto, size_t proto_len, TF_Status *status), status,
    NULL)
ABSENT_VOID(TF_ServerStart, (TF_Server *server, TF_Status *status), status)
ABSENT_VOID(TF_ServerStop, (TF_Server *server, TF_Status *status), status)
ABSENT_VOID(TF_ServerJoin, (TF_Server *server, TF_Status *status), status)
ABSENT(const char *, TF_ServerTarget, (TF_Server *server), NULL, NULL)
ABSENT_VOID(TF_DeleteServer, (TF_Server *server), NULL)

/* Old session API (deprecated) */
ABSENT(TF_DeprecatedSession *, TF_NewDeprecatedSession, (const TF_SessionOptions *arg0, TF_Status
    *status), status, NULL)
ABSENT_VOID(TF_CloseDeprecatedSession, (TF_DeprecatedSession *arg0, TF_Status *status), status)
ABSENT_VOID(TF_DeleteDeprecatedSession, (TF_DeprecatedSession *arg0, TF_Status *status), status)
ABSENT_VOID(TF_Reset, (const TF_SessionOptions *opt, const char **containers, int ncontainers,
    TF_Status *status), status)
ABSENT_VOID(TF_ExtendGraph, (TF_DeprecatedSession *arg0, const void *proto, size_t proto_len,
    TF_Status *status), status)
ABSENT_VOID(TF_Run, (TF_DeprecatedSession *arg0, const TF_Buffer *run_options, const char
    **input_names, TF_Tensor **inputs, int ninputs, const char **output_names, TF_Tensor **outputs,
    int noutputs, const char **target_oper_names, int ntargets, TF_Buffer *run_metadata, TF_Status
    *status), status)
ABSENT_VOID(TF_PRunSetup, (TF_DeprecatedSession *arg0, const char **input_names, int ninputs, const
    char **output_names, int noutputs, const char **target_oper_names, int ntargets, const char
    **handle, TF_Status *status), status)
ABSENT_VOID(TF_PRun, (TF_DeprecatedSession *arg0, const char *handle, const char **input_names,
    TF_Tensor **inputs, int ninputs, const char **output_names, TF_Tensor **outputs, int noutputs,
    const char **target_oper_names, int ntargets, TF_Status *status), status)
ABSENT(TF_DeviceList *, TF_DeprecatedSessionListDevices, (TF_DeprecatedSession *session, TF_Status
    *status), status, NULL)

/* Python-only / internal */
ABSENT(TF_OperationDescription *, TF_NewOperationLocked, (TF_Graph *graph, const char *op_type,
    const char *oper_name), NULL, NULL)
ABSENT(TF_Operation *, TF_FinishOperationLocked, (TF_OperationDescription *desc, TF_Status *status),
    status, NULL)
ABSENT_VOID(TF_UpdateEdge, (TF_Graph *graph, TF_Output new_src, TF_Input dst, TF_Status *status),
    status)
ABSENT_VOID(TF_RegisterLogListener, (void (*listener)(const char *)), NULL)
ABSENT_VOID(TF_RegisterFilesystemPlugin, (const char *plugin_filename, TF_Status *status), status)
ABSENT_VOID(TF_AddOperationControlInput, (TF_Graph *graph, TF_Operation *op, TF_Operation *input),
    NULL)
ABSENT_VOID(TF_SetAttr, (TF_Graph *graph, TF_Operation *op, const char *attr_name, TF_Buffer
    *attr_value_proto, TF_Status *status), status)
ABSENT_VOID(TF_ClearAttr, (TF_Graph *graph, TF_Operation *op, const char *attr_name, TF_Status
    *status), status)
ABSENT_VOID(TF_SetFullType, (TF_Graph *graph, TF_Operation *op, const TF_Buffer *full_type_proto),
    NULL)
ABSENT_VOID(TF_SetRequestedDevice, (TF_Graph *graph, TF_Operation *op, const char *device), NULL)
ABSENT_VOID(TF_RemoveAllControlInputs, (TF_Graph *graph, TF_Operation *op), NULL)
ABSENT_VOID(TF_SetRequireShapeInferenceFns, (TF_Graph *graph, bool require), NULL)
ABSENT_VOID(TF_ExtendSession, (TF_Session *session, TF_Status *status), status)
ABSENT(TF_Buffer *, TF_GetHandleShapeAndType, (TF_Graph *graph, TF_Output output), NULL, NULL)
ABSENT_VOID(TF_SetHandleShapeAndType, (TF_Graph *graph, TF_Output output, const void *proto, size_t
    proto_len, TF_Status *status), status)
ABSENT_VOID(TF_AddWhileInputHack, (TF_Graph *graph, TF_Output new_src, TF_Operation *dst, TF_Status
    *status), status)

/* Experimental: libraries */
ABSENT(const char *, TF_GraphDebugString, (TF_Graph *graph, size_t *len), NULL, NULL)
ABSENT_VOID(TF_InitMain, (const char *usage, int *argc, char ***argv), NULL)
ABSENT_VOID(TF_GraphRemoveFunction, (TF_Graph *g, const char *func_name, TF_Status *status), status)
/* clang-format on */
