/* SPDX-License-Identifier: Apache-2.0 */
/* How far a window slides over one axis: sizes and padding of convolutions and pools, of TensorFlow
 * (SAME, VALID, EXPLICIT) and of ONNX (SAME_UPPER, SAME_LOWER, ceil_mode). The only place where
 * SAME padding is computed. Host half: emitted code never carries it.
 */
#ifndef ORIBI_MICRO_GEOMETRY_GEOMETRY_WINDOW_H_
#define ORIBI_MICRO_GEOMETRY_GEOMETRY_WINDOW_H_

#include <stdbool.h>
#include <stdint.h>

/* SAME puts the odd element after the input, as TensorFlow and ONNX's SAME_UPPER do; SAME_LOWER
 * puts it before. */
typedef enum oribi_geometry_padding {
    ORIBI_GEOMETRY_VALID,
    ORIBI_GEOMETRY_SAME,
    ORIBI_GEOMETRY_SAME_LOWER,
    ORIBI_GEOMETRY_EXPLICIT
} oribi_geometry_padding;

typedef enum oribi_geometry_fit {
    ORIBI_GEOMETRY_FITS,
    ORIBI_GEOMETRY_RANGE,   /* a stride, dilation or window below 1, or a negative padding */
    ORIBI_GEOMETRY_NARROW,  /* the window reaches over more than the padded input */
    ORIBI_GEOMETRY_OVERFLOW /* a size leaves 63 bits */
} oribi_geometry_fit;

/* One axis. in and taps are -1 where they are not known, and so is then what depends on them. */
typedef struct oribi_geometry_window {
    int64_t in, taps, stride, dilation;
    oribi_geometry_padding padding;
    bool ceil;             /* VALID and SAME do not read it: a last window may be cut off */
    int64_t before, after; /* padding; read for EXPLICIT, else written */
    int64_t out;           /* windows along the axis; written */
    int64_t reach;         /* elements from the first tap to the last one; written */
} oribi_geometry_window;

/* What a node's word means: TensorFlow's SAME, VALID, EXPLICIT, and ONNX's SAME_UPPER, SAME_LOWER
 * and NOTSET. False, and *out untouched, for others. */
bool oribi_geometry_read_padding(const char *word, oribi_geometry_padding *out);

/* Writes out, reach, before and after. Without FITS out is -1; with NARROW reach tells what did not
 * fit. */
oribi_geometry_fit oribi_geometry_slide(oribi_geometry_window *window);

/* Parts `total` elements of padding as SAME does; SAME_LOWER with `is_lower`. */
static inline void oribi_geometry_part(int64_t total, bool is_lower, int64_t *out_before,
                                       int64_t *out_after)
{
    *out_before = is_lower ? total - total / 2 : total / 2;
    *out_after = total - *out_before;
}

/* Are all numbers that slide reads at most `most`? Kernels compute with less than 64 bits. */
bool oribi_geometry_is_within(const oribi_geometry_window *window, int64_t most);

/* The padding after the input that the last of `out` windows needs: 0 if it ends inside. What
 * slide wrote must be known. */
int64_t oribi_geometry_needed_after(const oribi_geometry_window *window);

/* Does the last window meet the input, rather than lie in padding alone? For slides that fit. */
bool oribi_geometry_meets_input(const oribi_geometry_window *window);

/* The taps [from, to) of one window that lie inside [0, size); where tap 0 lies. */
typedef struct oribi_geometry_taps {
    int64_t first, from, to;
} oribi_geometry_taps;

/* Those of window number `at`, once slide has fitted the windows. `size` is in, or more where
 * padding after the input counts as well. */
static inline oribi_geometry_taps oribi_geometry_taps_of(const oribi_geometry_window *window,
                                                         int64_t at, int64_t size)
{
    const int64_t first = at * window->stride - window->before, step = window->dilation;
    const int64_t inside = size <= first ? 0 : (size - first + step - 1) / step;
    return (oribi_geometry_taps){first, first >= 0 ? 0 : (-first + step - 1) / step,
                                 inside < window->taps ? inside : window->taps};
}

#endif
