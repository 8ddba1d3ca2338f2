/* SPDX-License-Identifier: Apache-2.0 */
/* What recurrent layers do with the sums of their gates, over vectors of floats, compiled for each
 * instruction set (cells_loops.h). Functions of gates: micro/recurrent/recurrent_f32.h.
 */
#ifndef ORIBI_PLUGINS_CPU_CELLS_H_
#define ORIBI_PLUGINS_CPU_CELLS_H_

#include <stdint.h>

#include "isa_parts.h"

typedef struct oribi_cells_function {
    int32_t code;
    float alpha, beta;
} oribi_cells_function;

typedef struct oribi_cells {
    void (*clip)(float limit, float *x, int64_t n); /* within [-limit, limit] */
    void (*apply)(const oribi_cells_function *function, float *x, int64_t n);
    void (*add_product)(const float *a, const float *b, float *y, int64_t n); /* y += a * b */
    void (*multiply)(const float *a, float *y, int64_t n);                    /* y *= a */
    /* y = keep * y + take * x; keep is 1 - take where it is NULL. */
    void (*blend)(const float *keep, const float *take, const float *x, float *y, int64_t n);
    /* y = x on the nearest of 256 places between its least and its largest value, 0 being one. */
    void (*round)(const float *x, float *y, int64_t n);
    /* The same as places: x is about scale * (y - zero). */
    void (*place)(const float *x, uint8_t *y, int64_t n, float *out_scale, int32_t *out_zero);
} oribi_cells;

#define ORIBI_CELLS_DECLARE(part, isa) extern const oribi_cells oribi_cells_##isa;
ORIBI_ISAS_OF_cells(ORIBI_CELLS_DECLARE)
#undef ORIBI_CELLS_DECLARE

#endif
