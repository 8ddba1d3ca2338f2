/* SPDX-License-Identifier: Apache-2.0 */
/* What every kernel of this plugin starts and ends with: attributes at creation, inputs, outputs
 * and failures while it computes, loops over the pool. No arithmetic. Read next: shape.h.
 */
#ifndef ORIBI_PLUGINS_CPU_RUN_H_
#define ORIBI_PLUGINS_CPU_RUN_H_

#include "cpu/cpu.h"

enum { ORIBI_CPU_MAX_INPUTS = 10, ORIBI_CPU_MAX_OUTPUTS = 3 };

/* Creation: attribute getters do nothing after a failure, so that create reads straight down. */
typedef struct oribi_cpu_setup {
    TF_OpKernelConstruction *construction;
    TF_Status *status;
    void *state;
} oribi_cpu_setup;

/* Zeroed state of `bytes`, owned by the kernel; NULL: no memory (end reports it). */
void *oribi_cpu_setup_begin(oribi_cpu_setup *setup, TF_OpKernelConstruction *construction,
                            size_t bytes);
/* Reports a failure; returns the state, which the host hands to destroy either way. */
void *oribi_cpu_setup_end(oribi_cpu_setup *setup);
bool oribi_cpu_setup_fail(oribi_cpu_setup *setup, TF_Code code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void oribi_cpu_free(void *state); /* destroy of a state without pointers */

void oribi_cpu_attr_int(oribi_cpu_setup *setup, const char *name, int64_t *out);
void oribi_cpu_attr_float(oribi_cpu_setup *setup, const char *name, float *out);
void oribi_cpu_attr_bool(oribi_cpu_setup *setup, const char *name, bool *out);
void oribi_cpu_attr_type(oribi_cpu_setup *setup, const char *name, TF_DataType *out);
/* Fails when the list is longer than max; *out_count may be NULL when exactly max are wanted. */
void oribi_cpu_attr_ints(oribi_cpu_setup *setup, const char *name, int64_t *out, int max,
                         int *out_count);
/* NUL-terminated; fails when it does not fit. */
void oribi_cpu_attr_string(oribi_cpu_setup *setup, const char *name, char *out, size_t size);

/* One computation. */
typedef struct oribi_cpu_run {
    TF_OpKernelContext *context;
    TF_Status *status;
    int n_in;
    TF_Tensor *in[ORIBI_CPU_MAX_INPUTS];
    TF_Tensor *out[ORIBI_CPU_MAX_OUTPUTS];
} oribi_cpu_run;

/* Takes the first n_in inputs; false when one is missing. End is due in either case. */
bool oribi_cpu_begin(oribi_cpu_run *run, TF_OpKernelContext *context, int n_in);
void oribi_cpu_end(oribi_cpu_run *run);
/* Always false. */
bool oribi_cpu_fail(oribi_cpu_run *run, TF_Code code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Data of output `index`, allocated with this shape; NULL: failed, status set. */
void *oribi_cpu_output(oribi_cpu_run *run, int index, const int64_t *dims, int rank);
/* The same, in the memory of an input among candidates when the host allows. Deletes the
 * candidates' handles (in[i] becomes NULL): take data and dims before; data stays readable. */
void *oribi_cpu_output_in_place(oribi_cpu_run *run, const int *candidates, int n_candidates,
                                const int64_t *dims, int rank);
/* Output 0 becomes input `index` seen with other dims; nothing is copied. */
bool oribi_cpu_output_alias(oribi_cpu_run *run, int index, const int64_t *dims, int rank);
/* Scratch of this many bytes until *out_tensor is deleted; NULL: failed, status set. */
void *oribi_cpu_scratch(oribi_cpu_run *run, int64_t bytes, TF_Tensor **out_tensor);

/* Calls `call` over [0, total), on the pool when the work is worth it. cost: cycles a unit. */
void oribi_cpu_parallel(oribi_cpu_run *run, int64_t total, int64_t cost, void *object,
                        void (*call)(void *object, int64_t begin, int64_t end));

/* For loops that oribi_cpu_parallel does not run: adds `cost` (cycles, about) to what was done
 * since the last look, and after a millisecond of it looks whether the run was cancelled or its
 * time is up. True: leave, the host reports why. *patience starts at 0. */
static inline bool oribi_cpu_stops(oribi_cpu_run *run, int64_t *patience, int64_t cost)
{
    enum { LOOK_CYCLES = 1000000 };
    *patience += 16 + cost; /* cost is below the bytes of a tensor: no sum here overflows */
    if (*patience < LOOK_CYCLES) {
        return false;
    }
    *patience = 0;
    return TF_OpKernelContext_IsCancelled(run->context);
}

/* The compute function of a row from `static bool <name>_run(const void *state, run)`. */
#define ORIBI_CPU_COMPUTE(name, n_inputs)                                                          \
    static void name##_compute(void *state, TF_OpKernelContext *context)                           \
    {                                                                                              \
        oribi_cpu_run run;                                                                         \
        if (oribi_cpu_begin(&run, context, n_inputs)) {                                            \
            (void)name##_run(state, &run);                                                         \
        }                                                                                          \
        oribi_cpu_end(&run);                                                                       \
    }

#endif
