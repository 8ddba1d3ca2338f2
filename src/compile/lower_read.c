/* SPDX-License-Identifier: Apache-2.0 */
/* What the families share: reading a node's attributes and constants, filling a call. */
#include <string.h>

#include "compile/compile_internal.h"
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
    return (out->n == rank && kind >= 0) ||
           oribi_fail(
               lowering->status, TF_UNIMPLEMENTED,
               "node '%s' (%s): a tensor of type %s and rank %d%s cannot be compiled to C "
               "yet; ranks up to %d can",
               call->node->name, call->node->op_name, oribi_dtype_name(value->dtype), (int)rank,
               out->n == rank || rank > ORIBI_MAX_LOWERED_RANK ? "" : ", with an empty dimension,",
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
    *out_axis = (int32_t)(given < 0 ? given + rank : given);
    return (given >= -rank && given < rank) ||
           oribi_lower_fail(lowering, call, ORIBI_MICRO_INVALID);
}

/* Of the node, or the op's default. */
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

void oribi_call_set_fault(const oribi_call *call, const char *field, const char *why)
{
    if (call->fault != NULL && call->fault->field == NULL) {
        *call->fault = (oribi_field_fault){field, why};
    }
}

bool oribi_lower_check_fields(const oribi_lowering *lowering, const char *node)
{
    const oribi_field_fault *fault = &lowering->fault;
    return fault->field == NULL ||
           oribi_fail(lowering->status, TF_INTERNAL, "node '%s': the call %s '%s'", node,
                      fault->why, fault->field);
}

static void add_field(oribi_call *call, const oribi_field *field)
{
    if (call->n_fields < ORIBI_CALL_FIELDS) {
        call->fields[call->n_fields++] = *field;
    } else {
        oribi_call_set_fault(call, field->name, "has no room for field");
    }
}

void oribi_call_number(oribi_call *call, const char *name, int32_t number)
{
    add_field(call, &(oribi_field){.name = name, .number = number, .n = 1});
}

int32_t oribi_call_number_of(const oribi_call *call, const char *name)
{
    for (int32_t i = 0; i < call->n_fields; i++) {
        if (strcmp(call->fields[i].name, name) == 0) {
            return call->fields[i].number;
        }
    }
    oribi_call_set_fault(call, name, "has no field");
    return 0;
}

void oribi_call_real(oribi_call *call, const char *name, float number)
{
    add_field(call, &(oribi_field){.name = name, .is_real = true, .real = number, .n = 1});
}

bool oribi_call_take(oribi_lowering *lowering, oribi_call *call, const int32_t *inputs, int32_t n)
{
    oribi_value_id *values = oribi_arena_array(lowering->arena, (size_t)n + 1, sizeof *values);
    if (values == NULL) {
        return oribi_fail_memory(lowering->status);
    }
    for (int32_t i = 0; i < n; i++) {
        values[i] = call->node->inputs[inputs[i]];
    }
    call->inputs = values;
    call->n_inputs = n;
    return true;
}

bool oribi_call_numbers(oribi_lowering *lowering, oribi_call *call, const char *name,
                        const int32_t *numbers, int32_t n)
{
    if (n == 0) {
        return true; /* C99 has no empty initialiser; what is left out is zero */
    }
    const int32_t *copy = oribi_arena_memdup(lowering->arena, numbers, (size_t)n * sizeof *numbers);
    if (copy == NULL) {
        return oribi_fail_memory(lowering->status);
    }
    add_field(call, &(oribi_field){.name = name, .numbers = copy, .n = n});
    return true;
}

void oribi_call_place(oribi_call *call, const char *field, int32_t kind, int64_t count,
                      const void *data)
{
    if (call->n_placed == ORIBI_CALL_PLACED) {
        oribi_call_set_fault(call, field, "has no room for array");
        return;
    }
    const char *dot = strrchr(field, '.');
    add_field(call,
              &(oribi_field){.name = field, .is_placed = true, .number = call->n_placed, .n = 1});
    call->placed[call->n_placed++] =
        (oribi_placed){dot != NULL ? dot + 1 : field, kind, count, data, 0};
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
