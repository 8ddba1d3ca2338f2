/* SPDX-License-Identifier: Apache-2.0 */
/* Windows over pictures: what a node says of them, and the geometry that the device gets. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "device_ops/window.h"

window_attrs *window_of(const op_kernel *kernel)
{
    return kernel->attrs;
}

/* --- Attributes ------------------------------------------------------------------------------ */

/* The two numbers of height and width, which are at least 1. */
void window_read_pair(TF_OpKernelConstruction *c, const char *name, const window_attrs *w,
                      int64_t out[2], TF_Status *status)
{
    int64_t all[4] = {0};
    const int first = w->is_nchw ? 2 : 1, n = op_read_list(c, name, all, 4, status);
    out[0] = all[first];
    out[1] = all[first + 1];
    if (TF_GetCode(status) == TF_OK &&
        (n != 4 || out[0] < 1 || out[1] < 1 || out[0] > INT_MAX / 4 || out[1] > INT_MAX / 4 ||
         all[0] != 1 || all[w->is_nchw ? 1 : 3] != 1)) {
        TF_SetStatus(status, TF_UNIMPLEMENTED,
                     "strides, dilations and windows are 4 numbers, over height and width only");
    }
}

void window_read_padding(TF_OpKernelConstruction *c, window_attrs *w, bool has_explicit,
                         TF_Status *status)
{
    char text[16] = {0};
    int64_t all[8] = {0};
    if (TF_GetCode(status) == TF_OK) {
        TF_OpKernelConstruction_GetAttrString(c, "padding", text, sizeof text - 1, status);
    }
    w->padding = strcmp(text, "SAME") == 0    ? WINDOW_SAME
                 : strcmp(text, "VALID") == 0 ? WINDOW_VALID
                                              : WINDOW_EXPLICIT;
    if (w->padding != WINDOW_EXPLICIT || !has_explicit || TF_GetCode(status) != TF_OK) {
        return;
    }
    const int n = op_read_list(c, "explicit_paddings", all, 8, status);
    for (int i = 0; i < 2; i++) {
        w->before[i] = all[(w->is_nchw ? 4 : 2) + 2 * i];
        w->after[i] = all[(w->is_nchw ? 4 : 2) + 2 * i + 1];
        if (TF_GetCode(status) == TF_OK &&
            (n != 8 || w->before[i] < 0 || w->after[i] < 0 || w->before[i] > INT_MAX / 4 ||
             w->after[i] > INT_MAX / 4)) {
            TF_SetStatus(status, TF_INVALID_ARGUMENT, "explicit_paddings are 8 numbers from 0 on");
        }
    }
}

op_kernel *window_create(TF_OpKernelConstruction *c, const char *family, const char *function,
                         TF_Status *status)
{
    char format[8] = {0};
    op_kernel *kernel = op_create(family, function, status);
    if (kernel != NULL && (kernel->attrs = calloc(1, sizeof(window_attrs))) == NULL) {
        TF_SetStatus(status, TF_RESOURCE_EXHAUSTED, "out of memory");
    }
    if (TF_GetCode(status) == TF_OK) {
        TF_OpKernelConstruction_GetAttrString(c, "data_format", format, sizeof format - 1, status);
        window_of(kernel)->is_nchw = strcmp(format, "NCHW") == 0;
        window_read_pair(c, "strides", window_of(kernel), window_of(kernel)->stride, status);
    }
    return kernel;
}

/* --- Geometry -------------------------------------------------------------------------------- */

static bool fit(op_request *r, const window_attrs *w, int i, int64_t in, int64_t size, op_window *g)
{
    const int64_t reach = (size - 1) * w->dilation[i] + 1;
    int64_t out = 0, before = w->before[i];
    if (w->padding == WINDOW_SAME) {
        out = (in + w->stride[i] - 1) / w->stride[i];
        const int64_t total = (out - 1) * w->stride[i] + reach - in;
        before = total > 0 ? total / 2 : 0;
    } else {
        const int64_t room = in + w->before[i] + w->after[i] - reach;
        out = room < 0 ? -1 : room / w->stride[i] + 1;
    }
    if (out < 0 || reach > INT_MAX / 2 || in > INT_MAX / 2) {
        return op_refuse(r, TF_INVALID_ARGUMENT, "a window that is larger than the picture");
    }
    g->out[i] = (int32_t)out;
    g->in[i] = (int32_t)in;
    g->size[i] = (int32_t)size;
    g->stride[i] = (int32_t)w->stride[i];
    g->dilation[i] = (int32_t)w->dilation[i];
    g->before[i] = (int32_t)before;
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
            return op_is_ok(r) && op_refuse(r, TF_INVALID_ARGUMENT, "an empty window");
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
