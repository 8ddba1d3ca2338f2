/* SPDX-License-Identifier: Apache-2.0 */
/* Graph building and import of c_api.h: named, not implemented. */
#include "c_api/absent.h"
#include "tensorflow/c/c_api.h"

/* clang-format off */

/* Graph, operation building */
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

/* Operation queries */

/* Operation attributes (read) */
ABSENT(TF_ImportGraphDefResults *, TF_GraphImportGraphDefWithResultsNoSerialization, (TF_Graph
    *graph, const TF_Buffer *graph_def, const TF_ImportGraphDefOptions *options, TF_Status *status),
    status, NULL)
/* clang-format on */
