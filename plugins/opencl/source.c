/* SPDX-License-Identifier: Apache-2.0 */
/* What runs on the device, in OpenCL C 1.2. Offsets are in bytes (launch.c); sizes and strides are
 * 32-bit, which kernels.c makes sure of. Source of the values: the CPU kernels of this project.
 */
#include "opencl.h"

#define TEXT(...) #__VA_ARGS__

const char *const opencl_source =
    "#define AT(T, base, offset) ((__global T *)((__global char *)(base) + (offset)))\n" TEXT(

        typedef struct walk {
            int n;
            int dims[6];
            int x[6];
            int y[6];
        } walk;

        __kernel void relu(__global float *z, ulong zo, __global const float *x, ulong xo, int n) {
            const int i = (int)get_global_id(0);
            if (i < n) {
                const float v = AT(const float, x, xo)[i];
                AT(float, z, zo)[i] = v < 0.0f ? 0.0f : v;
            }
        }

        float2 operands(__global const float *x, __global const float *y, const walk *w, int i) {
            int at_x = 0;
            int at_y = 0;
            for (int k = 5; k >= 0; k--) {
                const int index = i % w->dims[k];
                i /= w->dims[k];
                at_x += index * w->x[k];
                at_y += index * w->y[k];
            }
            return (float2)(x[at_x], y[at_y]);
        }) "\n#define BINARY(name, value)"
           " __kernel void name(__global float *z, ulong zo, __global const float *x, ulong xo,"
           " __global const float *y, ulong yo, walk w) {"
           " const int i = (int)get_global_id(0);"
           " if (i < w.n) {"
           " const float2 v = operands(AT(const float, x, xo), AT(const float, y, yo), &w, i);"
           " AT(float, z, zo)[i] = (value); } }\n"
           "BINARY(add, v.x + v.y)\n"
           "BINARY(sub, v.x - v.y)\n"
           "BINARY(mul, v.x * v.y)\n"
           "BINARY(maximum, isnan(v.x) || v.x >= v.y ? v.x : v.y)\n" TEXT(

               typedef struct product {
                   int m;
                   int n;
                   int k;
                   int x_row;
                   int x_column;
                   int y_row;
                   int y_column;
               } product;

               __kernel void matmul(__global float *z, ulong zo, __global const float *x, ulong xo,
                                    __global const float *y, ulong yo, product p) {
                   const int column = (int)get_global_id(0);
                   const int row = (int)get_global_id(1);
                   if (column < p.n && row < p.m) {
                       __global const float *a = AT(const float, x, xo) + row * p.x_row;
                       __global const float *b = AT(const float, y, yo) + column * p.y_column;
                       float sum = 0.0f;
                       for (int l = 0; l < p.k; l++) {
                           sum += a[l * p.x_column] * b[l * p.y_row];
                       }
                       AT(float, z, zo)[row * p.n + column] = sum;
                   }
               }

               __kernel void softmax(__global float *z, ulong zo, __global const float *x, ulong xo,
                                     int rows, int columns) {
                   const int row = (int)get_global_id(0);
                   if (row < rows) {
                       __global const float *from = AT(const float, x, xo) + row * columns;
                       __global float *to = AT(float, z, zo) + row * columns;
                       float top = from[0];
                       float sum = 0.0f;
                       for (int i = 1; i < columns; i++) {
                           top = fmax(top, from[i]);
                       }
                       for (int i = 0; i < columns; i++) {
                           to[i] = exp(from[i] - top);
                           sum += to[i];
                       }
                       for (int i = 0; i < columns; i++) {
                           to[i] /= sum;
                       }
                   }
               });
