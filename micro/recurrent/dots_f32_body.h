/* SPDX-License-Identifier: Apache-2.0 */
/* The loops of dots_f32.c and dots_fma_f32.c, with ORIBI_MICRO_ADD_F32 as conv2d_f32_body.h has it;
 * ORIBI_MICRO_ADD_VFP and ORIBI_MICRO_ADD_MVE are the texts of fma_vfp.h and mve_f32.h. */
#ifndef ORIBI_MICRO_DOTS_F32_BODY_H_
#define ORIBI_MICRO_DOTS_F32_BODY_H_

#include "micro/float_rules.h"

#include "micro/fma/fma_vfp.h"
#include "micro/port.h"
#include "micro/vector_f32.h"

enum { ROWS = 8 }; /* that go together */

/* Columns from `done` on of eight rows. */
static void add_columns(const float *w, const float *x, int32_t done, int32_t n, float *sums)
{
    const float *w0 = w + done, *w1 = w0 + n, *w2 = w1 + n, *w3 = w2 + n;
    const float *w4 = w3 + n, *w5 = w4 + n, *w6 = w5 + n, *w7 = w6 + n, *const end = w + n;
    float s0 = sums[0], s1 = sums[1], s2 = sums[2], s3 = sums[3];
    float s4 = sums[4], s5 = sums[5], s6 = sums[6], s7 = sums[7];
    x += done;
    while (w0 != end) {
        const float value = *x++;
        s0 = ORIBI_MICRO_ADD_F32(s0, *w0++, value);
        s1 = ORIBI_MICRO_ADD_F32(s1, *w1++, value);
        s2 = ORIBI_MICRO_ADD_F32(s2, *w2++, value);
        s3 = ORIBI_MICRO_ADD_F32(s3, *w3++, value);
        s4 = ORIBI_MICRO_ADD_F32(s4, *w4++, value);
        s5 = ORIBI_MICRO_ADD_F32(s5, *w5++, value);
        s6 = ORIBI_MICRO_ADD_F32(s6, *w6++, value);
        s7 = ORIBI_MICRO_ADD_F32(s7, *w7++, value);
    }
    sums[0] = s0;
    sums[1] = s1;
    sums[2] = s2;
    sums[3] = s3;
    sums[4] = s4;
    sums[5] = s5;
    sums[6] = s6;
    sums[7] = s7;
}

static void add_rows(const float *w, const float *x, int32_t n, float *sums)
{
    int32_t done = 0;
#ifdef ORIBI_MICRO_F32_HELIUM
    if (n > 0) {
        oribi_micro_f32s a = ORIBI_MICRO_F32S(sums), b = ORIBI_MICRO_F32S(sums + 4);
        (void)oribi_micro_mve_lost();
        ORIBI_MICRO_MVE_ROWS(ORIBI_MICRO_ADD_MVE, w, x, n, a, b);
        if (oribi_micro_mve_lost() == 0) {
            ORIBI_MICRO_F32S_SET(sums, a);
            ORIBI_MICRO_F32S_SET(sums + 4, b);
            return;
        }
    }
#endif
#ifdef ORIBI_MICRO_VFP
    if (n >= 4) {
        ORIBI_MICRO_VFP_DOTS(ORIBI_MICRO_ADD_VFP, w, x, n, n / 4, sums);
        done = n - n % 4;
    }
    if (done == n) {
        return;
    }
#endif
    add_columns(w, x, done, n, sums);
}

static void add_dots(const float *w, const float *x, int32_t rows, int32_t n, float *sums)
{
    int32_t row = 0;
    for (; row + ROWS <= rows; row += ROWS) {
        TVMGEN_YIELD();
        add_rows(w + row * n, x, n, sums + row);
    }
    for (; row < rows; row++) {
        float sum = sums[row];
        TVMGEN_YIELD();
        for (int32_t i = 0; i < n; i++) {
            sum = ORIBI_MICRO_ADD_F32(sum, w[row * n + i], x[i]);
        }
        sums[row] = sum;
    }
}

#endif
