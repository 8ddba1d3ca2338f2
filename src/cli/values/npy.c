/* SPDX-License-Identifier: Apache-2.0 */
/* NumPy's .npy format, versions 1 to 3: in, either order of dimensions and of bytes; out, C order
 * and little endian. Strings are NumPy's of bytes or of characters in ("S5", "U5"), of bytes out.
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "format/utf8.h"

static const struct {
    const char *descr;
    TF_DataType type;
} types[] = {
    {"<f4", TF_FLOAT},     {"<f8", TF_DOUBLE},      {"<i4", TF_INT32}, {"<i8", TF_INT64},
    {"|u1", TF_UINT8},     {"|i1", TF_INT8},        {"<i2", TF_INT16}, {"<u2", TF_UINT16},
    {"<u4", TF_UINT32},    {"<u8", TF_UINT64},      {"|b1", TF_BOOL},  {"<f2", TF_HALF},
    {"<c8", TF_COMPLEX64}, {"<c16", TF_COMPLEX128},
};

/* Value after 'key': in the header's dictionary, or NULL. */
static const char *find_key(const char *header, const char *key)
{
    const char *at = strstr(header, key);

    return at == NULL ? NULL : at + strlen(key);
}

/* "|S5": five bytes, "<U5": five characters of four bytes. NULs at the end do not count. */
typedef struct layout {
    TF_DataType type;
    size_t width; /* bytes of a string; 0: numbers */
    bool is_wide, is_big_endian, is_fortran;
} layout;

static bool parse_string_type(const char *descr, layout *out)
{
    char *end;

    if (strncmp(descr, "|S", 2) != 0 && strncmp(descr, "<U", 2) != 0) {
        return false;
    }
    const bool is_wide = descr[1] == 'U';
    const unsigned long width =
        descr[2] >= '0' && descr[2] <= '9' ? strtoul(descr + 2, &end, 10) : 0;
    if (width == 0 || width > INT32_MAX || *end != '\'') {
        return false;
    }
    *out =
        (layout){.type = TF_STRING, .width = (size_t)width * (is_wide ? 4 : 1), .is_wide = is_wide};
    return true;
}

static bool parse_type(const char *descr, layout *out)
{
    const char order = descr[0];

    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
        const char *wanted = types[i].descr;
        size_t length = strlen(wanted);
        if (strncmp(descr + 1, wanted + 1, length - 1) == 0 && descr[length] == '\'' &&
            (order == wanted[0] || order == '=' || (order == '>' && wanted[0] == '<'))) {
            *out = (layout){.type = types[i].type, .is_big_endian = order == '>'};
            return true;
        }
    }
    return parse_string_type(descr, out);
}

static bool parse_header(const char *header, layout *out, cli_dims *dims)
{
    const char *descr = find_key(header, "'descr':"), *order = find_key(header, "'fortran_order':");
    const char *shape = find_key(header, "'shape':");

    if (descr == NULL || order == NULL || shape == NULL) {
        return false;
    }
    descr = strchr(descr, '\'');
    while (*order == ' ') {
        order++;
    }
    if (descr == NULL || descr[1] == 0 || !parse_type(descr + 1, out) ||
        (strncmp(order, "False", 5) != 0 && strncmp(order, "True", 4) != 0)) {
        return false;
    }
    out->is_fortran = order[0] == 'T';
    shape = strchr(shape, '(');
    for (dims->n = 0; shape != NULL;) {
        shape += strspn(shape + 1, ", ") + 1;
        if (*shape == ')') {
            return true;
        }
        char *end;
        long long dim = strtoll(shape, &end, 10);
        if (end == shape || dim < 0 || !cli_dims_add(dims, dim)) {
            return false;
        }
        shape = end - 1;
    }
    return false;
}

static bool parse_string(const uint8_t *data, const layout *form, char *room, TF_TString *out)
{
    const size_t step = form->is_wide ? 4 : 1;
    size_t n = form->width;
    char *at = room;

    while (n > 0 && memcmp(data + n - step, "\0\0\0", step) == 0) {
        n -= step;
    }
    if (!form->is_wide) {
        TF_StringCopy(out, (const char *)data, n);
        return true;
    }
    for (size_t i = 0; i < n; i += 4) {
        uint32_t code;
        memcpy(&code, data + i, sizeof code);
        const size_t bytes = oribi_utf8_put(code, at);
        if (bytes == 0) {
            return false;
        }
        at += bytes;
    }
    TF_StringCopy(out, room, (size_t)(at - room));
    return true;
}

static bool parse_strings(const uint8_t *data, size_t bytes, const layout *form, TF_Tensor *tensor,
                          const char *what)
{
    const size_t n = (size_t)TF_TensorElementCount(tensor);
    TF_TString *out = TF_TensorData(tensor);
    bool good = true;

    if (n != bytes / form->width || bytes % form->width != 0) {
        cli_error("%s: the .npy shape needs %zu strings of %zu bytes, but the file holds %zu bytes",
                  what, n, form->width, bytes);
        return false;
    }
    if (!cli_budget_take(what, bytes + form->width)) { /* the strings' own memory */
        return false;
    }
    char *room = cli_alloc(form->width);
    for (size_t i = 0; i < n && good; i++) {
        good = parse_string(data + i * form->width, form, room, &out[i]);
    }
    free(room);
    if (!good) {
        cli_error("%s: a string holds a number that is not a Unicode character", what);
    }
    return good;
}

static void copy_element(uint8_t *out, const uint8_t *in, size_t size, size_t part, bool swaps)
{
    for (size_t k = 0; k < size; k++) { /* the two parts of a complex number stay in order */
        out[k] = in[swaps ? k / part * part + (part - 1 - k % part) : k];
    }
}

/* Numbers whose first dimension runs fastest, or whose bytes stand in the other order. */
static void copy_reordered(const uint8_t *data, const layout *form, TF_Tensor *tensor)
{
    const size_t size = TF_DataTypeSize(form->type);
    const bool is_complex = form->type == TF_COMPLEX64 || form->type == TF_COMPLEX128;
    const int rank = TF_NumDims(tensor);
    cli_dims at = {0};
    uint8_t *out = TF_TensorData(tensor);

    for (int64_t i = 0; i < TF_TensorElementCount(tensor); i++) {
        int64_t from = i;
        for (int d = rank - 1; form->is_fortran && d >= 0; d--) {
            from = (d == rank - 1 ? 0 : from) * TF_Dim(tensor, d) + at.at[d];
        }
        copy_element(out + (size_t)i * size, data + (size_t)from * size, size,
                     is_complex ? size / 2 : size, form->is_big_endian);
        for (int d = rank - 1; d >= 0 && ++at.at[d] == TF_Dim(tensor, d); d--) {
            at.at[d] = 0;
        }
    }
}

/* The header with a NUL; NULL after a message. The caller frees it. */
static char *read_header(const uint8_t *data, size_t bytes, const char *what, size_t *out_start)
{
    if (bytes < 12 || memcmp(data, "\x93NUMPY", 6) != 0 || data[6] < 1 || data[6] > 3) {
        cli_error("%s: not a .npy file", what);
        return NULL;
    }
    size_t start = data[6] == 1 ? 10 : 12;
    size_t length = (size_t)data[8] | (size_t)data[9] << 8;
    if (data[6] > 1) {
        length |= (size_t)data[10] << 16 | (size_t)data[11] << 24;
    }
    if (length > bytes - start) {
        cli_error("%s: the .npy header is cut off at byte %zu", what, bytes);
        return NULL;
    }
    char *header = cli_alloc(length + 1);
    memcpy(header, data + start, length);
    *out_start = start + length;
    return header;
}

TF_Tensor *cli_npy_parse(const uint8_t *data, size_t bytes, const char *what)
{
    cli_dims dims;
    layout form;
    size_t start;
    char *header = read_header(data, bytes, what, &start);

    if (header == NULL) {
        return NULL;
    }
    bool good = parse_header(header, &form, &dims);
    free(header);
    good = good && !(form.type == TF_STRING && form.is_fortran && dims.n > 1);
    if (!good) {
        cli_error("%s: the .npy header names a type, an order or a shape that is not supported "
                  "(numbers, strings S or U in C order, %d dimensions at most)",
                  what, CLI_MAX_RANK);
        return NULL;
    }
    TF_Tensor *tensor = cli_tensor(form.type, &dims);
    if (tensor == NULL) {
        return NULL;
    }
    const size_t have = bytes - start;
    if (form.type == TF_STRING) {
        good = parse_strings(data + start, have, &form, tensor, what);
    } else if (TF_TensorByteSize(tensor) != have) {
        cli_error("%s: the .npy shape needs %zu bytes, but the file holds %zu", what,
                  TF_TensorByteSize(tensor), have);
        good = false;
    } else if (form.is_big_endian || (form.is_fortran && dims.n > 1)) {
        copy_reordered(data + start, &form, tensor);
    } else if (have > 0) {
        memcpy(TF_TensorData(tensor), data + start, have);
    }
    if (!good) {
        TF_DeleteTensor(tensor);
        return NULL;
    }
    return tensor;
}

/* Bytes of the longest string, at least 1; 0 after a message: .npy does not tell NULs at the end.
 */
static size_t string_width(const TF_Tensor *tensor)
{
    const TF_TString *strings = TF_TensorData(tensor);
    size_t width = 1;

    for (int64_t i = 0; i < TF_TensorElementCount(tensor); i++) {
        size_t n = TF_StringGetSize(&strings[i]);
        if (n > 0 && TF_StringGetDataPointer(&strings[i])[n - 1] == 0) {
            cli_error("a string that ends with a NUL cannot be stored as .npy");
            return 0;
        }
        width = n > width ? n : width;
    }
    return width;
}

static void put_elements(const TF_Tensor *tensor, size_t width, uint8_t *out)
{
    const int64_t n = TF_TensorElementCount(tensor);

    if (TF_TensorType(tensor) != TF_STRING) {
        if (n > 0) {
            memcpy(out, TF_TensorData(tensor), width * (size_t)n);
        }
        return;
    }
    const TF_TString *strings = TF_TensorData(tensor);
    for (int64_t i = 0; i < n; i++) {
        memcpy(out + (size_t)i * width, TF_StringGetDataPointer(&strings[i]),
               TF_StringGetSize(&strings[i]));
    }
}

/* Writes what 'descr' says about the tensor; returns the bytes of one element. 0: it cannot be
 * stored. */
static size_t describe_type(const TF_Tensor *tensor, char *out, size_t size)
{
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
        if (types[i].type == TF_TensorType(tensor)) {
            (void)snprintf(out, size, "%s", types[i].descr);
            return TF_DataTypeSize(types[i].type);
        }
    }
    if (TF_TensorType(tensor) == TF_STRING) {
        size_t width = string_width(tensor);
        (void)snprintf(out, size, "|S%zu", width);
        return width;
    }
    cli_error("an output of type %s cannot be stored as .npy",
              cli_type_name(TF_TensorType(tensor)));
    return 0;
}

uint8_t *cli_npy_format(const TF_Tensor *tensor, size_t *out_bytes)
{
    char descr[32], shape[512] = "", header[1024];
    size_t used = 0, data_bytes;

    if (TF_NumDims(tensor) > 16) {
        cli_error("an output of rank %d cannot be stored as .npy", TF_NumDims(tensor));
        return NULL;
    }
    const size_t width = describe_type(tensor, descr, sizeof descr);
    if (width == 0) {
        return NULL;
    }
    for (int i = 0; i < TF_NumDims(tensor); i++) {
        used += (size_t)snprintf(shape + used, sizeof shape - used, "%lld, ",
                                 (long long)TF_Dim(tensor, i));
    }
    int length = snprintf(header, sizeof header,
                          "{'descr': '%s', 'fortran_order': False, 'shape': (%s), }", descr, shape);
    size_t padded = ((size_t)length + 1 + 10 + 63) / 64 * 64 - 10;
    if (__builtin_mul_overflow(width, (size_t)TF_TensorElementCount(tensor), &data_bytes) ||
        data_bytes > PTRDIFF_MAX - padded) {
        cli_error("an output is too large to be stored as .npy");
        return NULL;
    }
    uint8_t *out = cli_alloc(10 + padded + data_bytes);
    memcpy(out, "\x93NUMPY\x01\x00", 8);
    out[8] = (uint8_t)padded;
    out[9] = (uint8_t)(padded >> 8);
    memset(out + 10, ' ', padded);
    memcpy(out + 10, header, (size_t)length);
    out[10 + padded - 1] = '\n';
    put_elements(tensor, width, out + 10 + padded);
    *out_bytes = 10 + padded + data_bytes;
    return out;
}
