/* SPDX-License-Identifier: Apache-2.0 */
/* Unary f32 loops for AVX-512. See unary_loops.h. */
#include "cpu/base/vector_x86_avx512.h"

#include "cpu/base/families.h"
#include "cpu/base/vector_math.h"

/* vector_exp, which one instruction scales here, wherever the result lies. The sum of each maximum
 * and minimum stands second: a NaN comes through. */
static inline vector exp_of(vector x)
{
    const vector magic = vector_splat(12582912.0f);
    x = vector_bound(vector_splat(-104.0f), vector_splat(89.0f), x);
    const vector t = vector_multiply_add(x, vector_splat(1.44269504088896341f), magic);
    const vector n = _mm512_sub_ps(t, magic);
    vector r = vector_multiply_add(n, vector_splat(-0.693359375f), x);
    r = vector_multiply_add(n, vector_splat(2.12194440e-4f), r);
    vector p = vector_splat(ORIBI_EXP_FIRST);
#define NEXT(factor) p = vector_multiply_add(p, r, vector_splat(factor));
    ORIBI_EXP_NEXT(NEXT)
#undef NEXT
    p = vector_multiply_add(p, _mm512_mul_ps(r, r), r);
    return _mm512_scalef_ps(vector_add(p, vector_splat(1.0f)), n);
}

static void exp_lines(void *object, int64_t begin, int64_t end)
{
    const oribi_kit_elements *work = object;
    const float *x = work->x;
    float *y = work->y;
    for (; begin + LANES <= end; begin += LANES) {
        vector_store(y + begin, exp_of(vector_load_loose(x + begin)));
    }
    const vector_mask rest = vector_mask_of((int32_t)(end - begin));
    vector_store_part(y + begin, rest, exp_of(vector_load_part(rest, x + begin)));
}

#define ORIBI_ISA     avx512
#define ORIBI_CPU_EXP exp_lines
#include "cpu/elementwise/unary_loops.h"
