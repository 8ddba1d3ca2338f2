/* SPDX-License-Identifier: Apache-2.0 */
/* How far the windows of a transposed convolution spread over one axis, as ONNX's ConvTranspose has
 * it: sizes that are wanted or follow, and what is cut off at either end. Host half: emitted code
 * never carries it.
 * Source   the operator's specification, opsets 1 to 28.
 */
#ifndef ORIBI_MICRO_GEOMETRY_GEOMETRY_TRANSPOSED_H_
#define ORIBI_MICRO_GEOMETRY_GEOMETRY_TRANSPOSED_H_

#include "micro/geometry/geometry_window.h"

/* One axis. in and taps are -1 where they are not known, and so is then what depends on them. */
typedef struct oribi_geometry_transposed {
    int64_t in, taps, stride, dilation;
    int64_t more;                   /* output_padding: elements beyond the last window */
    int64_t wanted;                 /* output_shape; -1: none is */
    oribi_geometry_padding padding; /* NOTSET is EXPLICIT */
    int64_t before, after;          /* cut off; read for EXPLICIT where nothing is wanted */
    int64_t full;                   /* elements that the windows reach, `more` included; written */
    int64_t out;                    /* of the result; written */
} oribi_geometry_transposed;

/* Writes out, full, before and after, the latter below 0 where the result ends behind all windows.
 * NARROW: more is cut off than there is. */
oribi_geometry_fit oribi_geometry_spread(oribi_geometry_transposed *axis);

#endif
