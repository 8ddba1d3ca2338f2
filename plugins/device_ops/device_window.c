/* SPDX-License-Identifier: Apache-2.0 */
/* Windows over pictures: what a node says of them, and the geometry that the device gets. */
#include <limits.h>
#include <string.h>

#include "device_ops/device_window.h"

window_attrs *window_of(const op_kernel *kernel)
{
    return kernel->attrs;
}

/* --- Attributes ------------------------------------------------------------------------------ */

/* The two numbers of height and width, which are at least 1. */
void window_read_pair(oribi_kit_setup *setup, const char *name, const window_attrs *w,
                      int64_t out[2])
{
    int64_t all[4] = {0};
    const int first = w->is_nchw ? 2 : 1;
    oribi_kit_attr_ints(setup, name, all, 4, NULL);
    out[0] = all[first];
    out[1] = all[first + 1];
    if (out[0] < 1 || out[1] < 1 || out[0] > INT_MAX / 4 || out[1] > INT_MAX / 4 || all[0] != 1 ||
        all[w->is_nchw ? 1 : 3] != 1) {
        (void)oribi_kit_setup_fail(
            setup, TF_UNIMPLEMENTED,
            "strides, dilations and windows must be 4 numbers, those of batch and channels 1");
    }
}

void window_read_padding(oribi_kit_setup *setup, window_attrs *w, bool has_explicit)
{
    char text[16] = {0};
    int64_t all[8] = {0};
    oribi_kit_attr_string(setup, "padding", text, sizeof text);
    if (!oribi_geometry_read_padding(text, &w->padding)) {
        w->padding = ORIBI_GEOMETRY_EXPLICIT;
    }
    if (w->padding != ORIBI_GEOMETRY_EXPLICIT || !has_explicit) {
        return;
    }
    oribi_kit_attr_ints(setup, "explicit_paddings", all, 8, NULL);
    for (int i = 0; i < 2; i++) {
        w->before[i] = all[(w->is_nchw ? 4 : 2) + 2 * i];
        w->after[i] = all[(w->is_nchw ? 4 : 2) + 2 * i + 1];
        if (w->before[i] < 0 || w->after[i] < 0 || w->before[i] > INT_MAX / 4 ||
            w->after[i] > INT_MAX / 4) {
            (void)oribi_kit_setup_fail(
                setup, TF_INVALID_ARGUMENT,
                "explicit_paddings must be 8 numbers, none of them negative");
        }
    }
}

window_attrs *window_begin(oribi_kit_setup *setup, TF_OpKernelConstruction *c, const char *family,
                           const char *function)
{
    char format[8] = {0};
    op_kernel *kernel = op_begin(setup, c, family, function, sizeof(window_attrs));
    if (kernel == NULL) {
        return NULL;
    }
    window_attrs *w = kernel->attrs;
    oribi_kit_attr_string(setup, "data_format", format, sizeof format);
    w->is_nchw = strcmp(format, "NCHW") == 0;
    window_read_pair(setup, "strides", w, w->stride);
    return w;
}

/* --- Geometry -------------------------------------------------------------------------------- */

static bool fit(op_request *r, const window_attrs *w, int i, int64_t in, int64_t size, op_window *g)
{
    oribi_geometry_window one = {.in = in,
                                 .taps = size,
                                 .stride = w->stride[i],
                                 .dilation = w->dilation[i],
                                 .padding = w->padding,
                                 .before = w->before[i],
                                 .after = w->after[i]};
    if (oribi_geometry_slide(&one) != ORIBI_GEOMETRY_FITS || one.reach > INT_MAX / 2 ||
        in > INT_MAX / 2) {
        return op_refuse(r, TF_INVALID_ARGUMENT, "the window is larger than the image");
    }
    g->out[i] = (int32_t)one.out;
    g->in[i] = (int32_t)in;
    g->size[i] = (int32_t)size;
    g->stride[i] = (int32_t)w->stride[i];
    g->dilation[i] = (int32_t)w->dilation[i];
    g->before[i] = (int32_t)one.before;
    return true;
}

/* Elements from one to the next of picture, row, column, channel. */
static void fill_steps(int32_t steps[4], bool is_nchw, int64_t height, int64_t width,
                       int64_t channels)
{
    steps[0] = (int32_t)(height * width * channels);
    steps[1] = (int32_t)(is_nchw ? width : width * channels);
    steps[2] = (int32_t)(is_nchw ? 1 : channels);
    steps[3] = (int32_t)(is_nchw ? height * width : 1);
}

bool window_make_output(op_request *r, const window_attrs *w, const int64_t size[2],
                        int64_t channels, op_window *g)
{
    const int first = w->is_nchw ? 2 : 1, channel = w->is_nchw ? 1 : 3;
    oribi_dims dims = {4, {TF_Dim(r->x, 0)}};
    for (int i = 0; i < 2; i++) {
        if (size[i] < 1 || !fit(r, w, i, TF_Dim(r->x, first + i), size[i], g)) {
            return op_is_ok(r) && op_refuse(r, TF_INVALID_ARGUMENT, "the window is empty");
        }
        dims.at[first + i] = g->out[i];
    }
    dims.at[channel] = channels;
    if (!op_output(r, &dims)) {
        return false;
    }
    g->n = (int32_t)TF_TensorElementCount(r->out);
    g->out[2] = (int32_t)channels;
    fill_steps(g->x, w->is_nchw, g->in[0], g->in[1], TF_Dim(r->x, channel));
    fill_steps(g->z, w->is_nchw, g->out[0], g->out[1], channels);
    return true;
}

bool window_enqueue_strips(op_kernel *kernel, op_request *r, const op_code widths[3],
                           const op_window *g, const TF_LaunchArg *args, int n_args)
{
    const int width = g->out[2] >= 16 ? 16 : g->out[2] >= 8 ? 8 : 4;
    if (!op_has_vectors(r) || g->x[3] != 1 || g->z[3] != 1 || g->out[2] < width) {
        return false;
    }
    const op_shape shape = {.grid = {(uint32_t)((g->out[2] + width - 1) / width),
                                     (uint32_t)g->out[0],
                                     (uint32_t)(g->n / g->out[0] / g->out[1] / g->out[2])},
                            .block = {1, 1, 1}};
    op_launch_code(kernel, r, &widths[width == 16 ? 0 : width == 8 ? 1 : 2], &shape, args, n_args);
    return true;
}
