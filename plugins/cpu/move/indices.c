/* SPDX-License-Identifier: Apache-2.0 */
/* See indices.h. */
#include "cpu/move/indices.h"

#include <string.h>

bool oribi_cpu_indices_open(oribi_kit_run *run, int input, bool wraps, oribi_cpu_indices *out)
{
    const TF_Tensor *tensor = run->in[input];
    const TF_DataType dtype = TF_TensorType(tensor);
    *out = (oribi_cpu_indices){TF_TensorData(tensor), dtype, wraps};
    return dtype == TF_INT32 || dtype == TF_INT64 || dtype == TF_INT16 || dtype == TF_UINT16 ||
           oribi_kit_fail(run, TF_INVALID_ARGUMENT, "indices must be integers, not of type %d",
                          (int)dtype);
}

bool oribi_cpu_indices_check(oribi_kit_run *run, const oribi_cpu_indices *indices, int64_t count,
                             int64_t depth, const oribi_cpu_shape *shape, int first_axis)
{
    int64_t patience = 0;
    /* Tuples of nothing may be 2^62. */
    for (int64_t i = 0; depth > 0 && i < count; i++) {
        for (int64_t k = 0; k < depth; k++) {
            const int64_t dim = shape->at[first_axis + k];
            const int64_t given = oribi_kit_int_at(indices->data, indices->dtype, i * depth + k);
            if (given >= dim || given < (indices->wraps ? -dim : 0)) {
                return oribi_kit_fail(run, TF_INVALID_ARGUMENT,
                                      "indices[%lld] = %lld is outside [%lld, %lld), dimension "
                                      "%d of shape %s",
                                      (long long)(i * depth + k), (long long)given,
                                      indices->wraps ? -(long long)dim : 0LL, (long long)dim,
                                      first_axis + (int)k, oribi_cpu_shape_text(shape).chars);
            }
        }
        if (oribi_kit_stops(run, &patience, 4 * depth)) {
            return false;
        }
    }
    return true;
}

#define MEET(T, expression)                                                                        \
    {                                                                                              \
        T *to = target;                                                                            \
        const T *from = source;                                                                    \
        for (int64_t i = 0; i < count; i++) {                                                      \
            const T a = to[i], b = from[i];                                                        \
            to[i] = (T)(expression);                                                               \
        }                                                                                          \
        return true;                                                                               \
    }

/* sum and product: as expressions of a and b that wrap without undefined behaviour. */
#define MEETS(T, sum, product)                                                                     \
    static bool meet_##T(oribi_cpu_meeting meeting, void *target, const void *source,              \
                         int64_t count)                                                            \
    {                                                                                              \
        switch (meeting) {                                                                         \
        case ORIBI_CPU_ADD:                                                                        \
            MEET(T, sum)                                                                           \
        case ORIBI_CPU_MULTIPLY:                                                                   \
            MEET(T, product)                                                                       \
        case ORIBI_CPU_MAXIMUM:                                                                    \
            MEET(T, a >= b || a != a ? a : b)                                                      \
        case ORIBI_CPU_MINIMUM:                                                                    \
            MEET(T, a <= b || a != a ? a : b)                                                      \
        case ORIBI_CPU_REPLACE:                                                                    \
            break;                                                                                 \
        }                                                                                          \
        memcpy(target, source, (size_t)count * sizeof(T));                                         \
        return true;                                                                               \
    }
#define WRAPPING(T) MEETS(T, (uint64_t)a + (uint64_t)b, (uint64_t)a * (uint64_t)b)
MEETS(float, a + b, a *b)
MEETS(double, a + b, a *b)
MEETS(bool, a || b, a &&b)
WRAPPING(int8_t)
WRAPPING(int16_t)
WRAPPING(int32_t)
WRAPPING(int64_t)
WRAPPING(uint8_t)
WRAPPING(uint16_t)
WRAPPING(uint32_t)
WRAPPING(uint64_t)

bool oribi_cpu_meet(oribi_cpu_meeting meeting, TF_DataType dtype, void *target, const void *source,
                    int64_t count)
{
    if (meeting == ORIBI_CPU_REPLACE) {
        memcpy(target, source, (size_t)count * TF_DataTypeSize(dtype));
        return true;
    }
    switch (dtype) {
    case TF_FLOAT:
        return meet_float(meeting, target, source, count);
    case TF_DOUBLE:
        return meet_double(meeting, target, source, count);
    case TF_BOOL:
        return meet_bool(meeting, target, source, count);
    case TF_INT8:
        return meet_int8_t(meeting, target, source, count);
    case TF_INT16:
        return meet_int16_t(meeting, target, source, count);
    case TF_INT32:
        return meet_int32_t(meeting, target, source, count);
    case TF_INT64:
        return meet_int64_t(meeting, target, source, count);
    case TF_UINT8:
        return meet_uint8_t(meeting, target, source, count);
    case TF_UINT16:
        return meet_uint16_t(meeting, target, source, count);
    case TF_UINT32:
        return meet_uint32_t(meeting, target, source, count);
    case TF_UINT64:
        return meet_uint64_t(meeting, target, source, count);
    default:
        return false;
    }
}

bool oribi_cpu_can_meet(oribi_kit_run *run, oribi_cpu_meeting meeting, TF_DataType dtype)
{
    return oribi_cpu_meet(meeting, dtype, &(uint64_t){0}, &(uint64_t){0}, 0) ||
           oribi_kit_fail(run, TF_UNIMPLEMENTED,
                          "updates of type %d can only replace what is there; there is no "
                          "arithmetic for them",
                          (int)dtype);
}

void oribi_cpu_read_meeting(oribi_kit_setup *setup, oribi_cpu_meeting *out)
{
    static const struct {
        const char *name;
        oribi_cpu_meeting meeting;
    } names[] = {{"none", ORIBI_CPU_REPLACE},
                 {"add", ORIBI_CPU_ADD},
                 {"mul", ORIBI_CPU_MULTIPLY},
                 {"max", ORIBI_CPU_MAXIMUM},
                 {"min", ORIBI_CPU_MINIMUM}};
    char name[8] = "none";
    oribi_kit_attr_string(setup, "reduction", name, sizeof name);
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (strcmp(name, names[i].name) == 0) {
            *out = names[i].meeting;
            return;
        }
    }
    (void)oribi_kit_setup_fail(setup, TF_INVALID_ARGUMENT, "reduction is '%s'", name);
}

bool oribi_cpu_begin_updates(oribi_kit_run *run, int64_t *patience, char *target,
                             const char *before, int64_t bytes)
{
    enum { PART = 1 << 18 };
    for (int64_t at = 0; at < bytes; at += PART) {
        const int64_t part = bytes - at < PART ? bytes - at : PART;
        if (oribi_kit_stops(run, patience, part)) {
            return false;
        }
        if (before != NULL) {
            memcpy(target + at, before + at, (size_t)part);
        } else {
            memset(target + at, 0, (size_t)part);
        }
    }
    return true;
}
