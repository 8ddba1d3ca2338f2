/* SPDX-License-Identifier: Apache-2.0 */
/* ONNX>StringConcat and ONNX>StringNormalizer. Upper and lower case are those of ASCII, Latin-1,
 * Greek and Cyrillic letters, in UTF-8, whatever the locale.
 */
#include "cpu/base/families.h"
#include "cpu/text/texts.h"

/* --- StringConcat ----------------------------------------------------------------------------- */

static bool join(oribi_kit_run *run, TF_TString *out, oribi_cpu_span a, oribi_cpu_span b)
{
    size_t bytes = 0;
    if (__builtin_add_overflow(a.n, b.n, &bytes)) {
        return oribi_kit_fail(run, TF_RESOURCE_EXHAUSTED, "a text is too long");
    }
    char *to = TF_TString_ResizeUninitialized(out, bytes);
    if (to == NULL) {
        return oribi_kit_fail(run, TF_RESOURCE_EXHAUSTED, "no memory for a text of %zu bytes",
                              bytes);
    }
    if (a.n > 0) {
        memcpy(to, a.at, a.n);
    }
    if (b.n > 0) {
        memcpy(to + a.n, b.at, b.n);
    }
    return true;
}

static bool concat_run(const void *state, oribi_kit_run *run)
{
    oribi_cpu_shape a, b, out;
    oribi_dims a_strides, b_strides;
    int64_t patience = 0;
    (void)state;
    if (!oribi_cpu_input_shape(run, 0, &a) || !oribi_cpu_input_shape(run, 1, &b) ||
        !oribi_cpu_broadcast(run, &a, &b, &out)) {
        return false;
    }
    const TF_TString *x = TF_TensorData(run->in[0]), *y = TF_TensorData(run->in[1]);
    TF_TString *z = oribi_cpu_text_output(run, 0, out.at, out.n);
    if (z == NULL) {
        return false;
    }
    oribi_cpu_broadcast_strides(&a, &out, &a_strides);
    oribi_cpu_broadcast_strides(&b, &out, &b_strides);
    const int64_t count = oribi_cpu_product(out.at, out.n);
    for (int64_t i = 0; i < count && !oribi_kit_stops(run, &patience, 60); i++) {
        if (!join(run, &z[i], oribi_cpu_text_at(x, oribi_cpu_text_place(i, &out, &a_strides)),
                  oribi_cpu_text_at(y, oribi_cpu_text_place(i, &out, &b_strides)))) {
            return false;
        }
    }
    return true;
}
ORIBI_KIT_COMPUTE(concat, 2)

/* --- StringNormalizer ------------------------------------------------------------------------- */

typedef enum change { AS_IT_IS, LOWER, UPPER } change;

typedef struct normal_state {
    change change;
    bool is_sensitive;
} normal_state;

static void normal_read(oribi_kit_setup *setup, normal_state *state)
{
    char action[16] = "NONE";
    oribi_kit_attr_string(setup, "case_change_action", action, sizeof action);
    oribi_kit_attr_bool(setup, "is_case_sensitive", &state->is_sensitive);
    state->change = action[0] == 'L' ? LOWER : action[0] == 'U' ? UPPER : AS_IT_IS;
}
ORIBI_KIT_CREATE(normal, normal_state)

/* A letter of one or two bytes in the other case, which has as many. */
static unsigned changed(unsigned code, change to)
{
    static const struct {
        unsigned first, last, distance; /* of the upper case; lower is that much further */
    } ranges[] = {{0x41, 0x5a, 32},   {0xc0, 0xd6, 32},   {0xd8, 0xde, 32},  {0x391, 0x3a1, 32},
                  {0x3a3, 0x3a9, 32}, {0x400, 0x40f, 80}, {0x410, 0x42f, 32}};
    for (size_t i = 0; i < sizeof ranges / sizeof ranges[0]; i++) {
        const unsigned base = to == LOWER ? code : code - ranges[i].distance;
        if (base >= ranges[i].first && base <= ranges[i].last) {
            return to == LOWER ? code + ranges[i].distance : base;
        }
    }
    return code;
}

/* The letter at s[i], whose bytes *out_bytes counts; what is longer than two bytes comes byte by
 * byte, which no case changes. */
static unsigned letter_at(oribi_cpu_span s, size_t i, size_t *out_bytes)
{
    const unsigned char *at = (const unsigned char *)s.at + i;
    const bool is_pair = at[0] >= 0xc2 && at[0] <= 0xdf && i + 1 < s.n && (at[1] & 0xc0) == 0x80;
    *out_bytes = is_pair ? 2 : 1;
    return is_pair        ? (at[0] & 0x1fu) << 6 | (at[1] & 0x3fu)
           : at[0] < 0x80 ? at[0]
                          : 0x10000u + at[0];
}

static bool same_words(oribi_cpu_span a, oribi_cpu_span b, bool is_sensitive)
{
    if (is_sensitive || a.n != b.n) {
        return oribi_cpu_same_text(a, b);
    }
    for (size_t i = 0, bytes = 1, others = 1; i < a.n; i += bytes) {
        const unsigned x = letter_at(a, i, &bytes), y = letter_at(b, i, &others);
        if (bytes != others || changed(x, LOWER) != changed(y, LOWER)) {
            return false;
        }
    }
    return true;
}

static bool write_changed(oribi_kit_run *run, TF_TString *out, oribi_cpu_span s, change to)
{
    char *bytes_out = TF_TString_ResizeUninitialized(out, s.n);
    if (bytes_out == NULL) {
        return oribi_kit_fail(run, TF_RESOURCE_EXHAUSTED, "no memory for a text of %zu bytes", s.n);
    }
    for (size_t i = 0, bytes = 1; i < s.n; i += bytes) {
        unsigned code = letter_at(s, i, &bytes);
        code = to == AS_IT_IS || code >= 0x10000u ? code : changed(code, to);
        if (bytes == 2) {
            bytes_out[i] = (char)(0xc0u | code >> 6);
            bytes_out[i + 1] = (char)(0x80u | (code & 0x3fu));
        } else {
            bytes_out[i] = code >= 0x10000u ? s.at[i] : (char)code;
        }
    }
    return true;
}

static bool is_stopped(const oribi_kit_run *run, oribi_cpu_span word, bool is_sensitive)
{
    const TF_TString *stops = TF_TensorData(run->in[1]);
    const int64_t count = TF_TensorElementCount(run->in[1]);
    for (int64_t i = 0; i < count; i++) {
        if (same_words(word, oribi_cpu_text_at(stops, i), is_sensitive)) {
            return true;
        }
    }
    return false;
}

static bool normal_run(const void *state, oribi_kit_run *run)
{
    const normal_state *s = state;
    oribi_cpu_shape shape;
    int64_t patience = 0, kept = 0, at = 0;
    const int64_t cost = 20 + 20 * TF_TensorElementCount(run->in[1]);
    if (!oribi_cpu_input_shape(run, 0, &shape)) {
        return false;
    }
    if (shape.n < 1 || shape.n > 2 || (shape.n == 2 && shape.at[0] != 1)) {
        return oribi_kit_fail(run, TF_INVALID_ARGUMENT, "the input must be [n] or [1, n], not %s",
                              oribi_cpu_shape_text(&shape).chars);
    }
    const int64_t count = shape.at[shape.n - 1];
    const TF_TString *x = TF_TensorData(run->in[0]);
    for (int64_t i = 0; i < count && !oribi_kit_stops(run, &patience, cost); i++) {
        kept += is_stopped(run, oribi_cpu_text_at(x, i), s->is_sensitive) ? 0 : 1;
    }
    shape.at[shape.n - 1] = kept > 0 ? kept : 1; /* one empty text, where none is left */
    TF_TString *y = oribi_cpu_text_output(run, 0, shape.at, shape.n);
    for (int64_t i = 0; y != NULL && i < count && at < kept; i++) {
        const oribi_cpu_span word = oribi_cpu_text_at(x, i);
        if (oribi_kit_stops(run, &patience, cost)) {
            return false;
        }
        if (!is_stopped(run, word, s->is_sensitive) &&
            !write_changed(run, &y[at++], word, s->change)) {
            return false;
        }
    }
    return y != NULL;
}
ORIBI_KIT_COMPUTE(normal, 2)

const oribi_cpu_kernel oribi_cpu_strings_kernels[] = {
    {.op_name = "ONNX>StringConcat",
     .priority = ORIBI_CPU_REFERENCE,
     .compute = concat_compute,
     .why = "one behind the other"},
    {.op_name = "ONNX>StringNormalizer",
     .priority = ORIBI_CPU_REFERENCE,
     .create = normal_create,
     .compute = normal_compute,
     .destroy = oribi_kit_free,
     .why = "letters of one and two bytes"},
    {.op_name = NULL},
};
