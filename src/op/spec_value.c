/* SPDX-License-Identifier: Apache-2.0 */
/* Default values in protobuf text format: scalars, lists, shapes, functions. Not here: tensor
 * messages (spec_tensor.c). Read from a NUL-terminated text; each function skips spaces first.
 */
#include <locale.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "op/spec.h"
#include "base/ascii.h"
#include "base/number.h"

enum { FIRST_CAPACITY = 8, MAX_SHAPE_RANK = 254, MAX_DIGITS = 64 };

bool oribi_values_add(oribi_values *values, const void *element)
{
    size_t bytes = oribi_attr_element_bytes(values->kind);
    if (values->count == values->capacity) {
        if (values->capacity > INT32_MAX / 2) {
            return oribi_spec_no_memory(values->spec);
        }
        int32_t capacity = values->capacity > 0 ? values->capacity * 2 : FIRST_CAPACITY;
        char *grown = oribi_arena_array(&values->spec->entry->arena, (size_t)capacity, bytes);
        if (grown == NULL) {
            return oribi_spec_no_memory(values->spec);
        }
        if (values->count > 0) {
            memcpy(grown, values->elements, (size_t)values->count * bytes);
        }
        values->elements = grown;
        values->capacity = capacity;
    }
    memcpy((char *)values->elements + (size_t)values->count * bytes, element, bytes);
    values->count++;
    return true;
}

/* A number ends where no name could go on: "3x" is not an int. */
static bool ends_token(char c)
{
    return !(oribi_is_letter(c) || oribi_is_digit(c)) && c != '_' && c != '.';
}

static bool scan_sign(const char **at)
{
    oribi_scan_spaces(at);
    if (**at != '-') {
        return false;
    }
    (*at)++;
    oribi_scan_spaces(at);
    return true;
}

bool oribi_value_uint(const char **at, uint64_t *out)
{
    const char *c = *at;
    oribi_scan_spaces(&c);
    unsigned base = 10;
    if (c[0] == '0' && (c[1] == 'x' || c[1] == 'X')) {
        base = 16;
        c += 2;
    } else if (c[0] == '0' && oribi_is_digit(c[1])) {
        base = 8;
    }
    const char *first = c;
    uint64_t value = 0;
    for (; oribi_is_hex(*c); c++) {
        unsigned digit =
            oribi_is_digit(*c) ? (unsigned)(*c - '0') : (unsigned)(oribi_to_lower(*c) - 'a' + 10);
        if (digit >= base || __builtin_mul_overflow(value, (uint64_t)base, &value) ||
            __builtin_add_overflow(value, (uint64_t)digit, &value)) {
            return false;
        }
    }
    if (c == first || !ends_token(*c)) {
        return false;
    }
    *out = value;
    *at = c;
    return true;
}

bool oribi_value_int(const char **at, int64_t *out)
{
    const char *c = *at;
    uint64_t magnitude;
    bool negative = scan_sign(&c);
    if (!oribi_value_uint(&c, &magnitude) || magnitude > (uint64_t)INT64_MAX + (negative ? 1 : 0)) {
        return false;
    }
    *out = negative ? (int64_t)(0 - magnitude) : (int64_t)magnitude;
    *at = c;
    return true;
}

static bool scan_word_double(const char **at, double *out)
{
    oribi_span word;
    if (!oribi_scan_name(at, false, &word)) {
        return false;
    }
    if ((word.length == 3 && strncasecmp(word.data, "inf", 3) == 0) ||
        (word.length == 8 && strncasecmp(word.data, "infinity", 8) == 0)) {
        *out = (double)INFINITY;
        return true;
    }
    *out = (double)NAN;
    return word.length == 3 && strncasecmp(word.data, "nan", 3) == 0;
}

bool oribi_value_double(const char **at, double *out)
{
    const char *c = *at;
    double value;
    bool negative = scan_sign(&c);
    if (oribi_is_letter(*c)) {
        if (!scan_word_double(&c, &value)) {
            return false;
        }
    } else {
        char *end;
        if (!oribi_is_digit(*c) && *c != '.') {
            return false;
        }
        value = oribi_number_parse(c, &end);
        if (end == c) {
            return false;
        }
        c = end;
        if (*c == 'f' || *c == 'F') {
            c++;
        }
        if (!ends_token(*c)) {
            return false;
        }
    }
    *out = negative ? -value : value;
    *at = c;
    return true;
}

bool oribi_value_bool(const char **at, bool *out)
{
    const char *c = *at;
    oribi_scan_spaces(&c);
    oribi_span word = {c, 0};
    while ((oribi_is_letter(c[word.length]) || oribi_is_digit(c[word.length])) ||
           c[word.length] == '_') {
        word.length++;
    }
    bool is_true = oribi_span_is(word, "true") || oribi_span_is(word, "True") ||
                   oribi_span_is(word, "t") || oribi_span_is(word, "1");
    bool is_false = oribi_span_is(word, "false") || oribi_span_is(word, "False") ||
                    oribi_span_is(word, "f") || oribi_span_is(word, "0");
    if (!is_true && !is_false) {
        return false;
    }
    *out = is_true;
    *at = c + word.length;
    return true;
}

bool oribi_value_type(const char **at, TF_DataType *out)
{
    const char *c = *at;
    oribi_span word;
    int64_t number;
    oribi_scan_spaces(&c);
    if (oribi_value_int(&c, &number)) { /* enumerators may be written as numbers */
        if (number < 0 || number > 200 || oribi_dtype_bytes((TF_DataType)number) == 0) {
            return false;
        }
        *out = (TF_DataType)number;
        *at = c;
        return true;
    }
    if (!oribi_scan_name(&c, false, &word) || word.length <= 3 || word.length > MAX_DIGITS ||
        memcmp(word.data, "DT_", 3) != 0) {
        return false;
    }
    char lower[MAX_DIGITS];
    for (size_t i = 3; i < word.length; i++) {
        lower[i - 3] = oribi_to_lower(word.data[i]);
    }
    *out = oribi_dtype_parse(lower, word.length - 3);
    *at = c;
    return *out != 0;
}

/* Adjacent literals are one string, as in C. */
bool oribi_value_string(const char **at, oribi_spec *spec, oribi_string *out)
{
    oribi_string whole, next;
    oribi_scan_spaces(at);
    if (!oribi_scan_quoted(at, spec, &whole)) {
        return false;
    }
    for (oribi_scan_spaces(at); **at == '\'' || **at == '"'; oribi_scan_spaces(at)) {
        if (!oribi_scan_quoted(at, spec, &next)) {
            return false;
        }
        char *joined = oribi_arena_alloc(&spec->entry->arena, whole.length + next.length + 1);
        if (joined == NULL) {
            return oribi_spec_no_memory(spec);
        }
        memcpy(joined, whole.data, whole.length);
        memcpy(joined + whole.length, next.data, next.length + 1);
        whole = (oribi_string){joined, whole.length + next.length};
    }
    *out = whole;
    return true;
}

bool oribi_value_open(const char **at, char *out_close)
{
    oribi_scan_spaces(at);
    *out_close = **at == '<' ? '>' : '}';
    return oribi_scan_literal(at, "{") || oribi_scan_literal(at, "<");
}

bool oribi_value_close(const char **at, char close)
{
    oribi_scan_spaces(at);
    if (**at != close) {
        return false;
    }
    (*at)++;
    return true;
}

bool oribi_value_field(const char **at, oribi_span *out_name, bool *out_has_colon)
{
    oribi_scan_spaces(at);
    if (!oribi_scan_name(at, false, out_name)) {
        return false;
    }
    oribi_scan_spaces(at);
    *out_has_colon = oribi_scan_literal(at, ":");
    return true;
}

void oribi_value_separator(const char **at)
{
    oribi_scan_spaces(at);
    if (**at == ',' || **at == ';') {
        (*at)++;
    }
}

/* { [size: n] [name: 'x'] } */
static bool parse_dim(const char **at, oribi_spec *spec, int64_t *out)
{
    char close;
    *out = 0;
    if (!oribi_value_open(at, &close)) {
        return false;
    }
    while (!oribi_value_close(at, close)) {
        oribi_span field;
        oribi_string name;
        bool has_colon;
        if (!oribi_value_field(at, &field, &has_colon) || !has_colon) {
            return false;
        }
        if (oribi_span_is(field, "size")) {
            if (!oribi_value_int(at, out) || *out < -1) {
                return false;
            }
        } else if (!oribi_span_is(field, "name") || !oribi_value_string(at, spec, &name)) {
            return false;
        }
        oribi_value_separator(at);
    }
    return true;
}

bool oribi_value_shape(const char **at, oribi_spec *spec, oribi_shape *out)
{
    oribi_values dims = {.spec = spec, .kind = TF_ATTR_INT};
    bool unknown_rank = false;
    char close;
    if (!oribi_value_open(at, &close)) {
        return false;
    }
    while (!oribi_value_close(at, close)) {
        oribi_span field;
        bool has_colon;
        if (!oribi_value_field(at, &field, &has_colon)) {
            return false;
        }
        if (oribi_span_is(field, "dim")) {
            int64_t size;
            if (!parse_dim(at, spec, &size) || dims.count == MAX_SHAPE_RANK ||
                !oribi_values_add(&dims, &size)) {
                return false;
            }
        } else if (!oribi_span_is(field, "unknown_rank") || !has_colon ||
                   !oribi_value_bool(at, &unknown_rank)) {
            return false;
        }
        oribi_value_separator(at);
    }
    if (unknown_rank && dims.count > 0) {
        return false;
    }
    *out = (oribi_shape){unknown_rank ? -1 : dims.count, dims.elements};
    return true;
}

/* { name: 'f' }: a default has no attributes of the function. */
static bool parse_func(const char **at, oribi_spec *spec, oribi_string *out)
{
    char close;
    oribi_string name = {"", 0};
    if (!oribi_value_open(at, &close)) {
        return false;
    }
    while (!oribi_value_close(at, close)) {
        oribi_span field;
        bool has_colon;
        if (!oribi_value_field(at, &field, &has_colon) || !has_colon ||
            !oribi_span_is(field, "name") || !oribi_value_string(at, spec, &name)) {
            return false;
        }
        oribi_value_separator(at);
    }
    return oribi_func_make(&spec->entry->arena, &name, out) || oribi_spec_no_memory(spec);
}

static bool parse_element(const char **at, oribi_values *values)
{
    oribi_spec *spec = values->spec;
    union {
        int64_t i;
        float f;
        uint8_t b;
        TF_DataType type;
        oribi_string s;
        oribi_shape shape;
        TF_Tensor *tensor;
    } element;
    double number;
    bool truth, ok;
    memset(&element, 0, sizeof element);
    switch (values->kind) {
    case TF_ATTR_STRING:
        ok = oribi_value_string(at, spec, &element.s);
        break;
    case TF_ATTR_INT:
        ok = oribi_value_int(at, &element.i);
        break;
    case TF_ATTR_FLOAT:
        ok = oribi_value_double(at, &number);
        element.f = ok ? (float)number : 0;
        break;
    case TF_ATTR_BOOL:
        ok = oribi_value_bool(at, &truth);
        element.b = ok && truth;
        break;
    case TF_ATTR_TYPE:
        ok = oribi_value_type(at, &element.type);
        break;
    case TF_ATTR_SHAPE:
        ok = oribi_value_shape(at, spec, &element.shape);
        break;
    case TF_ATTR_TENSOR:
        ok = oribi_value_tensor(at, spec, &element.tensor);
        break;
    case TF_ATTR_FUNC:
        ok = parse_func(at, spec, &element.s);
        break;
    default:
        ok = false;
        break;
    }
    return ok && oribi_values_add(values, &element);
}

static bool parse_list(const char **at, oribi_values *values)
{
    oribi_scan_spaces(at);
    if (!oribi_scan_literal(at, "[")) {
        return false;
    }
    oribi_scan_spaces(at);
    if (oribi_scan_literal(at, "]")) {
        return true;
    }
    do {
        if (!parse_element(at, values)) {
            return false;
        }
        oribi_scan_spaces(at);
    } while (oribi_scan_literal(at, ","));
    return oribi_scan_literal(at, "]");
}

bool oribi_value_parse(oribi_spec *spec, const char *text, uint8_t kind, bool is_list,
                       const char *name, const oribi_attr **out)
{
    oribi_values values = {.spec = spec, .kind = kind};
    const char *at = text;
    if (is_list ? !parse_list(&at, &values) : !parse_element(&at, &values)) {
        return false;
    }
    oribi_value_separator(&at);
    oribi_scan_spaces(&at);
    if (*at != '\0') {
        return false;
    }
    oribi_attr *value = oribi_arena_array(&spec->entry->arena, 1, sizeof *value);
    if (value == NULL) {
        return oribi_spec_no_memory(spec);
    }
    value->name = name;
    value->kind = kind;
    value->is_list = is_list;
    value->count = values.count;
    value->u.s = values.elements;
    *out = value;
    return true;
}
