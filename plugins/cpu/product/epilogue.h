/* SPDX-License-Identifier: Apache-2.0 */
/* What the fused ops do to a sum before it is stored: bias, residual, activation, in this order.
 * Relu and Relu6 are bounds, which micro-kernels apply in registers; the others run over a row that
 * is still in cache. Read next: gemm.h.
 */
#ifndef ORIBI_PLUGINS_CPU_EPILOGUE_H_
#define ORIBI_PLUGINS_CPU_EPILOGUE_H_

#include "cpu/product/gemm.h"
#include "cpu/base/cpu.h"

typedef enum oribi_activation {
    ORIBI_ACTIVATION_NONE,
    ORIBI_ACTIVATION_BOUND, /* the bounds say it all */
    ORIBI_ACTIVATION_ELU,
    ORIBI_ACTIVATION_LEAKY_RELU,
    ORIBI_ACTIVATION_SIGMOID,
    ORIBI_ACTIVATION_TANH,
    ORIBI_ACTIVATION_SWISH,
    ORIBI_ACTIVATION_HARD_SWISH,
    ORIBI_ACTIVATION_PRELU, /* a slope for each channel */
} oribi_activation;

struct oribi_epilogue;
/* An activation, in place; slope: of the row's first value (elementwise/activate_loops.h). */
typedef void (*oribi_activate_fn)(const struct oribi_epilogue *epilogue, const float *slope,
                                  float *row, int64_t count);

typedef struct oribi_epilogue {
    bool has_bias, has_residual; /* args in this order, from input 2 on */
    oribi_activation activation;
    float low, high, alpha;
    oribi_activate_fn activate; /* of whole rows */
} oribi_epilogue;

/* Reads fused_ops, refusing words and orders that it does not know. Without them *out is empty.
 * Rows are computed with the kernel's own instruction set or, where that has no loops of its own,
 * the next best. */
void oribi_epilogue_read(oribi_kit_setup *setup, oribi_cpu_isa isa, oribi_epilogue *out);
/* The args of a fused op, checked: bias and slope have `channels` values, the residual exactly
 * these dims. Pointers stay valid until oribi_kit_end. */
typedef struct oribi_epilogue_args {
    const oribi_epilogue *epilogue;
    const float *bias, *residual, *slope;
} oribi_epilogue_args;
bool oribi_epilogue_args_take(oribi_kit_run *run, const oribi_epilogue *epilogue,
                              const int64_t *dims, int rank, oribi_epilogue_args *out);
/* One sum on its way to the output, for the reference kernels. */
float oribi_epilogue_value(const oribi_epilogue_args *args, double sum, int64_t channel);
/* Is oribi_epilogue_row due, bounds apart? */
bool oribi_epilogue_needs_row(const oribi_epilogue *epilogue);
/* Applies the activation in place to `count` values from channel `channel` on; arg is an
 * oribi_epilogue_args. */
void oribi_epilogue_row(const void *arg, float *row, int64_t channel, int64_t count);
#define ORIBI_ACTIVATE_DECLARE(part, isa)                                                          \
    void oribi_activate_##isa(const oribi_epilogue *epilogue, const float *slope, float *row,      \
                              int64_t count);
ORIBI_ISAS_OF_activate(ORIBI_ACTIVATE_DECLARE)
#undef ORIBI_ACTIVATE_DECLARE

    /* Makes the product end with it; the residual's stride is the caller's, and so are args, as
     * long as it runs. */
    void oribi_epilogue_apply(const oribi_epilogue *epilogue, const oribi_epilogue_args *args,
                              oribi_gemm *out);

#endif
