/* SPDX-License-Identifier: Apache-2.0 */
/* UnicodeDecode, UnicodeDecodeWithOffsets, UnicodeEncode and UnicodeTranscode: texts and the
 * numbers of their characters. Outputs are measured first, then written.
 */
#include "cpu/base/families.h"
#include "cpu/text/unicode.h"

typedef struct unicode_state {
    oribi_unicode from, to;
    TF_DataType splits;
    int64_t replacement;
    bool is_strict, skips, replaces_controls;
} unicode_state;

static void encoding_read(oribi_kit_setup *setup, const char *name, oribi_unicode *out)
{
    char encoding[64] = "";
    oribi_kit_attr_string(setup, name, encoding, sizeof encoding);
    if (oribi_kit_setup_is_ok(setup) && !oribi_unicode_named(encoding, out)) {
        (void)oribi_kit_setup_fail(setup, TF_INVALID_ARGUMENT,
                                   "%s must be UTF-8, UTF-16-BE or UTF-32-BE, not '%s'", name,
                                   encoding);
    }
}

static void errors_read(oribi_kit_setup *setup, unicode_state *state)
{
    char errors[16] = "";
    oribi_kit_attr_string(setup, "errors", errors, sizeof errors);
    oribi_kit_attr_int(setup, "replacement_char", &state->replacement);
    state->is_strict = errors[0] == 's';
    state->skips = errors[0] == 'i';
    if (oribi_kit_setup_is_ok(setup) &&
        (state->replacement < 0 || state->replacement > ORIBI_UNICODE_LAST)) {
        (void)oribi_kit_setup_fail(setup, TF_INVALID_ARGUMENT,
                                   "replacement_char must be 0 to 0x10ffff, not %lld",
                                   (long long)state->replacement);
    }
}

static void decode_read(oribi_kit_setup *setup, unicode_state *state)
{
    encoding_read(setup, "input_encoding", &state->from);
    errors_read(setup, state);
    oribi_kit_attr_bool(setup, "replace_control_characters", &state->replaces_controls);
    oribi_kit_attr_type(setup, "Tsplits", &state->splits);
}
ORIBI_KIT_CREATE(decode, unicode_state)

static void encode_read(oribi_kit_setup *setup, unicode_state *state)
{
    encoding_read(setup, "output_encoding", &state->to);
    errors_read(setup, state);
}
ORIBI_KIT_CREATE(encode, unicode_state)

static void transcode_read(oribi_kit_setup *setup, unicode_state *state)
{
    encoding_read(setup, "input_encoding", &state->from);
    encoding_read(setup, "output_encoding", &state->to);
    errors_read(setup, state);
    oribi_kit_attr_bool(setup, "replace_control_characters", &state->replaces_controls);
}
ORIBI_KIT_CREATE(transcode, unicode_state)

/* --- Reading ---------------------------------------------------------------------------------- */

typedef struct reader {
    oribi_cpu_span rest;
    size_t begin, end; /* of the character, in bytes of the text */
    uint32_t code;
    bool is_good, is_replaced;
} reader;

/* The next character, after the state's rules; false: the text is at its end. */
static bool read_next(const unicode_state *s, reader *r)
{
    while (r->rest.n > 0) {
        size_t bytes = 0;
        r->is_good = oribi_unicode_next(s->from, r->rest, &r->code, &bytes);
        r->begin = r->end;
        r->end += bytes;
        r->rest = (oribi_cpu_span){r->rest.at + bytes, r->rest.n - bytes};
        r->is_replaced = !r->is_good || (s->replaces_controls && r->code < ' ');
        if (r->is_replaced) {
            r->code = (uint32_t)s->replacement;
        }
        if (!r->is_replaced || !s->skips) {
            return true;
        }
    }
    return false;
}

static bool fail_format(oribi_kit_run *run, int64_t i, const reader *r)
{
    return oribi_kit_fail(run, TF_INVALID_ARGUMENT,
                          "text %lld has no character of its encoding at byte %zu", (long long)i,
                          r->begin);
}

/* --- UnicodeDecode ---------------------------------------------------------------------------- */

/* Counts the characters of all texts, and writes where each text's begin. */
static bool count_characters(const unicode_state *s, oribi_kit_run *run, int64_t count,
                             void *splits, int64_t *out_total)
{
    const TF_TString *x = TF_TensorData(run->in[0]);
    int64_t patience = 0;
    *out_total = 0;
    oribi_cpu_put_split(splits, s->splits, 0, 0);
    for (int64_t i = 0; i < count; i++) {
        reader r = {.rest = oribi_cpu_text_at(x, i)};
        while (read_next(s, &r)) {
            (*out_total)++;
            if (!r.is_good && s->is_strict) {
                return fail_format(run, i, &r);
            }
            if (oribi_kit_stops(run, &patience, 10)) {
                return false;
            }
        }
        if (oribi_kit_stops(run, &patience, 10)) { /* they may all be empty */
            return false;
        }
        oribi_cpu_put_split(splits, s->splits, i + 1, *out_total);
    }
    if (s->splits == TF_INT32 && *out_total > INT32_MAX) {
        return oribi_kit_fail(run, TF_OUT_OF_RANGE, "%lld characters are too many for int32 splits",
                              (long long)*out_total);
    }
    return true;
}

static bool decode(const unicode_state *s, oribi_kit_run *run, bool has_offsets)
{
    const int64_t count = TF_TensorElementCount(run->in[0]), n_splits = count + 1;
    int64_t total = 0, at = 0, patience = 0;
    void *splits = oribi_kit_output(run, 0, &n_splits, 1);
    if (splits == NULL || !count_characters(s, run, count, splits, &total)) {
        return false;
    }
    int32_t *codes = oribi_kit_output(run, 1, &total, 1);
    if (codes == NULL) {
        return false;
    }
    int64_t *offsets = has_offsets ? oribi_kit_output(run, 2, &total, 1) : NULL;
    if (has_offsets && offsets == NULL) {
        return false;
    }
    for (int64_t i = 0; i < count; i++) {
        reader r = {.rest = oribi_cpu_text_at(TF_TensorData(run->in[0]), i)};
        while (read_next(s, &r)) {
            if (at == total) {
                return oribi_cpu_index_changed(run);
            }
            codes[at] = (int32_t)r.code;
            if (has_offsets) {
                offsets[at] = (int64_t)r.begin;
            }
            at++;
            if (oribi_kit_stops(run, &patience, 10)) {
                return false;
            }
        }
    }
    return at == total || oribi_cpu_index_changed(run);
}

static bool decode_run(const void *state, oribi_kit_run *run)
{
    return decode(state, run, false);
}
ORIBI_KIT_COMPUTE(decode, 1)

static bool decode_offsets_run(const void *state, oribi_kit_run *run)
{
    return decode(state, run, true);
}
ORIBI_KIT_COMPUTE(decode_offsets, 1)

/* --- UnicodeEncode ---------------------------------------------------------------------------- */

/* The writer, which has counted, begins anew, and the text has room for what it counted. */
static bool make_room(oribi_kit_run *run, TF_TString *text, oribi_unicode_writer *writer)
{
    const size_t bytes = writer->bytes;
    *writer = (oribi_unicode_writer){
        .encoding = writer->encoding, .to = oribi_cpu_text_room(run, text, bytes), .room = bytes};
    return writer->to != NULL;
}

/* Is it a number that texts may exchange? No surrogate, and none that is no character for good. */
static bool is_character(int32_t code)
{
    return code >= 0 && code <= ORIBI_UNICODE_LAST && (code < 0xd800 || code > 0xdfff) &&
           (code & 0xfffe) != 0xfffe && (code < 0xfdd0 || code > 0xfdef);
}

/* The characters [begin, end) in the writer's encoding. To ignore one that is none means that it
 * stays as it is, where the encoding can have it. */
static bool encode_characters(const unicode_state *s, oribi_kit_run *run,
                              oribi_unicode_writer *writer, int64_t begin, int64_t end,
                              int64_t *patience)
{
    const int32_t *codes = TF_TensorData(run->in[0]);
    for (int64_t i = begin; i < end; i++) {
        const int32_t code = codes[i];
        const bool is_good = is_character(code);
        if (!is_good && s->is_strict) {
            return oribi_kit_fail(run, TF_INVALID_ARGUMENT,
                                  "character %lld is %d, which no text may have", (long long)i,
                                  (int)code);
        }
        if (!is_good && !s->skips) {
            oribi_unicode_put(writer, (uint32_t)s->replacement);
        } else if (code >= 0 && code <= ORIBI_UNICODE_LAST) {
            oribi_unicode_put(writer, (uint32_t)code);
        }
        if (oribi_kit_stops(run, patience, 10)) {
            return false;
        }
    }
    oribi_unicode_end(writer);
    return true;
}

/* Split i of input 1, which lies between the one before it and the number of characters. */
static bool split_at(oribi_kit_run *run, int64_t i, int64_t before, int64_t *out)
{
    const int64_t count = TF_TensorElementCount(run->in[0]);
    *out = oribi_kit_int_at(TF_TensorData(run->in[1]), TF_TensorType(run->in[1]), i);
    if (*out < before || *out > count || (i == 0 && *out != 0)) {
        return oribi_kit_fail(run, TF_INVALID_ARGUMENT,
                              "split %lld is %lld; splits begin with 0, do not fall, and end with "
                              "the %lld characters",
                              (long long)i, (long long)*out, (long long)count);
    }
    return true;
}

static bool encode_run(const void *state, oribi_kit_run *run)
{
    const unicode_state *s = state;
    const int64_t n = TF_TensorElementCount(run->in[1]) - 1;
    int64_t begin = 0, end = 0, patience = 0;
    if (TF_NumDims(run->in[1]) != 1 || n < 0) {
        return oribi_kit_fail(run, TF_INVALID_ARGUMENT,
                              "input_splits must be a vector of one split at least");
    }
    if (!split_at(run, 0, 0, &begin)) {
        return false;
    }
    TF_TString *y = oribi_cpu_text_output(run, 0, &n, 1);
    for (int64_t i = 0; y != NULL && i < n; i++, begin = end) {
        oribi_unicode_writer writer = {.encoding = s->to};
        if (oribi_kit_stops(run, &patience, 60) || !split_at(run, i + 1, begin, &end) ||
            !encode_characters(s, run, &writer, begin, end, &patience) ||
            !make_room(run, &y[i], &writer) ||
            !encode_characters(s, run, &writer, begin, end, &patience)) {
            return false;
        }
    }
    return y != NULL &&
           (begin == TF_TensorElementCount(run->in[0]) ||
            oribi_kit_fail(run, TF_INVALID_ARGUMENT,
                           "the last split is %lld; there are %lld characters", (long long)begin,
                           (long long)TF_TensorElementCount(run->in[0])));
}
ORIBI_KIT_COMPUTE(encode, 2)

/* --- UnicodeTranscode ------------------------------------------------------------------------- */

static bool transcode_text(const unicode_state *s, oribi_kit_run *run, int64_t i,
                           oribi_unicode_writer *writer, int64_t *patience)
{
    reader r = {.rest = oribi_cpu_text_at(TF_TensorData(run->in[0]), i)};
    while (read_next(s, &r)) {
        if (r.is_replaced && s->is_strict) {
            return fail_format(run, i, &r);
        }
        oribi_unicode_put(writer, r.code);
        if (oribi_kit_stops(run, patience, 20)) {
            return false;
        }
    }
    oribi_unicode_end(writer);
    return true;
}

static bool transcode_run(const void *state, oribi_kit_run *run)
{
    const unicode_state *s = state;
    oribi_wide_dims dims;
    int64_t patience = 0;
    if (!oribi_cpu_wide_dims(run, run->in[0], &dims)) {
        return false;
    }
    TF_TString *y = oribi_cpu_text_output(run, 0, dims.at, dims.n);
    const int64_t count = y == NULL ? 0 : TF_TensorElementCount(run->in[0]);
    for (int64_t i = 0; i < count; i++) {
        oribi_unicode_writer writer = {.encoding = s->to};
        if (oribi_kit_stops(run, &patience, 60) || !transcode_text(s, run, i, &writer, &patience) ||
            !make_room(run, &y[i], &writer) || !transcode_text(s, run, i, &writer, &patience)) {
            return false;
        }
    }
    return y != NULL;
}
ORIBI_KIT_COMPUTE(transcode, 1)

const oribi_cpu_kernel oribi_cpu_unicode_kernels[] = {
    ORIBI_CPU_STATE_ROW("UnicodeDecode", decode, decode, "measures, then writes"),
    ORIBI_CPU_STATE_ROW("UnicodeDecodeWithOffsets", decode, decode_offsets,
                        "measures, then writes"),
    ORIBI_CPU_STATE_ROW("UnicodeEncode", encode, encode, "measures, then writes"),
    ORIBI_CPU_STATE_ROW("UnicodeTranscode", transcode, transcode, "measures, then writes"),
    {.op_name = NULL},
};
