/* SPDX-License-Identifier: Apache-2.0 */
/* AsString and StringToNumber: numbers as texts, with a point whatever the application's locale. */
#include "cpu/base/families.h"
#include "cpu/text/texts.h"

#include <inttypes.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <strings.h>

/* --- AsString --------------------------------------------------------------------------------- */

typedef struct print_state {
    locale_t locale;
    TF_DataType dtype;
    char format[48]; /* of printf; empty: true and false */
} print_state;

static bool is_real(TF_DataType dtype)
{
    return dtype == TF_FLOAT || dtype == TF_DOUBLE;
}

static bool is_unsigned(TF_DataType dtype)
{
    return dtype == TF_UINT8 || dtype == TF_UINT16 || dtype == TF_UINT32 || dtype == TF_UINT64;
}

/* The flag that `fill` stands for, before a width. */
static const char *flag_of(oribi_kit_setup *setup, TF_DataType dtype, const char *fill)
{
    const char c = fill[0];
    if (c == '\0') {
        return "";
    }
    if (fill[1] != '\0' || strchr("0- +", c) == NULL) {
        (void)oribi_kit_setup_fail(setup, TF_INVALID_ARGUMENT,
                                   "fill must be one of '0', '-', '+' and ' ', not '%s'", fill);
        return "";
    }
    return c == '0'             ? "0"
           : c == '-'           ? "-"
           : is_unsigned(dtype) ? "" /* no sign, and no room for one */
           : c == '+'           ? "+"
                                : " ";
}

/* The locale of C, in which the numbers are written. */
static void take_locale(oribi_kit_setup *setup, print_state *state)
{
    state->locale = newlocale(LC_NUMERIC_MASK, "C", (locale_t)0);
    if (state->locale == (locale_t)0) {
        (void)oribi_kit_setup_fail(setup, TF_RESOURCE_EXHAUSTED, "no memory for a locale");
    }
}

static void print_read(oribi_kit_setup *setup, print_state *state)
{
    enum { MOST = 1000 };
    int64_t precision = -1, width = -1;
    bool scientific = false, shortest = false;
    char fill[8] = "", wide[8] = "", exact[8] = "";
    take_locale(setup, state);
    oribi_kit_attr_type(setup, "T", &state->dtype);
    oribi_kit_attr_int(setup, "precision", &precision);
    oribi_kit_attr_int(setup, "width", &width);
    oribi_kit_attr_bool(setup, "scientific", &scientific);
    oribi_kit_attr_bool(setup, "shortest", &shortest);
    oribi_kit_attr_string(setup, "fill", fill, sizeof fill);
    if (!oribi_kit_setup_is_ok(setup)) {
        return;
    }
    if ((precision >= 0 || scientific || shortest) && !is_real(state->dtype)) {
        (void)oribi_kit_setup_fail(setup, TF_INVALID_ARGUMENT,
                                   "precision, scientific and shortest are for floats");
    }
    if ((scientific && shortest) || precision > MOST || width > MOST) {
        (void)oribi_kit_setup_fail(setup, TF_INVALID_ARGUMENT,
                                   "scientific and shortest exclude each other; precision and "
                                   "width must be at most %d",
                                   MOST);
    }
    const char *flag = flag_of(setup, state->dtype, fill);
    if (!oribi_kit_setup_is_ok(setup) || state->dtype == TF_BOOL) {
        return;
    }
    if (width >= 0) {
        (void)snprintf(wide, sizeof wide, "%d", (int)width);
    }
    if (precision >= 0) {
        (void)snprintf(exact, sizeof exact, ".%d", (int)precision);
    }
    (void)snprintf(state->format, sizeof state->format, "%%%s%s%s%s", flag, wide, exact,
                   is_real(state->dtype)       ? (scientific ? "e"
                                                  : shortest ? "g"
                                                             : "f")
                   : is_unsigned(state->dtype) ? PRIu64
                                               : PRId64);
}
ORIBI_KIT_CREATE(print, print_state)

static void print_destroy(void *state)
{
    print_state *s = state;
    if (s != NULL && s->locale != (locale_t)0) {
        freelocale(s->locale);
    }
    oribi_kit_free(state);
}

static uint64_t unsigned_at(const void *data, TF_DataType dtype, int64_t i)
{
    return dtype == TF_UINT32   ? ((const uint32_t *)data)[i]
           : dtype == TF_UINT64 ? ((const uint64_t *)data)[i]
                                : (uint64_t)oribi_kit_int_at(data, dtype, i);
}

static oribi_cpu_span printed(const print_state *s, const void *data, int64_t i, char *room,
                              size_t bytes)
{
    int n = 0;
/* The format is ours, and made for the type. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
    if (s->dtype == TF_BOOL) {
        n = snprintf(room, bytes, "%s", ((const uint8_t *)data)[i] != 0 ? "true" : "false");
    } else if (is_real(s->dtype)) {
        n = snprintf(room, bytes, s->format,
                     s->dtype == TF_FLOAT ? (double)((const float *)data)[i]
                                          : ((const double *)data)[i]);
    } else if (is_unsigned(s->dtype)) {
        n = snprintf(room, bytes, s->format, unsigned_at(data, s->dtype, i));
    } else {
        n = snprintf(room, bytes, s->format, oribi_kit_int_at(data, s->dtype, i));
    }
#pragma GCC diagnostic pop
    return (oribi_cpu_span){room, n > 0 && (size_t)n < bytes ? (size_t)n : 0};
}

static bool print_run(const void *state, oribi_kit_run *run)
{
    const print_state *s = state;
    char room[2048]; /* a double has 309 digits before its point, and at most 1000 behind */
    oribi_wide_dims dims;
    int64_t patience = 0;
    if (!oribi_cpu_wide_dims(run, run->in[0], &dims)) {
        return false;
    }
    const void *x = TF_TensorData(run->in[0]);
    TF_TString *y = oribi_cpu_text_output(run, 0, dims.at, dims.n);
    const int64_t count = y == NULL ? 0 : TF_TensorElementCount(run->in[0]);
    const locale_t before = uselocale(s->locale);
    bool ok = y != NULL;
    for (int64_t i = 0; ok && i < count; i++) {
        ok = !oribi_kit_stops(run, &patience, 500) &&
             oribi_cpu_text_append(run, &y[i], printed(s, x, i, room, sizeof room));
    }
    (void)uselocale(before);
    return ok;
}
ORIBI_KIT_COMPUTE(print, 1)

/* --- StringToNumber --------------------------------------------------------------------------- */

enum { MOST_CHARACTERS = 1024 };

/* The text without the space around it, with a NUL, in `room`; false: empty or too long. */
static bool trimmed(oribi_cpu_span text, char room[MOST_CHARACTERS])
{
    text = oribi_cpu_trimmed(text);
    if (text.n == 0 || text.n >= MOST_CHARACTERS || memchr(text.at, '\0', text.n) != NULL) {
        return false;
    }
    memcpy(room, text.at, text.n);
    room[text.n] = '\0';
    return true;
}

/* What strtod reads and we do not: infinity in full, binary exponents, nan(...). */
static bool is_number(const char *text)
{
    text += *text == '+' || *text == '-' ? 1 : 0;
    if (strcasecmp(text, "inf") == 0 || strcasecmp(text, "nan") == 0) {
        return true;
    }
    const bool is_hexadecimal = text[0] == '0' && (text[1] | 0x20) == 'x';
    const char *letters = is_hexadecimal ? "0123456789abcdefABCDEF" : "0123456789.eE+-";
    text += is_hexadecimal ? 2 : 0;
    return text[0] != '\0' && strspn(text, letters) == strlen(text);
}

static bool read_real(const print_state *s, const char *text, void *data, int64_t i)
{
    char *end = NULL;
    if (!is_number(text)) {
        return false;
    }
    if (s->dtype == TF_FLOAT) {
        ((float *)data)[i] = strtof_l(text, &end, s->locale);
    } else {
        ((double *)data)[i] = strtod_l(text, &end, s->locale);
    }
    return end != NULL && *end == '\0';
}

static bool read_int(const print_state *s, const char *text, void *data, int64_t i)
{
    const bool is_negative = text[0] == '-';
    int64_t value = 0;
    text += is_negative ? 1 : 0;
    if (*text == '\0') {
        return false;
    }
    for (; *text != '\0'; text++) {
        if (*text < '0' || *text > '9' || __builtin_mul_overflow(value, 10, &value) ||
            __builtin_sub_overflow(value, *text - '0', &value)) { /* below 0 there is one more */
            return false;
        }
    }
    if (!is_negative && __builtin_sub_overflow((int64_t)0, value, &value)) {
        return false;
    }
    if (s->dtype == TF_INT64) {
        ((int64_t *)data)[i] = value;
        return true;
    }
    ((int32_t *)data)[i] = (int32_t)value;
    return value >= INT32_MIN && value <= INT32_MAX;
}

static void number_read(oribi_kit_setup *setup, print_state *state)
{
    oribi_kit_attr_type(setup, "out_type", &state->dtype);
    take_locale(setup, state);
}
ORIBI_KIT_CREATE(number, print_state)

static bool number_run(const void *state, oribi_kit_run *run)
{
    const print_state *s = state;
    char room[MOST_CHARACTERS];
    oribi_wide_dims dims;
    int64_t patience = 0;
    if (!oribi_cpu_wide_dims(run, run->in[0], &dims)) {
        return false;
    }
    void *y = oribi_kit_output(run, 0, dims.at, dims.n);
    const int64_t count = y == NULL ? 0 : TF_TensorElementCount(run->in[0]);
    for (int64_t i = 0; i < count; i++) {
        const oribi_cpu_span text = oribi_cpu_text_at(TF_TensorData(run->in[0]), i);
        if (oribi_kit_stops(run, &patience, 300)) {
            return false;
        }
        if (!trimmed(text, room) ||
            !(is_real(s->dtype) ? read_real(s, room, y, i) : read_int(s, room, y, i))) {
            return oribi_kit_fail(run, TF_INVALID_ARGUMENT, "text %lld is no number: '%.*s'",
                                  (long long)i, (int)(text.n < 60 ? text.n : 60), text.at);
        }
    }
    return y != NULL;
}
ORIBI_KIT_COMPUTE(number, 1)

const oribi_cpu_kernel oribi_cpu_text_numbers_kernels[] = {
    {.op_name = "AsString",
     .types = {{"T", ORIBI_CPU_F32 | ORIBI_KIT_TYPE(TF_DOUBLE) | ORIBI_KIT_TYPE(TF_INT8) |
                         ORIBI_KIT_TYPE(TF_INT16) | ORIBI_KIT_TYPE(TF_INT32) |
                         ORIBI_KIT_TYPE(TF_INT64) | ORIBI_KIT_TYPE(TF_UINT8) |
                         ORIBI_KIT_TYPE(TF_UINT16) | ORIBI_KIT_TYPE(TF_UINT32) |
                         ORIBI_KIT_TYPE(TF_UINT64) | ORIBI_KIT_TYPE(TF_BOOL)}},
     .priority = ORIBI_CPU_REFERENCE,
     .create = print_create,
     .compute = print_compute,
     .destroy = print_destroy,
     .why = "as printf writes them"},
    {.op_name = "StringToNumber",
     .types = {{"out_type", ORIBI_CPU_F32 | ORIBI_KIT_TYPE(TF_DOUBLE) | ORIBI_KIT_TYPE(TF_INT32) |
                                ORIBI_KIT_TYPE(TF_INT64)}},
     .priority = ORIBI_CPU_REFERENCE,
     .create = number_create,
     .compute = number_compute,
     .destroy = print_destroy,
     .why = "the whole text or an error"},
    {.op_name = NULL},
};
