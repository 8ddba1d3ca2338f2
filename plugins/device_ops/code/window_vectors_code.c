/* SPDX-License-Identifier: Apache-2.0 */
/* Depthwise convolutions and pools for devices whose threads are a processor's: one thread makes
 * one row of the output for WIDTH channels, which lie side by side. The last channels start where
 * others have been, and leave those others to whom they belong. See tile_vectors_code.c.
 */
#include "code_window.h"

#ifdef DEVICE_IS_OPENCL
#include "vectors.h"

/* Where a thread works: its first channel, how many of them are another's, the window's first line
 * and the line of the output. */
typedef struct op_strip {
    int channel, done, top, x, z;
} op_strip;

DEVICE_FUNCTION op_strip op_find_strip(op_window g)
{
    op_strip s;
    s.channel = min(GLOBAL_ID(x) * WIDTH, g.out[2] - WIDTH);
    s.done = GLOBAL_ID(x) * WIDTH - s.channel;
    s.top = GLOBAL_ID(y) * g.stride[0] - g.before[0];
    s.x = GLOBAL_ID(z) * g.x[0] + s.channel;
    s.z = GLOBAL_ID(z) * g.z[0] + GLOBAL_ID(y) * g.z[1] + s.channel;
    return s;
}

DEVICE_FUNCTION void op_store_lanes(op_vector v, GLOBAL float *z, int done)
{
    float lanes[WIDTH];
    STORE(v, lanes);
    for (int i = done; i < WIDTH; i++) {
        z[i] = lanes[i];
    }
}

DEVICE_FUNCTION op_vector op_finish_strip(op_vector v, int activation, float slope)
{
    if (op_is_simple(activation)) {
        return op_activate_vector(v, activation, slope);
    }
    float lanes[WIDTH];
    STORE(v, lanes);
    for (int i = 0; i < WIDTH; i++) {
        lanes[i] = op_activate(lanes[i], activation, slope);
    }
    return LOAD(lanes);
}

/* STEP sees the window's element v and its number i * size[1] + j, and changes r. */
#define STRIP(FIRST, STEP, LAST)                                                                   \
    const op_strip s = op_find_strip(g);                                                           \
    for (int column = 0; column < g.out[1]; column++) {                                            \
        const int left = column * g.stride[1] - g.before[1];                                       \
        op_vector r = (op_vector)(FIRST);                                                          \
        int n = 0;                                                                                 \
        for (int i = 0; i < g.size[0]; i++) {                                                      \
            const int y = s.top + i * g.dilation[0];                                               \
            for (int j = 0; j < g.size[1]; j++) {                                                  \
                const int c = left + j * g.dilation[1];                                            \
                if (y >= 0 && y < g.in[0] && c >= 0 && c < g.in[1]) {                              \
                    const op_vector v = LOAD(x + s.x + y * g.x[1] + c * g.x[2]);                   \
                    STEP;                                                                          \
                    n++;                                                                           \
                }                                                                                  \
            }                                                                                      \
        }                                                                                          \
        const int at = s.z + column * g.z[2];                                                      \
        LAST;                                                                                      \
        if (s.done == 0) {                                                                         \
            STORE(r, z + at);                                                                      \
        } else {                                                                                   \
            op_store_lanes(r, z + at, s.done);                                                     \
        }                                                                                          \
    }

KERNEL2(op_max_pool_vectors, float, z, const float, x, op_window,
        g){STRIP(-INFINITY, r = select(v, r, isnan(r) || isgreaterequal(r, v)), )}

KERNEL2(op_avg_pool_vectors, float, z, const float, x, op_window,
        g){STRIP(0.0f, r += v, r /= (float)n)}

KERNEL5(op_depthwise_vectors, float, z, const float, x, const float, f, const float, b, const float,
        q, op_window, g)
{
    STRIP(0.0f, r = fma(v, LOAD(f + (i * g.size[1] + j) * g.out[2] + s.channel), r),
          r = g.has_bias ? r + LOAD(b + s.channel) : r;
          r = g.has_residual ? r + LOAD(q + at) : r; r = op_finish_strip(r, g.activation, g.alpha))
}
#endif
