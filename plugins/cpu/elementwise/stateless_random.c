/* SPDX-License-Identifier: Apache-2.0 */
/* TensorFlow's stateless random numbers: Philox, whose key and first block come in, or follow from
 * a seed of two numbers. Normal numbers take logarithm and sine of the C library, as TensorFlow
 * does: on the same machine they agree to the bit.
 */
#include "cpu/base/cpu_shape.h"
#include "cpu/base/families.h"
#include "cpu/elementwise/halves.h"
#include "cpu/elementwise/philox.h"

#include <math.h>

typedef enum random_kind { UNIFORM, NORMAL, TRUNCATED, RANGE, ALL_BITS } random_kind;

typedef struct stateless_state {
    random_kind kind;
} stateless_state;

typedef struct stateless_call {
    oribi_cpu_philox from;
    random_kind kind;
    TF_DataType dtype;
    int width;           /* bytes of a number */
    int per_block;       /* numbers that a block of words makes */
    uint64_t low, range; /* of integers */
    int64_t count;
    char *y;
} stateless_call;

/* --- A block ---------------------------------------------------------------------------------- */

/* Two normal numbers from two words, of floats, or from four, of doubles. */
static void normal_pair(bool is_double, const uint32_t *words, double out[2])
{
    const double least = 1.0e-7, turn = 2.0 * 3.14159265358979323846;
    if (is_double) {
        const double u = oribi_cpu_double_fraction(words);
        const double angle = turn * oribi_cpu_double_fraction(words + 2);
        const double length = sqrt(-2.0 * log(u < least ? least : u));
        out[0] = sin(angle) * length;
        out[1] = cos(angle) * length;
    } else {
        const float u = oribi_cpu_fraction(words[0]), small = 1.0e-7f;
        const float angle = (float)(turn * (double)oribi_cpu_fraction(words[1]));
        const float length = sqrtf(-2.0f * logf(u < small ? small : u));
        out[0] = (double)(sinf(angle) * length);
        out[1] = (double)(cosf(angle) * length);
    }
}

/* The numbers of group `at`, which has 64 blocks for each of them: it takes pairs until enough are
 * below 2. */
static void truncated(const stateless_call *c, uint64_t at, double *out)
{
    const int words_of_pair = c->dtype == TF_DOUBLE ? 4 : 2;
    uint64_t block = at * (uint64_t)c->per_block * 64;
    for (int n = 0; n < c->per_block; block++) {
        uint32_t words[4];
        oribi_cpu_draw(&c->from, block, words);
        for (int i = 0; i < 4 && n < c->per_block; i += words_of_pair) {
            double pair[2];
            normal_pair(c->dtype == TF_DOUBLE, words + i, pair);
            for (int k = 0; k < 2 && n < c->per_block; k++) {
                if (fabs(pair[k]) < 2.0) {
                    out[n++] = pair[k];
                }
            }
        }
    }
}

static void real_block(const stateless_call *c, uint64_t at, double out[4])
{
    uint32_t words[4];
    const bool is_double = c->dtype == TF_DOUBLE;
    const uint32_t bits = c->dtype == TF_HALF ? 0x3FFU : 0x7FU; /* that a number of 16 bits takes */
    if (c->kind == TRUNCATED) {
        truncated(c, at, out);
        return;
    }
    oribi_cpu_draw(&c->from, at, words);
    if (c->kind == NORMAL) {
        normal_pair(is_double, words, out);
        if (!is_double) {
            normal_pair(false, words + 2, out + 2);
        }
        return;
    }
    for (int i = 0; i < c->per_block; i++) {
        if (is_double) {
            out[i] = oribi_cpu_double_fraction(words + 2 * i);
        } else if (c->dtype == TF_FLOAT) {
            out[i] = (double)oribi_cpu_fraction(words[i]);
        } else {
            out[i] = (double)(words[i] & bits) / (double)(bits + 1);
        }
    }
}

static uint64_t integer(const stateless_call *c, const uint32_t words[4], int i)
{
    const uint64_t drawn =
        c->width == 4 ? words[i] : words[2 * i] | (uint64_t)words[2 * i + 1] << 32;
    return c->kind == RANGE ? c->low + drawn % c->range : drawn;
}

static void put(TF_DataType dtype, double value, void *to)
{
    const float single = (float)value;
    uint16_t bits;
    switch (dtype) {
    case TF_DOUBLE:
        memcpy(to, &value, sizeof value);
        break;
    case TF_FLOAT:
        memcpy(to, &single, sizeof single);
        break;
    default:
        bits = dtype == TF_HALF ? oribi_cpu_to_half(single) : oribi_cpu_to_bfloat16(single);
        memcpy(to, &bits, sizeof bits);
    }
}

/* A unit is a block. */
static void blocks(void *object, int64_t begin, int64_t end)
{
    const stateless_call *c = object;
    for (int64_t block = begin; block < end; block++) {
        const int64_t left = c->count - block * c->per_block;
        char *y = c->y + block * c->per_block * c->width;
        uint32_t words[4];
        double reals[4];
        if (c->kind < RANGE) {
            real_block(c, (uint64_t)block, reals);
        } else {
            oribi_cpu_draw(&c->from, (uint64_t)block, words);
        }
        for (int i = 0; i < c->per_block && i < left; i++, y += c->width) {
            if (c->kind < RANGE) {
                put(c->dtype, reals[i], y);
            } else if (c->width == 4) {
                memcpy(y, &(uint32_t){(uint32_t)(integer(c, words, i) & UINT32_MAX)}, 4);
            } else {
                memcpy(y, &(uint64_t){integer(c, words, i)}, 8);
            }
        }
    }
}

/* --- Inputs ----------------------------------------------------------------------------------- */

/* Of integers with 4 bytes or 8. */
static uint64_t integer_at(const TF_Tensor *tensor, int i)
{
    if (TF_TensorType(tensor) == TF_INT32) {
        return (uint64_t)(int64_t)((const int32_t *)TF_TensorData(tensor))[i];
    }
    return ((const uint64_t *)TF_TensorData(tensor))[i];
}

static bool has_length(oribi_kit_run *run, int input, int64_t least, int64_t most)
{
    const TF_Tensor *tensor = run->in[input];
    return (TF_NumDims(tensor) == 1 && TF_Dim(tensor, 0) >= least && TF_Dim(tensor, 0) <= most) ||
           oribi_kit_fail(run, TF_INVALID_ARGUMENT, "input %d must be a vector of %lld numbers",
                          input, (long long)least);
}

/* What a seed becomes: a block of a generator that is always the same. */
static bool scramble(oribi_kit_run *run, int input, oribi_cpu_philox *out)
{
    uint32_t mix[4];
    if (!has_length(run, input, 2, 2)) {
        return false;
    }
    const oribi_cpu_philox scrambler = {.key = UINT64_C(0x02461E293EC8F720),
                                        .low = integer_at(run->in[input], 0),
                                        .high = integer_at(run->in[input], 1)};
    oribi_cpu_draw(&scrambler, 0, mix);
    out->key = mix[0] | (uint64_t)mix[1] << 32;
    out->low = 0;
    out->high = mix[2] | (uint64_t)mix[3] << 32;
    return true;
}

enum { PHILOX = 1, ANY_ALGORITHM = 3 }; /* TensorFlow's numbers */

static bool read_generator(oribi_kit_run *run, oribi_cpu_philox *out)
{
    int64_t algorithm;
    if (!has_length(run, 1, 1, 1) || !has_length(run, 2, 2, INT64_MAX) ||
        !oribi_cpu_read_int(run, 3, "alg", &algorithm)) {
        return false;
    }
    *out = (oribi_cpu_philox){integer_at(run->in[1], 0), integer_at(run->in[2], 0),
                              integer_at(run->in[2], 1)};
    return algorithm == PHILOX || algorithm == ANY_ALGORITHM ||
           oribi_kit_fail(run, TF_INVALID_ARGUMENT,
                          "algorithm %lld is not there: 1 (Philox) and 3 (any) are",
                          (long long)algorithm);
}

static bool read_range(oribi_kit_run *run, int first, stateless_call *c)
{
    if (TF_TensorElementCount(run->in[first]) != 1 ||
        TF_TensorElementCount(run->in[first + 1]) != 1) {
        return oribi_kit_fail(run, TF_INVALID_ARGUMENT, "minval and maxval must be one number");
    }
    const uint64_t low = integer_at(run->in[first], 0), high = integer_at(run->in[first + 1], 0);
    c->low = low;
    c->range = high - low;
    return (int64_t)low < (int64_t)high ||
           oribi_kit_fail(run, TF_INVALID_ARGUMENT, "minval must be below maxval");
}

/* --- Kernels ---------------------------------------------------------------------------------- */

static bool fill(const stateless_state *state, oribi_kit_run *run, bool has_key)
{
    oribi_cpu_shape shape;
    stateless_call c = {.kind = state->kind, .dtype = TF_ExpectedOutputDataType(run->context, 0)};
    if (!oribi_cpu_read_shape(run, 0, "shape", &shape) ||
        !oribi_cpu_count(run, shape.at, shape.n, &c.count) ||
        !(has_key ? read_generator(run, &c.from) : scramble(run, 1, &c.from)) ||
        (c.kind == RANGE && c.count > 0 && !read_range(run, has_key ? 4 : 2, &c))) {
        return false;
    }
    c.width = (int)TF_DataTypeSize(c.dtype);
    c.per_block = c.width == 8 ? 2 : 4;
    c.y = oribi_kit_output(run, 0, shape.at, shape.n);
    if (c.y != NULL && c.count > 0) {
        const int64_t n = c.count / c.per_block + (c.count % c.per_block != 0 ? 1 : 0);
        oribi_kit_parallel(run, n, c.kind == NORMAL || c.kind == TRUNCATED ? 300 : 60, &c, blocks);
    }
    return c.y != NULL;
}

#define KERNEL(name, of_kind, n_more)                                                              \
    static void name##_read(oribi_kit_setup *setup, stateless_state *state)                        \
    {                                                                                              \
        (void)setup;                                                                               \
        state->kind = of_kind;                                                                     \
    }                                                                                              \
    ORIBI_KIT_CREATE(name, stateless_state)                                                        \
    static bool name##_seed_run(const stateless_state *state, oribi_kit_run *run)                  \
    {                                                                                              \
        return fill(state, run, false);                                                            \
    }                                                                                              \
    static bool name##_key_run(const stateless_state *state, oribi_kit_run *run)                   \
    {                                                                                              \
        return fill(state, run, true);                                                             \
    }                                                                                              \
    ORIBI_KIT_COMPUTE(name##_seed, 2 + n_more)                                                     \
    ORIBI_KIT_COMPUTE(name##_key, 4 + n_more)
KERNEL(uniform, UNIFORM, 0)
KERNEL(normal, NORMAL, 0)
KERNEL(truncated_normal, TRUNCATED, 0)
KERNEL(range, RANGE, 2)
KERNEL(all_bits, ALL_BITS, 0)

static bool put_algorithm(oribi_kit_run *run, int output)
{
    int32_t *algorithm = oribi_kit_output(run, output, NULL, 0);
    if (algorithm != NULL) {
        *algorithm = PHILOX;
    }
    return algorithm != NULL;
}

static bool key_run(const void *state, oribi_kit_run *run)
{
    oribi_cpu_philox made;
    (void)state;
    if (!scramble(run, 0, &made)) {
        return false;
    }
    uint64_t *key = oribi_kit_output(run, 0, &(int64_t){1}, 1);
    uint64_t *counter = key != NULL ? oribi_kit_output(run, 1, &(int64_t){2}, 1) : NULL;
    if (counter == NULL) {
        return false;
    }
    *key = made.key;
    counter[0] = made.low;
    counter[1] = made.high;
    return true;
}
ORIBI_KIT_COMPUTE(key, 1)

static bool key_and_algorithm_run(const void *state, oribi_kit_run *run)
{
    return key_run(state, run) && put_algorithm(run, 2);
}
ORIBI_KIT_COMPUTE(key_and_algorithm, 1)

static bool algorithm_run(const void *state, oribi_kit_run *run)
{
    (void)state;
    return put_algorithm(run, 0);
}
ORIBI_KIT_COMPUTE(algorithm, 0)

#define ROW(op, fn)                                                                                \
    .op_name = op, .priority = ORIBI_CPU_REFERENCE, .compute = fn##_compute, .why = "plain loops"
#define ROWS(op, make, version, attr)                                                              \
    {                                                                                              \
        ROW(op, make##_##version), .create = make##_create, .destroy = oribi_kit_free, .types = {  \
            {attr, ORIBI_KIT_TYPE(TF_INT32) | ORIBI_KIT_TYPE(TF_INT64)}                            \
        }                                                                                          \
    }
const oribi_cpu_kernel oribi_cpu_stateless_random_kernels[] = {
    ROWS("StatelessRandomUniform", uniform, seed, "Tseed"),
    ROWS("StatelessRandomUniformV2", uniform, key, "Tshape"),
    ROWS("StatelessRandomNormal", normal, seed, "Tseed"),
    ROWS("StatelessRandomNormalV2", normal, key, "Tshape"),
    ROWS("StatelessTruncatedNormal", truncated_normal, seed, "Tseed"),
    ROWS("StatelessTruncatedNormalV2", truncated_normal, key, "Tshape"),
    ROWS("StatelessRandomUniformInt", range, seed, "dtype"),
    ROWS("StatelessRandomUniformIntV2", range, key, "dtype"),
    ROWS("StatelessRandomUniformFullInt", all_bits, seed, "Tseed"),
    ROWS("StatelessRandomUniformFullIntV2", all_bits, key, "Tshape"),
    {ROW("StatelessRandomGetKeyCounter", key)},
    {ROW("StatelessRandomGetKeyCounterAlg", key_and_algorithm)},
    {ROW("StatelessRandomGetAlg", algorithm)},
    {.op_name = NULL},
};
