/* SPDX-License-Identifier: Apache-2.0 */
#include "check/call_record.h"

#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "format/json.h"
#include "kernel/construction_internal.h"
#include "tensor/tensor.h"
#include "tensorflow/c/quantisation.h"

enum { MOST_BYTES = 1 << 28 }; /* of all tensors; the text has two characters for each */

static void put_hex(oribi_json *json, const void *data, size_t bytes)
{
    static const char digits[] = "0123456789abcdef";
    const uint8_t *at = data;
    oribi_text text = {0};
    char part[256];
    size_t n = 0;
    for (size_t i = 0; i < bytes; i++) {
        part[n++] = digits[at[i] >> 4];
        part[n++] = digits[at[i] & 15];
        if (n == sizeof part) {
            oribi_text_append_n(&text, part, n);
            n = 0;
        }
    }
    oribi_text_append_n(&text, part, n);
    json->text->failed = json->text->failed || text.failed;
    oribi_json_string_n(json, oribi_text_string(&text), text.length);
    oribi_text_destroy(&text);
}

/* --- Attributes, as trial_attrs.c reads them ---------------------------------------------------
 */

static void put_float(oribi_json *json, float value)
{
    if (isfinite(value)) {
        oribi_json_double(json, (double)value);
    } else {
        oribi_json_string(json, isnan(value) ? "nan" : value > 0 ? "inf" : "-inf");
    }
}

/* Text that is not plain is an object {"hex": ..}. */
static void put_bytes(oribi_json *json, const oribi_string *string)
{
    bool is_plain = true;
    for (size_t i = 0; i < string->length; i++) {
        is_plain = is_plain && string->data[i] >= ' ' && string->data[i] < 0x7f;
    }
    if (is_plain) {
        oribi_json_string_n(json, string->data, string->length);
        return;
    }
    oribi_json_open(json, '{');
    oribi_json_key(json, "hex");
    put_hex(json, string->data, string->length);
    oribi_json_close(json, '}');
}

static void put_dims(oribi_json *json, const int64_t *dims, int32_t rank)
{
    if (rank < 0) {
        oribi_json_null(json);
        return;
    }
    oribi_json_open(json, '[');
    for (int32_t i = 0; i < rank; i++) {
        oribi_json_int(json, dims[i]);
    }
    oribi_json_close(json, ']');
}

/* Type, shape and bytes of a tensor, into an open object. */
static void put_contents(oribi_json *json, const TF_Tensor *tensor)
{
    size_t bytes = 0;
    oribi_json_put_string(json, "type", oribi_dtype_name(tensor->dtype));
    oribi_json_key(json, "shape");
    put_dims(json, tensor->dims, tensor->rank);
    (void)oribi_size_of_dims(tensor->dims, tensor->rank, oribi_dtype_bytes(tensor->dtype), &bytes);
    oribi_json_key(json, "bytes");
    if (tensor->dtype != TF_STRING) {
        put_hex(json, tensor->data, bytes);
        return;
    }
    oribi_json_open(json, '[');
    for (size_t i = 0; i < bytes / sizeof(TF_TString); i++) {
        const TF_TString *string = (const TF_TString *)tensor->data + i;
        put_hex(json, TF_TString_GetDataPointer(string), TF_TString_GetSize(string));
    }
    oribi_json_close(json, ']');
}

static void put_element(oribi_json *json, const oribi_attr *attr, int32_t i)
{
    switch ((TF_AttrType)attr->kind) {
    case TF_ATTR_INT:
        oribi_json_int(json, attr->u.i[i]);
        break;
    case TF_ATTR_FLOAT:
        put_float(json, attr->u.f[i]);
        break;
    case TF_ATTR_BOOL:
        oribi_json_bool(json, attr->u.b[i] != 0);
        break;
    case TF_ATTR_TYPE:
        oribi_json_string(json, oribi_dtype_name(attr->u.type[i]));
        break;
    case TF_ATTR_SHAPE:
        put_dims(json, attr->u.shape[i].dims, attr->u.shape[i].rank);
        break;
    case TF_ATTR_TENSOR:
        oribi_json_open(json, '{');
        put_contents(json, attr->u.tensor[i]);
        oribi_json_close(json, '}');
        break;
    default:
        put_bytes(json, &attr->u.s[i]);
        break;
    }
}

static void put_attrs(oribi_json *json, const oribi_attrs *attrs)
{
    oribi_json_key(json, "attrs");
    oribi_json_open(json, '{');
    for (int32_t k = 0; attrs != NULL && k < attrs->count; k++) {
        const oribi_attr *attr = &attrs->items[k];
        oribi_json_key(json, attr->name);
        if (attr->is_list) {
            oribi_json_open(json, '[');
        }
        for (int32_t i = 0; i < attr->count; i++) {
            put_element(json, attr, i);
        }
        if (attr->is_list) {
            oribi_json_close(json, ']');
        }
    }
    oribi_json_close(json, '}');
}

/* --- Tensors --------------------------------------------------------------------------------- */

/* What the integers of flat port i stand for, where the model says it. */
static void put_units(oribi_json *json, const oribi_node_view *node, int32_t i)
{
    const TF_Quantisation *units = node->quantisation != NULL ? &node->quantisation[i] : NULL;
    if (units == NULL || units->count <= 0) {
        return;
    }
    oribi_json_key(json, "scales");
    oribi_json_open(json, '[');
    for (int32_t k = 0; k < units->count; k++) {
        put_float(json, units->scales[k]);
    }
    oribi_json_close(json, ']');
    oribi_json_key(json, "zero_points");
    oribi_json_open(json, '[');
    for (int32_t k = 0; k < units->count; k++) {
        oribi_json_int(json, units->zero_points[k]);
    }
    oribi_json_close(json, ']');
    oribi_json_put_int(json, "axis", units->axis);
}

static void put_inputs(oribi_json *json, const oribi_node_view *node, TF_Tensor *const *inputs)
{
    oribi_json_key(json, "inputs");
    oribi_json_open(json, '[');
    for (int32_t i = 0; i < node->signature->n_inputs; i++) {
        oribi_constant_view view = {0};
        oribi_json_open(json, '{');
        if (inputs[i] != NULL) {
            put_contents(json, inputs[i]);
        } else {
            oribi_json_put_bool(json, "absent", true);
        }
        if (node->constant_input != NULL && node->constant_input(node->arg, i, &view)) {
            oribi_json_put_bool(json, "constant", true);
        }
        put_units(json, node, i);
        oribi_json_close(json, '}');
    }
    oribi_json_close(json, ']');
}

static void put_outputs(oribi_json *json, const oribi_node_view *node, TF_Tensor *const *outputs)
{
    const oribi_signature *s = node->signature;
    oribi_json_key(json, "outputs");
    oribi_json_open(json, '[');
    for (int32_t i = 0; i < s->n_outputs; i++) {
        oribi_json_open(json, '{');
        if (outputs != NULL) {
            put_contents(json, outputs[i]);
        } else {
            oribi_json_put_string(json, "type", oribi_dtype_name(s->output_types[i]));
        }
        if (node->output_shapes != NULL) {
            oribi_json_key(json, "inferred");
            put_dims(json, node->output_shapes[i].dims, node->output_shapes[i].rank);
        }
        put_units(json, node, s->n_inputs + i);
        oribi_json_close(json, '}');
    }
    oribi_json_close(json, ']');
}

/* --- The file -------------------------------------------------------------------------------- */

static void put_origin(oribi_json *json, const oribi_kernel *kernel)
{
    const oribi_kernel_def *def = kernel->def;
    TF_Buffer *node_def = oribi_node_def_write(kernel->node);
    oribi_json_key(json, "recorded");
    oribi_json_open(json, '{');
    oribi_json_put_string(json, "node", kernel->node->name);
    oribi_json_put_string(json, "kernel", def->kernel_name);
    oribi_json_put_string(json, "label", def->label);
    oribi_json_put_string(json, "plugin", def->provider);
    oribi_json_key(json, "node_def");
    put_hex(json, node_def != NULL ? node_def->data : NULL,
            node_def != NULL ? node_def->length : 0);
    oribi_json_close(json, '}');
    TF_DeleteBuffer(node_def);
}

static void put_call(oribi_json *json, const oribi_kernel *kernel, TF_Tensor *const *inputs,
                     TF_Tensor *const *outputs, const TF_Status *end)
{
    oribi_json_open(json, '{');
    oribi_json_key(json, "cases");
    oribi_json_open(json, '[');
    oribi_json_open(json, '{');
    oribi_json_put_string(json, "op", kernel->def->op_name);
    put_attrs(json, kernel->node->attrs);
    put_inputs(json, kernel->node, inputs);
    put_outputs(json, kernel->node, outputs);
    if (end != NULL && !oribi_ok(end)) {
        oribi_json_put_string(json, "error", TF_Message(end));
    }
    oribi_json_close(json, '}');
    oribi_json_close(json, ']');
    put_origin(json, kernel);
    oribi_json_close(json, '}');
}

/* Can the tensors be written, that is, are they more than handles, and not too much? */
static bool are_writable(TF_Tensor *const *tensors, int32_t n, const char *what, size_t *total,
                         TF_Status *status)
{
    for (int32_t i = 0; tensors != NULL && i < n; i++) {
        if (tensors[i] == NULL) {
            continue;
        }
        if (tensors[i]->dtype == TF_RESOURCE || tensors[i]->dtype == TF_VARIANT) {
            return oribi_fail(status, TF_UNIMPLEMENTED,
                              "%s %d is of type %s, which has no bytes to write", what, (int)i,
                              oribi_dtype_name(tensors[i]->dtype));
        }
        if (!oribi_size_add(*total, tensors[i]->bytes, total) || *total > MOST_BYTES) {
            return oribi_fail(status, TF_RESOURCE_EXHAUSTED, "its tensors have more than %d bytes",
                              MOST_BYTES);
        }
    }
    return true;
}

bool oribi_call_record(const char *file, const oribi_kernel *kernel, TF_Tensor *const *inputs,
                       TF_Tensor *const *outputs, const TF_Status *end, TF_Status *status)
{
    const oribi_signature *s = kernel->node->signature;
    oribi_text text = {0};
    oribi_json json = {.text = &text};
    size_t total = 0;
    ORIBI_TRY(are_writable(inputs, s->n_inputs, "input", &total, status) &&
              are_writable(outputs, s->n_outputs, "output", &total, status));
    put_call(&json, kernel, inputs, outputs, end);
    oribi_text_append(&text, "\n");
    bool ok = !text.failed || oribi_fail_memory(status);
    const int error = ok ? oribi_file_write(file, text.data, text.length, true) : 0;
    if (error != 0) {
        ok = oribi_fail(status, TF_UNKNOWN, "'%s' cannot be written: %s", file, strerror(error));
    }
    oribi_text_destroy(&text);
    return ok;
}
