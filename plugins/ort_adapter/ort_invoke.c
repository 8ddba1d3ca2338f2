/* SPDX-License-Identifier: Apache-2.0 */
/* Operators that a library's kernel calls: CreateOp and InvokeOp over the ops that a kernel of the
 * contract may call. ONNX's operators by a table of those that an op has under the same meaning,
 * without attributes; others by the op that bears their name ("ONNX>Name", "Com>Acme>Name").
 */
#include <stdlib.h>
#include <string.h>

#include "ort_adapter.h"
#include "tensorflow/c/kernel_op.h"

enum { MOST_TENSORS = 16 };

struct ort_op {
    TF_KernelOp *op;
};

static const struct {
    const char *onnx, *op;
} same[] = {
    {"Abs", "Abs"},
    {"Add", "AddV2"},
    {"And", "LogicalAnd"},
    {"Ceil", "Ceil"},
    {"Equal", "Equal"},
    {"Erf", "Erf"},
    {"Exp", "Exp"},
    {"Floor", "Floor"},
    {"Greater", "Greater"},
    {"Identity", "Identity"},
    {"Less", "Less"},
    {"Log", "Log"},
    {"MatMul", "BatchMatMulV2"},
    {"Mul", "Mul"},
    {"Neg", "Neg"},
    {"Not", "LogicalNot"},
    {"Or", "LogicalOr"},
    {"Relu", "Relu"},
    {"Sigmoid", "Sigmoid"},
    {"Sqrt", "Sqrt"},
    {"Sub", "Sub"},
    {"Tanh", "Tanh"},
};

static const char *find_same(const char *domain, const char *name)
{
    const bool is_standard = !domain || domain[0] == '\0' || strcmp(domain, "ai.onnx") == 0;
    for (size_t i = 0; is_standard && i < sizeof same / sizeof same[0]; i++) {
        if (strcmp(same[i].onnx, name) == 0) {
            return same[i].op;
        }
    }
    return NULL;
}

static void set_attr(TF_KernelOp *op, const ort_op_attr *attr, TF_Status *status)
{
    switch (attr->kind) {
    case ORT_ATTR_INT:
        TF_KernelOp_SetAttrInt(op, attr->name, attr->ints[0], status);
        break;
    case ORT_ATTR_FLOAT:
        TF_KernelOp_SetAttrFloat(op, attr->name, attr->floats[0], status);
        break;
    case ORT_ATTR_STRING:
        TF_KernelOp_SetAttrString(op, attr->name, attr->texts[0].data, attr->texts[0].length,
                                  status);
        break;
    case ORT_ATTR_INTS:
        TF_KernelOp_SetAttrIntList(op, attr->name, attr->ints, (int)attr->count, status);
        break;
    case ORT_ATTR_FLOATS:
        TF_KernelOp_SetAttrFloatList(op, attr->name, attr->floats, (int)attr->count, status);
        break;
    default:
        TF_SetStatus(status, TF_UNIMPLEMENTED, "an attribute of this kind cannot be passed");
    }
}

/* Types of inputs come as constraints of which there is one, or all are alike. */
static bool find_type(const int32_t *types, int count, TF_DataType *out)
{
    for (int i = 1; i < count; i++) {
        if (types[i] != types[0]) {
            return false;
        }
    }
    *out = count > 0 ? oribi_ort_type_to_tf(types[0]) : (TF_DataType)0;
    return *out != 0;
}

static TF_KernelOp *make_op(const ort_kernel_info *info, const char *name, TF_DataType type,
                            const ort_op_attr *const *attrs, int n_attrs, int n_inputs,
                            TF_Status *status)
{
    TF_DataType types[MOST_TENSORS];
    for (int i = 0; i < n_inputs; i++) {
        types[i] = type;
    }
    TF_KernelOp *op = TF_NewKernelOp(info->ctx, name, status);
    for (int i = 0; i < n_attrs && op; i++) {
        set_attr(op, attrs[i], status);
    }
    if (TF_GetCode(status) == TF_OK) {
        TF_KernelOp_Prepare(op, types, n_inputs, status);
    }
    if (TF_GetCode(status) != TF_OK) {
        TF_DeleteKernelOp(op);
        op = NULL;
    }
    return op;
}

ort_status *oribi_ort_CreateOp(const ort_kernel_info *info, const char *name, const char *domain,
                               int version, const char **constraints, const int32_t *types,
                               int n_types, const ort_op_attr *const *attrs, int n_attrs,
                               int n_inputs, int n_outputs, ort_op **out)
{
    TF_DataType type;
    const char *known = find_same(domain, name);
    (void)version;
    (void)constraints;
    *out = NULL;
    if (!info->ctx || n_inputs < 0 || n_inputs > MOST_TENSORS || n_outputs < 0 ||
        n_outputs > MOST_TENSORS || !find_type(types, n_types, &type) || (known && n_attrs > 0)) {
        return oribi_ort_fail(ORT_NOT_IMPLEMENTED,
                              "operator %s cannot be called: it is made while a kernel is, for "
                              "inputs of one element type, %s",
                              name, known ? "without attributes" : "at most 16");
    }
    char *bearing = known ? NULL : oribi_ort_name_op(domain ? domain : "", name, 0);
    ort_op *op = calloc(1, sizeof *op);
    TF_Status *status = TF_NewStatus();
    ort_status *failed = op && status && (known || bearing) ? NULL : oribi_ort_fail_memory();
    if (!failed) {
        op->op = make_op(info, known ? known : bearing, type, attrs, n_attrs, n_inputs, status);
        failed = oribi_ort_from_status(status);
    }
    TF_DeleteStatus(status);
    free(bearing);
    if (failed) {
        oribi_ort_ReleaseOp(op);
        op = NULL;
    }
    *out = op;
    return failed;
}

void oribi_ort_ReleaseOp(ort_op *op)
{
    if (op) {
        TF_DeleteKernelOp(op->op);
        free(op);
    }
}

static void keep_memory(void *data, size_t bytes, void *arg)
{
    (void)data;
    (void)bytes;
    (void)arg;
}

/* A handle on the value's tensor, or one over a library's own memory; the caller's. */
static TF_Tensor *open_value(const ort_value *value)
{
    if (!value->tensor) {
        return TF_NewTensor(oribi_ort_type_to_tf(value->type), value->shape.at, value->shape.n,
                            value->data, value->bytes, keep_memory, NULL);
    }
    return value->tensor;
}

static void close_value(const ort_value *value, TF_Tensor *tensor)
{
    if (tensor && tensor != value->tensor) {
        TF_DeleteTensor(tensor);
    }
}

/* Results go into tensors that are there; into a library's memory they are copied. */
static ort_status *take_results(TF_Tensor *const *tensors, ort_value *const *outputs, int count)
{
    ort_status *failed = NULL;
    for (int i = 0; i < count; i++) {
        if (!outputs[i]->tensor && tensors[i]) {
            if (TF_TensorByteSize(tensors[i]) < outputs[i]->bytes ||
                outputs[i]->type == ORT_TYPE_STRING) {
                failed = failed ? failed : oribi_ort_fail(ORT_FAIL, "output %d does not fit", i);
            } else if (outputs[i]->bytes) {
                memcpy(outputs[i]->data, TF_TensorData(tensors[i]), outputs[i]->bytes);
            }
            TF_DeleteTensor(tensors[i]);
        }
    }
    return failed;
}

ort_status *oribi_ort_InvokeOp(const ort_kernel_context *context, const ort_op *op,
                               const ort_value *const *inputs, int n_inputs,
                               ort_value *const *outputs, int n_outputs)
{
    TF_Tensor *in[MOST_TENSORS], *out[MOST_TENSORS];
    TF_Status *status = TF_NewStatus();
    if (!status || n_inputs < 0 || n_inputs > MOST_TENSORS || n_outputs < 0 ||
        n_outputs > MOST_TENSORS) {
        TF_DeleteStatus(status);
        return oribi_ort_fail(ORT_INVALID_ARGUMENT, "an operator on %d inputs and %d outputs",
                              n_inputs, n_outputs);
    }
    for (int i = 0; i < n_inputs; i++) {
        in[i] = open_value(inputs[i]);
    }
    for (int i = 0; i < n_outputs; i++) {
        out[i] = outputs[i]->tensor;
    }
    TF_KernelOp_Run(op->op, context->tf, in, n_inputs, out, n_outputs, status);
    ort_status *failed = oribi_ort_from_status(status);
    failed = failed ? failed : take_results(out, outputs, n_outputs);
    for (int i = 0; i < n_inputs; i++) {
        close_value(inputs[i], in[i]);
    }
    TF_DeleteStatus(status);
    return failed;
}
