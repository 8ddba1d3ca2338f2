/* SPDX-License-Identifier: Apache-2.0 */
/* Inputs from the command line: which input, and its tensor. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"

/* Notes how much of the limit the session's model takes, its plan included. */
void cli_input_begin(const cli_session *session, uint64_t kept, uint64_t deadline_ns)
{
    TF_Status *status = TF_NewStatus();
    TF_Buffer *json = cli_buffer();
    uint64_t limit = UINT64_MAX, used = kept;

    oribi_session_describe(session->session, "memory", json, status);
    if (TF_GetCode(status) == TF_OK) {
        cli_json memory = cli_json_parse(json->data, json->length, "memory");
        const int64_t most = cli_json_number(memory.root, "max_bytes");
        limit = most > 0 && most < INT64_MAX ? (uint64_t)most : UINT64_MAX;
        used += (uint64_t)cli_json_number(memory.root, "arena_bytes");
        used += (uint64_t)cli_json_number(memory.root, "constant_bytes");
        cli_json_free(&memory);
    }
    TF_DeleteBuffer(json);
    TF_DeleteStatus(status);
    cli_budget_begin(limit, used, deadline_ns);
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
    if (strchr(text, '=') == NULL) {
        cli_error(
            "-i %s: an input is NAME=VALUE, NAME=@FILE, NAME=rand:SEED or NAME=ramp; the model "
            "has:",
            text);
        goto list;
    }
    char word[128];
    snprintf(word, sizeof word, "%.*s", (int)strcspn(text, "="), text);
    const char *near = oribi_text_did_you_mean(word, names, (size_t)(n < 64 ? n : 64));
    cli_error("the model has no input '%s'%s%s%s; it has:", word,
              near == NULL ? "" : ", did you mean '", near == NULL ? "" : near,
              near == NULL ? "" : "'?");
list:
    for (int i = 0; i < n; i++) {
        cli_note("  %d  %s", i, oribi_model_input_name(model, i));
    }
    return false;
}

/* An input of one text is the file as it is: what a decoder inside of the model reads. */
static TF_Tensor *parse_text(const uint8_t *data, size_t bytes, const char *path,
                             const cli_dims *wanted)
{
    cli_dims dims = *wanted;

    cli_dims_fit(&dims, 1);
    TF_Tensor *tensor = cli_tensor(TF_STRING, &dims);
    if (tensor != NULL && TF_TensorElementCount(tensor) != 1) {
        cli_error("%s: a file is one string, and the input has %lld; give them as .npy or on the "
                  "command line",
                  path, (long long)TF_TensorElementCount(tensor));
        TF_DeleteTensor(tensor);
        tensor = NULL;
    }
    if (tensor != NULL) {
        TF_StringCopy(TF_TensorData(tensor), (const char *)data, bytes);
    }
    return tensor;
}

static TF_Tensor *parse_raw(const uint8_t *data, size_t bytes, const char *path, TF_DataType type,
                            const cli_dims *wanted)
{
    cli_dims dims = *wanted;

    if (bytes % TF_DataTypeSize(type) == 0) {
        cli_dims_fit(&dims, bytes / TF_DataTypeSize(type));
    }
    TF_Tensor *tensor = cli_tensor(type, &dims);

    if (tensor != NULL && TF_TensorByteSize(tensor) != bytes) {
        cli_error("%s: the input needs %zu bytes, but the file holds %zu", path,
                  TF_TensorByteSize(tensor), bytes);
        TF_DeleteTensor(tensor);
        tensor = NULL;
    }
    if (tensor != NULL && bytes > 0) {
        memcpy(TF_TensorData(tensor), data, bytes);
    }
    return tensor;
}

typedef enum format {
    FORMAT_NPY,
    FORMAT_NPZ,
    FORMAT_PB,
    FORMAT_RAW,
    FORMAT_CSV,
    FORMAT_WAV,
    FORMAT_PICTURE,
    FORMAT_TEXT
} format;

/* By the name; standard input has none and tells by its first bytes. */
static format find_format(const char *path, const uint8_t *data, size_t bytes)
{
    if (strcmp(path, "-") == 0) {
        return bytes > 6 && memcmp(data, "\x93NUMPY", 6) == 0 ? FORMAT_NPY
               : bytes > 4 && memcmp(data, "PK\3\4", 4) == 0  ? FORMAT_NPZ
               : bytes > 4 && memcmp(data, "RIFF", 4) == 0    ? FORMAT_WAV
               : cli_image_is(data, bytes)                    ? FORMAT_PICTURE
                                                              : FORMAT_RAW;
    }
    return cli_ends_with(path, ".npy")   ? FORMAT_NPY
           : cli_ends_with(path, ".npz") ? FORMAT_NPZ
           : cli_ends_with(path, ".pb")  ? FORMAT_PB
           : cli_ends_with(path, ".bin") ? FORMAT_RAW
           : cli_ends_with(path, ".csv") ? FORMAT_CSV
           : cli_ends_with(path, ".wav") ? FORMAT_WAV
                                         : FORMAT_PICTURE;
}

/* type 0: whatever the file has, which must say it. */
static TF_Tensor *read_file(const char *spec, TF_DataType type, const cli_dims *dims,
                            const cli_image_options *images)
{
    const char *colon = strstr(spec, ".npz:"), *member = colon == NULL ? NULL : colon + 5;
    const size_t length = colon == NULL ? strlen(spec) : (size_t)(colon - spec) + 4;
    char *path = cli_alloc(length + 1);
    TF_Tensor *tensor = NULL;
    size_t bytes;

    memcpy(path, spec, length);
    uint8_t *data = cli_read_file(path, &bytes);
    if (data != NULL) {
        format found = find_format(path, data, bytes);
        found = type == TF_STRING && found > FORMAT_PB ? FORMAT_TEXT : found;
        if (type == 0 && found > FORMAT_PB) {
            cli_error("%s: an element of a list is a .npy, .npz or .pb, which say its type", path);
            free(data);
            free(path);
            return NULL;
        }
        switch (found) {
        case FORMAT_NPY:
            tensor = cli_npy_parse(data, bytes, path);
            break;
        case FORMAT_NPZ:
            tensor = cli_npz_parse(data, bytes, path, member);
            break;
        case FORMAT_PB:
            tensor = cli_pb_parse(data, bytes, path);
            break;
        case FORMAT_RAW:
            tensor = parse_raw(data, bytes, path, type, dims);
            break;
        case FORMAT_CSV:
            tensor = cli_csv_read(data, bytes, path, type, dims);
            break;
        case FORMAT_WAV:
            tensor = cli_wav_read(data, bytes, path, type, dims);
            break;
        case FORMAT_PICTURE:
            tensor = cli_image_read(data, bytes, path, type, dims, images);
            break;
        case FORMAT_TEXT:
            tensor = parse_text(data, bytes, path, dims);
            break;
        }
    }
    tensor = tensor == NULL || type == 0 ? tensor : cli_tensor_cast(tensor, type, path);
    free(data);
    free(path);
    return tensor;
}

/* The element's bytes into all elements behind it. */
static void repeat_first(TF_Tensor *tensor)
{
    const size_t size = cli_type_bytes(TF_TensorType(tensor));
    uint8_t *data = TF_TensorData(tensor);

    for (int64_t i = 1; i < TF_TensorElementCount(tensor); i++) {
        if (TF_TensorType(tensor) == TF_STRING) {
            TF_TString *strings = (TF_TString *)(void *)data;
            TF_StringCopy(&strings[i], TF_StringGetDataPointer(&strings[0]),
                          TF_StringGetSize(&strings[0]));
        } else {
            memcpy(data + (size_t)i * size, data, size);
        }
    }
}

/* Values after the shape; false after a message. */
static bool fill(TF_Tensor *tensor, const char *values, const char *spec)
{
    const int64_t n = TF_TensorElementCount(tensor);
    const bool is_text = TF_TensorType(tensor) == TF_STRING; /* "" is a value, too */
    const char *at = values;
    int64_t i = 0;

    for (bool has_more = *at != 0 || (is_text && n > 0); has_more; i++) {
        if (i == n) {
            i++; /* one too many */
            break;
        }
        const char *end = cli_element_parse(tensor, i, at);
        if (end == NULL) {
            cli_error("'%s': '%.*s' is not a value of type %s", spec, (int)strcspn(at, ","), at,
                      cli_type_name(TF_TensorType(tensor)));
            return false;
        }
        has_more = *end == ',';
        at = end + 1;
    }
    if (i != n && (i != 1 || n == 0)) {
        cli_error("'%s' needs 1 or %lld values", spec, (long long)n);
        return false;
    }
    if (i < n) {
        repeat_first(tensor);
    }
    return true;
}

/* "2x3xf32" up to the '='; 0: something else stands there. */
static TF_DataType parse_shape(const char *at, const char *equals, cli_dims *dims)
{
    for (dims->n = 0; at < equals;) {
        const char *next = memchr(at, 'x', (size_t)(equals - at));
        size_t length = (size_t)((next == NULL ? equals : next) - at);
        char *end;
        if (next == NULL) {
            return cli_type_parse(at, length);
        }
        if (*at < '0' || *at > '9') {
            break;
        }
        errno = 0;
        const int64_t size = strtoll(at, &end, 10);
        if (end != next || errno != 0 || !cli_dims_add(dims, size)) {
            break;
        }
        at = next + 1;
    }
    return (TF_DataType)0;
}

/* "2x3xf32=1,2,3": shape and type, then values; one value fills all. */
static TF_Tensor *parse_values(const char *spec, const char *text)
{
    cli_dims dims;
    const char *equals = strchr(spec, '=');
    TF_DataType type = equals == NULL ? (TF_DataType)0 : parse_shape(spec, equals, &dims);

    if (type == 0) {
        cli_error(
            "input '%s': wants @FILE, 2x3xf32=1,2,.., rand:SEED or ramp, with %d dimensions at "
            "most",
            text, CLI_MAX_RANK);
        return NULL;
    }
    TF_Tensor *tensor = cli_tensor(type, &dims);
    if (tensor != NULL && !fill(tensor, equals + 1, spec)) {
        TF_DeleteTensor(tensor);
        return NULL;
    }
    return tensor;
}

static TF_Tensor *make_pattern(bool is_ramp, uint64_t seed, TF_DataType type, const cli_dims *dims)
{
    TF_Tensor *tensor = type == TF_STRING ? NULL : cli_tensor(type, dims);
    int64_t n = tensor == NULL ? 0 : TF_TensorElementCount(tensor);
    uint64_t state = seed;

    if (type == TF_STRING) {
        cli_error("an input of strings has no pattern; give it as 2xstr=a,b or as .npy");
    }
    for (int64_t i = 0; i < n; i++) {
        state += 0x9e3779b97f4a7c15u; /* splitmix64 */
        uint64_t z = (state ^ state >> 30) * 0xbf58476d1ce4e5b9u;
        z = (z ^ z >> 27) * 0x94d049bb133111ebu;
        double unit = (double)((z ^ z >> 31) >> 40) / 16777216.0;
        if (!cli_element_store_unit(tensor, i, is_ramp ? (double)i / (double)n : unit)) {
            cli_error("an input of type %s has no pattern; give it as a file", cli_type_name(type));
            TF_DeleteTensor(tensor);
            return NULL;
        }
    }
    return tensor;
}

/* "rand:7" or "ramp"; a seed is a whole number from 0 on. */
static bool parse_pattern(const char *spec, bool *is_ramp, uint64_t *seed)
{
    char *end = NULL;

    *is_ramp = strcmp(spec, "ramp") == 0;
    *seed = 0;
    if (*is_ramp) {
        return true;
    }
    errno = 0;
    if (strncmp(spec, "rand:", 5) == 0 && spec[5] >= '0' && spec[5] <= '9') {
        *seed = strtoull(spec + 5, &end, 10);
    }
    return end != NULL && *end == 0 && errno == 0;
}

TF_Tensor *cli_list_element(const cli_input *input)
{
    static const cli_dims none = {0};
    static const cli_image_options no_images = {0};

    return input->spec[0] == '@' ? read_file(input->spec + 1, (TF_DataType)0, &none, &no_images)
                                 : parse_values(input->spec, input->text);
}

TF_Tensor *cli_input_make(const oribi_model *model, const cli_input *input,
                          const cli_image_options *images)
{
    return input->spec[0] == '[' ? cli_batch_make(model, input, images)
                                 : cli_input_make_one(model, input, images, false);
}

TF_Tensor *cli_input_make_one(const oribi_model *model, const cli_input *input,
                              const cli_image_options *images, bool is_of_batch)
{
    cli_dims dims;
    const int rank = cli_port_dims(model, true, input->index, false, &dims);
    TF_DataType type = oribi_model_input_type(model, input->index);

    if (type == TF_VARIANT) {
        return cli_list_read(input, oribi_model_input_shape(model, input->index, NULL, 0));
    }
    if (rank > CLI_MAX_RANK) {
        cli_error("input %s: rank %d is more than the command can feed", input->text, rank);
        return NULL;
    }
    if (is_of_batch && dims.n > 0) {
        dims.at[0] = 1;
    }
    if (input->spec[0] == '@') {
        return read_file(input->spec + 1, type, &dims, images);
    }
    bool is_ramp;
    uint64_t seed;
    if (parse_pattern(input->spec, &is_ramp, &seed)) {
        for (int i = 0; i < dims.n; i++) {
            if (dims.at[i] < 0 && i > 0) {
                cli_error("input %s: dimension %d is unknown; fix it with --shape", input->text, i);
                return NULL;
            }
            dims.at[i] = dims.at[i] < 0 ? 1 : dims.at[i]; /* an unknown batch is one */
        }
        return make_pattern(is_ramp, seed, type, &dims);
    }
    return parse_values(input->spec, input->text);
}
