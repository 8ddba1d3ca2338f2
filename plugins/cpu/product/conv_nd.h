/* SPDX-License-Identifier: Apache-2.0 */
/* Convolutions over one to three spatial dims with strides for everything, so that one loop serves
 * ONNX>Conv (channels first) and TensorFlow's Conv3D (either). Read next: conv_nd.c, which has the
 * plain loops, and conv_nd_packed.c.
 */
#ifndef ORIBI_PLUGINS_CPU_CONV_ND_H_
#define ORIBI_PLUGINS_CPU_CONV_ND_H_

#include "cpu/base/cpu_shape.h"

enum { ORIBI_CONV_ND_SPACE = 3 };

typedef struct oribi_conv_nd {
    bool is_onnx,
        channels_last; /* ONNX's filters are [out, in, space], TensorFlow's [space, in, out] */
    oribi_geometry_padding padding;
    oribi_dims strides, dilations, pads; /* of the spatial dims; empty: 1, 1 and 0 everywhere */
    int64_t groups;                      /* 0: as the channels say */
} oribi_conv_nd;

/* Where elements lie, in elements; spatial dims are counted as one. */
typedef struct oribi_conv_nd_layout {
    int64_t batch, channel, pixel;
} oribi_conv_nd_layout;

/* One call. Spatial dims line up at the end, those that are missing have one element. */
typedef struct oribi_conv_nd_call {
    oribi_geometry_window axes[ORIBI_CONV_ND_SPACE];
    int64_t batches, channels, outputs, groups, depth; /* depth: channels of a group */
    int64_t in_pixels, pixels, taps;
    oribi_conv_nd_layout in, out;
    int64_t w_out, w_in, w_tap; /* strides of the filter, in elements */
    const void *x, *w, *bias;   /* bias: or NULL */
    void *y;
    oribi_cpu_shape shape; /* of the output */
} oribi_conv_nd_call;

void oribi_conv_nd_read_onnx(oribi_kit_setup *setup, oribi_conv_nd *out);
void oribi_conv_nd_read_3d(oribi_kit_setup *setup, oribi_conv_nd *out);
/* Checks the inputs, takes their data and makes the output; *out_is_empty: nothing is left to do.
 * filter: the dims of one that the kernel has kept, else NULL; a bias is the input behind it. */
bool oribi_conv_nd_take(oribi_kit_run *run, const oribi_conv_nd *conv,
                        const oribi_cpu_shape *filter, oribi_conv_nd_call *out, bool *out_is_empty);

#endif
