/* SPDX-License-Identifier: Apache-2.0 */
/* ONNX TensorProto files (.pb), as ONNX's test data come: dims 1, data_type 2, float_data 4,
 * int32_data 5, int64_data 7, raw_data 9, double_data 10, uint64_data 11.
 */
#include <stdlib.h>
#include <string.h>

#include "cli.h"

static const TF_DataType onnx_types[] = {
    [1] = TF_FLOAT,   [2] = TF_UINT8,   [3] = TF_INT8,      [4] = TF_UINT16, [5] = TF_INT16,
    [6] = TF_INT32,   [7] = TF_INT64,   [9] = TF_BOOL,      [10] = TF_HALF,  [11] = TF_DOUBLE,
    [12] = TF_UINT32, [13] = TF_UINT64, [16] = TF_BFLOAT16,
};

typedef struct cursor {
    const uint8_t *at, *end;
    bool bad;
} cursor;

static uint64_t varint(cursor *c)
{
    uint64_t value = 0;

    for (int shift = 0; shift < 64; shift += 7) {
        if (c->at == c->end) {
            break;
        }
        uint8_t byte = *c->at++;
        value |= (uint64_t)(byte & 127) << shift;
        if (byte < 128) {
            return value;
        }
    }
    c->bad = true;
    return 0;
}

static cursor bytes_field(cursor *c)
{
    uint64_t length = varint(c);
    cursor inner = {c->at, c->at, false};

    if (c->bad || length > (uint64_t)(c->end - c->at)) {
        c->bad = true;
        return inner;
    }
    c->at += length;
    inner.end = c->at;
    return inner;
}

typedef struct parsed {
    cli_dims dims;
    bool has_more; /* dimensions than a tensor may have */
    uint64_t type;
    cursor raw, numbers;
    int number_width; /* 0: varints */
} parsed;

static void field(cursor *c, uint64_t key, parsed *out)
{
    switch (key) {
    case 1 << 3 | 0:
        out->has_more |= !cli_dims_add(&out->dims, (int64_t)varint(c));
        return;
    case 1 << 3 | 2:
        for (cursor in = bytes_field(c); in.at < in.end && !c->bad;) {
            int64_t dim = (int64_t)varint(&in);
            c->bad = in.bad;
            out->has_more |= !cli_dims_add(&out->dims, dim);
        }
        return;
    case 2 << 3 | 0:
        out->type = varint(c);
        return;
    case 4 << 3 | 2:
        out->numbers = bytes_field(c);
        out->number_width = 4;
        return;
    case 10 << 3 | 2:
        out->numbers = bytes_field(c);
        out->number_width = 8;
        return;
    case 5 << 3 | 2:
    case 7 << 3 | 2:
    case 11 << 3 | 2:
        out->numbers = bytes_field(c);
        out->number_width = 0;
        return;
    case 9 << 3 | 2:
        out->raw = bytes_field(c);
        return;
    default:
        break;
    }
    if ((key & 7) == 0) {
        varint(c);
    } else if ((key & 7) == 2) {
        bytes_field(c);
    } else if (((key & 7) == 5 && c->end - c->at >= 4) || ((key & 7) == 1 && c->end - c->at >= 8)) {
        c->at += (key & 7) == 5 ? 4 : 8;
    } else {
        c->bad = true;
    }
}

TF_Tensor *cli_pb_parse(const uint8_t *data, size_t bytes, const char *what)
{
    cursor c = {data, data + bytes, false};
    parsed p = {.type = 0};

    while (c.at < c.end && !c.bad) {
        uint64_t key = varint(&c);
        if (!c.bad) {
            field(&c, key, &p);
        }
    }
    if (c.bad || p.type >= sizeof onnx_types / sizeof onnx_types[0] || onnx_types[p.type] == 0) {
        cli_error("%s: not an ONNX tensor of numbers (byte %td)", what, c.at - data);
        return NULL;
    }
    if (p.has_more) {
        cli_error("%s: a tensor of more than %d dimensions", what, CLI_MAX_RANK);
        return NULL;
    }
    TF_Tensor *tensor = cli_tensor(onnx_types[p.type], &p.dims);
    if (tensor == NULL) {
        return NULL;
    }
    size_t want = TF_TensorByteSize(tensor), width = TF_DataTypeSize(onnx_types[p.type]);
    char *out = TF_TensorData(tensor);
    cursor *from = p.raw.at != NULL ? &p.raw : &p.numbers;
    size_t have = (size_t)(from->end - from->at);
    if (from == &p.raw || p.number_width != 0) {
        if (have == want && want > 0) {
            memcpy(out, from->at, want);
        }
    } else {
        for (have = 0; from->at < from->end && have < want && !from->bad; have += width) {
            uint64_t number = varint(from);
            memcpy(out + have, &number, width); /* little endian, as everywhere here */
        }
    }
    if (have != want || from->bad) {
        cli_error("%s: the tensor's shape wants %zu bytes of data, it holds %zu", what, want, have);
        TF_DeleteTensor(tensor);
        return NULL;
    }
    return tensor;
}
