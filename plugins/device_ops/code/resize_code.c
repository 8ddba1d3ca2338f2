/* SPDX-License-Identifier: Apache-2.0 */
/* Pictures in another size, NHWC: the nearest pixel, or a mean of the four around. */
#include "divide.h"

typedef struct op_pixel {
    int picture, row, column, channel;
} op_pixel;

DEVICE_FUNCTION op_pixel op_pixel_of(op_resize g, int i)
{
    op_pixel p;
    int whole = op_divide(i, g.by_channels);
    p.channel = i - whole * g.channels;
    i = whole;
    whole = op_divide(i, g.by_out[1]);
    p.column = i - whole * g.out[1];
    p.picture = op_divide(whole, g.by_out[0]);
    p.row = whole - p.picture * g.out[0];
    return p;
}

DEVICE_FUNCTION int op_within(float place, int n)
{
    return place < 0.0f ? 0 : place > (float)(n - 1) ? n - 1 : (int)place;
}

DEVICE_FUNCTION int op_nearest(op_resize g, int axis, int i)
{
    const float at = ((float)i + g.offset) * g.scale[axis];
    return op_within(g.rounds ? roundf(at) : floorf(at), g.in[axis]);
}

KERNEL2(op_resize_nearest, float, z, const float, x, op_resize, g)
{
    const int i = GLOBAL_ID(x);
    if (i < g.n) {
        const op_pixel p = op_pixel_of(g, i);
        const int row = op_nearest(g, 0, p.row), column = op_nearest(g, 1, p.column);
        z[i] = x[((p.picture * g.in[0] + row) * g.in[1] + column) * g.channels + p.channel];
    }
}

KERNEL2(op_resize_bilinear, float, z, const float, x, op_resize, g)
{
    const int i = GLOBAL_ID(x);
    if (i >= g.n) {
        return;
    }
    const op_pixel p = op_pixel_of(g, i);
    const float row = ((float)p.row + g.offset) * g.scale[0] - g.offset;
    const float column = ((float)p.column + g.offset) * g.scale[1] - g.offset;
    const float down = row - floorf(row), right = column - floorf(column);
    const int above = op_within(floorf(row), g.in[0]), below = op_within(ceilf(row), g.in[0]);
    const int left = op_within(floorf(column), g.in[1]) * g.channels;
    const int beside = op_within(ceilf(column), g.in[1]) * g.channels;
    GLOBAL const float *picture = x + p.picture * g.in[0] * g.in[1] * g.channels + p.channel;
    GLOBAL const float *upper = picture + above * g.in[1] * g.channels;
    GLOBAL const float *lower = picture + below * g.in[1] * g.channels;
    const float a = upper[left] * (1.0f - right) + upper[beside] * right;
    const float b = lower[left] * (1.0f - right) + lower[beside] * right;
    z[i] = a * (1.0f - down) + b * down;
}
