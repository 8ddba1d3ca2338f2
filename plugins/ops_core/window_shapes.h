/* SPDX-License-Identifier: Apache-2.0 */
/* Windows over space: what convolutions and pools share. Layout is a permutation from (batch,
 * space..., channels) to the tensor's dimensions, 2 or 3 spatial ones.
 */
#ifndef ORIBI_PLUGINS_OPS_WINDOW_H_
#define ORIBI_PLUGINS_OPS_WINDOW_H_

#include "micro/geometry/geometry_window.h"
#include "ops_core/shape_functions.h"

enum { ORIBI_OPS_MAX_SPACE = 3, ORIBI_OPS_MAX_WINDOW_DIMS = 5 };

typedef struct oribi_ops_window {
    int n_space;         /* 2 or 3 */
    bool channels_first; /* NCHW, NCDHW */
    bool is_vectored;    /* NCHW_VECT_C: shapes are not inferred */
    oribi_geometry_padding padding;
    int64_t strides[ORIBI_OPS_MAX_WINDOW_DIMS]; /* as the attributes have them: in tensor order */
    int64_t dilations[ORIBI_OPS_MAX_WINDOW_DIMS];
    int64_t ksize[ORIBI_OPS_MAX_WINDOW_DIMS];
    int64_t before[ORIBI_OPS_MAX_WINDOW_DIMS], after[ORIBI_OPS_MAX_WINDOW_DIMS];
} oribi_ops_window;

/* Reads data_format, strides, padding and what of dilations, ksize and explicit_paddings the op
 * has; absent ones are 1, or 0 for paddings. */
bool oribi_ops_window_read(oribi_ops_ctx *ctx, int n_space, oribi_ops_window *out,
                           TF_Status *status);
/* Of these padding and explicit_paddings alone. */
bool oribi_ops_window_read_padding(oribi_ops_ctx *ctx, oribi_ops_window *out, TF_Status *status);
/* Tensor dimension of batch, of channels, of spatial dimension k. */
int oribi_ops_window_channel(const oribi_ops_window *window);
int oribi_ops_window_space(const oribi_ops_window *window, int k);
/* A word for padding, TensorFlow's or ONNX's. */
bool oribi_ops_attr_padding(oribi_ops_ctx *ctx, const char *name, oribi_geometry_padding *out,
                            TF_Status *status);
/* How many windows there are along an axis; -1 where that is not known. Fails saying why none fits.
 */
bool oribi_ops_slide(const oribi_geometry_window *window, int64_t *out, TF_Status *status);
/* Size of a dimension after a window of `size` taps has gone over it, by the attributes at tensor
 * dimension `at`. Unknown sizes give what can be known. */
bool oribi_ops_window_slide(const oribi_ops_window *window, int at, int64_t in, int64_t size,
                            int64_t *out, TF_Status *status);

#endif
