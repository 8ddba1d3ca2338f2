/* SPDX-License-Identifier: Apache-2.0 */
/* Windows over space: reading the attributes, sliding. */
#include "ops_core/window_shapes.h"

#include <inttypes.h>
#include <string.h>

bool oribi_ops_attr_padding(oribi_ops_ctx *ctx, const char *name, oribi_geometry_padding *out,
                            TF_Status *status)
{
    char word[ORIBI_OPS_STRING];
    return oribi_ops_attr_string(ctx, name, word, status) &&
           (oribi_geometry_read_padding(word, out) ||
            oribi_ops_fail(status, "Attr '%s' is '%s', which is not a kind of padding", name,
                           word));
}

static bool read_list(oribi_ops_ctx *ctx, const char *name, int dims, int64_t *out,
                      TF_Status *status)
{
    int count;
    for (int i = 0; i < dims; i++) {
        out[i] = 1;
    }
    if (!TF_ShapeInferenceContext_HasAttr(ctx, name)) {
        return true;
    }
    if (!oribi_ops_attr_ints(ctx, name, out, dims, &count, status)) {
        return false;
    }
    if (count != dims) {
        return oribi_ops_fail(status, "Attr '%s' must have %d values, but has %d", name, dims,
                              count);
    }
    for (int i = 0; i < dims; i++) {
        if (out[i] <= 0) {
            return oribi_ops_fail(status, "Attr '%s' must be positive, but holds %" PRId64, name,
                                  out[i]);
        }
    }
    return true;
}

static bool read_format(oribi_ops_ctx *ctx, oribi_ops_window *out, TF_Status *status)
{
    char format[ORIBI_OPS_STRING];
    if (!TF_ShapeInferenceContext_HasAttr(ctx, "data_format")) {
        return true;
    }
    if (!oribi_ops_attr_string(ctx, "data_format", format, status)) {
        return false;
    }
    out->channels_first = format[1] == 'C';
    out->is_vectored = strstr(format, "VECT") != NULL;
    return true;
}

/* Pairs for every tensor dimension, zero outside of space; empty unless padding is EXPLICIT. */
static bool read_pairs(oribi_ops_ctx *ctx, oribi_ops_window *out, TF_Status *status)
{
    int64_t pairs[2 * ORIBI_OPS_MAX_WINDOW_DIMS];
    int count = 0, dims = out->n_space + 2;
    bool is_explicit = out->padding == ORIBI_GEOMETRY_EXPLICIT;
    if (TF_ShapeInferenceContext_HasAttr(ctx, "explicit_paddings") &&
        !oribi_ops_attr_ints(ctx, "explicit_paddings", pairs, 2 * dims, &count, status)) {
        return false;
    }
    if (count != (is_explicit ? 2 * dims : 0)) {
        return oribi_ops_fail(status,
                              "explicit_paddings must have %d values with padding %s, but has %d",
                              is_explicit ? 2 * dims : 0,
                              is_explicit                            ? "EXPLICIT"
                              : out->padding == ORIBI_GEOMETRY_VALID ? "VALID"
                                                                     : "SAME",
                              count);
    }
    for (int i = 0; i < count; i++) {
        bool is_space = i / 2 != 0 && i / 2 != oribi_ops_window_channel(out);
        if (pairs[i] < 0 || (!is_space && pairs[i] != 0)) {
            return oribi_ops_fail(status,
                                  "explicit_paddings must be nonnegative, and zero for batch and "
                                  "depth; value %d is %" PRId64,
                                  i, pairs[i]);
        }
        *(i % 2 == 0 ? &out->before[i / 2] : &out->after[i / 2]) = pairs[i];
    }
    return true;
}

bool oribi_ops_window_read_padding(oribi_ops_ctx *ctx, oribi_ops_window *out, TF_Status *status)
{
    return oribi_ops_attr_padding(ctx, "padding", &out->padding, status) &&
           (out->is_vectored || read_pairs(ctx, out, status));
}

bool oribi_ops_window_read(oribi_ops_ctx *ctx, int n_space, oribi_ops_window *out,
                           TF_Status *status)
{
    memset(out, 0, sizeof *out);
    out->n_space = n_space;
    return read_format(ctx, out, status) && oribi_ops_window_read_padding(ctx, out, status) &&
           (out->is_vectored || (read_list(ctx, "strides", n_space + 2, out->strides, status) &&
                                 read_list(ctx, "dilations", n_space + 2, out->dilations, status) &&
                                 read_list(ctx, "ksize", n_space + 2, out->ksize, status)));
}

int oribi_ops_window_channel(const oribi_ops_window *window)
{
    return window->channels_first ? 1 : window->n_space + 1;
}

int oribi_ops_window_space(const oribi_ops_window *window, int k)
{
    return window->channels_first ? k + 2 : k + 1;
}

bool oribi_ops_slide(const oribi_geometry_window *window, int64_t *out, TF_Status *status)
{
    oribi_geometry_window w = *window;
    *out = -1;
    if (w.in < 0) {
        return true;
    }
    if (w.padding == ORIBI_GEOMETRY_SAME || w.padding == ORIBI_GEOMETRY_SAME_LOWER) {
        w.taps = -1; /* any number of them makes as many windows */
    }
    switch (oribi_geometry_slide(&w)) {
    case ORIBI_GEOMETRY_FITS:
        *out = w.out;
        return true;
    case ORIBI_GEOMETRY_RANGE:
        return w.taps == 0
                   ? oribi_ops_fail(status, "A window of size 0 covers nothing")
                   : oribi_ops_fail(status,
                                    "A window has negative padding, %" PRId64 " and %" PRId64,
                                    w.before, w.after);
    case ORIBI_GEOMETRY_NARROW:
        return oribi_ops_fail(
            status, "Negative dimension size caused by subtracting %" PRId64 " from %" PRId64,
            w.reach, w.in + w.before + w.after);
    default:
        return oribi_ops_fail(status,
                              "Dimension size overflow from a window of %" PRId64
                              ", dilation %" PRId64 ", over %" PRId64 " and padding of %" PRId64
                              " and %" PRId64,
                              w.taps, w.dilation, w.in, w.before, w.after);
    }
}

bool oribi_ops_window_slide(const oribi_ops_window *window, int at, int64_t in, int64_t size,
                            int64_t *out, TF_Status *status)
{
    const oribi_geometry_window one = {.in = in,
                                       .taps = size,
                                       .stride = window->strides[at],
                                       .dilation = window->dilations[at],
                                       .padding = window->padding,
                                       .before = window->before[at],
                                       .after = window->after[at]};
    return oribi_ops_slide(&one, out, status);
}
