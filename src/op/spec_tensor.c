/* SPDX-License-Identifier: Apache-2.0 */
/* A tensor message in text format as a default value: dtype, shape, values (the last one repeats,
 * none means zeros) or raw content. Values are kept as 64-bit patterns until the type is known.
 */
#include <string.h>

#include "base/alloc.h"
#include "op/spec.h"

enum { MAX_DEFAULT_ELEMENTS = 1 << 20 };

enum value_form { FORM_NONE, FORM_INT, FORM_UINT, FORM_FLOAT, FORM_DOUBLE, FORM_BOOL, FORM_STRING };

typedef struct value_field {
    const char *name;
    enum value_form form;
    int per_element;
} value_field;

static const value_field value_fields[] = {
    {"half_val", FORM_INT, 1},    {"float_val", FORM_FLOAT, 1},   {"double_val", FORM_DOUBLE, 1},
    {"int_val", FORM_INT, 1},     {"string_val", FORM_STRING, 1}, {"scomplex_val", FORM_FLOAT, 2},
    {"int64_val", FORM_INT, 1},   {"bool_val", FORM_BOOL, 1},     {"dcomplex_val", FORM_DOUBLE, 2},
    {"uint32_val", FORM_UINT, 1}, {"uint64_val", FORM_UINT, 1},
};

typedef struct tensor_message {
    TF_DataType dtype;
    oribi_shape shape;
    const value_field *field;
    oribi_values values; /* bit patterns, or strings */
    oribi_string content;
    bool has_content;
} tensor_message;

/* The field that holds values of a type. */
static const char *field_of_type(TF_DataType dtype)
{
    switch (dtype) {
    case TF_HALF:
    case TF_BFLOAT16:
        return "half_val";
    case TF_FLOAT:
        return "float_val";
    case TF_DOUBLE:
        return "double_val";
    case TF_STRING:
        return "string_val";
    case TF_COMPLEX64:
        return "scomplex_val";
    case TF_INT64:
        return "int64_val";
    case TF_BOOL:
        return "bool_val";
    case TF_COMPLEX128:
        return "dcomplex_val";
    case TF_UINT32:
        return "uint32_val";
    case TF_UINT64:
        return "uint64_val";
    case TF_RESOURCE:
    case TF_VARIANT:
        return "";
    default:
        return "int_val";
    }
}

static bool parse_scalar(const char **at, tensor_message *message)
{
    oribi_spec *spec = message->values.spec;
    int64_t bits = 0;
    uint64_t unsigned_value;
    double number;
    float single;
    bool truth;
    oribi_string string;
    switch (message->field->form) {
    case FORM_INT:
        ORIBI_TRY(oribi_value_int(at, &bits));
        break;
    case FORM_UINT:
        ORIBI_TRY(oribi_value_uint(at, &unsigned_value));
        memcpy(&bits, &unsigned_value, sizeof bits);
        break;
    case FORM_FLOAT:
        ORIBI_TRY(oribi_value_double(at, &number));
        single = (float)number;
        memcpy(&bits, &single, sizeof single);
        break;
    case FORM_DOUBLE:
        ORIBI_TRY(oribi_value_double(at, &number));
        memcpy(&bits, &number, sizeof bits);
        break;
    case FORM_BOOL:
        ORIBI_TRY(oribi_value_bool(at, &truth));
        bits = truth;
        break;
    default:
        ORIBI_TRY(oribi_value_string(at, spec, &string));
        return oribi_values_add(&message->values, &string);
    }
    return oribi_values_add(&message->values, &bits);
}

static bool parse_values(const char **at, const value_field *field, tensor_message *message)
{
    if (message->field != NULL && message->field != field) {
        return false;
    }
    message->field = field;
    message->values.kind = field->form == FORM_STRING ? TF_ATTR_STRING : TF_ATTR_INT;
    oribi_scan_spaces(at);
    if (!oribi_scan_literal(at, "[")) {
        return parse_scalar(at, message);
    }
    oribi_scan_spaces(at);
    if (oribi_scan_literal(at, "]")) {
        return true;
    }
    do {
        ORIBI_TRY(parse_scalar(at, message));
        oribi_scan_spaces(at);
    } while (oribi_scan_literal(at, ","));
    return oribi_scan_literal(at, "]");
}

static bool parse_field(const char **at, tensor_message *message)
{
    oribi_spec *spec = message->values.spec;
    oribi_span name;
    bool has_colon;
    int64_t version;
    ORIBI_TRY(oribi_value_field(at, &name, &has_colon));
    if (oribi_span_is(name, "tensor_shape")) {
        return oribi_value_shape(at, spec, &message->shape) && message->shape.rank >= 0;
    }
    if (!has_colon) {
        return false;
    }
    if (oribi_span_is(name, "dtype")) {
        return oribi_value_type(at, &message->dtype);
    }
    if (oribi_span_is(name, "version_number")) {
        return oribi_value_int(at, &version);
    }
    if (oribi_span_is(name, "tensor_content")) {
        message->has_content = true;
        return oribi_value_string(at, spec, &message->content);
    }
    for (size_t i = 0; i < sizeof value_fields / sizeof value_fields[0]; i++) {
        if (oribi_span_is(name, value_fields[i].name)) {
            return parse_values(at, &value_fields[i], message);
        }
    }
    return false;
}

/* Pattern of element i, component c; the last value repeats. */
static int64_t pattern_at(const tensor_message *message, int64_t i, int component)
{
    int per_element = message->field->per_element;
    int64_t last = message->values.count / per_element - 1;
    int64_t index = (i < last ? i : last) * per_element + component;
    return ((const int64_t *)message->values.elements)[index];
}

static bool fill_strings(const tensor_message *message, TF_Tensor *tensor, int64_t n)
{
    TF_TString *to = TF_TensorData(tensor);
    const oribi_string *from = message->values.elements;
    for (int64_t i = 0; i < n; i++) {
        TF_StringInit(&to[i]);
    }
    for (int64_t i = 0; i < n && message->values.count > 0; i++) {
        const oribi_string *s = &from[i < message->values.count ? i : message->values.count - 1];
        TF_StringCopy(&to[i], s->data, s->length);
    }
    return true;
}

static bool fill(const tensor_message *message, TF_Tensor *tensor, int64_t n, size_t element_bytes)
{
    unsigned char *data = TF_TensorData(tensor);
    if (message->dtype == TF_STRING) {
        return fill_strings(message, tensor, n);
    }
    if (message->has_content) {
        if (message->content.length != (size_t)n * element_bytes) {
            return false;
        }
        memcpy(data, message->content.data, message->content.length);
        return true;
    }
    memset(data, 0, (size_t)n * element_bytes);
    if (message->values.count == 0) {
        return true;
    }
    size_t component_bytes = element_bytes / (size_t)message->field->per_element;
    for (int64_t i = 0; i < n; i++) {
        for (int c = 0; c < message->field->per_element; c++, data += component_bytes) {
            int64_t pattern = pattern_at(message, i, c);
            memcpy(data, &pattern, component_bytes); /* little endian, as everything here */
        }
    }
    return true;
}

/* True when the fields that came fit the type and the shape. */
static bool check_message(const tensor_message *message, int64_t n)
{
    const char *wanted = field_of_type(message->dtype);
    if (message->dtype == 0 || wanted[0] == '\0' || n > MAX_DEFAULT_ELEMENTS) {
        return false;
    }
    if (message->has_content && (message->field != NULL || message->dtype == TF_STRING)) {
        return false;
    }
    if (message->field == NULL) {
        return true;
    }
    return strcmp(message->field->name, wanted) == 0 &&
           message->values.count % message->field->per_element == 0 &&
           message->values.count / message->field->per_element <= n;
}

static bool make_tensor(const tensor_message *message, oribi_spec *spec, TF_Tensor **out)
{
    size_t count, element_bytes = oribi_dtype_bytes(message->dtype);
    if (!oribi_size_of_dims(message->shape.dims, message->shape.rank, 1, &count) ||
        count > MAX_DEFAULT_ELEMENTS || !check_message(message, (int64_t)count)) {
        return false;
    }
    oribi_held_tensor *held = oribi_arena_array(&spec->entry->arena, 1, sizeof *held);
    if (held == NULL) {
        return oribi_spec_no_memory(spec);
    }
    held->tensor = TF_AllocateTensor(message->dtype, message->shape.dims, message->shape.rank,
                                     count * element_bytes);
    if (held->tensor == NULL) {
        return oribi_spec_no_memory(spec);
    }
    held->next = spec->entry->tensors;
    spec->entry->tensors = held; /* freed with the entry from here on */
    *out = held->tensor;
    return fill(message, held->tensor, (int64_t)count, element_bytes);
}

bool oribi_value_tensor(const char **at, oribi_spec *spec, TF_Tensor **out)
{
    tensor_message message = {.values = {.spec = spec, .kind = TF_ATTR_INT}};
    char close;
    ORIBI_TRY(oribi_value_open(at, &close));
    while (!oribi_value_close(at, close)) {
        ORIBI_TRY(parse_field(at, &message));
        oribi_value_separator(at);
    }
    return make_tensor(&message, spec, out);
}
