/* SPDX-License-Identifier: Apache-2.0 */
/* One kernel of the cpu plugin in a run context of its own, its memory taken once, so that nothing
 * but the kernel is measured. Rows come from the plugin's kernel list. Read next: kernels.c.
 */
#ifndef ORIBI_BENCH_KERNEL_RUN_H_
#define ORIBI_BENCH_KERNEL_RUN_H_

#include "cpu/base/families.h"
#include "device/pool.h"
#include "kernel/context.h"

enum { BENCH_INPUTS = 4, BENCH_RANK = 4 };

typedef struct bench_input {
    int64_t dims[BENCH_RANK];
    int rank;
    bool is_constant;
    float *data;
} bench_input;

typedef struct bench_node {
    oribi_arena arena;
    oribi_attrs attrs;
    bench_input inputs[BENCH_INPUTS];
    int n_inputs;
    struct bench_run *run;
} bench_node;

/* The best row of this op that the processor runs, or the one for `isa` when it is not NULL; NULL:
 * there is none. */
const oribi_cpu_kernel *bench_row(const char *op, const char *isa);

void bench_input_add(bench_node *node, const int64_t *dims, int rank, bool is_constant);
/* Creates the kernel and computes once; false: failed, and it says why on stderr. */
bool bench_begin(bench_node *node, const oribi_cpu_kernel *row, oribi_pool *pool);
/* Runs for `seconds`, computation and peak sample in turn: the tenth of the computations that
 * were fastest took at most *out_time seconds each, the peak samples as many at least *out_peak.
 * Before each the kernel has computed, or `sweep_bytes` of other memory were written, if not 0: so
 * many bytes a model touches from one run of the layer to the next. */
void bench_measure(bench_node *node, double seconds, size_t sweep_bytes, double *out_time,
                   double *out_peak);
void bench_end(bench_node *node);

#endif
