/* SPDX-License-Identifier: Apache-2.0 */
/* Einsum: the shape follows from the equation, "ab...,bc...->ac...". Labels are letters; the
 * ellipsis stands for dimensions that broadcast.
 */
#include <string.h>

#include "ops_core/ops_core.h"
#include "ops_core/shape_functions.h"

enum { MAX_EQUATION = 1024, N_LABELS = 128 };

typedef struct equation {
    char text[MAX_EQUATION];
    int64_t sizes[N_LABELS]; /* by letter; -1 unknown */
    bool seen[N_LABELS];
    oribi_ops_shape middle; /* of the ellipsis */
} equation;

/* Is c an ASCII letter, whatever the locale of the application? sizes[] has no room for others. */
static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool read_equation(oribi_ops_ctx *ctx, equation *e, TF_Status *status)
{
    int32_t count, length = 0;
    TF_ShapeInferenceContext_GetAttrSize(ctx, "equation", &count, &length, status);
    if (TF_GetCode(status) != TF_OK) {
        return false;
    }
    if (length < 0 || length >= MAX_EQUATION) {
        return oribi_ops_fail(status, "The equation is longer than %d characters",
                              MAX_EQUATION - 1);
    }
    memset(e, 0, sizeof *e);
    memset(e->sizes, 0xff, sizeof e->sizes);
    TF_ShapeInferenceContext_GetAttrString(ctx, "equation", e->text, MAX_EQUATION - 1, status);
    char *to = e->text;
    for (const char *from = e->text; *from != '\0'; from++) {
        if (*from != ' ') {
            *to++ = *from;
        }
    }
    *to = '\0';
    return TF_GetCode(status) == TF_OK;
}

/* Letters and dots of one operand, up to ',', '-' or the end. */
static bool count_labels(const char *term, int64_t *out_labels, bool *out_ellipsis,
                         const char **out_end, TF_Status *status)
{
    *out_labels = 0;
    *out_ellipsis = false;
    for (; *term != '\0' && *term != ',' && *term != '-'; term++) {
        if (strncmp(term, "...", 3) == 0 && !*out_ellipsis) {
            *out_ellipsis = true;
            term += 2;
        } else if (is_letter(*term)) {
            (*out_labels)++;
        } else {
            return oribi_ops_fail(status, "Invalid equation: unexpected '%.10s'", term);
        }
    }
    *out_end = term;
    return true;
}

static bool merge_label(equation *e, char letter, int64_t size, TF_Status *status)
{
    int at = (unsigned char)letter;
    e->seen[at] = true;
    return oribi_ops_merge_dim(&e->sizes[at], size, status);
}

/* One input's dimensions into the labels. */
static bool take_input(equation *e, const char *term, const oribi_ops_shape *shape,
                       const char **out_end, TF_Status *status)
{
    int64_t labels, at = 0;
    bool has_ellipsis;
    oribi_ops_shape part, joined;
    if (!count_labels(term, &labels, &has_ellipsis, out_end, status)) {
        return false;
    }
    if (shape->n >= 0 && (has_ellipsis ? shape->n < labels : shape->n != labels)) {
        return oribi_ops_fail(status, "Input of rank %d does not fit '%.*s'", (int)shape->n,
                              (int)(*out_end - term), term);
    }
    for (; term < *out_end; term++) {
        if (*term != '.') {
            if (!merge_label(e, *term, shape->n < 0 ? -1 : shape->at[at++], status)) {
                return false;
            }
            continue;
        }
        term += 2;
        oribi_ops_set_unknown(&part);
        if (shape->n >= 0) {
            part.n = 0;
            if (!oribi_ops_append(&part, &shape->at[at], shape->n - labels, status)) {
                return false;
            }
            at += part.n;
        }
        if (!oribi_ops_broadcast(&e->middle, &part, true, &joined, status)) {
            return false;
        }
        e->middle = joined;
    }
    return true;
}

static bool give_output(const equation *e, const char *term, oribi_ops_shape *out,
                        TF_Status *status)
{
    int64_t labels;
    bool has_ellipsis;
    const char *end = term;
    out->n = 0;
    if (!count_labels(term, &labels, &has_ellipsis, &end, status)) {
        return false;
    }
    if (*end != '\0') {
        return oribi_ops_fail(status, "Invalid equation: more than one output");
    }
    for (; term < end; term++) {
        if (*term == '.') {
            term += 2;
            if (e->middle.n < 0) {
                oribi_ops_set_unknown(out);
                return true;
            }
            if (!oribi_ops_append(out, e->middle.at, e->middle.n, status)) {
                return false;
            }
        } else if (!e->seen[(unsigned char)*term]) {
            return oribi_ops_fail(status, "Output label '%c' is in no input", *term);
        } else if (!oribi_ops_append(out, &e->sizes[(unsigned char)*term], 1, status)) {
            return false;
        }
    }
    return true;
}

static void einsum(oribi_ops_ctx *ctx, TF_Status *status)
{
    equation e;
    oribi_ops_shape shape;
    if (!read_equation(ctx, &e, status)) {
        return;
    }
    const char *term = e.text, *arrow = strstr(e.text, "->");
    int count = (int)TF_ShapeInferenceContextNumInputs(ctx);
    if (arrow == NULL) {
        oribi_ops_fail(status, "Expecting '->' in the equation '%.100s'", e.text);
        return;
    }
    for (int i = 0; i < count; i++) {
        if (!oribi_ops_input(ctx, i, &shape, status) ||
            !take_input(&e, term, &shape, &term, status)) {
            return;
        }
        if (i + 1 < count ? *term++ != ',' : term != arrow) {
            oribi_ops_fail(status, "The equation '%.100s' does not have %d inputs", e.text, count);
            return;
        }
    }
    if (give_output(&e, arrow + 2, &shape, status)) {
        oribi_ops_output(ctx, 0, &shape, status);
    }
}

const oribi_ops_row oribi_ops_einsum[] = {
    {.name = "Einsum",
     .inputs = "inputs: N * T",
     .outputs = "output: T",
     .attrs = "equation: string; N: int >= 1; T: type",
     .shape = einsum},
    {.name = NULL},
};
