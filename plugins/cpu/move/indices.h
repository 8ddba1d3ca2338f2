/* SPDX-License-Identifier: Apache-2.0 */
/* Indices as kernels that pick or place by them see them. They are untrusted: each is checked
 * before anything is written, and again where it is used, since another writer may have changed it
 * in between; what that second look gave is what is used.
 */
#ifndef ORIBI_PLUGINS_CPU_INDICES_H_
#define ORIBI_PLUGINS_CPU_INDICES_H_

#include "cpu/base/cpu_shape.h"

typedef struct oribi_cpu_indices {
    const void *data;
    TF_DataType dtype;
    bool wraps; /* negative ones count from the end */
} oribi_cpu_indices;

/* Input `input`; fails when it holds no integers. */
bool oribi_cpu_indices_open(oribi_kit_run *run, int input, bool wraps, oribi_cpu_indices *out);

/* Index i into a dimension of `dim`, in [0, dim); -1: it lies outside. */
static inline int64_t oribi_cpu_index(const oribi_cpu_indices *indices, int64_t i, int64_t dim)
{
    int64_t at = oribi_kit_int_at(indices->data, indices->dtype, i);
    at += at < 0 && indices->wraps ? dim : 0;
    return at >= 0 && at < dim ? at : -1;
}

/* The first look at `count` tuples of `depth` indices, of which number k walks axis first_axis + k;
 * fails with the first one that lies outside. */
bool oribi_cpu_indices_check(oribi_kit_run *run, const oribi_cpu_indices *indices, int64_t count,
                             int64_t depth, const oribi_cpu_shape *shape, int first_axis);

/* How an update meets what is there. */
typedef enum oribi_cpu_meeting {
    ORIBI_CPU_REPLACE,
    ORIBI_CPU_ADD,
    ORIBI_CPU_MULTIPLY,
    ORIBI_CPU_MAXIMUM,
    ORIBI_CPU_MINIMUM
} oribi_cpu_meeting;

/* Meets `count` elements, dense; false: the type has no such arithmetic. Truth values add up by
 * or, as the greater of two, and multiply by and. A NaN wins. */
bool oribi_cpu_meet(oribi_cpu_meeting meeting, TF_DataType dtype, void *target, const void *source,
                    int64_t count);
/* Has the type that arithmetic? */
bool oribi_cpu_can_meet(oribi_kit_run *run, oribi_cpu_meeting meeting, TF_DataType dtype);
/* The attribute `reduction`. */
void oribi_cpu_read_meeting(oribi_kit_setup *setup, oribi_cpu_meeting *out);

/* Writes what updates begin with, the bytes `before` or zeros; false: the run stops. */
bool oribi_cpu_begin_updates(oribi_kit_run *run, int64_t *patience, char *target,
                             const char *before, int64_t bytes);

#endif
