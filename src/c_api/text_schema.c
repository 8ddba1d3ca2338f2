/* SPDX-License-Identifier: Apache-2.0 */
/* Fields of messages as TensorFlow 2.16.1's .proto files have them: see text_format.h. */
#include "c_api/text_schema.h"

#include <string.h>

#include "c_api/text_format.h"

enum {
    API_DEFS = ORIBI_TEXT_API_DEFS,
    GRAPH = ORIBI_TEXT_GRAPH_DEF,
    API_DEF,
    ENDPOINT,
    API_ARG,
    API_ATTR,
    VALUE,
    LIST,
    SHAPE,
    DIM,
    TENSOR,
    FUNC,
    ATTR_ENTRY,
    NODE,
    DEBUG_INFO,
    VERSIONS,
    LIBRARY,
    FUNCTION,
    GRADIENT,
    TEXT_ENTRY,
    OP,
    OP_ARG,
    OP_ATTR,
    DEPRECATION,
};
enum { TYPES = 1, VISIBILITIES }; /* names of numbers */

#define FIELD(in, number, kind, of, form, name)                                                    \
    {                                                                                              \
        in, number, ORIBI_FIELD_##kind, of, ORIBI_FORM_##form, name                                \
    }
#define TEXT(in, number, name)         FIELD(in, number, TEXT, 0, PLAIN, name)
#define NUMBER(in, number, kind, name) FIELD(in, number, kind, 0, PLAIN, name)
#define PACKED(in, number, kind, name) FIELD(in, number, kind, TYPES, PACKED, name)
#define NAMED(in, number, names, name) FIELD(in, number, ENUM, names, PLAIN, name)
#define MESSAGE(in, number, of, name)  FIELD(in, number, MESSAGE, of, PLAIN, name)
#define MAP(in, number, of, name)      FIELD(in, number, MESSAGE, of, MAP, name)

/* clang-format off */
static const oribi_text_field fields[] = {
    MESSAGE(API_DEFS, 1, API_DEF, "op"),
    MESSAGE(GRAPH, 1, NODE, "node"), MESSAGE(GRAPH, 2, LIBRARY, "library"), NUMBER(GRAPH, 3, INT, "version"), MESSAGE(GRAPH, 4, VERSIONS, "versions"),
    TEXT(API_DEF, 1, "graph_op_name"), NAMED(API_DEF, 2, VISIBILITIES, "visibility"), MESSAGE(API_DEF, 3, ENDPOINT, "endpoint"),
    MESSAGE(API_DEF, 4, API_ARG, "in_arg"), MESSAGE(API_DEF, 5, API_ARG, "out_arg"), MESSAGE(API_DEF, 6, API_ATTR, "attr"), TEXT(API_DEF, 7, "summary"),
    TEXT(API_DEF, 8, "description"), TEXT(API_DEF, 9, "description_prefix"), TEXT(API_DEF, 10, "description_suffix"), TEXT(API_DEF, 11, "arg_order"),
    TEXT(API_DEF, 12, "deprecation_message"), NUMBER(API_DEF, 13, INT, "deprecation_version"),
    TEXT(ENDPOINT, 1, "name"), NUMBER(ENDPOINT, 3, BOOL, "deprecated"), NUMBER(ENDPOINT, 4, INT, "deprecation_version"),
    TEXT(API_ARG, 1, "name"), TEXT(API_ARG, 2, "rename_to"), TEXT(API_ARG, 3, "description"),
    TEXT(API_ATTR, 1, "name"), TEXT(API_ATTR, 2, "rename_to"), MESSAGE(API_ATTR, 3, VALUE, "default_value"), TEXT(API_ATTR, 4, "description"),
    MESSAGE(VALUE, 1, LIST, "list"), TEXT(VALUE, 2, "s"), NUMBER(VALUE, 3, INT, "i"), NUMBER(VALUE, 4, FLOAT, "f"), NUMBER(VALUE, 5, BOOL, "b"),
    NAMED(VALUE, 6, TYPES, "type"), MESSAGE(VALUE, 7, SHAPE, "shape"), MESSAGE(VALUE, 8, TENSOR, "tensor"), TEXT(VALUE, 9, "placeholder"),
    MESSAGE(VALUE, 10, FUNC, "func"),
    TEXT(LIST, 2, "s"), PACKED(LIST, 3, INT, "i"), PACKED(LIST, 4, FLOAT, "f"), PACKED(LIST, 5, BOOL, "b"), PACKED(LIST, 6, ENUM, "type"),
    MESSAGE(LIST, 7, SHAPE, "shape"), MESSAGE(LIST, 8, TENSOR, "tensor"), MESSAGE(LIST, 9, FUNC, "func"),
    MESSAGE(SHAPE, 2, DIM, "dim"), NUMBER(SHAPE, 3, BOOL, "unknown_rank"),
    NUMBER(DIM, 1, INT, "size"), TEXT(DIM, 2, "name"),
    NAMED(TENSOR, 1, TYPES, "dtype"), MESSAGE(TENSOR, 2, SHAPE, "tensor_shape"), NUMBER(TENSOR, 3, INT, "version_number"), TEXT(TENSOR, 4, "tensor_content"),
    PACKED(TENSOR, 5, FLOAT, "float_val"), PACKED(TENSOR, 6, DOUBLE, "double_val"), PACKED(TENSOR, 7, INT, "int_val"), TEXT(TENSOR, 8, "string_val"),
    PACKED(TENSOR, 9, FLOAT, "scomplex_val"), PACKED(TENSOR, 10, INT, "int64_val"), PACKED(TENSOR, 11, BOOL, "bool_val"),
    PACKED(TENSOR, 12, DOUBLE, "dcomplex_val"), PACKED(TENSOR, 13, INT, "half_val"), PACKED(TENSOR, 16, INT, "uint32_val"),
    PACKED(TENSOR, 17, INT, "uint64_val"), TEXT(TENSOR, 18, "float8_val"),
    TEXT(FUNC, 1, "name"), MAP(FUNC, 2, ATTR_ENTRY, "attr"),
    TEXT(ATTR_ENTRY, 1, "key"), MESSAGE(ATTR_ENTRY, 2, VALUE, "value"),
    TEXT(NODE, 1, "name"), TEXT(NODE, 2, "op"), TEXT(NODE, 3, "input"), TEXT(NODE, 4, "device"), MAP(NODE, 5, ATTR_ENTRY, "attr"),
    MESSAGE(NODE, 6, DEBUG_INFO, "experimental_debug_info"),
    TEXT(DEBUG_INFO, 1, "original_node_names"), TEXT(DEBUG_INFO, 2, "original_func_names"),
    NUMBER(VERSIONS, 1, INT, "producer"), NUMBER(VERSIONS, 2, INT, "min_consumer"), NUMBER(VERSIONS, 3, INT, "bad_consumers"),
    MESSAGE(LIBRARY, 1, FUNCTION, "function"), MESSAGE(LIBRARY, 2, GRADIENT, "gradient"),
    MESSAGE(FUNCTION, 1, OP, "signature"), MESSAGE(FUNCTION, 3, NODE, "node_def"), MAP(FUNCTION, 4, TEXT_ENTRY, "ret"), MAP(FUNCTION, 5, ATTR_ENTRY, "attr"),
    MAP(FUNCTION, 6, TEXT_ENTRY, "control_ret"),
    TEXT(GRADIENT, 1, "function_name"), TEXT(GRADIENT, 2, "gradient_func"),
    TEXT(TEXT_ENTRY, 1, "key"), TEXT(TEXT_ENTRY, 2, "value"),
    TEXT(OP, 1, "name"), MESSAGE(OP, 2, OP_ARG, "input_arg"), MESSAGE(OP, 3, OP_ARG, "output_arg"), MESSAGE(OP, 4, OP_ATTR, "attr"), TEXT(OP, 5, "summary"),
    TEXT(OP, 6, "description"), MESSAGE(OP, 8, DEPRECATION, "deprecation"), NUMBER(OP, 16, BOOL, "is_aggregate"), NUMBER(OP, 17, BOOL, "is_stateful"),
    NUMBER(OP, 18, BOOL, "is_commutative"), NUMBER(OP, 19, BOOL, "allows_uninitialized_input"), TEXT(OP, 20, "control_output"),
    TEXT(OP_ARG, 1, "name"), TEXT(OP_ARG, 2, "description"), NAMED(OP_ARG, 3, TYPES, "type"), TEXT(OP_ARG, 4, "type_attr"), TEXT(OP_ARG, 5, "number_attr"),
    TEXT(OP_ARG, 6, "type_list_attr"), NUMBER(OP_ARG, 16, BOOL, "is_ref"),
    TEXT(OP_ATTR, 1, "name"), TEXT(OP_ATTR, 2, "type"), MESSAGE(OP_ATTR, 3, VALUE, "default_value"), TEXT(OP_ATTR, 4, "description"),
    NUMBER(OP_ATTR, 5, BOOL, "has_minimum"), NUMBER(OP_ATTR, 6, INT, "minimum"), MESSAGE(OP_ATTR, 7, VALUE, "allowed_values"),
    NUMBER(DEPRECATION, 1, INT, "version"), TEXT(DEPRECATION, 2, "explanation"),
    {0, 0, 0, 0, 0, ""},
};

/* Of a data type, of a visibility: each by its number. */
static const char types[] =
    "DT_INVALID DT_FLOAT DT_DOUBLE DT_INT32 DT_UINT8 DT_INT16 DT_INT8 DT_STRING DT_COMPLEX64 DT_INT64 DT_BOOL DT_QINT8 DT_QUINT8 DT_QINT32 DT_BFLOAT16 "
    "DT_QINT16 DT_QUINT16 DT_UINT16 DT_COMPLEX128 DT_HALF DT_RESOURCE DT_VARIANT DT_UINT32 DT_UINT64 DT_FLOAT8_E5M2 DT_FLOAT8_E4M3FN";
static const char visibilities[] = "DEFAULT_VISIBILITY VISIBLE SKIP HIDDEN";
/* clang-format on */

static const char *names_of(int names)
{
    return names == TYPES ? types : visibilities;
}

const oribi_text_field *oribi_text_fields_of(int message)
{
    const oribi_text_field *field = fields;
    while (field->in != 0 && field->in != message) {
        field++;
    }
    return field->in != 0 ? field : NULL;
}

const oribi_text_field *oribi_text_field_of(int message, oribi_string name)
{
    for (const oribi_text_field *field = oribi_text_fields_of(message);
         field != NULL && field->in == message; field++) {
        if (oribi_string_is(name, field->name)) {
            return field;
        }
    }
    return NULL;
}

bool oribi_text_number_of(int names, oribi_string name, int64_t *out)
{
    *out = 0;
    for (const char *at = names_of(names); *at != '\0'; ++*out) {
        const size_t length = strcspn(at, " ");
        if (oribi_string_same(name, (oribi_string){at, length})) {
            return true;
        }
        at += length + (at[length] == ' ');
    }
    return false;
}

bool oribi_text_name_of(int names, int64_t number, oribi_string *out)
{
    const char *at = names_of(names);
    for (; *at != '\0' && number > 0; number--) {
        at += strcspn(at, " ");
        at += *at == ' ';
    }
    *out = (oribi_string){at, strcspn(at, " ")};
    return out->length > 0 && number == 0;
}
