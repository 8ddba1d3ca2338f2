/* SPDX-License-Identifier: Apache-2.0 */
/* Where rows of a product lie. A product is z [rows, columns] = x [rows, taps * depth] w, for each
 * of some groups: convolutions, whose row is a place of the output and whose taps are the window's,
 * and matrix products, which have one tap. See op_tile.
 */
#ifndef DEVICE_OPS_CODE_TILE_H_
#define DEVICE_OPS_CODE_TILE_H_

#include "activate.h"
#include "dialect.h"
#include "parameters.h"

typedef struct op_row {
    int top, left; /* of the window */
    int x, z;      /* where its picture starts, where its first result lies */
} op_row;

DEVICE_FUNCTION op_row op_find_row(op_tile t, int row)
{
    op_row r;
    const int line = row / t.out[1];
    const int column = row - line * t.out[1];
    const int picture = line / t.out[0];
    const int y = line - picture * t.out[0];
    r.top = y * t.stride[0] - t.before[0];
    r.left = column * t.stride[1] - t.before[1];
    r.x = picture * t.x[0];
    r.z = picture * t.z[0] + y * t.z[1] + column * t.z[2];
    return r;
}

#endif
