/* SPDX-License-Identifier: Apache-2.0 */
/* TensorProto to constant. Raw bytes and packed floats are read in place in the file; numbers
 * stored as varints are decoded once, after their count was checked against the dimensions.
 */
#include "import/onnx/onnx.h"

#include <inttypes.h>
#include <string.h>

#include "base/alloc.h"
#include "import/onnx/onnx_emit.h"

TF_DataType oribi_onnx_dtype(int64_t onnx_type)
{
    static const uint8_t types[] = {0,
                                    TF_FLOAT,
                                    TF_UINT8,
                                    TF_INT8,
                                    TF_UINT16,
                                    TF_INT16,
                                    TF_INT32,
                                    TF_INT64,
                                    TF_STRING,
                                    TF_BOOL,
                                    TF_HALF,
                                    TF_DOUBLE,
                                    TF_UINT32,
                                    TF_UINT64,
                                    TF_COMPLEX64,
                                    TF_COMPLEX128,
                                    TF_BFLOAT16,
                                    TF_FLOAT8_E4M3FN,
                                    TF_FLOAT8_E4M3FNUZ,
                                    TF_FLOAT8_E5M2,
                                    TF_FLOAT8_E5M2FNUZ,
                                    TF_UINT4,
                                    TF_INT4,
                                    TF_FLOAT4_E2M1FN,
                                    0, /* float8e8m0, which TensorFlow has no number for */
                                    TF_UINT2,
                                    TF_INT2};
    if (onnx_type < 0 || onnx_type >= (int64_t)sizeof(types)) {
        return (TF_DataType)0;
    }
    return (TF_DataType)types[onnx_type];
}

/* Elements in a byte of the file; they have a byte each everywhere else. */
static size_t packed_in_byte(TF_DataType dtype)
{
    switch ((int)dtype) {
    case TF_INT4:
    case TF_UINT4:
    case TF_FLOAT4_E2M1FN:
        return 2;
    case TF_INT2:
    case TF_UINT2:
        return 4;
    default:
        return 1;
    }
}

typedef struct proto { /* a TensorProto, seen once */
    oribi_dims dims;
    int64_t rank; /* as the file has it, which may be more than dims hold */
    int64_t onnx_type;
    TF_DataType dtype;
    oribi_string name;
    const uint8_t *raw;
    size_t raw_bytes;
    bool has_raw, is_external;
    uint32_t typed_field;  /* number of the field with typed data, 0: none */
    int32_t typed_fields;  /* occurrences */
    size_t typed_elements; /* over all occurrences */
    const uint8_t *typed_data;
    oribi_wire body;
    size_t offset;
} proto;

bool oribi_onnx_tensor_name(const oribi_wire *tensor, oribi_string *out_name, TF_Status *status)
{
    oribi_wire body = *tensor;
    oribi_wire_field f;
    *out_name = (oribi_string){"", 0};
    while (oribi_wire_next(&body, &f, status)) {
        ORIBI_TRY(f.number != 8 || oribi_wire_string(&f, "a tensor's name", out_name, status));
    }
    return oribi_ok(status);
}

static bool read_dims(proto *t, const oribi_wire *body, const oribi_wire_field *f,
                      TF_Status *status)
{
    size_t position = 0;
    uint64_t value = 0;
    while (oribi_wire_element(body, f, ORIBI_WIRE_VARINT, &position, &value, status)) {
        t->rank++;
        if ((int64_t)value < 0) {
            return oribi_fail(status, TF_INVALID_ARGUMENT,
                              "byte %zu: a tensor has a dimension of %" PRId64, f->offset,
                              (int64_t)value);
        }
        (void)oribi_dims_add(&t->dims, (int64_t)value); /* t->rank is checked when all is read */
    }
    return oribi_ok(status);
}

/* Wire type of the elements of the typed data fields; strings count as bytes. */
static uint8_t typed_wire_type(uint32_t number)
{
    switch (number) {
    case 4:
        return ORIBI_WIRE_32;
    case 6:
        return ORIBI_WIRE_BYTES;
    case 10:
        return ORIBI_WIRE_64;
    default:
        return ORIBI_WIRE_VARINT;
    }
}

static bool note_typed(proto *t, const oribi_wire *body, const oribi_wire_field *f,
                       TF_Status *status)
{
    size_t count = 1;
    if (t->typed_field != 0 && t->typed_field != f->number) {
        return oribi_fail(status, TF_INVALID_ARGUMENT, "byte %zu: a tensor has two kinds of data",
                          f->offset);
    }
    if (f->number != 6) {
        ORIBI_TRY(oribi_wire_count(body, f, typed_wire_type(f->number), &count, status));
    }
    t->typed_field = f->number;
    t->typed_elements += count;
    t->typed_data = f->type == ORIBI_WIRE_BYTES ? f->data : NULL;
    t->typed_fields++;
    return true;
}

static bool read_proto_field(proto *t, const oribi_wire *body, const oribi_wire_field *f,
                             TF_Status *status)
{
    int64_t location = 0;
    switch (f->number) {
    case 1:
        return read_dims(t, body, f, status);
    case 2:
        return oribi_wire_int(f, "data_type", &t->onnx_type, status);
    case 3:
        return oribi_fail(status, TF_UNIMPLEMENTED,
                          "byte %zu: a tensor in segments is not supported", f->offset);
    case 4:
    case 5:
    case 6:
    case 7:
    case 10:
    case 11:
        return note_typed(t, body, f, status);
    case 8:
        return oribi_wire_string(f, "a tensor's name", &t->name, status);
    case 9: {
        oribi_string raw;
        ORIBI_TRY(oribi_wire_string(f, "raw_data", &raw, status));
        t->raw = (const uint8_t *)raw.data;
        t->raw_bytes = raw.length;
        t->has_raw = true;
        return true;
    }
    case 14:
        ORIBI_TRY(oribi_wire_int(f, "data_location", &location, status));
        t->is_external = location == 1;
        return true;
    default:
        return true;
    }
}

static bool read_proto(const oribi_wire *tensor, proto *t, TF_Status *status)
{
    oribi_wire_field f;
    *t = (proto){.body = *tensor, .name = {"", 0}};
    t->offset = (size_t)(tensor->at - tensor->file);
    oribi_wire body = *tensor;
    while (oribi_wire_next(&body, &f, status)) {
        ORIBI_TRY(read_proto_field(t, &body, &f, status));
    }
    ORIBI_TRY(oribi_ok(status));
    if (t->rank > ORIBI_MAX_RANK) {
        return oribi_fail(status, TF_INVALID_ARGUMENT,
                          "byte %zu: tensor '%.*s' has rank %" PRId64 "; at most %d is supported",
                          t->offset, (int)t->name.length, t->name.data, t->rank, ORIBI_MAX_RANK);
    }
    t->dtype = oribi_onnx_dtype(t->onnx_type);
    if (t->dtype == 0) {
        return oribi_fail(status, t->onnx_type > 20 ? TF_UNIMPLEMENTED : TF_INVALID_ARGUMENT,
                          "byte %zu: tensor '%.*s' has element type %" PRId64
                          ", which is not supported",
                          t->offset, (int)t->name.length, t->name.data, t->onnx_type);
    }
    return true;
}

/* --- External data --------------------------------------------------------------------------- */

static bool parse_number(const oribi_string *text, int64_t *out)
{
    int64_t value = 0;
    if (text->length == 0 || text->length > 18) {
        return false;
    }
    for (size_t i = 0; i < text->length; i++) {
        if (text->data[i] < '0' || text->data[i] > '9') {
            return false;
        }
        value = value * 10 + (text->data[i] - '0');
    }
    *out = value;
    return true;
}

static bool key_is(const oribi_string *key, const char *name)
{
    return oribi_string_is(*key, name);
}

static bool find_external(oribi_onnx *onnx, const proto *t, size_t expected_bytes,
                          const uint8_t **out_data, oribi_source **out_source, TF_Status *status)
{
    oribi_wire body = t->body, entry;
    oribi_wire_field f, e;
    oribi_string location = {"", 0};
    int64_t offset = 0, length = -1;
    while (oribi_wire_next(&body, &f, status)) {
        oribi_string key = {"", 0}, value = {"", 0};
        if (f.number != 13) {
            continue;
        }
        ORIBI_TRY(oribi_wire_enter(&body, &f, &entry, status));
        while (oribi_wire_next(&entry, &e, status)) {
            if (e.number == 1 || e.number == 2) {
                ORIBI_TRY(
                    oribi_wire_string(&e, "external data", e.number == 1 ? &key : &value, status));
            }
        }
        ORIBI_TRY(oribi_ok(status));
        if (key_is(&key, "location")) {
            location = value;
        } else if ((key_is(&key, "offset") && !parse_number(&value, &offset)) ||
                   (key_is(&key, "length") && !parse_number(&value, &length))) {
            return oribi_fail(
                status, TF_INVALID_ARGUMENT,
                "byte %zu: the %.*s of external data is '%.*s', which is not a number", f.offset,
                (int)key.length, key.data, (int)value.length, value.data);
        }
    }
    ORIBI_TRY(oribi_ok(status));
    const char *name = oribi_import_text(&onnx->scratch, &t->name);
    return (name != NULL || oribi_fail_memory(status)) &&
           oribi_onnx_external_open(onnx, &location, offset, length, expected_bytes, name, out_data,
                                    out_source, status);
}

/* --- Typed data ------------------------------------------------------------------------------ */

/* Which field holds elements of the type. */
static uint32_t field_of(TF_DataType dtype)
{
    switch ((int)dtype) {
    case TF_FLOAT:
    case TF_COMPLEX64:
        return 4;
    case TF_DOUBLE:
    case TF_COMPLEX128:
        return 10;
    case TF_INT64:
        return 7;
    case TF_UINT32:
    case TF_UINT64:
        return 11;
    case TF_STRING:
        return 6;
    default:
        return 5;
    }
}

static void store(uint8_t *to, uint64_t value, size_t bytes, bool is_bool)
{
    value = is_bool ? value != 0 : value;
    memcpy(to, &value, bytes); /* little endian: the low bytes */
}

static const uint8_t *decode_typed(oribi_onnx *onnx, const proto *t, size_t bytes,
                                   TF_Status *status)
{
    uint8_t type = typed_wire_type(t->typed_field);
    size_t size = type == ORIBI_WIRE_32   ? 4
                  : type == ORIBI_WIRE_64 ? 8
                                          : oribi_dtype_bytes(t->dtype);
    if (!oribi_graph_charge(onnx->graph, 0, status)) {
        return NULL;
    }
    uint8_t *decoded = oribi_arena_alloc(&onnx->graph->arena, bytes + 1);
    if (decoded == NULL) {
        oribi_fail_memory(status);
        return NULL;
    }
    oribi_wire body = t->body;
    oribi_wire_field f;
    size_t at = 0;
    while (oribi_wire_next(&body, &f, status)) {
        size_t position = 0;
        uint64_t value = 0;
        while (f.number == t->typed_field && at + size <= bytes &&
               oribi_wire_element(&body, &f, type, &position, &value, status)) {
            store(decoded + at, value, size, t->dtype == TF_BOOL);
            at += size;
        }
    }
    return oribi_ok(status) ? decoded : NULL;
}

static oribi_value_id add_strings(oribi_onnx *onnx, const proto *t, const char *name, size_t bytes,
                                  TF_Status *status)
{
    oribi_value_id id = -1;
    TF_Tensor *tensor = NULL;
    oribi_wire body = t->body;
    oribi_wire_field f;
    size_t filled = 0;
    if (oribi_graph_charge(onnx->graph, 0, status)) {
        tensor = TF_AllocateTensor(TF_STRING, t->dims.at, t->dims.n, bytes);
    }
    if (tensor == NULL) {
        return oribi_ok(status) && !oribi_fail_memory(status) ? -1 : -1;
    }
    TF_TString *strings = TF_TensorData(tensor);
    for (size_t i = 0; i < t->typed_elements; i++) {
        TF_StringInit(&strings[i]);
    }
    while (oribi_wire_next(&body, &f, status)) {
        oribi_string text;
        if (f.number == 6) {
            if (!oribi_wire_string(&f, "a string", &text, status)) {
                break;
            }
            TF_StringCopy(&strings[filled++], text.data, text.length);
        }
    }
    if (oribi_ok(status)) {
        id = oribi_graph_add_constant_tensor(onnx->graph, name, tensor, status);
    }
    TF_DeleteTensor(tensor);
    return id;
}

/* --- Constants ------------------------------------------------------------------------------- */

static bool check_typed(const proto *t, size_t bytes, TF_Status *status)
{
    size_t element_bytes = oribi_dtype_bytes(t->dtype);
    size_t parts = t->dtype == TF_COMPLEX64 || t->dtype == TF_COMPLEX128 ? 2 : 1;
    size_t expected = bytes / element_bytes * parts;
    if (t->typed_field != 0 && t->typed_field != field_of(t->dtype)) {
        return oribi_fail(status, TF_INVALID_ARGUMENT,
                          "byte %zu: tensor '%.*s' of %s keeps its data in field %u, expected %u",
                          t->offset, (int)t->name.length, t->name.data, oribi_dtype_name(t->dtype),
                          (unsigned)t->typed_field, (unsigned)field_of(t->dtype));
    }
    if (t->typed_elements != expected) {
        return oribi_fail(status, TF_INVALID_ARGUMENT,
                          "byte %zu: tensor '%.*s' has %zu elements, but its dimensions say %zu",
                          t->offset, (int)t->name.length, t->name.data, t->typed_elements,
                          expected);
    }
    return true;
}

static bool find_bytes(oribi_onnx *onnx, const proto *t, size_t bytes, const uint8_t **out_data,
                       oribi_source **out_source, TF_Status *status)
{
    *out_source = onnx->source;
    if (t->is_external) {
        return find_external(onnx, t, bytes, out_data, out_source, status);
    }
    if (t->has_raw) {
        if (t->raw_bytes != bytes) {
            return oribi_fail(
                status, TF_INVALID_ARGUMENT,
                "byte %zu: tensor '%.*s' has %zu bytes of data, but its dimensions say %zu",
                t->offset, (int)t->name.length, t->name.data, t->raw_bytes, bytes);
        }
        *out_data = t->raw;
        return true;
    }
    ORIBI_TRY(check_typed(t, bytes, status));
    bool in_place = t->typed_fields == 1 && t->typed_data != NULL &&
                    typed_wire_type(t->typed_field) != ORIBI_WIRE_VARINT;
    if (in_place) {
        *out_data = t->typed_data;
        return true;
    }
    *out_source = NULL;
    *out_data = decode_typed(onnx, t, bytes, status);
    return *out_data != NULL;
}

/* The elements of a packed tensor, of which the first has the low bits; integers keep their sign.
 */
static const uint8_t *unpack(oribi_onnx *onnx, TF_DataType dtype, const uint8_t *packed,
                             size_t count, TF_Status *status)
{
    const unsigned in_byte = (unsigned)packed_in_byte(dtype), bits = 8 / in_byte;
    const unsigned mask = (1U << bits) - 1U;
    const unsigned sign = dtype == TF_INT4 || dtype == TF_INT2 ? 1U << (bits - 1) : 0;
    if (!oribi_graph_charge(onnx->graph, count, status)) {
        return NULL;
    }
    uint8_t *out = oribi_arena_alloc(&onnx->graph->arena, count + 1);
    if (out == NULL) {
        oribi_fail_memory(status);
        return NULL;
    }
    for (size_t i = 0; i < count; i++) {
        const unsigned code = packed[i / in_byte] >> (i % in_byte * bits) & mask;
        out[i] = (uint8_t)((code ^ sign) - sign);
    }
    return out;
}

/* Type, dims and data; *out_bytes of data, which strings do not have in this form. */
static bool view_of(oribi_onnx *onnx, const proto *t, const uint8_t **out_data,
                    oribi_source **out_source, size_t *out_bytes, TF_Status *status)
{
    if (!oribi_size_of_dims(t->dims.at, t->dims.n, oribi_dtype_bytes(t->dtype), out_bytes)) {
        return oribi_fail(status, TF_INVALID_ARGUMENT,
                          "byte %zu: the dimensions of tensor '%.*s' overflow", t->offset,
                          (int)t->name.length, t->name.data);
    }
    if (t->dtype == TF_STRING) {
        return check_typed(t, *out_bytes, status);
    }
    const size_t in_byte = packed_in_byte(t->dtype), whole = *out_bytes / in_byte;
    const size_t bytes = whole + (*out_bytes % in_byte != 0 ? 1 : 0);
    ORIBI_TRY(find_bytes(onnx, t, bytes, out_data, out_source, status));
    if (in_byte > 1) {
        *out_data = unpack(onnx, t->dtype, *out_data, *out_bytes, status);
        *out_source = NULL;
    }
    return in_byte == 1 || *out_data != NULL;
}

bool oribi_onnx_tensor_element(oribi_onnx *onnx, const oribi_wire *tensor,
                               oribi_constant_view *out_view, oribi_source **out_source,
                               TF_Status *status)
{
    proto t;
    size_t bytes = 0;
    const uint8_t *data = NULL;
    ORIBI_TRY(read_proto(tensor, &t, status) &&
              view_of(onnx, &t, &data, out_source, &bytes, status));
    if (t.dtype == TF_STRING || bytes != oribi_dtype_bytes(t.dtype)) {
        return oribi_fail(status, TF_INVALID_ARGUMENT, "byte %zu: a tensor must be one number",
                          t.offset);
    }
    *out_view = (oribi_constant_view){.dtype = t.dtype, .data = data};
    return true;
}

oribi_value_id oribi_onnx_tensor_read(oribi_onnx *onnx, const oribi_wire *tensor,
                                      const char *fallback_name, TF_Status *status)
{
    proto t;
    size_t bytes = 0;
    oribi_source *source = NULL;
    const uint8_t *data = NULL;
    if (!read_proto(tensor, &t, status) || !view_of(onnx, &t, &data, &source, &bytes, status)) {
        return -1;
    }
    const char *name =
        t.name.length > 0 ? oribi_import_text(&onnx->scratch, &t.name) : fallback_name;
    if (name == NULL) {
        oribi_fail_memory(status);
        return -1;
    }
    if (t.dtype == TF_STRING) {
        return add_strings(onnx, &t, name, bytes, status);
    }
    oribi_constant_view view = {t.dtype, t.dims.n, t.dims.at, NULL, data};
    oribi_source_retain(source);
    return oribi_graph_add_constant(onnx->graph, name, &view, source, status);
}
