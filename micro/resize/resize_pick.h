/* SPDX-License-Identifier: Apache-2.0 */
/* Resizing along one or two dimensions by choosing elements of any type. Images with channels last:
 * resize_nearest.h. Places come from resize_taps_prepare.h.
 */
#ifndef ORIBI_MICRO_RESIZE_PICK_H_
#define ORIBI_MICRO_RESIZE_PICK_H_

#include <stdint.h>

struct oribi_micro_resize_pick_args {
    const int32_t *rows, *columns; /* of the input, for each of the output */
    int32_t outer, middle;         /* elements in front of and between the two dimensions */
    int32_t inner_bytes;           /* behind them */
    int32_t in_h, out_h, in_w, out_w;
};

/* Shapes   input [outer, in_h, middle, in_w, inner], output [outer, out_h, middle, out_w, inner].
 * Owns     nothing; output and input do not overlap.
 * Context  run: no allocation, no state.
 */
void oribi_micro_resize_pick(const struct oribi_micro_resize_pick_args *args, const void *input,
                             void *output);

#endif
