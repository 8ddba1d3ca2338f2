/* SPDX-License-Identifier: Apache-2.0 */
/* Random numbers of TensorFlow's generator, Philox: what a run draws follows from the seeds and
 * from how many blocks of four numbers were drawn before, which is a state that comes in and goes
 * out. */
#include <inttypes.h>

#include "ops_core/ops_core.h"
#include "ops_core/shape_functions.h"

static void next_of(oribi_ops_ctx *ctx, TF_Status *status)
{
    oribi_ops_output(ctx, 1, &(oribi_ops_shape){.n = 0}, status);
}

static void random_numbers(oribi_ops_ctx *ctx, TF_Status *status)
{
    oribi_ops_shape shape;
    if (oribi_ops_input_rank(ctx, 0, 1, &shape, status) &&
        oribi_ops_input_as_shape(ctx, 0, &shape, status) &&
        oribi_ops_output(ctx, 0, &shape, status)) {
        next_of(ctx, status);
    }
}

static void multinomial(oribi_ops_ctx *ctx, TF_Status *status)
{
    oribi_ops_shape logits, count;
    oribi_ops_shape out = {.n = 2, .at = {-1, -1}};
    int64_t samples = -1;
    bool is_known = false;
    if (!oribi_ops_input_rank(ctx, 0, 2, &logits, status) ||
        !oribi_ops_input_rank(ctx, 1, 0, &count, status) ||
        !oribi_ops_input_int(ctx, 1, &samples, &is_known, status)) {
        return;
    }
    if (is_known && samples < 0) {
        oribi_ops_fail(status, "num_samples is %" PRId64 ", it must not be negative", samples);
        return;
    }
    out.at[0] = logits.at[0];
    out.at[1] = is_known ? samples : -1;
    if (oribi_ops_output(ctx, 0, &out, status)) {
        next_of(ctx, status);
    }
}

const oribi_ops_row oribi_ops_random[] = {
    {.name = "Oribi>RandomNumbers", /* from 0 to below 1, or normal */
     .inputs = {"shape: int32", "drawn: int64"},
     .outputs = {"output: float", "next: int64"},
     .attrs = {"distribution: {'UNIFORM', 'NORMAL'} = 'UNIFORM'", "seed: int = 0",
               "seed2: int = 0"},
     .traits = {"parameters(shape)"},
     .shape = random_numbers},
    {.name = "Oribi>Multinomial",
     .inputs = {"logits: float", "num_samples: int32", "drawn: int64"},
     .outputs = {"output: Tout", "next: int64"},
     .attrs = {"Tout: {int32, int64} = DT_INT64", "seed: int = 0", "seed2: int = 0"},
     .traits = {"parameters(num_samples)"},
     .shape = multinomial},
    {.name = NULL},
};
