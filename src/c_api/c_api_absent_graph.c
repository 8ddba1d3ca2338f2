/* SPDX-License-Identifier: Apache-2.0 */
/* Graph building and import of c_api.h: named, not implemented. */
#include "c_api/absent.h"
#include "tensorflow/c/c_api.h"

/* clang-format off */

/* Graph, operation building */
ABSENT(TF_Graph *, TF_NewGraph, (void), NULL, NULL)
ABSENT_VOID(TF_DeleteGraph, (TF_Graph *arg0), NULL)
ABSENT_VOID(TF_GraphSetTensorShape, (TF_Graph *graph, TF_Output output, const int64_t *dims, const
    int num_dims, TF_Status *status), status)
ABSENT(int, TF_GraphGetTensorNumDims, (TF_Graph *graph, TF_Output output, TF_Status *status),
    status, 0)
ABSENT_VOID(TF_GraphGetTensorShape, (TF_Graph *graph, TF_Output output, int64_t *dims, int num_dims,
    TF_Status *status), status)
ABSENT(TF_OperationDescription *, TF_NewOperation, (TF_Graph *graph, const char *op_type, const char
    *oper_name), NULL, NULL)
ABSENT_VOID(TF_SetDevice, (TF_OperationDescription *desc, const char *device), NULL)
ABSENT_VOID(TF_AddInput, (TF_OperationDescription *desc, TF_Output input), NULL)
ABSENT_VOID(TF_AddInputList, (TF_OperationDescription *desc, const TF_Output *inputs, int
    num_inputs), NULL)
ABSENT_VOID(TF_AddControlInput, (TF_OperationDescription *desc, TF_Operation *input), NULL)
ABSENT_VOID(TF_ColocateWith, (TF_OperationDescription *desc, TF_Operation *op), NULL)
ABSENT_VOID(TF_SetAttrString, (TF_OperationDescription *desc, const char *attr_name, const void
    *value, size_t length), NULL)
ABSENT_VOID(TF_SetAttrStringList, (TF_OperationDescription *desc, const char *attr_name, const void
    *const *values, const size_t *lengths, int num_values), NULL)
ABSENT_VOID(TF_SetAttrInt, (TF_OperationDescription *desc, const char *attr_name, int64_t value),
    NULL)
ABSENT_VOID(TF_SetAttrIntList, (TF_OperationDescription *desc, const char *attr_name, const int64_t
    *values, int num_values), NULL)
ABSENT_VOID(TF_SetAttrFloat, (TF_OperationDescription *desc, const char *attr_name, float value),
    NULL)
ABSENT_VOID(TF_SetAttrFloatList, (TF_OperationDescription *desc, const char *attr_name, const float
    *values, int num_values), NULL)
ABSENT_VOID(TF_SetAttrBool, (TF_OperationDescription *desc, const char *attr_name, unsigned char
    value), NULL)
ABSENT_VOID(TF_SetAttrBoolList, (TF_OperationDescription *desc, const char *attr_name, const
    unsigned char *values, int num_values), NULL)
ABSENT_VOID(TF_SetAttrType, (TF_OperationDescription *desc, const char *attr_name, TF_DataType
    value), NULL)
ABSENT_VOID(TF_SetAttrTypeList, (TF_OperationDescription *desc, const char *attr_name, const
    TF_DataType *values, int num_values), NULL)
ABSENT_VOID(TF_SetAttrPlaceholder, (TF_OperationDescription *desc, const char *attr_name, const char
    *placeholder), NULL)
ABSENT_VOID(TF_SetAttrFuncName, (TF_OperationDescription *desc, const char *attr_name, const char
    *value, size_t length), NULL)
ABSENT_VOID(TF_SetAttrShape, (TF_OperationDescription *desc, const char *attr_name, const int64_t
    *dims, int num_dims), NULL)
ABSENT_VOID(TF_SetAttrShapeList, (TF_OperationDescription *desc, const char *attr_name, const
    int64_t *const *dims, const int *num_dims, int num_shapes), NULL)
ABSENT_VOID(TF_SetAttrTensorShapeProto, (TF_OperationDescription *desc, const char *attr_name, const
    void *proto, size_t proto_len, TF_Status *status), status)
ABSENT_VOID(TF_SetAttrTensorShapeProtoList, (TF_OperationDescription *desc, const char *attr_name,
    const void *const *protos, const size_t *proto_lens, int num_shapes, TF_Status *status), status)
ABSENT_VOID(TF_SetAttrTensor, (TF_OperationDescription *desc, const char *attr_name, TF_Tensor
    *value, TF_Status *status), status)
ABSENT_VOID(TF_SetAttrTensorList, (TF_OperationDescription *desc, const char *attr_name, TF_Tensor
    *const *values, int num_values, TF_Status *status), status)
ABSENT_VOID(TF_SetAttrValueProto, (TF_OperationDescription *desc, const char *attr_name, const void
    *proto, size_t proto_len, TF_Status *status), status)
ABSENT(TF_Operation *, TF_FinishOperation, (TF_OperationDescription *desc, TF_Status *status),
    status, NULL)
ABSENT(TF_Operation *, TF_GraphOperationByName, (TF_Graph *graph, const char *oper_name), NULL,
    NULL)
ABSENT(TF_Operation *, TF_GraphNextOperation, (TF_Graph *graph, size_t *pos), NULL, NULL)
ABSENT_VOID(TF_GraphToGraphDef, (TF_Graph *graph, TF_Buffer *output_graph_def, TF_Status *status),
    status)
ABSENT_VOID(TF_GraphGetOpDef, (TF_Graph *graph, const char *op_name, TF_Buffer *output_op_def,
    TF_Status *status), status)
ABSENT_VOID(TF_GraphVersions, (TF_Graph *graph, TF_Buffer *output_version_def, TF_Status *status),
    status)

/* Operation queries */
ABSENT(const char *, TF_OperationName, (TF_Operation *oper), NULL, NULL)
ABSENT(const char *, TF_OperationOpType, (TF_Operation *oper), NULL, NULL)
ABSENT(const char *, TF_OperationDevice, (TF_Operation *oper), NULL, NULL)
ABSENT(int, TF_OperationNumOutputs, (TF_Operation *oper), NULL, 0)
ABSENT(TF_DataType, TF_OperationOutputType, (TF_Output oper_out), NULL, (TF_DataType)0)
ABSENT(int, TF_OperationOutputListLength, (TF_Operation *oper, const char *arg_name, TF_Status
    *status), status, 0)
ABSENT(int, TF_OperationNumInputs, (TF_Operation *oper), NULL, 0)
ABSENT(TF_DataType, TF_OperationInputType, (TF_Input oper_in), NULL, (TF_DataType)0)
ABSENT(int, TF_OperationInputListLength, (TF_Operation *oper, const char *arg_name, TF_Status
    *status), status, 0)
ABSENT_STRUCT(TF_Output, TF_OperationInput, (TF_Input oper_in), NULL)
ABSENT_VOID(TF_OperationAllInputs, (TF_Operation *oper, TF_Output *inputs, int max_inputs), NULL)
ABSENT(int, TF_OperationOutputNumConsumers, (TF_Output oper_out), NULL, 0)
ABSENT(int, TF_OperationOutputConsumers, (TF_Output oper_out, TF_Input *consumers, int
    max_consumers), NULL, 0)
ABSENT(int, TF_OperationNumControlInputs, (TF_Operation *oper), NULL, 0)
ABSENT(int, TF_OperationGetControlInputs, (TF_Operation *oper, TF_Operation **control_inputs, int
    max_control_inputs), NULL, 0)
ABSENT(int, TF_OperationNumControlOutputs, (TF_Operation *oper), NULL, 0)
ABSENT(int, TF_OperationGetControlOutputs, (TF_Operation *oper, TF_Operation **control_outputs, int
    max_control_outputs), NULL, 0)
ABSENT_VOID(TF_OperationToNodeDef, (TF_Operation *oper, TF_Buffer *output_node_def, TF_Status
    *status), status)

/* Operation attributes (read) */
ABSENT_STRUCT(TF_AttrMetadata, TF_OperationGetAttrMetadata, (TF_Operation *oper, const char
    *attr_name, TF_Status *status), status)
ABSENT_VOID(TF_OperationGetAttrString, (TF_Operation *oper, const char *attr_name, void *value,
    size_t max_length, TF_Status *status), status)
ABSENT_VOID(TF_OperationGetAttrStringList, (TF_Operation *oper, const char *attr_name, void
    **values, size_t *lengths, int max_values, void *storage, size_t storage_size, TF_Status
    *status), status)
ABSENT_VOID(TF_OperationGetAttrInt, (TF_Operation *oper, const char *attr_name, int64_t *value,
    TF_Status *status), status)
ABSENT_VOID(TF_OperationGetAttrIntList, (TF_Operation *oper, const char *attr_name, int64_t *values,
    int max_values, TF_Status *status), status)
ABSENT_VOID(TF_OperationGetAttrFloat, (TF_Operation *oper, const char *attr_name, float *value,
    TF_Status *status), status)
ABSENT_VOID(TF_OperationGetAttrFloatList, (TF_Operation *oper, const char *attr_name, float *values,
    int max_values, TF_Status *status), status)
ABSENT_VOID(TF_OperationGetAttrBool, (TF_Operation *oper, const char *attr_name, unsigned char
    *value, TF_Status *status), status)
ABSENT_VOID(TF_OperationGetAttrBoolList, (TF_Operation *oper, const char *attr_name, unsigned char
    *values, int max_values, TF_Status *status), status)
ABSENT_VOID(TF_OperationGetAttrType, (TF_Operation *oper, const char *attr_name, TF_DataType *value,
    TF_Status *status), status)
ABSENT_VOID(TF_OperationGetAttrTypeList, (TF_Operation *oper, const char *attr_name, TF_DataType
    *values, int max_values, TF_Status *status), status)
ABSENT_VOID(TF_OperationGetAttrShape, (TF_Operation *oper, const char *attr_name, int64_t *value,
    int num_dims, TF_Status *status), status)
ABSENT_VOID(TF_OperationGetAttrShapeList, (TF_Operation *oper, const char *attr_name, int64_t
    **dims, int *num_dims, int num_shapes, int64_t *storage, int storage_size, TF_Status *status),
    status)
ABSENT_VOID(TF_OperationGetAttrTensorShapeProto, (TF_Operation *oper, const char *attr_name,
    TF_Buffer *value, TF_Status *status), status)
ABSENT_VOID(TF_OperationGetAttrTensorShapeProtoList, (TF_Operation *oper, const char *attr_name,
    TF_Buffer **values, int max_values, TF_Status *status), status)
ABSENT_VOID(TF_OperationGetAttrTensor, (TF_Operation *oper, const char *attr_name, TF_Tensor
    **value, TF_Status *status), status)
ABSENT_VOID(TF_OperationGetAttrTensorList, (TF_Operation *oper, const char *attr_name, TF_Tensor
    **values, int max_values, TF_Status *status), status)
ABSENT_VOID(TF_OperationGetAttrValueProto, (TF_Operation *oper, const char *attr_name, TF_Buffer
    *output_attr_value, TF_Status *status), status)
ABSENT(int, TF_OperationGetNumAttrs, (TF_Operation *oper), NULL, 0)
ABSENT(int, TF_OperationGetAttrNameLength, (TF_Operation *oper, int i), NULL, 0)
ABSENT_VOID(TF_OperationGetAttrName, (TF_Operation *oper, int i, char *output, TF_Status *status),
    status)

/* Import */
ABSENT(TF_ImportGraphDefOptions *, TF_NewImportGraphDefOptions, (void), NULL, NULL)
ABSENT_VOID(TF_DeleteImportGraphDefOptions, (TF_ImportGraphDefOptions *opts), NULL)
ABSENT_VOID(TF_ImportGraphDefOptionsSetPrefix, (TF_ImportGraphDefOptions *opts, const char *prefix),
    NULL)
ABSENT_VOID(TF_ImportGraphDefOptionsSetDefaultDevice, (TF_ImportGraphDefOptions *opts, const char
    *device), NULL)
ABSENT_VOID(TF_ImportGraphDefOptionsSetUniquifyNames, (TF_ImportGraphDefOptions *opts, unsigned char
    uniquify_names), NULL)
ABSENT_VOID(TF_ImportGraphDefOptionsSetUniquifyPrefix, (TF_ImportGraphDefOptions *opts, unsigned
    char uniquify_prefix), NULL)
ABSENT_VOID(TF_ImportGraphDefOptionsAddInputMapping, (TF_ImportGraphDefOptions *opts, const char
    *src_name, int src_index, TF_Output dst), NULL)
ABSENT_VOID(TF_ImportGraphDefOptionsRemapControlDependency, (TF_ImportGraphDefOptions *opts, const
    char *src_name, TF_Operation *dst), NULL)
ABSENT_VOID(TF_ImportGraphDefOptionsAddControlDependency, (TF_ImportGraphDefOptions *opts,
    TF_Operation *oper), NULL)
ABSENT_VOID(TF_ImportGraphDefOptionsAddReturnOutput, (TF_ImportGraphDefOptions *opts, const char
    *oper_name, int index), NULL)
ABSENT(int, TF_ImportGraphDefOptionsNumReturnOutputs, (const TF_ImportGraphDefOptions *opts), NULL,
    0)
ABSENT_VOID(TF_ImportGraphDefOptionsAddReturnOperation, (TF_ImportGraphDefOptions *opts, const char
    *oper_name), NULL)
ABSENT(int, TF_ImportGraphDefOptionsNumReturnOperations, (const TF_ImportGraphDefOptions *opts),
    NULL, 0)
ABSENT_VOID(TF_ImportGraphDefResultsReturnOutputs, (TF_ImportGraphDefResults *results, int
    *num_outputs, TF_Output **outputs), NULL)
ABSENT_VOID(TF_ImportGraphDefResultsReturnOperations, (TF_ImportGraphDefResults *results, int
    *num_opers, TF_Operation ***opers), NULL)
ABSENT_VOID(TF_ImportGraphDefResultsMissingUnusedInputMappings, (TF_ImportGraphDefResults *results,
    int *num_missing_unused_input_mappings, const char ***src_names, int **src_indexes), NULL)
ABSENT_VOID(TF_DeleteImportGraphDefResults, (TF_ImportGraphDefResults *results), NULL)
ABSENT(TF_ImportGraphDefResults *, TF_GraphImportGraphDefWithResults, (TF_Graph *graph, const
    TF_Buffer *graph_def, const TF_ImportGraphDefOptions *options, TF_Status *status), status, NULL)
ABSENT(TF_ImportGraphDefResults *, TF_GraphImportGraphDefWithResultsNoSerialization, (TF_Graph
    *graph, const TF_Buffer *graph_def, const TF_ImportGraphDefOptions *options, TF_Status *status),
    status, NULL)
ABSENT_VOID(TF_GraphImportGraphDefWithReturnOutputs, (TF_Graph *graph, const TF_Buffer *graph_def,
    const TF_ImportGraphDefOptions *options, TF_Output *return_outputs, int num_return_outputs,
    TF_Status *status), status)
ABSENT_VOID(TF_GraphImportGraphDef, (TF_Graph *graph, const TF_Buffer *graph_def, const
    TF_ImportGraphDefOptions *options, TF_Status *status), status)
/* clang-format on */
