/* SPDX-License-Identifier: Apache-2.0 */
/* One attribute spec: name ":" kind [">=" integer] ["=" default]. Not here: the default's text
 * (spec_value.c), whether the parts fit each other (op_check.c).
 */
#include <string.h>

#include "op/spec.h"

/* In the order of the enumerators, as TensorFlow's registry stores them. */
static const TF_DataType number_types[] = {
    TF_FLOAT,  TF_DOUBLE,     TF_INT32,  TF_UINT8,  TF_INT16,    TF_INT8,   TF_COMPLEX64,
    TF_INT64,  TF_QINT8,      TF_QUINT8, TF_QINT32, TF_BFLOAT16, TF_QINT16, TF_QUINT16,
    TF_UINT16, TF_COMPLEX128, TF_HALF,   TF_UINT32, TF_UINT64};
static const TF_DataType real_number_types[] = {TF_FLOAT,  TF_DOUBLE, TF_INT32,  TF_UINT8,
                                                TF_INT16,  TF_INT8,   TF_INT64,  TF_BFLOAT16,
                                                TF_UINT16, TF_HALF,   TF_UINT32, TF_UINT64};
static const TF_DataType quantized_types[] = {TF_QINT8, TF_QUINT8, TF_QINT32, TF_QINT16,
                                              TF_QUINT16};

static const struct {
    const char *name;
    const TF_DataType *types;
    int count;
} type_classes[] = {
    {"numbertype", number_types, sizeof number_types / sizeof *number_types},
    {"numerictype", number_types, sizeof number_types / sizeof *number_types},
    {"quantizedtype", quantized_types, sizeof quantized_types / sizeof *quantized_types},
    {"realnumbertype", real_number_types, sizeof real_number_types / sizeof *real_number_types},
    {"realnumerictype", real_number_types, sizeof real_number_types / sizeof *real_number_types},
};
enum { N_TYPE_CLASSES = sizeof type_classes / sizeof type_classes[0] };

/* Types of a class name such as "numbertype"; NULL when it is none. */
static const TF_DataType *find_class(oribi_span name, int *out_count)
{
    for (int i = 0; i < N_TYPE_CLASSES; i++) {
        if (oribi_span_is(name, type_classes[i].name)) {
            *out_count = type_classes[i].count;
            return type_classes[i].types;
        }
    }
    return NULL;
}

static bool finish_allowed(oribi_spec *spec, const oribi_values *values, oribi_attr_def *out)
{
    oribi_attr *allowed = oribi_arena_array(&spec->entry->arena, 1, sizeof *allowed);
    if (allowed == NULL) {
        return oribi_spec_no_memory(spec);
    }
    allowed->name = out->name;
    allowed->kind = values->kind;
    allowed->is_list = true;
    allowed->count = values->count;
    allowed->u.s = values->elements;
    out->allowed = allowed;
    out->kind = values->kind;
    return true;
}

static bool add_types(oribi_values *values, const TF_DataType *types, int count)
{
    for (int i = 0; i < count; i++) {
        if (!oribi_values_add(values, &types[i])) {
            return false;
        }
    }
    return true;
}

/* After an element: [,] } or a comma. */
static bool scan_separator(oribi_spec *spec, const char **at, const char *what, bool *out_is_end)
{
    oribi_scan_spaces(at);
    const bool has_comma = oribi_scan_literal(at, ",");
    oribi_scan_spaces(at);
    *out_is_end = oribi_scan_literal(at, "}");
    return has_comma || *out_is_end ||
           oribi_spec_fail(spec, "Expected , or } after %s in list, not: '%s'", what, *at);
}

/* After the opening brace: 'a', "b" [,] } */
static bool parse_allowed_strings(oribi_spec *spec, const char **at, oribi_attr_def *out)
{
    oribi_values values = {.spec = spec, .kind = TF_ATTR_STRING};
    for (bool is_end = false; !is_end;) {
        oribi_string string;
        if (!oribi_scan_quoted(at, spec, &string)) {
            return !spec->no_memory &&
                   oribi_spec_fail(spec, "Trouble parsing allowed string at '%s'", *at);
        }
        if (!oribi_values_add(&values, &string)) {
            return false;
        }
        if (!scan_separator(spec, at, "strings", &is_end)) {
            return false;
        }
    }
    return finish_allowed(spec, &values, out);
}

/* After the opening brace: type or class {, type or class} [,] } */
static bool parse_allowed_types(oribi_spec *spec, const char **at, oribi_attr_def *out)
{
    oribi_values values = {.spec = spec, .kind = TF_ATTR_TYPE};
    for (bool is_end = false; !is_end;) {
        oribi_span name;
        if (!oribi_scan_name(at, false, &name)) {
            return oribi_spec_fail(spec, "Trouble parsing type string at '%s'", *at);
        }
        int count = 1;
        TF_DataType type = oribi_dtype_parse(name.data, name.length);
        const TF_DataType *types = find_class(name, &count);
        if (types == NULL && type == 0) {
            return oribi_spec_fail(spec, "Unrecognized type string '%.*s'", (int)name.length,
                                   name.data);
        }
        if (!add_types(&values, types != NULL ? types : &type, count)) {
            return false;
        }
        if (!scan_separator(spec, at, "types", &is_end)) {
            return false;
        }
    }
    return finish_allowed(spec, &values, out);
}

static bool parse_class(oribi_spec *spec, const char **at, oribi_attr_def *out, bool *out_found)
{
    for (int i = 0; i < N_TYPE_CLASSES; i++) {
        if (oribi_scan_literal(at, type_classes[i].name)) {
            oribi_values values = {.spec = spec, .kind = TF_ATTR_TYPE};
            *out_found = true;
            return add_types(&values, type_classes[i].types, type_classes[i].count) &&
                   finish_allowed(spec, &values, out);
        }
    }
    *out_found = false;
    return true;
}

/* The kind inside or outside list(...). Words match as prefixes in this order, as in TensorFlow. */
static bool parse_kind(oribi_spec *spec, const char **at, oribi_attr_def *out)
{
    static const struct {
        const char *word;
        uint8_t kind;
    } words[] = {{"string", TF_ATTR_STRING}, {"int", TF_ATTR_INT},   {"float", TF_ATTR_FLOAT},
                 {"bool", TF_ATTR_BOOL},     {"type", TF_ATTR_TYPE}, {"shape", TF_ATTR_SHAPE},
                 {"tensor", TF_ATTR_TENSOR}, {"func", TF_ATTR_FUNC}};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        if (oribi_scan_literal(at, words[i].word)) {
            out->kind = words[i].kind;
            return true;
        }
    }
    bool found;
    ORIBI_TRY(parse_class(spec, at, out, &found));
    if (found) {
        return true;
    }
    if (!oribi_scan_literal(at, "{")) {
        return oribi_spec_fail(spec, "Trouble parsing type string at '%s'", *at);
    }
    oribi_scan_spaces(at);
    return **at == '\'' || **at == '"' ? parse_allowed_strings(spec, at, out)
                                       : parse_allowed_types(spec, at, out);
}

static bool parse_minimum(oribi_spec *spec, const char **at, oribi_attr_def *out)
{
    if (!oribi_scan_literal(at, ">=")) {
        return true;
    }
    oribi_scan_spaces(at);
    if (!oribi_scan_integer(at, &out->minimum)) {
        return oribi_spec_fail(
            spec, "Could not parse integer lower limit after '>=', found '%s' instead", *at);
    }
    out->has_minimum = true;
    oribi_scan_spaces(at);
    return true;
}

static bool parse_default(oribi_spec *spec, const char **at, oribi_attr_def *out)
{
    if (oribi_scan_literal(at, "=")) {
        oribi_scan_spaces(at);
        if (!oribi_value_parse(spec, *at, out->kind, out->is_list, out->name,
                               &out->default_value)) {
            return !spec->no_memory &&
                   oribi_spec_fail(spec, "Could not parse default value '%s'", *at);
        }
        return true;
    }
    if (**at != '\0') {
        return oribi_spec_fail(spec, "Extra '%s' unparsed at the end", *at);
    }
    return true;
}

static bool parse_after_name(oribi_spec *spec, const char **at, oribi_attr_def *out)
{
    if (oribi_scan_literal(at, "list")) {
        oribi_scan_spaces(at);
        if (!oribi_scan_literal(at, "(")) {
            return oribi_spec_fail(spec, "Trouble parsing type string at 'list%s'", *at);
        }
        oribi_scan_spaces(at);
        out->is_list = true;
    }
    ORIBI_TRY(parse_kind(spec, at, out));
    oribi_scan_spaces(at);
    if (out->is_list) {
        if (!oribi_scan_literal(at, ")")) {
            return oribi_spec_fail(spec, "Expected ) to close 'list(', not: '%s'", *at);
        }
        oribi_scan_spaces(at);
    }
    return parse_minimum(spec, at, out) && parse_default(spec, at, out);
}

bool oribi_spec_parse_attr(oribi_spec *spec, oribi_attr_def *out)
{
    const char *at = spec->text;
    *out = (oribi_attr_def){.name = "", .description = "", .kind = ORIBI_ATTR_KIND_BROKEN};
    ORIBI_TRY(oribi_spec_scan_name(spec, &at, false, "<name>", &out->name));
    if (!parse_after_name(spec, &at, out)) {
        out->kind = ORIBI_ATTR_KIND_BROKEN;
        return false;
    }
    return true;
}
