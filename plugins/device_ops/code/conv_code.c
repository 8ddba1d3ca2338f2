/* SPDX-License-Identifier: Apache-2.0 */
/* Convolutions of few channels a group (depthwise ones first of all): one thread makes one output.
 * Others are products: tile_shared_code.c. */
#include "activate.h"
#include "code_window.h"

/* f: filter, b: bias, r: what is added, each as large as has_... says. */
KERNEL5(op_conv, float, z, const float, x, const float, f, const float, b, const float, r,
        op_window, g)
{
    if (GLOBAL_ID(x) >= g.n) {
        return;
    }
    const op_place p = op_find(g, GLOBAL_ID(x));
    GLOBAL const float *from = x + p.picture * g.x[0] + p.channel / g.group * g.depth * g.x[3];
    GLOBAL const float *filter = f + p.channel;
    float sum = 0.0f;
    for (int i = 0; i < g.size[0]; i++) {
        const int row = p.top + i * g.dilation[0];
        for (int j = 0; j < g.size[1]; j++) {
            const int column = p.left + j * g.dilation[1];
            if (row < 0 || row >= g.in[0] || column < 0 || column >= g.in[1]) {
                continue;
            }
            const int at = row * g.x[1] + column * g.x[2];
            const int tap = (i * g.size[1] + j) * g.depth * g.out[2];
            for (int c = 0; c < g.depth; c++) {
                sum += from[at + c * g.x[3]] * filter[tap + c * g.out[2]];
            }
        }
    }
    if (g.has_bias) {
        sum += b[p.channel];
    }
    if (g.has_residual) {
        sum += r[p.z];
    }
    z[p.z] = op_activate(sum, g.activation, g.alpha);
}
