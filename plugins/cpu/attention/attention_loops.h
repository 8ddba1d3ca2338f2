/* SPDX-License-Identifier: Apache-2.0 */
/* Between the two products of attention: scores become powers of e, their sums are kept, and the
 * result of earlier blocks of keys is brought to the new scale. The including file is compiled for
 * one ISA and defines ORIBI_ISA (cpu/base/isa.h) and WIDTH (cpu/base/lanes.h).
 */
#include "cpu/attention/attention.h"
#include "cpu/base/lanes.h"
#include "cpu/base/vector_math.h"

static void cap_scores(float *s, int64_t n, float scale, float cap)
{
    const float inverse = scale / cap;
    for (int64_t i = 0; i < n; i++) {
        s[i] = cap * vector_tanh(s[i] * inverse);
    }
}

/* s becomes s * scale + mask; returns the largest, NaN passed over. */
static float scale_scores(float *s, int64_t n, float scale, const float *mask)
{
    lanes a = (lanes){0.0f} - __builtin_inff(), b = a;
    float largest = -__builtin_inff();
    int64_t i = 0;
    for (; i + 2 * WIDTH <= n; i += 2 * WIDTH) {
        lanes x = *(const lanes *)(s + i) * scale, y = *(const lanes *)(s + i + WIDTH) * scale;
        if (mask != NULL) {
            x += *(const lanes *)(mask + i);
            y += *(const lanes *)(mask + i + WIDTH);
        }
        *(lanes *)(s + i) = x;
        *(lanes *)(s + i + WIDTH) = y;
        a = larger_of(a, x);
        b = larger_of(b, y);
    }
    if (i > 0) {
        largest = largest_in(larger_of(a, b));
    }
    for (; i < n; i++) {
        s[i] = s[i] * scale + (mask != NULL ? mask[i] : 0.0f);
        largest = s[i] > largest ? s[i] : largest;
    }
    return largest;
}

/* s becomes e^(s - largest), whose sum is returned. */
static float powers_of(float *s, int64_t n, float largest)
{
    for (int64_t i = 0; i < n; i++) {
        s[i] = vector_exp_negative(s[i] - largest);
    }
    return sum_of(s, n);
}

/* Where nothing was seen so far, the largest is -inf: no sum may depend on it. */
static void row_powers(const oribi_attention_block *block, int64_t r)
{
    const oribi_attention_range all = {0, block->n};
    const oribi_attention_range seen = block->seen != NULL ? block->seen[r] : all;
    const int64_t n = seen.end - seen.begin;
    const float *mask = block->mask != NULL ? block->mask + r * block->mask_row + seen.begin : NULL;
    float *s = block->scores + r * block->stride + seen.begin, scale = block->scale;
    if (block->softcap > 0.0f) {
        cap_scores(s, n, scale, block->softcap);
        scale = 1.0f;
    }
    const float here = scale_scores(s, n, scale, mask);
    const float before = block->out != NULL ? block->largest[r] : -__builtin_inff();
    const float largest = here > before ? here : before;
    const float origin = largest == -__builtin_inff() ? 0.0f : largest;
    float sum = powers_of(s, n, origin);
    memset(s - seen.begin, 0, (size_t)seen.begin * sizeof *s);
    memset(s + n, 0, (size_t)(block->n - seen.end) * sizeof *s);
    if (block->out != NULL) {
        const float share =
            before == -__builtin_inff() ? 0.0f : vector_exp_negative(before - origin);
        float *out = block->out + r * block->out_stride;
        sum += block->totals[r] * share;
        for (int64_t i = 0; share != 1.0f && i < block->width; i++) {
            out[i] *= share;
        }
    }
    block->largest[r] = largest;
    block->totals[r] = sum;
}

#define POWERS_(set) oribi_attention_powers_##set
#define POWERS(set)  POWERS_(set)
void POWERS(ORIBI_ISA)(const oribi_attention_block *block)
{
    for (int64_t r = 0; r < block->n_rows; r++) {
        row_powers(block, r);
    }
}
