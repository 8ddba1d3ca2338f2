/* SPDX-License-Identifier: Apache-2.0 */
/* What the convolutions have in common beside arithmetic: their attributes, and the axes of one
 * call checked against the shapes that it brings. Read next: conv.c.
 */
#ifndef ORIBI_PLUGINS_CPU_CONV_ATTRS_H_
#define ORIBI_PLUGINS_CPU_CONV_ATTRS_H_

#include "cpu/product/conv_geometry.h"
#include "cpu/product/packed_weights.h"

typedef struct oribi_conv_attrs {
    oribi_geometry_padding padding;
    int64_t strides[2], dilations[2]; /* y, x */
    int64_t before[2], after[2];      /* explicit padding, y, x */
    bool is_planes;                   /* the image is NCHW; all else is NHWC */
} oribi_conv_attrs;

/* Reads strides, padding, explicit_paddings, dilations, data_format, input_format; refuses what
 * this plugin has no kernel for: NCHW, and strides or dilations of batch or channels. */
void oribi_conv_attrs_read(oribi_kit_setup *setup, oribi_conv_attrs *out);

/* Dims of an image, in its own order, as NHWC. */
void oribi_conv_image_dims(const oribi_conv_attrs *attrs, int64_t dims[4]);

/* Both axes for an image and a filter of these sizes; fails naming what does not fit. */
bool oribi_conv_attrs_resolve(oribi_kit_run *run, const oribi_conv_attrs *attrs, int64_t height,
                              int64_t width, int64_t filter_height, int64_t filter_width,
                              oribi_geometry_window *out_y, oribi_geometry_window *out_x);

/* One call of a convolution: what it brings, and the dims of its result. */
typedef struct oribi_conv_shapes {
    oribi_weights_view image, filter; /* image [batch, y, x, channels], filter [y, x, in, out] */
    oribi_geometry_window y, x;
    int64_t dims[4];
} oribi_conv_shapes;

/* From inputs 0 and 1 of a Conv2D or, where each channel has filters of its own, of a
 * DepthwiseConv2dNative; fails when they do not fit each other. */
bool oribi_conv_shapes_take(oribi_kit_run *run, const oribi_conv_attrs *attrs, bool is_depthwise,
                            oribi_conv_shapes *out);

#endif
