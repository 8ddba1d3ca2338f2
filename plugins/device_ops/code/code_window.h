/* SPDX-License-Identifier: Apache-2.0 */
/* What convolutions and pools share: which window makes output i. */
#ifndef DEVICE_OPS_CODE_WINDOW_H_
#define DEVICE_OPS_CODE_WINDOW_H_

#include "dialect.h"
#include "parameters.h"

typedef struct op_place {
    int picture, top, left, channel;
    int z; /* where the output lies */
} op_place;

DEVICE_FUNCTION op_place op_find(op_window g, int i)
{
    op_place p;
    p.channel = i % g.out[2];
    i /= g.out[2];
    const int column = i % g.out[1];
    i /= g.out[1];
    const int row = i % g.out[0];
    p.picture = i / g.out[0];
    p.top = row * g.stride[0] - g.before[0];
    p.left = column * g.stride[1] - g.before[1];
    p.z = p.picture * g.z[0] + row * g.z[1] + column * g.z[2] + p.channel * g.z[3];
    return p;
}

#endif
