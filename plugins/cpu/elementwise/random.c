/* SPDX-License-Identifier: Apache-2.0 */
/* Oribi>RandomNumbers and Oribi>Multinomial: Philox with TensorFlow's seeds, and its ways from
 * words to numbers. A block of four words depends on its number alone, so blocks are made in any
 * order. Logarithm, sine and exponential are ours, within
 * one unit in the last place of others'.
 */
#include "micro/float_rules.h"

#include "cpu/base/cpu_shape.h"
#include "cpu/base/families.h"
#include "cpu/elementwise/philox.h"

#include "micro/math_double.h"
#include "micro/math_f32.h"
#include "micro/trig.h"

#include <math.h>
#include <string.h>

typedef struct random_state {
    oribi_cpu_philox start;
    bool is_normal;
} random_state;

static void read_seeds(oribi_kit_setup *setup, random_state *state)
{
    int64_t key = 0, high = 0;
    oribi_kit_attr_int(setup, "seed", &key);
    oribi_kit_attr_int(setup, "seed2", &high);
    state->start = (oribi_cpu_philox){.key = (uint64_t)key, .high = (uint64_t)high};
}

static void numbers_read(oribi_kit_setup *setup, random_state *state)
{
    char distribution[16] = "UNIFORM";
    read_seeds(setup, state);
    oribi_kit_attr_string(setup, "distribution", distribution, sizeof distribution);
    state->is_normal = strcmp(distribution, "NORMAL") == 0;
}
ORIBI_KIT_CREATE(numbers, random_state)

static void multinomial_read(oribi_kit_setup *setup, random_state *state)
{
    read_seeds(setup, state);
}
ORIBI_KIT_CREATE(multinomial, random_state)

/* Two normal numbers from two words. */
static void normal(const uint32_t words[2], float out[2])
{
    const float least = 1.0e-7f, u = oribi_cpu_fraction(words[0]);
    const float angle =
        (float)(2.0 * 3.14159265358979323846 * (double)oribi_cpu_fraction(words[1]));
    const float length = oribi_micro_sqrt(-2.0f * oribi_micro_log(u < least ? least : u));
    out[0] = oribi_micro_sin(angle) * length;
    out[1] = oribi_micro_cos(angle) * length;
}

/* The state after `blocks` more. */
static bool write_next(oribi_kit_run *run, uint64_t drawn, uint64_t blocks)
{
    int64_t *next = oribi_kit_output(run, 1, NULL, 0);
    if (next != NULL) {
        const uint64_t sum = drawn + blocks;
        memcpy(next, &sum, sizeof sum);
    }
    return next != NULL;
}

static bool read_drawn(oribi_kit_run *run, int input, uint64_t *out)
{
    if (TF_TensorElementCount(run->in[input]) != 1) {
        return oribi_kit_fail(run, TF_INVALID_ARGUMENT, "input %d must be one number", input);
    }
    memcpy(out, TF_TensorData(run->in[input]), sizeof *out);
    return true;
}

/* --- Numbers ---------------------------------------------------------------------------------- */

typedef struct numbers_call {
    const random_state *state;
    float *y;
    int64_t count;
    uint64_t drawn;
} numbers_call;

/* A unit is a block. */
static void numbers_blocks(void *object, int64_t begin, int64_t end)
{
    const numbers_call *c = object;
    for (int64_t block = begin; block < end; block++) {
        const int64_t left = c->count - 4 * block;
        uint32_t words[4];
        float four[4];
        oribi_cpu_draw(&c->state->start, c->drawn + (uint64_t)block, words);
        if (c->state->is_normal) {
            normal(words, four);
            normal(words + 2, four + 2);
        } else {
            for (int i = 0; i < 4; i++) {
                four[i] = oribi_cpu_fraction(words[i]);
            }
        }
        memcpy(c->y + 4 * block, four, (size_t)(left < 4 ? left : 4) * sizeof *four);
    }
}

static bool numbers_run(const random_state *state, oribi_kit_run *run)
{
    const int64_t rank = TF_TensorElementCount(run->in[0]);
    const int32_t *sizes = TF_TensorData(run->in[0]);
    oribi_cpu_shape y = {.n = (int)rank};
    numbers_call c = {.state = state, .count = 0};
    if (TF_NumDims(run->in[0]) != 1 || rank > ORIBI_MAX_RANK) {
        return oribi_kit_fail(run, TF_INVALID_ARGUMENT, "a shape of %lld sizes is not possible",
                              (long long)rank);
    }
    for (int i = 0; i < y.n; i++) {
        y.at[i] = sizes[i];
        if (sizes[i] < 0) {
            return oribi_kit_fail(run, TF_INVALID_ARGUMENT, "dimension %d is %d", i, (int)sizes[i]);
        }
    }
    if (!read_drawn(run, 1, &c.drawn) || !oribi_cpu_count(run, y.at, y.n, &c.count)) {
        return false;
    }
    const int64_t blocks = c.count / 4 + (c.count % 4 != 0 ? 1 : 0);
    c.y = oribi_kit_output(run, 0, y.at, y.n);
    if (c.y != NULL && blocks > 0) {
        oribi_kit_parallel(run, blocks, state->is_normal ? 200 : 60, &c, numbers_blocks);
    }
    return c.y != NULL && write_next(run, c.drawn, (uint64_t)blocks);
}
ORIBI_KIT_COMPUTE(numbers, 2)

/* --- Classes ---------------------------------------------------------------------------------- */

typedef struct multinomial_call {
    const random_state *state;
    const float *logits;
    double *sums; /* of each row, up to each class */
    void *y;
    bool is_wide; /* the result */
    int64_t classes, samples;
    uint64_t drawn;
} multinomial_call;

/* Sums of exponentials; what is infinite or no number counts as nothing. */
static void add_up(const float *logits, int64_t classes, double *sums)
{
    float most = -3.4028234663852886e38f;
    double sum = 0.0;
    for (int64_t i = 0; i < classes; i++) {
        most = isfinite(logits[i]) && logits[i] > most ? logits[i] : most;
    }
    for (int64_t i = 0; i < classes; i++) {
        sum += isfinite(logits[i]) ? oribi_micro_double_exp((double)logits[i] - (double)most) : 0.0;
        sums[i] = sum;
    }
}

/* The first class whose sum is above; their number where none is. */
static int64_t find(const double *sums, int64_t classes, double wanted)
{
    int64_t low = 0, high = classes;
    while (low < high) {
        const int64_t middle = low + (high - low) / 2;
        if (sums[middle] > wanted) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    return low;
}

/* A unit is a row. */
static void multinomial_rows(void *object, int64_t begin, int64_t end)
{
    const multinomial_call *c = object;
    for (int64_t row = begin; row < end; row++) {
        double *sums = c->sums + row * c->classes;
        add_up(c->logits + row * c->classes, c->classes, sums);
        for (int64_t i = row * c->samples; i < (row + 1) * c->samples; i++) {
            uint32_t words[4];
            oribi_cpu_draw(&c->state->start, c->drawn + (uint64_t)i / 2,
                           words); /* two of a block */
            const uint32_t *two = words + i % 2 * 2;
            const double part = oribi_cpu_double_fraction(two);
            const int64_t found = find(sums, c->classes, part * sums[c->classes - 1]);
            if (c->is_wide) {
                ((int64_t *)c->y)[i] = found;
            } else {
                ((int32_t *)c->y)[i] = (int32_t)found;
            }
        }
    }
}

static bool multinomial_run(const random_state *state, oribi_kit_run *run)
{
    oribi_cpu_shape x;
    multinomial_call c = {.state = state, .logits = TF_TensorData(run->in[0])};
    TF_Tensor *scratch = NULL;
    int64_t count = 0;
    if (!oribi_cpu_input_shape(run, 0, &x) || !read_drawn(run, 2, &c.drawn)) {
        return false;
    }
    c.samples =
        TF_TensorElementCount(run->in[1]) == 1 ? *(const int32_t *)TF_TensorData(run->in[1]) : -1;
    if (x.n != 2 || x.at[1] < 1 || x.at[1] > INT32_MAX || c.samples < 0) {
        return oribi_kit_fail(run, TF_INVALID_ARGUMENT,
                              "%lld samples of logits %s are not possible", (long long)c.samples,
                              oribi_cpu_shape_text(&x).chars);
    }
    c.classes = x.at[1];
    const int64_t dims[2] = {x.at[0], c.samples};
    if (!oribi_cpu_count(run, dims, 2, &count)) {
        return false;
    }
    c.y = oribi_kit_output(run, 0, dims, 2);
    c.is_wide = TF_ExpectedOutputDataType(run->context, 0) == TF_INT64;
    c.sums = c.y == NULL || count == 0
                 ? NULL
                 : oribi_kit_scratch(run, x.at[0] * x.at[1] * (int64_t)sizeof *c.sums, &scratch);
    if (c.sums != NULL) {
        oribi_kit_parallel(run, dims[0], 30 * c.classes + 100 * c.samples, &c, multinomial_rows);
        TF_DeleteTensor(scratch);
    }
    /* TensorFlow skips that many numbers after each run, whatever it drew. */
    const uint64_t samples = (uint64_t)c.samples, whole = samples + (4 - samples % 4) % 4;
    const uint64_t skipped = (uint64_t)dims[0] * whole * 2 * 256;
    return c.y != NULL && (c.sums != NULL || count == 0) && write_next(run, c.drawn, skipped);
}
ORIBI_KIT_COMPUTE(multinomial, 3)

const oribi_cpu_kernel oribi_cpu_random_kernels[] = {
    ORIBI_CPU_STATE_ROW("Oribi>RandomNumbers", numbers, numbers, "plain loops"),
    ORIBI_CPU_STATE_ROW("Oribi>Multinomial", multinomial, multinomial, "plain loops"),
    {.op_name = NULL},
};
