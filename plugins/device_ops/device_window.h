/* SPDX-License-Identifier: Apache-2.0 */
/* Windows over pictures, for convolutions and pools; see device_window.c. */
#ifndef ORIBI_PLUGINS_DEVICE_OPS_WINDOW_H_
#define ORIBI_PLUGINS_DEVICE_OPS_WINDOW_H_

#include "device_ops/fused.h"
#include "micro/geometry/geometry_window.h"

typedef struct window_attrs { /* read once; lists are in the order height, width */
    bool is_nchw, is_depthwise;
    oribi_geometry_padding padding;
    fused_words words;
    int64_t size[2], stride[2], dilation[2], before[2], after[2];
} window_attrs;

window_attrs *window_of(const op_kernel *kernel);
/* op_begin for a kernel with window_attrs, its layout and strides read. */
window_attrs *window_begin(oribi_kit_setup *setup, TF_OpKernelConstruction *c, const char *family,
                           const char *function);
/* The two numbers of height and width, which are at least 1. */
void window_read_pair(oribi_kit_setup *setup, const char *name, const window_attrs *w,
                      int64_t out[2]);
void window_read_padding(oribi_kit_setup *setup, window_attrs *w, bool has_explicit);
/* The output's shape from input x and a window of this size; fills g but for the filter's part. */
bool window_make_output(op_request *r, const window_attrs *w, const int64_t size[2],
                        int64_t channels, op_window *g);
#define WINDOW_STRIPS(function)                                                                    \
    {                                                                                              \
        {"window_vectors", function, "-DWIDTH=16"}, {"window_vectors", function, "-DWIDTH=8"},     \
        {                                                                                          \
            "window_vectors", function, "-DWIDTH=4"                                                \
        }                                                                                          \
    }
/* Enqueues a function of code/window_vectors.c: a thread for each row of the output and each 16
 * channels. `widths` is WINDOW_STRIPS. false where the device has no
 * vectors or channels do not lie side by side, 4 of them at least. */
bool window_enqueue_strips(op_kernel *kernel, op_request *r, const op_code widths[3],
                           const op_window *g, const TF_LaunchArg *args, int n_args);

#endif
