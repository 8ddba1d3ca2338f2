/* SPDX-License-Identifier: Apache-2.0 */
/* A TensorProto of an attribute as a tensor. Not here: weights of a model, which the importer
 * reads. Source   ONNX's onnx.proto: field numbers of TensorProto, which field holds which element
 * type.
 */
#include <string.h>

#include "ort_adapter.h"

enum {
    FIELD_DIMS = 1,
    FIELD_TYPE = 2,
    FIELD_FLOATS = 4,
    FIELD_INTS = 5,
    FIELD_STRINGS = 6,
    FIELD_LONGS = 7,
    FIELD_RAW = 9,
    FIELD_DOUBLES = 10,
    FIELD_ULONGS = 11,
    FIELD_LOCATION = 14
};

typedef struct reading {
    oribi_dims dims;
    uint64_t type;
    bool is_elsewhere, is_damaged;
    TF_Tensor *tensor;
    size_t element, count, at; /* bytes of one; how many; the next to write */
} reading;

static void add_dim(reading *r, uint64_t size)
{
    if (size > INT64_MAX || !oribi_dims_add(&r->dims, (int64_t)size)) {
        r->is_damaged = true;
    }
}

static void read_head(reading *r, ort_wire wire)
{
    ort_wire_field f;
    uint64_t value;
    int found;
    while ((found = oribi_ort_wire_next(&wire, &f)) == 1) {
        if (f.number == FIELD_DIMS && f.kind == 0) {
            add_dim(r, f.value);
        }
        while (f.number == FIELD_DIMS && f.kind == 2 &&
               oribi_ort_wire_varint(&f.body, &value) == 1) {
            add_dim(r, value);
        }
        r->type = f.number == FIELD_TYPE && f.kind == 0 ? f.value : r->type;
        r->is_elsewhere = r->is_elsewhere || (f.number == FIELD_LOCATION && f.value == 1);
    }
    r->is_damaged = r->is_damaged || found < 0;
}

/* Writes one element from a number's bits, cut to its width. */
static void put(reading *r, uint64_t bits)
{
    if (r->at < r->count && r->element <= sizeof bits) {
        memcpy((char *)TF_TensorData(r->tensor) + r->at * r->element, &bits, r->element);
    }
    r->at++;
}

static void put_packed(reading *r, const ort_wire_field *f)
{
    const size_t width = f->number == FIELD_FLOATS ? 4 : f->number == FIELD_DOUBLES ? 8 : 0;
    ort_wire rest = f->body;
    uint64_t bits = 0;
    if (width == 0) {
        while (oribi_ort_wire_varint(&rest, &bits) == 1) {
            put(r, bits);
        }
    } else {
        for (; (size_t)(rest.end - rest.at) >= width; rest.at += width) {
            memcpy(&bits, rest.at, width);
            put(r, bits);
        }
    }
}

static void put_text(reading *r, ort_wire text)
{
    if (r->at < r->count) {
        TF_StringCopy((TF_TString *)TF_TensorData(r->tensor) + r->at, (const char *)text.at,
                      (size_t)(text.end - text.at));
    }
    r->at++;
}

static void put_field(reading *r, const ort_wire_field *f)
{
    const size_t bytes = r->count * r->element;
    if (f->number == FIELD_RAW && f->kind == 2 && r->type != ORT_TYPE_STRING) {
        r->at = (size_t)(f->body.end - f->body.at) == bytes ? r->count : SIZE_MAX;
        if (r->at == r->count && bytes) {
            memcpy(TF_TensorData(r->tensor), f->body.at, bytes);
        }
    } else if (f->number == FIELD_STRINGS && f->kind == 2 && r->type == ORT_TYPE_STRING) {
        put_text(r, f->body);
    } else if (r->type != ORT_TYPE_STRING &&
               (f->number == FIELD_FLOATS || f->number == FIELD_INTS || f->number == FIELD_LONGS ||
                f->number == FIELD_DOUBLES || f->number == FIELD_ULONGS)) {
        if (f->kind == 2) {
            put_packed(r, f);
        } else {
            put(r, f->value);
        }
    }
}

static ort_status *make_tensor(reading *r, size_t most)
{
    const TF_DataType type = oribi_ort_type_to_tf(r->type < ORT_N_TYPES ? (int32_t)r->type : 0);
    if (r->is_elsewhere) {
        return oribi_ort_fail(ORT_NOT_IMPLEMENTED, "a tensor attribute lies in another file");
    }
    r->element = type == TF_STRING ? sizeof(TF_TString) : TF_DataTypeSize(type);
    r->count = 1;
    bool is_sane = !r->is_damaged && r->element > 0;
    for (int i = 0; i < r->dims.n && is_sane; i++) {
        is_sane = !__builtin_mul_overflow(r->count, (size_t)r->dims.at[i], &r->count) &&
                  r->count <= most; /* an element takes a byte at least */
    }
    if (!is_sane) {
        return oribi_ort_fail(ORT_INVALID_ARGUMENT, "a tensor attribute is damaged");
    }
    r->tensor = TF_AllocateTensor(type, r->dims.at, r->dims.n, r->count * r->element);
    if (!r->tensor) {
        return oribi_ort_fail_memory();
    }
    if (r->count) {
        memset(TF_TensorData(r->tensor), 0, r->count * r->element); /* "" of strings, too */
    }
    return NULL;
}

ort_status *oribi_ort_tensor_read(const char *bytes, size_t length, TF_Tensor **out)
{
    ort_wire wire = {(const unsigned char *)bytes, (const unsigned char *)bytes + length};
    reading r = {.at = 0};
    ort_wire_field f;
    read_head(&r, wire);
    ort_status *failed = make_tensor(&r, length);
    while (!failed && oribi_ort_wire_next(&wire, &f) == 1) {
        put_field(&r, &f);
    }
    if (!failed && r.at != r.count) {
        failed = oribi_ort_fail(ORT_INVALID_ARGUMENT,
                                "a tensor attribute has not as many elements as its dims say");
    }
    if (failed && r.tensor) {
        TF_DeleteTensor(r.tensor);
        r.tensor = NULL;
    }
    *out = r.tensor;
    return failed;
}
