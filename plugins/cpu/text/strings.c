/* SPDX-License-Identifier: Apache-2.0 */
/* ONNX>StringConcat and ONNX>StringNormalizer, StringJoin, StringLower and StringUpper. Upper and
 * lower case are those of ASCII, Latin-1, Greek and Cyrillic letters, in UTF-8, whatever the
 * locale.
 */
#include "cpu/base/families.h"
#include "cpu/text/texts.h"

/* --- StringConcat ----------------------------------------------------------------------------- */

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
        const int64_t left = oribi_cpu_broadcast_place(i, &out, &a_strides);
        const int64_t right = oribi_cpu_broadcast_place(i, &out, &b_strides);
        if (!oribi_cpu_text_append(run, &z[i], oribi_cpu_text_at(x, left)) ||
            !oribi_cpu_text_append(run, &z[i], oribi_cpu_text_at(y, right))) {
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
    char *bytes_out = oribi_cpu_text_room(run, out, s.n);
    if (bytes_out == NULL) {
        return false;
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

/* --- StringJoin ------------------------------------------------------------------------------- */

typedef struct join_state {
    char separator[1024];
} join_state;

static void join_read(oribi_kit_setup *setup, join_state *state)
{
    oribi_kit_attr_string(setup, "separator", state->separator, sizeof state->separator);
}
ORIBI_KIT_CREATE(join, join_state)

/* The shape of the inputs that are no scalars. */
static bool join_shape(oribi_kit_run *run, int n, oribi_wide_dims *out)
{
    out->n = 0;
    for (int i = 0; i < n; i++) {
        oribi_wide_dims one = {.n = 0};
        TF_Tensor *tensor = NULL;
        TF_GetInput(run->context, i, &tensor, run->status);
        bool ok = tensor != NULL && oribi_cpu_wide_dims(run, tensor, &one);
        TF_DeleteTensor(tensor);
        if (ok && one.n > 0 && out->n > 0 &&
            (one.n != out->n || memcmp(one.at, out->at, (size_t)one.n * sizeof one.at[0]) != 0)) {
            ok = oribi_kit_fail(run, TF_INVALID_ARGUMENT,
                                "input %d has another shape than those before it", i);
        }
        if (!ok) {
            return false;
        }
        if (one.n > 0) {
            *out = one;
        }
    }
    return true;
}

static bool join_input(oribi_kit_run *run, int i, const char *separator, TF_TString *z,
                       int64_t count)
{
    const oribi_cpu_span between = {separator, i > 0 ? strlen(separator) : 0};
    int64_t patience = 0;
    TF_Tensor *tensor = NULL;
    TF_GetInput(run->context, i, &tensor, run->status);
    const bool is_scalar = tensor != NULL && TF_NumDims(tensor) == 0;
    bool ok = tensor != NULL;
    for (int64_t k = 0; ok && k < count; k++) {
        const oribi_cpu_span text = oribi_cpu_text_at(TF_TensorData(tensor), is_scalar ? 0 : k);
        ok = !oribi_kit_stops(run, &patience, 60) && oribi_cpu_text_append(run, &z[k], between) &&
             oribi_cpu_text_append(run, &z[k], text);
    }
    TF_DeleteTensor(tensor);
    return ok;
}

static bool join_run(const void *state, oribi_kit_run *run)
{
    const join_state *s = state;
    const int n = TF_NumInputs(run->context);
    oribi_wide_dims dims;
    if (!join_shape(run, n, &dims)) {
        return false;
    }
    TF_TString *z = oribi_cpu_text_output(run, 0, dims.at, dims.n);
    bool ok = z != NULL;
    const int64_t count = ok ? oribi_cpu_product(dims.at, dims.n) : 0;
    for (int i = 0; i < n && ok; i++) {
        ok = join_input(run, i, s->separator, z, count);
    }
    return ok;
}
ORIBI_KIT_COMPUTE(join, 0)

/* --- StringLower, StringUpper ----------------------------------------------------------------- */

typedef struct case_state {
    bool is_utf8; /* else the letters of ASCII alone */
} case_state;

static void case_read(oribi_kit_setup *setup, case_state *state)
{
    char encoding[16] = "";
    oribi_kit_attr_string(setup, "encoding", encoding, sizeof encoding);
    state->is_utf8 = strcmp(encoding, "utf-8") == 0;
    if (encoding[0] != '\0' && !state->is_utf8) {
        (void)oribi_kit_setup_fail(setup, TF_INVALID_ARGUMENT,
                                   "the encoding must be '' or 'utf-8', not '%s'", encoding);
    }
}
ORIBI_KIT_CREATE(case, case_state)

static bool change_all(const case_state *state, oribi_kit_run *run, change to)
{
    oribi_wide_dims dims;
    int64_t patience = 0;
    if (!oribi_cpu_wide_dims(run, run->in[0], &dims)) {
        return false;
    }
    const TF_TString *x = TF_TensorData(run->in[0]);
    TF_TString *y = oribi_cpu_text_output(run, 0, dims.at, dims.n);
    const int64_t count = y == NULL ? 0 : TF_TensorElementCount(run->in[0]);
    for (int64_t i = 0; i < count; i++) {
        const oribi_cpu_span text = oribi_cpu_text_at(x, i);
        if (oribi_kit_stops(run, &patience, 50 + (int64_t)(text.n & 0xfffff) * 4)) {
            return false;
        }
        if (state->is_utf8) {
            if (!write_changed(run, &y[i], text, to)) {
                return false;
            }
            continue;
        }
        char *out = oribi_cpu_text_room(run, &y[i], text.n);
        for (size_t k = 0; out != NULL && k < text.n; k++) {
            const unsigned char c = (unsigned char)text.at[k];
            out[k] = (char)(c < 0x80 ? changed(c, to) : c);
        }
        if (out == NULL) {
            return false;
        }
    }
    return y != NULL;
}

static bool lower_run(const void *state, oribi_kit_run *run)
{
    return change_all(state, run, LOWER);
}
ORIBI_KIT_COMPUTE(lower, 1)

static bool upper_run(const void *state, oribi_kit_run *run)
{
    return change_all(state, run, UPPER);
}
ORIBI_KIT_COMPUTE(upper, 1)

const oribi_cpu_kernel oribi_cpu_strings_kernels[] = {
    ORIBI_CPU_ROW("ONNX>StringConcat", concat, "one behind the other"),
    ORIBI_CPU_STATE_ROW("ONNX>StringNormalizer", normal, normal, "letters of one and two bytes"),
    ORIBI_CPU_STATE_ROW("StringJoin", join, join, "input after input"),
    ORIBI_CPU_STATE_ROW("StringLower", case, lower, "letters of one and two bytes"),
    ORIBI_CPU_STATE_ROW("StringUpper", case, upper, "letters of one and two bytes"),
    {.op_name = NULL},
};
