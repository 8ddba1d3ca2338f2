/* SPDX-License-Identifier: Apache-2.0 */
/* ONNX>Dropout, whose training form zeroes elements by chance. Chance is a function of the seed and
 * of the element's number, so that a run can be repeated, on any number of threads.
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
    uint64_t seed;
} dropout_work;

/* A number of [0, 1) from a hash of 64 bits whose every input bit reaches every output bit: the
 * finaliser of splitmix64 (Steele, Lea, Flood: Fast splittable pseudorandom number generators). */
static double chance(uint64_t seed, uint64_t i)
{
    uint64_t z = (seed + i + 1) * UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return (double)((z ^ z >> 31) >> 11) * 0x1p-53;
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
    dropout_work work = {.x = TF_TensorData(run->in[0]), .seed = (uint64_t)state->seed};
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
        oribi_kit_parallel(run, TF_TensorElementCount(run->in[0]), 8, &work, loop);
    }
    return work.mask != NULL;
}

#define DROPOUT(T)                                                                                 \
    static void dropout_##T##_range(void *object, int64_t begin, int64_t end)                      \
    {                                                                                              \
        const dropout_work *work = object;                                                         \
        for (int64_t i = begin; i < end; i++) {                                                    \
            const bool keeps = !(chance(work->seed, (uint64_t)i) < work->ratio);                   \
            work->mask[i] = keeps;                                                                 \
            ((T *)work->y)[i] = keeps ? ((const T *)work->x)[i] * (T)work->scale : 0;              \
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
    {                                                                                              \
        .op_name = "ONNX>Dropout",                                                                 \
        .types = {{"T", ORIBI_KIT_TYPE(dtype)},                                                    \
                  {"T1", ORIBI_KIT_TYPE(TF_FLOAT) | ORIBI_KIT_TYPE(TF_DOUBLE)}},                   \
        .priority = ORIBI_CPU_REFERENCE, .create = dropout_create,                                 \
        .compute = dropout_##T##_compute, .destroy = oribi_kit_free, .why = "plain loop"           \
    }
const oribi_cpu_kernel oribi_cpu_dropout_kernels[] = {
    ROW(float, TF_FLOAT),
    ROW(double, TF_DOUBLE),
    {.op_name = NULL},
};
