/* SPDX-License-Identifier: Apache-2.0 */
/* EncodeBase64, DecodeBase64, DecodeRaw and DecodePaddedRaw: bytes as texts of letters, and texts
 * as the bytes of numbers.
 * Source   RFC 4648, section 5 (base64 for addresses).
 */
#include "cpu/base/families.h"
#include "cpu/text/texts.h"

/* --- Base64 ----------------------------------------------------------------------------------- */

static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

typedef struct encode_state {
    bool pads;
} encode_state;

static void encode_read(oribi_kit_setup *setup, encode_state *state)
{
    oribi_kit_attr_bool(setup, "pad", &state->pads);
}
ORIBI_KIT_CREATE(encode, encode_state)

/* Three bytes are four letters; of the last one or two so many letters as have bits of theirs. */
static bool encode_text(const encode_state *s, oribi_kit_run *run, TF_TString *out,
                        oribi_cpu_span text)
{
    const size_t rest = text.n % 3;
    if (text.n > SIZE_MAX / 4) {
        return oribi_kit_fail(run, TF_RESOURCE_EXHAUSTED, "a text is too long");
    }
    const size_t bytes = text.n / 3 * 4 + (rest == 0 ? 0 : s->pads ? 4 : rest + 1);
    char *to = oribi_cpu_text_room(run, out, bytes);
    for (size_t i = 0, k = 0; to != NULL && i < text.n; i += 3, k += 4) {
        const size_t n = text.n - i < 3 ? text.n - i : 3;
        uint32_t bits = 0;
        for (size_t j = 0; j < 3; j++) {
            bits = bits << 8 | (j < n ? (unsigned char)text.at[i + j] : 0U);
        }
        for (size_t j = 0; j < 4 && k + j < bytes; j++) {
            to[k + j] = '=';
            if (j <= n) {
                to[k + j] = letters[bits >> (18 - 6 * j) & 0x3f];
            }
        }
    }
    return to != NULL;
}

/* What a letter stands for; -1: nothing. */
static int value_of(char letter)
{
    const char *at = letter == '\0' ? NULL : strchr(letters, letter);
    return at == NULL ? -1 : (int)(at - letters);
}

static bool decode_text(oribi_kit_run *run, TF_TString *out, oribi_cpu_span text, int64_t index)
{
    size_t n = text.n;
    if (n % 4 == 0) { /* of the last four letters one or two may only fill up */
        n -= n > 0 && text.at[n - 1] == '=' ? 1 : 0;
        n -= n % 4 == 3 && text.at[n - 1] == '=' ? 1 : 0;
    }
    if (n % 4 == 1) {
        return oribi_kit_fail(run, TF_INVALID_ARGUMENT,
                              "text %lld is no base64: it has %zu letters", (long long)index, n);
    }
    char *to = oribi_cpu_text_room(run, out, n / 4 * 3 + (n % 4 == 0 ? 0 : n % 4 - 1));
    uint32_t bits = 0;
    for (size_t i = 0, k = 0; to != NULL && i < n; i++) {
        const int value = value_of(text.at[i]);
        if (value < 0) {
            return oribi_kit_fail(run, TF_INVALID_ARGUMENT,
                                  "text %lld is no base64: byte %zu is 0x%02x", (long long)index, i,
                                  (unsigned)(unsigned char)text.at[i]);
        }
        bits = bits << 6 | (uint32_t)value;
        if (i % 4 > 0) {
            to[k++] = (char)(bits >> (6 - 2 * (i % 4)) & 0xff);
        }
    }
    return to != NULL;
}

/* state: NULL to decode. */
static bool base64(const encode_state *state, oribi_kit_run *run)
{
    oribi_wide_dims dims;
    int64_t patience = 0;
    if (!oribi_cpu_wide_dims(run, run->in[0], &dims)) {
        return false;
    }
    TF_TString *y = oribi_cpu_text_output(run, 0, dims.at, dims.n);
    const int64_t count = y == NULL ? 0 : TF_TensorElementCount(run->in[0]);
    for (int64_t i = 0; i < count; i++) {
        const oribi_cpu_span text = oribi_cpu_text_at(TF_TensorData(run->in[0]), i);
        if (oribi_kit_stops(run, &patience, 60 + (int64_t)(text.n & 0xfffff) * 8) ||
            !(state != NULL ? encode_text(state, run, &y[i], text)
                            : decode_text(run, &y[i], text, i))) {
            return false;
        }
    }
    return y != NULL;
}

static bool encode_run(const void *state, oribi_kit_run *run)
{
    return base64(state, run);
}
ORIBI_KIT_COMPUTE(encode, 1)

static bool decode_run(const void *state, oribi_kit_run *run)
{
    (void)state;
    return base64(NULL, run);
}
ORIBI_KIT_COMPUTE(decode, 1)

/* --- Numbers ---------------------------------------------------------------------------------- */

typedef struct raw_state {
    size_t width, word; /* of an element, and of what has an order of bytes: half a complex one */
    bool is_little;
} raw_state;

static void raw_read(oribi_kit_setup *setup, raw_state *state)
{
    TF_DataType dtype = TF_FLOAT;
    oribi_kit_attr_type(setup, "out_type", &dtype);
    oribi_kit_attr_bool(setup, "little_endian", &state->is_little);
    state->width = TF_DataTypeSize(dtype);
    state->word = dtype == TF_COMPLEX64 || dtype == TF_COMPLEX128 ? state->width / 2 : state->width;
    if (oribi_kit_setup_is_ok(setup) && state->width == 0) {
        (void)oribi_kit_setup_fail(setup, TF_INVALID_ARGUMENT, "out_type has no fixed size");
    }
}
ORIBI_KIT_CREATE(raw, raw_state)

/* The bytes of a text as elements; what is missing is 0. A text of booleans may hold any byte. */
static void put_raw(const raw_state *s, char *to, size_t room, oribi_cpu_span text)
{
    const size_t n = text.n < room ? text.n : room;
    if (n > 0) {
        memcpy(to, text.at, n);
    }
    memset(to + n, 0, room - n);
    for (size_t i = 0; !s->is_little && s->word > 1 && i + s->word <= room; i += s->word) {
        for (size_t k = 0; k < s->word / 2; k++) {
            const char first = to[i + k];
            to[i + k] = to[i + s->word - 1 - k];
            to[i + s->word - 1 - k] = first;
        }
    }
}

/* Each text as `bytes` bytes, along a new last axis. */
static bool raw(const raw_state *s, oribi_kit_run *run, size_t bytes)
{
    oribi_wide_dims dims;
    int64_t patience = 0;
    if (!oribi_cpu_wide_dims(run, run->in[0], &dims)) {
        return false;
    }
    if (!oribi_wide_dims_add(&dims, (int64_t)(bytes / s->width))) {
        return oribi_kit_fail(run, TF_UNIMPLEMENTED, "too many dimensions");
    }
    char *y = oribi_kit_output(run, 0, dims.at, dims.n);
    const int64_t count = y == NULL || bytes == 0 ? 0 : TF_TensorElementCount(run->in[0]);
    for (int64_t i = 0; i < count; i++) {
        if (oribi_kit_stops(run, &patience, 20 + (int64_t)(bytes & 0xfffff))) {
            return false;
        }
        put_raw(s, y + (size_t)i * bytes, bytes, oribi_cpu_text_at(TF_TensorData(run->in[0]), i));
    }
    return y != NULL;
}

static bool raw_run(const void *state, oribi_kit_run *run)
{
    const raw_state *s = state;
    const int64_t count = TF_TensorElementCount(run->in[0]);
    size_t bytes = 0;
    int64_t patience = 0;
    for (int64_t i = 0; i < count; i++) {
        const size_t n = oribi_cpu_text_at(TF_TensorData(run->in[0]), i).n;
        if (oribi_kit_stops(run, &patience, 10)) {
            return false;
        }
        bytes = i == 0 ? n : bytes;
        if (n != bytes || n % s->width != 0) {
            return oribi_kit_fail(run, TF_INVALID_ARGUMENT,
                                  "text %lld has %zu bytes; all must have as many as the first, "
                                  "%zu, which is whole elements of %zu",
                                  (long long)i, n, bytes, s->width);
        }
    }
    return raw(s, run, bytes);
}
ORIBI_KIT_COMPUTE(raw, 1)

static bool padded_run(const void *state, oribi_kit_run *run)
{
    const raw_state *s = state;
    int64_t bytes = 0;
    if (!oribi_cpu_read_int(run, 1, "fixed_length", &bytes)) {
        return false;
    }
    if (TF_NumDims(run->in[1]) != 0) {
        return oribi_kit_fail(run, TF_INVALID_ARGUMENT, "fixed_length must be a scalar");
    }
    if (bytes < 1 || bytes % (int64_t)s->width != 0) {
        return oribi_kit_fail(run, TF_INVALID_ARGUMENT,
                              "fixed_length is %lld; it must be above 0 and whole elements of %zu",
                              (long long)bytes, s->width);
    }
    return raw(s, run, (size_t)bytes);
}
ORIBI_KIT_COMPUTE(padded, 2)

const oribi_cpu_kernel oribi_cpu_text_bytes_kernels[] = {
    ORIBI_CPU_STATE_ROW("EncodeBase64", encode, encode, "text by text"),
    ORIBI_CPU_ROW("DecodeBase64", decode, "text by text"),
    ORIBI_CPU_STATE_ROW("DecodeRaw", raw, raw, "text by text"),
    ORIBI_CPU_STATE_ROW("DecodePaddedRaw", raw, padded, "text by text"),
    {.op_name = NULL},
};
