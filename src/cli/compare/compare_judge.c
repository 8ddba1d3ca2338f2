/* SPDX-License-Identifier: Apache-2.0 */
/* Do two tensors agree, and if not, where and by how much? */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compare/compare.h"

/* --- Limits ---------------------------------------------------------------------------------- */

static bool read_real(const cli_args *args, const char *option, double *out)
{
    const char *text = cli_value(args, option);
    char *end;

    if (text == NULL) {
        return true;
    }
    *out = strtod(text, &end);
    if (end == text || *end != 0 || !(*out >= 0) || isinf(*out)) {
        cli_error("%s: %s needs a number from 0 on, not '%s'", args->command->name, option, text);
        return false;
    }
    return true;
}

bool compare_limits_read(const cli_args *args, compare_limits *out, bool *has_some)
{
    bool bad = false;

    *out = (compare_limits){-1, -1, cli_number(args, "--ulp", -1, 0, INT64_MAX, &bad)};
    bad = !read_real(args, "--rtol", &out->rtol) || bad;
    bad = !read_real(args, "--atol", &out->atol) || bad;
    *has_some = out->rtol >= 0 || out->atol >= 0 || out->ulp >= 0;
    if (out->ulp >= 0) { /* units alone then, unless a tolerance is asked for, too */
        out->rtol = out->rtol < 0 ? 0 : out->rtol;
        out->atol = out->atol < 0 ? 0 : out->atol;
    }
    return !bad;
}

/* --- Elements -------------------------------------------------------------------------------- */

static bool is_float(TF_DataType type)
{
    return type == TF_FLOAT || type == TF_DOUBLE || type == TF_HALF || type == TF_BFLOAT16;
}

/* The place of a float among all of its type, so that neighbours differ by 1. */
static int64_t rank_of(const TF_Tensor *tensor, int64_t index)
{
    const size_t bytes = TF_DataTypeSize(TF_TensorType(tensor));
    const int bits = (int)bytes * 8;
    uint64_t raw = 0;

    memcpy(&raw, (const uint8_t *)TF_TensorData(tensor) + (size_t)index * bytes, bytes);
    const uint64_t size = raw & (UINT64_MAX >> (65 - bits));
    return (raw >> (bits - 1) & 1) != 0 ? -(int64_t)size : (int64_t)size;
}

/* Saturates: two doubles may be further apart than a number of 64 bits tells. */
static int64_t ulps_between(const TF_Tensor *a, const TF_Tensor *b, int64_t index)
{
    const int64_t x = rank_of(a, index), y = rank_of(b, index);
    int64_t apart;

    if (__builtin_sub_overflow(x, y, &apart) || apart == INT64_MIN) {
        return INT64_MAX;
    }
    return apart < 0 ? -apart : apart;
}

static bool is_same(const TF_Tensor *a, const TF_Tensor *b, int64_t index)
{
    const TF_DataType type = TF_TensorType(a);
    const size_t bytes = cli_type_bytes(type);
    const uint8_t *x = (const uint8_t *)TF_TensorData(a) + (size_t)index * bytes;
    const uint8_t *y = (const uint8_t *)TF_TensorData(b) + (size_t)index * bytes;

    if (type == TF_STRING) {
        const TF_TString *s = (const TF_TString *)(const void *)x, *t = (const void *)y;
        return TF_StringGetSize(s) == TF_StringGetSize(t) &&
               memcmp(TF_StringGetDataPointer(s), TF_StringGetDataPointer(t),
                      TF_StringGetSize(s)) == 0;
    }
    return memcmp(x, y, bytes) == 0;
}

static void format(const TF_Tensor *tensor, int64_t index, char *out, size_t size)
{
    if (TF_TensorType(tensor) == TF_STRING) {
        const TF_TString *text = (const TF_TString *)TF_TensorData(tensor) + index;
        (void)snprintf(out, size, "\"%.*s\"",
                       (int)(TF_StringGetSize(text) < 50 ? TF_StringGetSize(text) : 50),
                       TF_StringGetDataPointer(text));
    } else {
        cli_element_format(tensor, index, out, size);
    }
}

/* --- Tensors --------------------------------------------------------------------------------- */

static const char *find_unlike(const TF_Tensor *a, const TF_Tensor *b)
{
    if (TF_TensorType(a) != TF_TensorType(b)) {
        return "type";
    }
    if (TF_NumDims(a) != TF_NumDims(b)) {
        return "shape";
    }
    for (int i = 0; i < TF_NumDims(a); i++) {
        if (TF_Dim(a, i) != TF_Dim(b, i)) {
            return "shape";
        }
    }
    return NULL;
}

static void note_worst(const TF_Tensor *a, const TF_Tensor *b, int64_t index, compare_verdict *out)
{
    out->worst = index;
    format(a, index, out->a, sizeof out->a);
    format(b, index, out->b, sizeof out->b);
}

/* How far beyond the limits? Above 0: it does not agree. */
static double excess(const TF_Tensor *a, const TF_Tensor *b, int64_t index,
                     const compare_limits *limits, compare_verdict *out)
{
    const bool real = is_float(TF_TensorType(a));
    const double x = cli_element(a, index), y = cli_element(b, index);
    const double apart = fabs(x - y);
    const double rtol = limits->rtol >= 0 ? limits->rtol : real ? 1e-3 : 0;
    const double atol = limits->atol >= 0 ? limits->atol : real ? 1e-5 : 0;

    if (TF_TensorType(a) == TF_STRING || cli_type_bytes(TF_TensorType(a)) == 0) {
        return INFINITY;
    }
    if (real && isnan(x) && isnan(y)) {
        return 0;
    }
    if (real) {
        const int64_t ulps = isnan(x) || isnan(y) ? INT64_MAX : ulps_between(a, b, index);
        out->max_ulp = ulps > out->max_ulp ? ulps : out->max_ulp;
        if (limits->ulp >= 0 && ulps <= limits->ulp) {
            return 0;
        }
    }
    if (isnan(apart)) { /* one of them, or infinities of two signs */
        out->max_abs = out->max_rel = INFINITY;
        return INFINITY;
    }
    const double relative = apart == 0 ? 0 : apart / fabs(y);
    out->max_abs = apart > out->max_abs ? apart : out->max_abs;
    out->max_rel = relative > out->max_rel ? relative : out->max_rel;
    if (isinf(apart)) {
        return INFINITY;
    }
    /* whole numbers of 64 bits that a double cannot tell apart are not the same all the same */
    return apart == 0 && !real && rtol == 0 && atol == 0 ? 1 : apart - (atol + rtol * fabs(y));
}

bool compare_judge(const TF_Tensor *a, const TF_Tensor *b, const compare_limits *limits,
                   compare_verdict *out)
{
    double worst = -INFINITY;

    *out = (compare_verdict){
        .unlike = find_unlike(a, b), .worst = -1, .max_ulp = is_float(TF_TensorType(a)) ? 0 : -1};
    if (out->unlike != NULL) {
        return false;
    }
    out->n = TF_TensorElementCount(a);
    for (int64_t i = 0; i < out->n; i++) {
        if (is_same(a, b, i)) {
            continue;
        }
        const double beyond = excess(a, b, i, limits, out);
        out->n_bad += beyond > 0;
        if (beyond > worst) {
            worst = beyond;
            note_worst(a, b, i, out);
        }
    }
    return out->n_bad == 0;
}

void compare_verdict_print(const compare_verdict *v, char *out, size_t size)
{
    char apart[128] = "", ulp[40] = "";

    if (v->unlike != NULL) {
        (void)snprintf(out, size, "cannot be compared: its %s is another", v->unlike);
        return;
    }
    if (v->worst < 0) {
        (void)snprintf(out, size, "is the same");
        return;
    }
    if (v->max_ulp >= 0 && v->max_ulp < INT64_MAX) {
        (void)snprintf(ulp, sizeof ulp, ", %" PRId64 " ulp", v->max_ulp);
    }
    (void)snprintf(apart, sizeof apart, "largest difference %.3g, relative %.3g%s", v->max_abs,
                   v->max_rel, ulp);
    if (v->n_bad == 0) {
        (void)snprintf(out, size, "agrees: %s", apart);
    } else {
        (void)snprintf(out, size,
                       "differs in %" PRId64 " of %" PRId64 " elements, most at %" PRId64
                       ": %s for %s (%s)",
                       v->n_bad, v->n, v->worst, v->a, v->b, apart);
    }
}
