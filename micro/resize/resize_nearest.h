/* SPDX-License-Identifier: Apache-2.0 */
/* Resizing of images by choosing pixels. Elements of any type. The places are worked out by
 * resize_prepare.h.
 */
#ifndef ORIBI_MICRO_RESIZE_NEAREST_H_
#define ORIBI_MICRO_RESIZE_NEAREST_H_

#include <stdint.h>

struct oribi_micro_resize_nearest_args {
    int32_t batch, in_h, in_w, out_h, out_w;
    int32_t pixel_bytes;
    const int32_t *rows, *columns; /* of the input, for each of the output */
};

/* Shapes   input [batch, in_h, in_w, pixel], output [batch, out_h, out_w, pixel], dense.
 * Owns     nothing; output and input do not overlap.
 * Context  run: no allocation, no state.
 */
void oribi_micro_resize_nearest(const struct oribi_micro_resize_nearest_args *args,
                                const void *input, void *output);

#endif
