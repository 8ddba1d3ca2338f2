/* SPDX-License-Identifier: Apache-2.0 */
/* An op with state, one kernel for the host and for emitted C: Com>Acme>Level takes from each
 * element of a signal its running mean, which a run leaves to the next one. A model calls it with
 * the signal alone: the op's last input and last output are the state. On the host each run object
 * has its own; in emitted C it is in the state struct of the model.
 *
 *     cc -shared -fPIC $(pkg-config --cflags oribi-plugin) level.c -o level.so
 *
 * Read first: centre.c.
 */
#include "oribi/kernel_kit.h"
#include "oribi/target.h"

ORIBI_PLUGIN("level", "1.0", "Apache-2.0");

/* emit: acme_level.h */
#include <stdint.h>

struct acme_level_args {
    int32_t count;
    float rate; /* of the new value in the mean */
};

/* y = x - mean; next = mean + rate * y. y may be x. */
void acme_level(const struct acme_level_args *args, const float *x, const float *mean, float *y,
                float *next);
/* emit: acme_level.c */
#include "micro/float_rules.h"

void acme_level(const struct acme_level_args *args, const float *x, const float *mean, float *y,
                float *next)
{
    for (int32_t i = 0; i < args->count; i++) {
        const float above = x[i] - mean[i];
        next[i] = mean[i] + args->rate * above;
        y[i] = above;
    }
}
/* emit: end */

static void infer_shape(TF_ShapeInferenceContext *ctx, TF_Status *status)
{
    TF_ShapeHandle *shape = TF_NewShapeHandle();

    TF_ShapeInferenceContextGetInput(ctx, 0, shape, status);
    for (int i = 0; i < 2 && TF_GetCode(status) == TF_OK; i++) {
        TF_ShapeInferenceContextSetOutput(ctx, i, shape, status);
    }
    TF_DeleteShapeHandle(shape);
}

static void prepare(void *user, const oribi_region *region, oribi_target_code *code,
                    TF_Status *status)
{
    oribi_region_tensor signal = {.struct_size = sizeof signal};
    const float rate = oribi_region_attr_float(region, 0, "rate", status);
    (void)user;
    oribi_region_input(region, 0, 0, &signal, status);
    if (TF_GetCode(status) != TF_OK) {
        return;
    }
    if (signal.bytes > INT32_MAX) {
        TF_SetStatus(status, TF_INVALID_ARGUMENT, "Level wants a signal of less than 2 GiB");
        return;
    }
    const struct acme_level_args args = {.count = (int32_t)(signal.bytes / sizeof(float)),
                                         .rate = rate};
    oribi_target_set_arguments(code, &args, sizeof args, status);
    oribi_target_set_in_place(code, 0, status);
    oribi_target_set_state(code, 0, signal.dims, signal.rank, NULL, status); /* zeros at first */
    oribi_target_set_macs(code, args.count);
}

static void run(const void *args, const void *const *in, void *const *out, void *scratch)
{
    (void)scratch;
    acme_level(args, in[0], in[1], out[0], out[1]);
}

#define LEVEL_ARGS(X, type) X(type, NUMBER, count) X(type, NUMBER, rate)
ORIBI_ARGS_TABLE(level_args, struct acme_level_args, "level", LEVEL_ARGS);
ORIBI_TARGET_SOURCE(level_source);

static const char *const sources[] = {level_source};
static const oribi_target_kernel kernel = {
    .struct_size = sizeof kernel,
    .op = "Com>Acme>Level",
    .prefix = "acme_",
    .name = "level",
    .sources = sources,
    .n_sources = 1,
    .licence = "Apache-2.0",
    .args = &level_args,
    .n_states = 1,
    .prepare = prepare,
    .run = run,
};

void TF_InitKernel(void)
{
    TF_Status *status = TF_NewStatus();
    oribi_kit_register_op("Com>Acme>Level", "x: float; mean: float", "y: float; next: float",
                          "rate: float = 0.125", NULL, infer_shape);
    oribi_target_register_kernel(&kernel, status);
    TF_DeleteStatus(status);
}
