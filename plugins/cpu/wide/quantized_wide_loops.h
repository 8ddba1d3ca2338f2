/* SPDX-License-Identifier: Apache-2.0 */
/* The loops of quantized_wide.h. A file of one set says before what differs: `vector`, PIXELS of a
 * tile, OP(name) and BITS(name), which complete the names of intrinsics, BLEND_ODD, and the
 * functions dot, shifted and store.
 */

enum {
    LANES = (int)(sizeof(vector) / sizeof(int32_t)),
    WIDTH = 2 * LANES,
    PIXELS_APART = 4 /* of a depthwise layer */
};

static inline vector load(const void *from)
{
    return BITS(loadu)(from);
}

/* --- Results --------------------------------------------------------------------------------- */

/* The sums of a tile while it grows; `full` alone where they could leave int32: even and odd lanes
 * of the first vector, then of the second. */
typedef vector sums[2];
typedef vector full[4];

static inline vector odd(vector x)
{
    return OP(srli_epi64)(x, 32);
}

/* Adds sums to those of 64 bits; a function of its own, as it runs seldom. */
__attribute__((noinline)) static void spill(sums *from, full *to, int32_t n)
{
    const vector one = OP(set1_epi32)(1);
    for (int32_t i = 0; i < n; i++) {
        for (int32_t v = 0; v < 2; v++) {
            to[i][2 * v] = OP(add_epi64)(to[i][2 * v], OP(mul_epi32)(from[i][v], one));
            to[i][2 * v + 1] = OP(add_epi64)(to[i][2 * v + 1], OP(mul_epi32)(odd(from[i][v]), one));
        }
    }
}

/* (x + 2^(n - 1)) / 2^n of each int64, downwards; its lower half. */
static inline vector divided(vector x, vector n)
{
    const vector one = odd(OP(set1_epi32)(1));
    return shifted(OP(add_epi64)(x, OP(sllv_epi64)(one, OP(sub_epi64)(n, one))), n);
}

/* oribi_micro_scale_wide's second half, of the products of even and of odd lanes. */
static inline vector ended(vector even, vector odds, vector right)
{
    const vector n = odd(OP(slli_epi64)(right, 32));
    return BLEND_ODD(divided(even, n), OP(slli_epi64)(divided(odds, odd(right)), 32));
}

/* The lower 64 bits of x, an int64, times what the lower half of m is. */
static inline vector product(vector x, vector m)
{
    return OP(add_epi64)(OP(mul_epu32)(x, m), OP(slli_epi64)(OP(mul_epu32)(odd(x), m), 32));
}

/* oribi_micro_scale (micro/fixed_point.h); see quantized_panels_x86_avx2.c. */
static inline vector scaled(vector x, vector m, vector left, vector right)
{
    const vector one = OP(set1_epi32)(1), half = OP(slli_epi64)(odd(one), 30);
    x = OP(sllv_epi32)(x, left);
    const vector even = OP(add_epi64)(OP(mul_epi32)(x, m), half);
    const vector odds = OP(add_epi64)(OP(mul_epi32)(odd(x), odd(m)), half);
    x = BLEND_ODD(OP(srli_epi64)(even, 31), OP(slli_epi64)(odds, 1));
    const vector mask = OP(sub_epi32)(OP(sllv_epi32)(one, right), one);
    const vector threshold = OP(sub_epi32)(OP(srli_epi32)(mask, 1), OP(srai_epi32)(x, 31));
    const vector is_more = OP(srai_epi32)(OP(sub_epi32)(threshold, BITS(and)(x, mask)), 31);
    return OP(sub_epi32)(OP(srav_epi32)(x, right), is_more);
}

/* Writes the results of n pixels of a panel. */
__attribute__((noinline)) static void finish(const oribi_wide_panels *p, int32_t panel, sums *s,
                                             full *f, int32_t n, int32_t count, char *out,
                                             int64_t stride)
{
    for (int32_t v = 0; v < 2; v++) {
        const int32_t at = panel * WIDTH + v * LANES;
        const vector m = load(p->multiplier + at), left = load(p->left + at),
                     right = load(p->right + at);
        if (p->ending == ORIBI_WIDE_FULL) {
            const vector even = load(p->bias + at), odds = load(p->bias + at + LANES / 2);
            for (int32_t i = 0; i < n; i++) {
                const vector x = OP(add_epi64)(f[i][2 * v], even);
                const vector y = OP(add_epi64)(f[i][2 * v + 1], odds);
                s[i][v] = ended(product(x, m), product(y, odd(m)), right);
            }
        } else if (p->ending == ORIBI_WIDE_NARROW) {
            for (int32_t i = 0; i < n; i++) {
                s[i][v] =
                    ended(OP(mul_epi32)(s[i][v], m), OP(mul_epi32)(odd(s[i][v]), odd(m)), right);
            }
        } else {
            for (int32_t i = 0; i < n; i++) {
                s[i][v] = scaled(s[i][v], m, left, right);
            }
        }
    }
    const vector zero = OP(set1_epi16)((int16_t)p->zero);
    const vector low = OP(set1_epi16)((int16_t)p->low), high = OP(set1_epi16)((int16_t)p->high);
    for (int32_t i = 0; i < n; i++, out += stride) {
        /* Both saturate beyond the bounds. */
        const vector words = OP(adds_epi16)(OP(packs_epi32)(s[i][0], s[i][1]), zero);
        store(OP(min_epi16)(OP(max_epi16)(words, low), high), count, p->is_byte, out);
    }
}

/* --- Tiles ----------------------------------------------------------------------------------- */

static inline vector two_inputs(const int16_t *x)
{
    int32_t both;
    memcpy(&both, x, sizeof both);
    return OP(set1_epi32)(both);
}

/* A pair of taps of n pixels, each pixel's two inputs for all channels. */
ALWAYS void add_shared(sums *s, const int16_t *x, int64_t step, const int16_t *w, const int32_t n)
{
    const vector w0 = load(w), w1 = load(w + WIDTH);
    UNROLL_LOOP
    for (int32_t i = 0; i < n; i++) {
        const vector both = two_inputs(x + i * step);
        s[i][0] = dot(s[i][0], both, w0);
        s[i][1] = dot(s[i][1], both, w1);
    }
}

/* The same where each channel has inputs of its own. */
ALWAYS void add_apart(sums *s, const int16_t *x, const int16_t *y, int64_t step, const int16_t *w,
                      const int32_t n)
{
    const vector w0 = load(w), w1 = load(w + WIDTH);
    UNROLL_LOOP
    for (int32_t i = 0; i < n; i++) {
        const vector a = load(x + i * step), b = load(y + i * step);
        s[i][0] = dot(s[i][0], OP(unpacklo_epi16)(a, b), w0);
        s[i][1] = dot(s[i][1], OP(unpackhi_epi16)(a, b), w1);
    }
}

/* Sums in registers, by way of memory. */
ALWAYS void spill_all(sums *s, full *f, const int32_t n)
{
    sums copy[PIXELS];
    UNROLL_LOOP
    for (int32_t i = 0; i < n; i++) {
        copy[i][0] = s[i][0];
        copy[i][1] = s[i][1];
        s[i][0] = s[i][1] = BITS(setzero)();
    }
    spill(copy, f, n);
}

/* A panel of a line, from inputs x on. */
typedef struct place {
    const oribi_wide_line *line;
    const int16_t *x;
    char *out;
    int32_t panel, count;
} place;

/* n pixels from pixel `first` on; n and is_apart are constants where this is inlined. */
ALWAYS void tile(const oribi_wide_panels *p, const place *at, int64_t first, const int32_t n,
                 const bool is_apart)
{
    const oribi_wide_line *l = at->line;
    const int64_t step = l->step, stride = l->stride * (p->is_byte ? 1 : 2);
    const int16_t *w = p->weights + (int64_t)at->panel * p->pairs * 2 * WIDTH;
    sums s[PIXELS], copy[PIXELS];
    full f[PIXELS];
    int32_t left = p->segment;
    if (p->ending == ORIBI_WIDE_FULL) {
        memset(f, 0, (size_t)n * sizeof *f);
    }
    UNROLL_LOOP
    for (int32_t i = 0; i < n; i++) {
        s[i][0] = load(p->start + at->panel * WIDTH);
        s[i][1] = load(p->start + at->panel * WIDTH + LANES);
    }
    for (int32_t r = 0; r < p->n_runs; r += is_apart ? 2 : 1) {
        const int16_t *x = at->x + first * step + l->runs[r];
        const int16_t *y = is_apart ? at->x + first * step + l->runs[r + 1] : x;
        const int32_t pairs = is_apart ? 1 : p->run_pairs;
        for (int32_t k = 0; k < pairs;) {
            const int32_t count = pairs - k < left ? pairs - k : left;
            left -= count;
            for (const int32_t end = k + count; k < end; k++, w += 2 * WIDTH) {
                if (is_apart) {
                    add_apart(s, x, y, step, w, n);
                } else {
                    add_shared(s, x + 2 * k, step, w, n);
                }
            }
            if (left == 0) {
                spill_all(s, f, n);
                left = p->segment;
            }
        }
    }
    if (p->ending == ORIBI_WIDE_FULL) {
        spill_all(s, f, n);
    }
    UNROLL_LOOP
    for (int32_t i = 0; i < n; i++) {
        copy[i][0] = s[i][0];
        copy[i][1] = s[i][1];
    }
    finish(p, at->panel, copy, f, n, at->count, at->out + first * stride, stride);
}

static void line(const oribi_wide_panels *p, int32_t panel, const oribi_wide_line *l)
{
    const bool is_apart = p->run_pairs == 0;
    const int32_t group = panel / p->of_group, behind = panel % p->of_group * WIDTH;
    const int32_t left = p->channels - behind;
    const place at = {l, l->x + (is_apart ? behind : (int64_t)group * p->depth),
                      l->out + ((int64_t)group * p->channels + behind) * (p->is_byte ? 1 : 2),
                      panel, left < WIDTH ? left : WIDTH};
    int64_t i = 0;
#define TILES(n, apart)                                                                            \
    for (; i + (n) <= l->n_pixels; i += (n)) {                                                     \
        tile(p, &at, i, n, apart);                                                                 \
    }
    if (is_apart) {
        TILES(PIXELS_APART, true)
        TILES(1, true)
    } else {
        TILES(PIXELS, false)
        TILES(PIXELS / 2, false)
        TILES(PIXELS / 4, false)
        TILES(1, false)
    }
#undef TILES
}

#define SIMD_OF_(set) oribi_wide_##set
#define SIMD_OF(set)  SIMD_OF_(set)
const oribi_wide_simd SIMD_OF(ORIBI_ISA) = {WIDTH, line};
