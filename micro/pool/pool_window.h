/* SPDX-License-Identifier: Apache-2.0 */
/* The part of a pool's window that lies in the image: what all pools share. */
#ifndef ORIBI_MICRO_POOL_WINDOW_H_
#define ORIBI_MICRO_POOL_WINDOW_H_

#include <stdint.h>

struct oribi_micro_pool_window { /* rows [top, bottom), columns [left, right) */
    int32_t top, bottom, left, right;
};

/* Of a window that begins at (top, left), which may lie before the image. */
static inline struct oribi_micro_pool_window oribi_micro_pool_clip(int32_t top, int32_t left,
                                                                   int32_t filter_h,
                                                                   int32_t filter_w, int32_t in_h,
                                                                   int32_t in_w)
{
    struct oribi_micro_pool_window w;
    w.bottom = top + filter_h < in_h ? top + filter_h : in_h;
    w.right = left + filter_w < in_w ? left + filter_w : in_w;
    w.top = top < 0 ? 0 : top;
    w.left = left < 0 ? 0 : left;
    return w;
}

#endif
