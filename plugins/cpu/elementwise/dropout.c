/* SPDX-License-Identifier: Apache-2.0 */
/* ONNX>Dropout, whose training form zeroes elements by chance. Chance is that of NumPy's generator
 * for the seed, so that ONNX's reference gives the same mask; its numbers come one after another.
 * Source   Matsumoto, Nishimura: Mersenne Twister (MT19937), 1998; numpy.random.seed and uniform.
 */
#include "cpu/base/cpu_shape.h"
#include "cpu/base/families.h"

typedef struct dropout_state {
    int64_t seed;
} dropout_state;

typedef struct dropout_work {
    const void *x;
    void *y;
    bool *mask;
    double ratio, scale; /* of what is kept */
} dropout_work;

enum { WORDS = 624, SHIFT = 397 };

typedef struct twister {
    uint32_t words[WORDS];
    int at;
} twister;

static void twister_begin(twister *t, uint32_t seed)
{
    t->words[0] = seed;
    for (uint32_t i = 1; i < WORDS; i++) {
        t->words[i] = UINT32_C(1812433253) * (t->words[i - 1] ^ t->words[i - 1] >> 30) + i;
    }
    t->at = WORDS;
}

static void twist(twister *t)
{
    for (int i = 0; i < WORDS; i++) {
        const uint32_t both = (t->words[i] & UINT32_C(0x80000000)) |
                              (t->words[(i + 1) % WORDS] & UINT32_C(0x7fffffff));
        t->words[i] = t->words[(i + SHIFT) % WORDS] ^ both >> 1 ^
                      ((both & 1) != 0 ? UINT32_C(0x9908b0df) : 0);
    }
    t->at = 0;
}

static uint32_t twister_next(twister *t)
{
    if (t->at == WORDS) {
        twist(t);
    }
    uint32_t y = t->words[t->at++];
    y ^= y >> 11;
    y ^= y << 7 & UINT32_C(0x9d2c5680);
    y ^= y << 15 & UINT32_C(0xefc60000);
    return y ^ y >> 18;
}

/* A number of [0, 1) with 53 bits. */
static double twister_chance(twister *t)
{
    const uint32_t high = twister_next(t) >> 5, low = twister_next(t) >> 6;
    return ((double)high * 67108864.0 + (double)low) * 0x1p-53;
}

static void fill_mask(oribi_kit_run *run, bool *mask, int64_t count, double ratio, uint32_t seed)
{
    twister t;
    int64_t patience = 0;
    twister_begin(&t, seed);
    for (int64_t i = 0; i < count && !oribi_kit_stops(run, &patience, 30); i++) {
        mask[i] = !(twister_chance(&t) < ratio);
    }
}

static void dropout_read(oribi_kit_setup *setup, dropout_state *state)
{
    oribi_kit_attr_int(setup, "seed", &state->seed);
}
ORIBI_KIT_CREATE(dropout, dropout_state)

static bool dropout(const dropout_state *state, oribi_kit_run *run, oribi_kit_range loop)
{
    oribi_wide_dims dims;
    const TF_Tensor *ratio = run->in[1];
    dropout_work work = {.x = TF_TensorData(run->in[0])};
    if (!oribi_cpu_wide_dims(run, run->in[0], &dims)) {
        return false;
    }
    if (TF_TensorElementCount(ratio) != 1 || TF_TensorElementCount(run->in[2]) != 1) {
        return oribi_kit_fail(run, TF_INVALID_ARGUMENT, "ratio and training_mode must be scalars");
    }
    if (*(const bool *)TF_TensorData(run->in[2])) {
        work.ratio = TF_TensorType(ratio) == TF_DOUBLE
                         ? *(const double *)TF_TensorData(ratio)
                         : (double)*(const float *)TF_TensorData(ratio);
    }
    if (!(work.ratio >= 0 && work.ratio < 1)) {
        return oribi_kit_fail(run, TF_INVALID_ARGUMENT, "ratio is %g, outside [0, 1)", work.ratio);
    }
    work.scale = 1 / (1 - work.ratio);
    work.y = oribi_kit_output(run, 0, dims.at, dims.n);
    work.mask = work.y == NULL ? NULL : oribi_kit_output(run, 1, dims.at, dims.n);
    if (work.mask != NULL) {
        const int64_t count = TF_TensorElementCount(run->in[0]);
        fill_mask(run, work.mask, count, work.ratio, (uint32_t)state->seed);
        oribi_kit_parallel(run, count, 4, &work, loop);
    }
    return work.mask != NULL;
}

#define DROPOUT(T)                                                                                 \
    static void dropout_##T##_range(void *object, int64_t begin, int64_t end)                      \
    {                                                                                              \
        const dropout_work *work = object;                                                         \
        for (int64_t i = begin; i < end; i++) {                                                    \
            ((T *)work->y)[i] = work->mask[i] ? ((const T *)work->x)[i] * (T)work->scale : 0;      \
        }                                                                                          \
    }                                                                                              \
    static bool dropout_##T##_run(const void *state, oribi_kit_run *run)                           \
    {                                                                                              \
        return dropout(state, run, dropout_##T##_range);                                           \
    }                                                                                              \
    ORIBI_KIT_COMPUTE(dropout_##T, 3)
DROPOUT(float)
DROPOUT(double)

#define ROW(T, dtype)                                                                              \
    ORIBI_CPU_STATE_ROW("ONNX>Dropout", dropout, dropout_##T, "plain loop",                        \
                        .types = {{"T", ORIBI_KIT_TYPE(dtype)},                                    \
                                  {"T1", ORIBI_KIT_TYPE(TF_FLOAT) | ORIBI_KIT_TYPE(TF_DOUBLE)}})
const oribi_cpu_kernel oribi_cpu_dropout_kernels[] = {
    ROW(float, TF_FLOAT),
    ROW(double, TF_DOUBLE),
    {.op_name = NULL},
};
