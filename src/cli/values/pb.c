/* SPDX-License-Identifier: Apache-2.0 */
/* ONNX TensorProto files (.pb), as ONNX's test data come: dims 1, data_type 2, float_data 4,
 * int32_data 5, string_data 6, int64_data 7, raw_data 9, double_data 10, uint64_data 11.
 */
#include <inttypes.h>
#include <string.h>

#include "cli.h"
#include "format/wire.h"

static const TF_DataType onnx_types[] = {
    [1] = TF_FLOAT,   [2] = TF_UINT8,   [3] = TF_INT8,    [4] = TF_UINT16,    [5] = TF_INT16,
    [6] = TF_INT32,   [7] = TF_INT64,   [8] = TF_STRING,  [9] = TF_BOOL,      [10] = TF_HALF,
    [11] = TF_DOUBLE, [12] = TF_UINT32, [13] = TF_UINT64, [16] = TF_BFLOAT16,
};

typedef struct parsed {
    cli_dims dims;
    bool has_more; /* dimensions than a tensor may have */
    uint64_t type;
    oribi_wire_field raw, numbers; /* of ORIBI_WIRE_BYTES where they are there */
    uint8_t number_type;           /* ORIBI_WIRE_..., of one of the numbers */
} parsed;

/* False: status set. */
static bool read_dims(const oribi_wire *wire, const oribi_wire_field *field, parsed *out,
                      TF_Status *status)
{
    size_t position = 0;
    uint64_t size;

    while (oribi_wire_element(wire, field, ORIBI_WIRE_VARINT, &position, &size, status)) {
        out->has_more |= !cli_dims_add(&out->dims, (int64_t)size);
    }
    return TF_GetCode(status) == TF_OK;
}

static bool read_field(const oribi_wire *wire, const oribi_wire_field *field, parsed *out,
                       TF_Status *status)
{
    const bool is_bytes = field->type == ORIBI_WIRE_BYTES;

    switch (field->number) {
    case 1:
        return read_dims(wire, field, out, status);
    case 2:
        out->type = field->value;
        break;
    case 4:
    case 10:
        out->number_type = field->number == 4 ? ORIBI_WIRE_32 : ORIBI_WIRE_64;
        out->numbers = is_bytes ? *field : out->numbers;
        break;
    case 5:
    case 7:
    case 11:
        out->number_type = ORIBI_WIRE_VARINT;
        out->numbers = is_bytes ? *field : out->numbers;
        break;
    case 9:
        out->raw = is_bytes ? *field : out->raw;
        break;
    default:
        break;
    }
    return true;
}

static bool read_tensor(oribi_wire wire, const char *what, parsed *out)
{
    TF_Status *status = TF_NewStatus();
    oribi_wire_field field;
    bool ok = true;

    while (ok && oribi_wire_next(&wire, &field, status)) {
        ok = read_field(&wire, &field, out, status);
    }
    ok = TF_GetCode(status) == TF_OK;
    const bool is_known =
        out->type < sizeof onnx_types / sizeof onnx_types[0] && onnx_types[out->type] != 0;
    if (!ok || !is_known) {
        cli_error("%s: not an ONNX tensor of numbers or strings%s%s", what, ok ? "" : ": ",
                  TF_Message(status));
    } else if (out->has_more) {
        cli_error("%s: the tensor has more than %d dimensions", what, CLI_MAX_RANK);
    }
    TF_DeleteStatus(status);
    return ok && is_known && !out->has_more;
}

/* Elements one by one, `width` bytes of each. How many bytes there are, as many as are wanted. */
static size_t copy_varints(const oribi_wire *wire, const parsed *p, size_t width, char *out,
                           size_t want)
{
    TF_Status *status = TF_NewStatus();
    size_t position = 0, have = 0;
    uint64_t number;

    while (have < want &&
           oribi_wire_element(wire, &p->numbers, ORIBI_WIRE_VARINT, &position, &number, status)) {
        memcpy(out + have, &number, width); /* little endian, as everywhere here */
        have += width;
    }
    TF_DeleteStatus(status);
    return have;
}

/* How many strings there are; those that have room are copied. */
static int64_t copy_strings(oribi_wire wire, TF_Tensor *tensor)
{
    TF_Status *status = TF_NewStatus();
    TF_TString *texts = TF_TensorData(tensor);
    oribi_wire_field field;
    int64_t n = 0;

    while (oribi_wire_next(&wire, &field, status)) {
        if (field.number == 6 && field.type == ORIBI_WIRE_BYTES) {
            if (n < TF_TensorElementCount(tensor)) {
                TF_TString_Copy(&texts[n], (const char *)field.data, field.bytes);
            }
            n++;
        }
    }
    TF_DeleteStatus(status);
    return n;
}

static bool fill_strings(const oribi_wire *wire, TF_Tensor *tensor, const char *what)
{
    const int64_t have = copy_strings(*wire, tensor), want = TF_TensorElementCount(tensor);

    if (have != want) {
        cli_error("%s: the tensor's shape needs %" PRId64 " strings, but it holds %" PRId64, what,
                  want, have);
    }
    return have == want;
}

TF_Tensor *cli_pb_parse(const uint8_t *data, size_t bytes, const char *what)
{
    const oribi_wire wire = oribi_wire_over(data, bytes);
    parsed p = {.numbers = {.type = ORIBI_WIRE_BYTES}};

    TF_Tensor *tensor =
        read_tensor(wire, what, &p) ? cli_tensor(onnx_types[p.type], &p.dims) : NULL;
    if (tensor == NULL) {
        return NULL;
    }
    if (onnx_types[p.type] == TF_STRING) {
        if (!fill_strings(&wire, tensor, what)) {
            TF_DeleteTensor(tensor);
            tensor = NULL;
        }
        return tensor;
    }
    const oribi_wire_field *from = p.raw.data != NULL ? &p.raw : &p.numbers;
    const size_t want = TF_TensorByteSize(tensor);
    size_t have = from->bytes;
    if (from == &p.numbers && p.number_type == ORIBI_WIRE_VARINT) {
        have = copy_varints(&wire, &p, TF_DataTypeSize(onnx_types[p.type]), TF_TensorData(tensor),
                            want);
    } else if (have == want && want > 0) {
        memcpy(TF_TensorData(tensor), from->data, want);
    }
    if (have != want) {
        cli_error("%s: the tensor's shape needs %zu bytes of data, but it holds %zu", what, want,
                  have);
        TF_DeleteTensor(tensor);
        return NULL;
    }
    return tensor;
}
