/* SPDX-License-Identifier: Apache-2.0 */
/* Inputs from the command line: which input, and its tensor. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"

static bool ends_with(const char *text, const char *tail)
{
    size_t a = strlen(text), b = strlen(tail);

    return a >= b && strcmp(text + a - b, tail) == 0;
}

/* Longest name first is not needed: a name is followed by '=', and names are compared whole. */
bool cli_input_parse(const oribi_model *model, const char *text, cli_input *out)
{
    int n = oribi_model_num_inputs(model);
    const char *names[64];
    char *end;

    out->text = text;
    for (int i = 0; i < n; i++) {
        const char *name = oribi_model_input_name(model, i);
        size_t length = strlen(name);
        if (strncmp(text, name, length) == 0 && text[length] == '=') {
            out->index = i;
            out->spec = text + length + 1;
            return true;
        }
        if (i < 64) {
            names[i] = name;
        }
    }
    long index = strtol(text, &end, 10);
    if (end != text && *end == '=' && index >= 0 && index < n) {
        out->index = (int)index;
        out->spec = end + 1;
        return true;
    }
    if (text[0] == '@' && n == 1) {
        out->index = 0;
        out->spec = text;
        return true;
    }
    char word[128];
    snprintf(word, sizeof word, "%.*s", (int)strcspn(text, "="), text);
    const char *near = cli_did_you_mean(word, names, (size_t)(n < 64 ? n : 64));
    cli_error("the model has no input '%s'%s%s%s; it has:", word,
              near == NULL ? "" : ", did you mean '", near == NULL ? "" : near,
              near == NULL ? "" : "'?");
    for (int i = 0; i < n; i++) {
        cli_note("  %d  %s", i, oribi_model_input_name(model, i));
    }
    return false;
}

/* One unknown dimension is what the bytes of a raw file leave for it. */
static void fit_dims(int64_t *dims, int rank, TF_DataType type, size_t bytes)
{
    int unknown = -1;
    uint64_t known = TF_DataTypeSize(type);

    for (int i = 0; i < rank; i++) {
        if (dims[i] < 0 && unknown < 0) {
            unknown = i;
        } else if (dims[i] <= 0 || __builtin_mul_overflow(known, (uint64_t)dims[i], &known)) {
            return;
        }
    }
    if (unknown >= 0 && known > 0 && bytes % known == 0) {
        dims[unknown] = (int64_t)(bytes / known);
    }
}

static TF_Tensor *read_raw(const char *path, TF_DataType type, const int64_t *wanted, int rank)
{
    size_t bytes;
    int64_t dims[16];
    uint8_t *data = cli_read_file(path, &bytes);

    if (data == NULL) {
        return NULL;
    }
    if (rank > 0) {
        memcpy(dims, wanted, (size_t)rank * sizeof *dims);
    }
    fit_dims(dims, rank, type, bytes);
    TF_Tensor *tensor = cli_tensor(type, dims, rank);

    if (tensor != NULL && TF_TensorByteSize(tensor) != bytes) {
        cli_error("%s: the input wants %zu bytes, the file holds %zu", path,
                  TF_TensorByteSize(tensor), bytes);
        TF_DeleteTensor(tensor);
        tensor = NULL;
    }
    if (tensor != NULL && bytes > 0) {
        memcpy(TF_TensorData(tensor), data, bytes);
    }
    free(data);
    return tensor;
}

static TF_Tensor *read_file(const char *path, TF_DataType type, const int64_t *dims, int rank,
                            const cli_image_options *images)
{
    char real[4096];
    size_t bytes;
    const char *member = strstr(path, ".npz:");

    if (member != NULL) {
        snprintf(real, sizeof real, "%.*s", (int)(member - path + 4), path);
        return cli_npz_read(real, member + 5);
    }
    if (ends_with(path, ".npz")) {
        return cli_npz_read(path, NULL);
    }
    if (ends_with(path, ".npy") || ends_with(path, ".pb")) {
        uint8_t *data = cli_read_file(path, &bytes);
        TF_Tensor *tensor = data == NULL              ? NULL
                            : ends_with(path, ".npy") ? cli_npy_parse(data, bytes, path)
                                                      : cli_pb_parse(data, bytes, path);
        free(data);
        return tensor;
    }
    if (ends_with(path, ".bin")) {
        return read_raw(path, type, dims, rank);
    }
    return cli_image_read(path, type, dims, rank, images);
}

static bool store_number(TF_Tensor *tensor, int64_t i, double value)
{
    void *data = TF_TensorData(tensor);

    switch ((int)TF_TensorType(tensor)) {
    case TF_FLOAT:
        ((float *)data)[i] = (float)value;
        return true;
    case TF_DOUBLE:
        ((double *)data)[i] = value;
        return true;
    case TF_INT32:
        ((int32_t *)data)[i] = (int32_t)value;
        return true;
    case TF_INT64:
        ((int64_t *)data)[i] = (int64_t)value;
        return true;
    case TF_INT8:
        ((int8_t *)data)[i] = (int8_t)value;
        return true;
    case TF_UINT8:
        ((uint8_t *)data)[i] = (uint8_t)value;
        return true;
    case TF_INT16:
        ((int16_t *)data)[i] = (int16_t)value;
        return true;
    case TF_BOOL:
        ((uint8_t *)data)[i] = value != 0;
        return true;
    default:
        cli_error("numbers for an input of type %s come from a file",
                  cli_type_name(TF_TensorType(tensor)));
        return false;
    }
}

/* "2x3xf32=1,2,3": shape and type, then values; one value fills all. */
static TF_Tensor *parse_values(const char *spec)
{
    int64_t dims[16];
    int rank = 0;
    const char *equals = strchr(spec, '='), *at = spec;
    TF_DataType type = (TF_DataType)0;

    while (equals != NULL && at < equals && type == 0 && rank < 16) {
        const char *next = memchr(at, 'x', (size_t)(equals - at));
        size_t length = (size_t)((next == NULL ? equals : next) - at);
        char *end;
        dims[rank] = strtoll(at, &end, 10);
        if (end == at + length && length > 0 && dims[rank] >= 0) {
            rank++;
        } else if ((type = cli_type_parse(at, length)) == 0 || next != NULL) {
            break;
        }
        at += length + 1;
    }
    if (type == 0) {
        return NULL;
    }
    TF_Tensor *tensor = cli_tensor(type, dims, rank);
    int64_t n = tensor == NULL ? 0 : TF_TensorElementCount(tensor), i = 0;
    bool good = tensor != NULL;
    for (at = equals + 1; good && *at != 0 && i < n; i++) {
        char *end;
        double value = strtod(at, &end);
        good = end != at && (*end == ',' || *end == 0) && store_number(tensor, i, value);
        at = *end == ',' ? end + 1 : end;
    }
    for (int64_t first = 1; good && i == 1 && first < n; first++) {
        good = store_number(tensor, first, cli_element(tensor, 0));
    }
    if (good && ((i != n && i != 1) || *at != 0)) {
        cli_error("'%s' wants 1 or %lld values", spec, (long long)n);
        good = false;
    }
    if (!good) {
        TF_DeleteTensor(tensor);
        return NULL;
    }
    return tensor;
}

static TF_Tensor *make_pattern(const char *spec, TF_DataType type, const int64_t *dims, int rank)
{
    TF_Tensor *tensor = cli_tensor(type, dims, rank);
    int64_t n = tensor == NULL ? 0 : TF_TensorElementCount(tensor);
    bool ramp = strcmp(spec, "ramp") == 0;
    uint64_t state = ramp ? 0 : strtoull(spec + 5, NULL, 10);

    for (int64_t i = 0; i < n; i++) {
        state += 0x9e3779b97f4a7c15u; /* splitmix64 */
        uint64_t z = (state ^ state >> 30) * 0xbf58476d1ce4e5b9u;
        z = (z ^ z >> 27) * 0x94d049bb133111ebu;
        double unit = (double)((z ^ z >> 31) >> 40) / 16777216.0;
        double value = ramp ? (double)i / (double)n : unit;
        if (!store_number(tensor, i, type == TF_FLOAT || type == TF_DOUBLE ? value : value * 256)) {
            TF_DeleteTensor(tensor);
            return NULL;
        }
    }
    return tensor;
}

TF_Tensor *cli_input_make(const oribi_model *model, const cli_input *input,
                          const cli_image_options *images)
{
    int64_t dims[16];
    int rank = oribi_model_input_shape(model, input->index, dims, 16);
    TF_DataType type = oribi_model_input_type(model, input->index);

    if (rank > 16) {
        cli_error("input %s: rank %d is more than the command can feed", input->text, rank);
        return NULL;
    }
    if (input->spec[0] == '@') {
        bool image_has_unknown = rank < 0;
        return read_file(input->spec + 1, type, dims, image_has_unknown ? 0 : rank, images);
    }
    if (strcmp(input->spec, "ramp") == 0 || strncmp(input->spec, "rand:", 5) == 0) {
        for (int i = 0; i < rank; i++) {
            if (dims[i] < 0 && i > 0) {
                cli_error("input %s: dimension %d is unknown; fix it with --shape", input->text, i);
                return NULL;
            }
            dims[i] = dims[i] < 0 ? 1 : dims[i]; /* an unknown batch is one */
        }
        return make_pattern(input->spec, type, dims, rank < 0 ? 0 : rank);
    }
    TF_Tensor *tensor = parse_values(input->spec);
    if (tensor == NULL) {
        cli_error("input '%s': wants @FILE, 2x3xf32=1,2,.., rand:SEED or ramp", input->text);
    }
    return tensor;
}
