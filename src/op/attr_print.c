/* SPDX-License-Identifier: Apache-2.0 */
/* Attribute values and partial shapes: shapes made and tested, both printed as text. Not here:
 * lists of attributes (attr.c), whole definitions (op_print.c).
 */
#include <inttypes.h>
#include <string.h>

#include "base/ascii.h"
#include "base/number.h"
#include "base/text.h"
#include "op/attr.h"

enum { MAX_PRINTED_ELEMENTS = 32, MAX_PRINTED_STRING = 200 };

bool oribi_shape_agrees(const oribi_shape *a, const oribi_shape *b)
{
    bool same = a->rank < 0 || b->rank < 0 || a->rank == b->rank;
    for (int32_t i = 0; same && i < a->rank && i < b->rank; i++) {
        same = a->dims[i] < 0 || b->dims[i] < 0 || a->dims[i] == b->dims[i];
    }
    return same;
}

bool oribi_shape_equal(const oribi_shape *a, const oribi_shape *b)
{
    bool same = a->rank == b->rank;
    for (int32_t i = 0; same && i < a->rank; i++) {
        same = a->dims[i] == b->dims[i];
    }
    return same;
}

bool oribi_shape_copy(oribi_arena *arena, const int64_t *dims, int32_t rank, oribi_shape *out)
{
    oribi_shape shape = {rank < 0 ? -1 : rank, NULL};
    if (rank > 0) {
        shape.dims = oribi_arena_array(arena, (size_t)rank, sizeof *dims);
        if (shape.dims == NULL) {
            return false;
        }
        memcpy(shape.dims, dims, (size_t)rank * sizeof *dims);
    }
    *out = shape;
    return true;
}

bool oribi_shape_is_full(const oribi_shape *shape)
{
    for (int32_t i = 0; i < shape->rank; i++) {
        if (shape->dims[i] < 0) {
            return false;
        }
    }
    return shape->rank >= 0;
}

void oribi_shape_print(const oribi_shape *shape, oribi_text *text)
{
    if (shape->rank < 0) {
        oribi_text_append(text, "?");
        return;
    }
    oribi_text_append(text, "[");
    for (int32_t i = 0; i < shape->rank; i++) {
        const char *comma = i > 0 ? "," : "";
        if (shape->dims[i] < 0) {
            oribi_text_printf(text, "%s?", comma);
        } else {
            oribi_text_printf(text, "%s%" PRId64, comma, shape->dims[i]);
        }
    }
    oribi_text_append(text, "]");
}

static void print_string(const oribi_string *string, oribi_text *text)
{
    size_t shown = string->length < MAX_PRINTED_STRING ? string->length : MAX_PRINTED_STRING;
    oribi_text_append(text, "'");
    for (size_t i = 0; i < shown; i++) {
        unsigned char c = (unsigned char)string->data[i];
        if (c == '\'' || c == '\\') {
            oribi_text_printf(text, "\\%c", c);
        } else if (c < 0x20 || c == 0x7f) {
            oribi_text_printf(text, "\\%03o", c);
        } else {
            oribi_text_append_n(text, &string->data[i], 1);
        }
    }
    oribi_text_append(text, shown < string->length ? "'..." : "'");
}

static void print_type(TF_DataType type, oribi_text *text)
{
    oribi_text_append(text, "DT_");
    for (const char *c = oribi_dtype_name(type); *c != '\0'; c++) {
        char upper = oribi_to_upper(*c);
        oribi_text_append_n(text, &upper, 1);
    }
}

static void print_shape_message(const oribi_shape *shape, oribi_text *text)
{
    if (shape->rank < 0) {
        oribi_text_append(text, "{ unknown_rank: true }");
        return;
    }
    oribi_text_append(text, "{");
    for (int32_t i = 0; i < shape->rank; i++) {
        oribi_text_printf(text, " dim { size: %" PRId64 " }", shape->dims[i]);
    }
    oribi_text_append(text, " }");
}

static void print_tensor(const TF_Tensor *tensor, oribi_text *text)
{
    oribi_text_append(text, "{ dtype: ");
    print_type(TF_TensorType(tensor), text);
    oribi_text_append(text, " tensor_shape {");
    for (int i = 0; i < TF_NumDims(tensor); i++) {
        oribi_text_printf(text, " dim { size: %" PRId64 " }", TF_Dim(tensor, i));
    }
    oribi_text_append(text, " } ... }");
}

static void print_element(const oribi_attr *attr, int32_t i, oribi_text *text)
{
    char number[ORIBI_NUMBER_TEXT];
    switch (attr->kind) {
    case TF_ATTR_INT:
        oribi_text_printf(text, "%" PRId64, attr->u.i[i]);
        break;
    case TF_ATTR_FLOAT:
        oribi_number_print((double)attr->u.f[i], 9, number);
        oribi_text_append(text, number);
        break;
    case TF_ATTR_BOOL:
        oribi_text_append(text, attr->u.b[i] ? "true" : "false");
        break;
    case TF_ATTR_TYPE:
        print_type(attr->u.type[i], text);
        break;
    case TF_ATTR_SHAPE:
        print_shape_message(&attr->u.shape[i], text);
        break;
    case TF_ATTR_TENSOR:
        print_tensor(attr->u.tensor[i], text);
        break;
    case TF_ATTR_FUNC: {
        const oribi_string name = oribi_func_name(&attr->u.s[i]);
        oribi_text_append(text, "{ name: ");
        print_string(&name, text);
        oribi_text_append(text, " }");
        break;
    }
    default:
        print_string(&attr->u.s[i], text);
        break;
    }
}

void oribi_attr_print(const oribi_attr *attr, oribi_text *text)
{
    int32_t shown = attr->count < MAX_PRINTED_ELEMENTS ? attr->count : MAX_PRINTED_ELEMENTS;
    oribi_text_append(text, attr->is_list ? "[" : "");
    for (int32_t i = 0; i < shown; i++) {
        oribi_text_append(text, i > 0 ? ", " : "");
        print_element(attr, i, text);
    }
    oribi_text_append(text, shown < attr->count ? ", ..." : "");
    oribi_text_append(text, attr->is_list ? "]" : "");
}
