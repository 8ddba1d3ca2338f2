/* SPDX-License-Identifier: Apache-2.0 */
/* Convolutions and pools on the device; see source.c. One thread makes one output. */
#include "kernels.h"

#define TEXT(...) #__VA_ARGS__

const char *const opencl_window_source =
    "#define AT(T, base, offset) ((__global T *)((__global char *)(base) + (offset)))\n" TEXT(

        typedef struct geometry {
            int n;
            int out[3];
            int in[2];
            int depth;
            int group;
            int size[2];
            int stride[2];
            int dilation[2];
            int before[2];
            int x[4];
            int z[4];
            int has_bias;
            int has_residual;
            int activation;
            float alpha;
        } geometry;

        typedef struct place {
            int picture;
            int top;
            int left;
            int channel;
            int z;
        } place;

        place find(const geometry *g, int i) {
            place p;
            p.channel = i % g->out[2];
            i /= g->out[2];
            const int column = i % g->out[1];
            i /= g->out[1];
            const int row = i % g->out[0];
            p.picture = i / g->out[0];
            p.top = row * g->stride[0] - g->before[0];
            p.left = column * g->stride[1] - g->before[1];
            p.z = p.picture * g->z[0] + row * g->z[1] + column * g->z[2] + p.channel * g->z[3];
            return p;
        }

        float activate(float v, int kind, float alpha) {
            switch (kind) {
            case 1:
                return v < 0.0f ? 0.0f : v;
            case 2:
                return v < 0.0f ? 0.0f : v > 6.0f ? 6.0f : v;
            case 3:
                return v < 0.0f ? expm1(v) : v;
            case 4:
                return v < 0.0f ? alpha * v : v;
            case 5:
                return 1.0f / (1.0f + exp(-v));
            case 6:
                return tanh(v);
            default:
                return v;
            }
        }

        __kernel void conv(__global float *z, ulong zo, __global const float *x, ulong xo,
                           __global const float *f, ulong fo, __global const float *b, ulong bo,
                           __global const float *r, ulong ro, geometry g) {
            if ((int)get_global_id(0) >= g.n) {
                return;
            }
            const place p = find(&g, (int)get_global_id(0));
            __global const float *from = AT(const float, x, xo) + p.picture * g.x[0] +
                                         p.channel / g.group * g.depth * g.x[3];
            __global const float *filter = AT(const float, f, fo) + p.channel;
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
                sum += AT(const float, b, bo)[p.channel];
            }
            if (g.has_residual) {
                sum += AT(const float, r, ro)[p.z];
            }
            AT(float, z, zo)[p.z] = activate(sum, g.activation, g.alpha);
        }) "\n#define POOL(name, start, step, end)"
           " __kernel void name(__global float *z, ulong zo, __global const float *x, ulong xo,"
           " geometry g) {"
           " if ((int)get_global_id(0) >= g.n) { return; }"
           " const place p = find(&g, (int)get_global_id(0));"
           " __global const float *from ="
           " AT(const float, x, xo) + p.picture * g.x[0] + p.channel * g.x[3];"
           " float r = start; int n = 0;"
           " for (int i = 0; i < g.size[0]; i++) { for (int j = 0; j < g.size[1]; j++) {"
           " const int row = p.top + i; const int column = p.left + j;"
           " if (row >= 0 && row < g.in[0] && column >= 0 && column < g.in[1]) {"
           " const float v = from[row * g.x[1] + column * g.x[2]]; r = step; n++; } } }"
           " AT(float, z, zo)[p.z] = end; }\n"
           "POOL(max_pool, -INFINITY, isnan(r) || r >= v ? r : v, r)\n"
           "POOL(avg_pool, 0.0f, r + v, r / (float)n)\n";
