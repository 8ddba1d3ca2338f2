/* SPDX-License-Identifier: Apache-2.0 */
/* What the families share: reading a node's attributes and constants, filling a call. */
#include <string.h>

#include "compile/lower/lower.h"
#include "micro/geometry/geometry_axes.h"
#include "micro/prepare.h"
#include "op/op.h"
#include "tensor/status.h"

const oribi_value *oribi_lower_input(const oribi_lowering *lowering, const oribi_call *call,
                                     int32_t index)
{
    return lowering->graph->values[call->node->inputs[index]];
}

const oribi_value *oribi_lower_output(const oribi_lowering *lowering, const oribi_call *call)
{
    return lowering->graph->values[call->node->outputs[0]];
}

const void *oribi_lower_constant(oribi_lowering *lowering, const oribi_call *call, int32_t index,
                                 TF_DataType type)
{
    const oribi_value *value = oribi_lower_input(lowering, call, index);
    if (value->constant == NULL || value->dtype != type) {
        oribi_fail(lowering->status, TF_UNIMPLEMENTED,
                   "node '%s': input %d is %s; compiled code needs it as a constant of type %s",
                   call->node->name, (int)index,
                   value->constant == NULL ? "computed" : oribi_dtype_name(value->dtype),
                   oribi_dtype_name(type));
        return NULL;
    }
    TF_Tensor *tensor =
        oribi_graph_constant_tensor(lowering->graph, call->node->inputs[index], lowering->status);
    if (tensor == NULL) {
        return NULL;
    }
    const void *copy = oribi_arena_memdup(lowering->arena, tensor->data, tensor->bytes);
    TF_DeleteTensor(tensor);
    if (copy == NULL) {
        oribi_fail_memory(lowering->status);
    }
    return copy;
}

bool oribi_lower_dims(oribi_lowering *lowering, const oribi_call *call, const oribi_value *value,
                      int32_t out_dims[4])
{
    const int32_t rank = value->shape.rank;
    bool fits = rank <= 4;
    for (int32_t i = 0; i < 4; i++) {
        out_dims[i] = 1;
    }
    for (int32_t i = 0; fits && i < rank; i++) {
        fits = value->shape.dims[i] > 0 && value->shape.dims[i] <= INT32_MAX;
        out_dims[4 - rank + i] = fits ? (int32_t)value->shape.dims[i] : 0;
    }
    return fits || oribi_fail(lowering->status, TF_UNIMPLEMENTED,
                              "node '%s' (%s): a tensor of rank %d or with an empty dimension "
                              "cannot be compiled to C yet; ranks up to 4 can",
                              call->node->name, call->node->op_name, (int)rank);
}

int64_t oribi_lower_count(const oribi_value *value)
{
    int64_t count = 1;
    for (int32_t i = 0; i < value->shape.rank; i++) {
        count *= value->shape.dims[i];
    }
    return count;
}

int64_t oribi_lower_bytes(const oribi_value *value)
{
    return oribi_lower_count(value) * (int64_t)oribi_dtype_bytes(value->dtype);
}

bool oribi_lower_sizes(oribi_lowering *lowering, const oribi_call *call, const oribi_value *value,
                       oribi_sizes *out, int32_t *out_element_bytes)
{
    const int32_t rank = value->shape.rank, kind = oribi_element_kind_of(value->dtype);
    *out = (oribi_sizes){0};
    for (int32_t i = 0; i < rank && value->shape.dims[i] > 0; i++) {
        (void)oribi_sizes_add(out, value->shape.dims[i]); /* as many as fit: compared below */
    }
    if (out_element_bytes != NULL) {
        *out_element_bytes = kind < 0 ? 0 : (int32_t)oribi_element_bytes(kind);
    }
    if (rank > ORIBI_MAX_LOWERED_RANK) {
        return oribi_lower_refuse_rank(lowering, call, value);
    }
    return (out->n == rank && kind >= 0) ||
           oribi_fail(lowering->status, TF_UNIMPLEMENTED,
                      "node '%s' (%s): '%s' %s %s, which cannot be compiled to C yet",
                      call->node->name, call->node->op_name, value->name,
                      kind < 0 ? "has the type" : "has an empty dimension and the type",
                      oribi_dtype_name(value->dtype));
}

bool oribi_lower_number(oribi_lowering *lowering, const oribi_call *call, const oribi_value *value,
                        int32_t *out_kind)
{
    *out_kind = oribi_element_number_of(value->dtype);
    return *out_kind >= 0 ||
           oribi_fail(lowering->status, TF_UNIMPLEMENTED,
                      "node '%s' (%s): numbers of type %s cannot be compiled to C yet",
                      call->node->name, call->node->op_name, oribi_dtype_name(value->dtype));
}

bool oribi_lower_refuse_rank(oribi_lowering *lowering, const oribi_call *call,
                             const oribi_value *value)
{
    return oribi_fail(lowering->status, TF_UNIMPLEMENTED,
                      "node '%s' (%s): '%s' has rank %d; what is compiled has at most %d",
                      call->node->name, call->node->op_name, value->name, (int)value->shape.rank,
                      ORIBI_MAX_LOWERED_RANK);
}

bool oribi_lower_ints(oribi_lowering *lowering, const oribi_call *call, int32_t index,
                      oribi_dims *out)
{
    return oribi_graph_constant_ints(lowering->graph, call->node->inputs[index], out) ||
           oribi_fail(lowering->status, TF_UNIMPLEMENTED,
                      "node '%s' (%s): input %d must be a constant of at most %d integers in "
                      "compiled code",
                      call->node->name, call->node->op_name, (int)index, ORIBI_MAX_RANK);
}

bool oribi_lower_one(oribi_lowering *lowering, const oribi_call *call, int32_t index, int64_t *out)
{
    return oribi_graph_constant_exactly(lowering->graph, call->node->inputs[index], out, 1) ||
           oribi_fail(lowering->status, TF_UNIMPLEMENTED,
                      "node '%s' (%s): input %d must be a constant of one integer in compiled code",
                      call->node->name, call->node->op_name, (int)index);
}

bool oribi_lower_axis(oribi_lowering *lowering, const oribi_call *call, int64_t given, int32_t rank,
                      int32_t *out_axis)
{
    return oribi_geometry_axis(given, rank, out_axis) ||
           oribi_lower_fail(lowering, call, ORIBI_MICRO_INVALID);
}

/* Finds the node's attribute, or the op's default for it. */
static const oribi_attr *find(const oribi_call *call, const char *name, uint8_t kind)
{
    const oribi_attr *attr = oribi_attrs_find(&call->node->attrs, name);
    const oribi_attr_def *def =
        attr == NULL && call->node->op != NULL ? oribi_op_find_attr(call->node->op, name) : NULL;
    attr = def != NULL ? def->default_value : attr;
    return attr != NULL && attr->kind == kind ? attr : NULL;
}

static int32_t narrow(int64_t value)
{
    return value > INT32_MAX ? INT32_MAX : value < INT32_MIN ? INT32_MIN : (int32_t)value;
}

int32_t oribi_lower_int(const oribi_call *call, const char *name, int32_t otherwise)
{
    return oribi_lower_list(call, name, 0, otherwise);
}

int32_t oribi_lower_list(const oribi_call *call, const char *name, int32_t index, int32_t otherwise)
{
    const oribi_attr *attr = find(call, name, TF_ATTR_INT);
    return attr != NULL && index < attr->count ? narrow(attr->u.i[index]) : otherwise;
}

bool oribi_lower_bool(const oribi_call *call, const char *name)
{
    const oribi_attr *attr = find(call, name, TF_ATTR_BOOL);
    return attr != NULL && attr->count == 1 && attr->u.b[0] != 0;
}

float oribi_lower_float(const oribi_call *call, const char *name)
{
    const oribi_attr *attr = find(call, name, TF_ATTR_FLOAT);
    return attr != NULL && attr->count == 1 ? attr->u.f[0] : 0.0f;
}

const float *oribi_lower_floats(const oribi_call *call, const char *name, int32_t *out_count)
{
    const oribi_attr *attr = find(call, name, TF_ATTR_FLOAT);
    *out_count = attr != NULL ? attr->count : 0;
    return attr != NULL ? attr->u.f : NULL;
}

bool oribi_lower_is(const oribi_call *call, const char *name, const char *text)
{
    const oribi_attr *attr = find(call, name, TF_ATTR_STRING);
    const size_t length = strlen(text);
    return attr != NULL && attr->count == 1 && attr->u.s[0].length == length &&
           memcmp(attr->u.s[0].data, text, length) == 0;
}

int32_t oribi_lower_activation(const oribi_call *call)
{
    static const struct {
        const char *name;
        int32_t code;
    } codes[] = {{"RELU", ORIBI_MICRO_RELU},
                 {"RELU6", ORIBI_MICRO_RELU6},
                 {"RELU_N1_TO_1", ORIBI_MICRO_RELU_N1_TO_1}};
    for (size_t i = 0; i < sizeof codes / sizeof codes[0]; i++) {
        if (oribi_lower_is(call, "activation", codes[i].name)) {
            return codes[i].code;
        }
    }
    return ORIBI_MICRO_NONE;
}

int32_t oribi_lower_variant(const oribi_call *call)
{
    return oribi_lower_is(call, "rounding", "tflite") ? ORIBI_MICRO_TFLITE : ORIBI_MICRO_TFLM;
}

void oribi_lower_quantisation(const oribi_call *call, const char *scale, const char *zero,
                              struct oribi_micro_quantisation *out)
{
    out->scale = oribi_lower_float(call, scale);
    out->zero = oribi_lower_int(call, zero, 0);
}

bool oribi_call_set(oribi_lowering *lowering, oribi_call *call, const char *kernel,
                    const oribi_args *args, const void *arguments)
{
    size_t n_arrays = 0;
    for (size_t i = 0; i < args->n_members; i++) {
        n_arrays += args->members[i].kind == ORIBI_ARGS_IS_ARRAY ? 1 : 0;
    }
    call->kernel = kernel;
    call->args = args;
    call->arguments = oribi_arena_memdup(lowering->arena, arguments, args->bytes);
    call->placed = oribi_arena_array(lowering->arena, n_arrays + 1, sizeof *call->placed);
    return (call->arguments != NULL && call->placed != NULL) || oribi_fail_memory(lowering->status);
}

oribi_placed *oribi_call_place(oribi_call *call, size_t offset, int64_t count, const void *data)
{
    if (data == NULL) {
        return NULL;
    }
    const int32_t member = oribi_args_find(call->args, offset);
    const char *name = oribi_args_name(call->args, (size_t)member), *dot = strrchr(name, '.');
    const int32_t kind = oribi_element_kind_of((TF_DataType)call->args->members[member].dtype);
    oribi_placed *placed = &call->placed[call->n_placed++];
    *placed = (oribi_placed){.name = dot != NULL ? dot + 1 : name,
                             .kind = kind < 0 ? ORIBI_ELEMENT_U8 : kind,
                             .count = count,
                             .data = data,
                             .member = member};
    return placed;
}

bool oribi_call_take(oribi_lowering *lowering, oribi_call *call, const int32_t *inputs, int32_t n)
{
    oribi_value_id *values =
        oribi_claim_array(lowering->arena, (size_t)n + 1, sizeof *values, lowering->status);
    ORIBI_TRY(values != NULL);
    for (int32_t i = 0; i < n; i++) {
        values[i] = call->node->inputs[inputs[i]];
    }
    call->inputs = values;
    call->n_inputs = n;
    return true;
}

bool oribi_lower_fail(oribi_lowering *lowering, const oribi_call *call, int32_t code)
{
    return oribi_fail(lowering->status, TF_INVALID_ARGUMENT, "node '%s' (%s): %s", call->node->name,
                      call->node->op_name, oribi_micro_text(code));
}

bool oribi_lower_check(oribi_lowering *lowering, const oribi_call *call, int32_t code)
{
    return code == ORIBI_MICRO_OK || oribi_lower_fail(lowering, call, code);
}
