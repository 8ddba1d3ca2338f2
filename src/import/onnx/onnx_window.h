/* SPDX-License-Identifier: Apache-2.0 */
/* What convolutions and pools share: kernel, strides, dilations and padding over spatial axes. */
#ifndef ORIBI_IMPORT_ONNX_WINDOW_H_
#define ORIBI_IMPORT_ONNX_WINDOW_H_

#include "import/onnx/onnx_emit.h"
#include "micro/geometry/geometry_window.h"

enum { ORIBI_WINDOW_MAX_AXES = 3 };

typedef struct oribi_window { /* all lists are of `axes` elements */
    int32_t axes;             /* spatial, at most ORIBI_WINDOW_MAX_AXES */
    oribi_dims kernel, strides, dilations;
    oribi_dims before, after; /* padding */
    oribi_dims in;            /* sizes, -1 unknown */
    bool is_same, is_valid;   /* padding is TensorFlow's SAME (auto_pad or by size), or none */
} oribi_window;

/* Reads kernel_shape (kernel is the default, or NULL), strides, dilations, pads and
 * auto_pad for x [n, c, spatial...]. With ceil, pads grow at the end so that the output is rounded
 * up as ONNX asks. */
bool oribi_window_read(oribi_onnx_node *n, oribi_value_id x, const oribi_dims *kernel, bool ceil,
                       oribi_window *out);
/* Are the padding and the sizes of a window over x known only when sizes of x are that are not:
 * auto_pad SAME_LOWER, ceil_mode, padding that is counted, or a rank of x that is not known? */
bool oribi_window_lacks_sizes(oribi_onnx_node *n, oribi_value_id x);
/* The attributes strides, dilations, padding, explicit_paddings (and ksize) for NHWC, of a window
 * with two axes. Arrays live in *store. Returns how many were written to out (at most 6). */
typedef struct oribi_window_attrs {
    oribi_dims strides, dilations, paddings, ksize;
    oribi_emit_attr list[6];
    int32_t count;
} oribi_window_attrs;
void oribi_window_describe(const oribi_window *window, bool has_ksize, bool has_dilations,
                           oribi_window_attrs *out);
/* One spatial axis becomes two, [n, c, 1, w]; the window too. */
oribi_value_id oribi_window_widen(oribi_onnx_node *n, oribi_value_id x, oribi_window *window);
oribi_value_id oribi_window_narrow(oribi_onnx_node *n, oribi_value_id y);

/* The convolution of n->inputs, NCHW to NCHW, as the operator Conv has it; -1: failed. */
oribi_value_id oribi_onnx_conv(oribi_onnx_node *n);
/* The average pool of x, NCHW to NCHW, with the attributes of n; *out_y is -1 where TensorFlow has
 * no such pool. False: failed. */
bool oribi_onnx_average_pool(oribi_onnx_node *n, oribi_value_id x, oribi_value_id *out_y);

#endif
