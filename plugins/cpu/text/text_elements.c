/* SPDX-License-Identifier: Apache-2.0 */
/* StringStrip, StringLength and Substr. */
#include "cpu/base/families.h"
#include "cpu/text/texts.h"

/* Bytes, or characters of UTF-8: whatever continues one is none. */
typedef struct unit_state {
    bool is_characters;
} unit_state;

static void unit_read(oribi_kit_setup *setup, unit_state *state)
{
    char unit[16] = "BYTE";
    oribi_kit_attr_string(setup, "unit", unit, sizeof unit);
    state->is_characters = unit[0] == 'U';
}
ORIBI_KIT_CREATE(unit, unit_state)

static bool continues(char c)
{
    return ((unsigned char)c & 0xc0) == 0x80;
}

static size_t length_of(oribi_cpu_span text, bool is_characters)
{
    size_t n = text.n;
    for (size_t i = 0; is_characters && i < text.n; i++) {
        n -= continues(text.at[i]) ? 1 : 0;
    }
    return n;
}

/* --- StringStrip ------------------------------------------------------------------------------ */

static bool strip_run(const void *state, oribi_kit_run *run)
{
    oribi_wide_dims dims;
    int64_t patience = 0;
    (void)state;
    if (!oribi_cpu_wide_dims(run, run->in[0], &dims)) {
        return false;
    }
    const TF_TString *x = TF_TensorData(run->in[0]);
    TF_TString *y = oribi_cpu_text_output(run, 0, dims.at, dims.n);
    const int64_t count = y == NULL ? 0 : TF_TensorElementCount(run->in[0]);
    for (int64_t i = 0; i < count; i++) {
        const oribi_cpu_span text = oribi_cpu_trimmed(oribi_cpu_text_at(x, i));
        if (oribi_kit_stops(run, &patience, 60) || !oribi_cpu_text_append(run, &y[i], text)) {
            return false;
        }
    }
    return y != NULL;
}
ORIBI_KIT_COMPUTE(strip, 1)

/* --- StringLength ----------------------------------------------------------------------------- */

static bool length_run(const void *state, oribi_kit_run *run)
{
    const unit_state *s = state;
    oribi_wide_dims dims;
    int64_t patience = 0;
    if (!oribi_cpu_wide_dims(run, run->in[0], &dims)) {
        return false;
    }
    const TF_TString *x = TF_TensorData(run->in[0]);
    int32_t *y = oribi_kit_output(run, 0, dims.at, dims.n);
    const int64_t count = y == NULL ? 0 : TF_TensorElementCount(run->in[0]);
    for (int64_t i = 0; i < count; i++) {
        const size_t n = length_of(oribi_cpu_text_at(x, i), s->is_characters);
        if (n > INT32_MAX) {
            return oribi_kit_fail(run, TF_OUT_OF_RANGE, "text %lld has %zu bytes or characters",
                                  (long long)i, n);
        }
        y[i] = (int32_t)n;
        if (oribi_kit_stops(run, &patience, 20 + (int64_t)(n & 0xfffff))) {
            return false;
        }
    }
    return y != NULL;
}
ORIBI_KIT_COMPUTE(length, 1)

/* --- Substr ----------------------------------------------------------------------------------- */

/* Bytes of the first n characters of a text, or all of them. */
static size_t bytes_of(oribi_cpu_span text, size_t n)
{
    size_t i = 0;
    for (size_t begun = 0; i < text.n; i++) {
        begun += continues(text.at[i]) ? 0 : 1;
        if (begun > n) {
            break;
        }
    }
    return i;
}

/* The part from `pos`, which counts from the end where it is below 0, of at most `n` units. */
static bool part_of(oribi_kit_run *run, const unit_state *s, oribi_cpu_span text, int64_t pos,
                    int64_t n, oribi_cpu_span *out)
{
    const int64_t units = (int64_t)length_of(text, s->is_characters);
    const int64_t from = pos < 0 ? pos + units : pos;
    if (from < 0 || from > units) {
        return oribi_kit_fail(run, TF_INVALID_ARGUMENT,
                              "position %lld lies outside a text of %lld %s", (long long)pos,
                              (long long)units, s->is_characters ? "characters" : "bytes");
    }
    const int64_t left = units - from; /* below 0: of bytes all the rest, of characters none */
    const int64_t taken = n < 0 && s->is_characters ? 0 : n < 0 || n > left ? left : n;
    size_t begin = (size_t)from, bytes = (size_t)taken;
    if (s->is_characters) {
        begin = bytes_of(text, (size_t)from);
        bytes = bytes_of((oribi_cpu_span){text.at + begin, text.n - begin}, (size_t)taken);
    }
    *out = (oribi_cpu_span){text.at + begin, bytes};
    return true;
}

static bool part_run(const void *state, oribi_kit_run *run)
{
    oribi_cpu_shape x, pos, out;
    oribi_dims x_strides, pos_strides;
    oribi_cpu_shape len;
    int64_t patience = 0;
    if (!oribi_cpu_input_shape(run, 0, &x) || !oribi_cpu_input_shape(run, 1, &pos) ||
        !oribi_cpu_input_shape(run, 2, &len)) {
        return false;
    }
    if (!oribi_cpu_shape_equal(&pos, &len)) {
        return oribi_kit_fail(run, TF_INVALID_ARGUMENT, "pos and len must have one shape: %s, %s",
                              oribi_cpu_shape_text(&pos).chars, oribi_cpu_shape_text(&len).chars);
    }
    if (!oribi_cpu_broadcast(run, &x, &pos, &out)) {
        return false;
    }
    const TF_DataType dtype = TF_TensorType(run->in[1]);
    const TF_TString *texts = TF_TensorData(run->in[0]);
    const void *firsts = TF_TensorData(run->in[1]), *lengths = TF_TensorData(run->in[2]);
    TF_TString *y = oribi_cpu_text_output(run, 0, out.at, out.n);
    if (y == NULL) {
        return false;
    }
    oribi_cpu_broadcast_strides(&x, &out, &x_strides);
    oribi_cpu_broadcast_strides(&pos, &out, &pos_strides);
    const int64_t count = oribi_cpu_product(out.at, out.n);
    for (int64_t i = 0; i < count; i++) {
        const int64_t at = oribi_cpu_broadcast_place(i, &out, &pos_strides);
        oribi_cpu_span part = {NULL, 0};
        if (oribi_kit_stops(run, &patience, 100) ||
            !part_of(run, state,
                     oribi_cpu_text_at(texts, oribi_cpu_broadcast_place(i, &out, &x_strides)),
                     oribi_kit_int_at(firsts, dtype, at), oribi_kit_int_at(lengths, dtype, at),
                     &part) ||
            !oribi_cpu_text_append(run, &y[i], part)) {
            return false;
        }
    }
    return true;
}
ORIBI_KIT_COMPUTE(part, 3)

const oribi_cpu_kernel oribi_cpu_text_elements_kernels[] = {
    ORIBI_CPU_ROW("StringStrip", strip, "white space of ASCII goes"),
    ORIBI_CPU_STATE_ROW("StringLength", unit, length, "counts what continues no character"),
    ORIBI_CPU_STATE_ROW("Substr", unit, part, "a copy of a part"),
    {.op_name = NULL},
};
