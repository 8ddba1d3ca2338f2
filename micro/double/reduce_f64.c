/* SPDX-License-Identifier: Apache-2.0 */
/* See reduce_f64.h. */
#include "micro/float_rules.h"

#include "micro/math_double.h"
#include "micro/port.h"
#include "micro/double/reduce_f64.h"

static double begin(int32_t function)
{
    switch (function) {
    case ORIBI_MICRO_F64_REDUCE_MAX:
        return -oribi_micro_double_infinity();
    case ORIBI_MICRO_F64_REDUCE_MIN:
        return oribi_micro_double_infinity();
    default:
        return function == ORIBI_MICRO_F64_REDUCE_PROD ? 1.0 : 0.0;
    }
}

static double fold(int32_t function, double acc, double v)
{
    switch (function) {
    case ORIBI_MICRO_F64_REDUCE_EUCLIDEAN_NORM:
        return acc + v * v;
    case ORIBI_MICRO_F64_REDUCE_MAX:
        return v > acc || v != v ? v : acc;
    case ORIBI_MICRO_F64_REDUCE_MIN:
        return v < acc || v != v ? v : acc;
    case ORIBI_MICRO_F64_REDUCE_PROD:
        return acc * v;
    default:
        return acc + v;
    }
}

static double finish(int32_t function, double acc, double count)
{
    return function == ORIBI_MICRO_F64_REDUCE_MEAN             ? acc / count
           : function == ORIBI_MICRO_F64_REDUCE_EUCLIDEAN_NORM ? oribi_micro_double_sqrt(acc)
                                                               : acc;
}

void oribi_micro_reduce_f64(const struct oribi_micro_reduce_f64_args *args, const double *input,
                            double *output)
{
    const struct oribi_micro_reduce_f32_args *shape = &args->walk;
    struct oribi_micro_reduce_walk kept = {0};
    double count = 1.0;
    for (int32_t k = 0; k < shape->rank; k++) {
        count *= (double)shape->dims[k];
    }
    do {
        struct oribi_micro_reduce_walk walk = {0};
        double acc = begin(args->function);
        TVMGEN_YIELD();
        do {
            acc = fold(args->function, acc, input[kept.at + walk.at]);
        } while (oribi_micro_reduce_next(shape->rank, shape->dims, shape->step, &walk) != 0);
        *output++ = finish(args->function, acc, count);
    } while (oribi_micro_reduce_next(shape->kept_rank, shape->kept_dims, shape->kept_step, &kept) !=
             0);
}
