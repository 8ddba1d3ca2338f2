/* SPDX-License-Identifier: Apache-2.0 */
/* Oribi>ThroughBytes: rows of floats to the nearest of 255 or 256 steps of their own range, in
 * floats: what TensorFlow Lite's operators with weights of int8 make of their inputs. Reference
 * kernel.
 */
#include "cpu/base/families.h"
#include "cpu/quantised/bytes.h"

typedef struct through_state {
    int64_t lead;
    bool asymmetric;
} through_state;

void *oribi_through_create(TF_OpKernelConstruction *construction)
{
    oribi_kit_setup setup;
    through_state *state = oribi_kit_setup_begin(&setup, construction, sizeof *state);
    if (state != NULL) {
        oribi_kit_attr_int(&setup, "lead", &state->lead);
        oribi_kit_attr_bool(&setup, "asymmetric", &state->asymmetric);
    }
    return oribi_kit_setup_end(&setup);
}

typedef struct through_call {
    struct oribi_micro_through_bytes_args args;
    const oribi_bytes *loops;
} through_call;

static void through_rows(const void *all, int32_t rows, const void *x, void *y)
{
    const through_call *call = all;
    struct oribi_micro_through_bytes_args args = call->args;
    args.rows = rows;
    call->loops->through(&args, x, y);
}

bool oribi_through_run(const void *object, oribi_kit_run *run, const oribi_bytes *loops)
{
    const through_state *state = object;
    oribi_cpu_shape shape;
    if (!oribi_cpu_input_shape(run, 0, &shape)) {
        return false;
    }
    const int64_t lead = state->lead < 0 ? state->lead + shape.n : state->lead;
    if (lead < 0 || lead > shape.n) {
        return oribi_kit_fail(run, TF_INVALID_ARGUMENT, "there are no %lld dimensions of %s",
                              (long long)state->lead, oribi_cpu_shape_text(&shape).chars);
    }
    const int64_t rows = oribi_cpu_product(shape.at, (int)lead);
    const int64_t columns = oribi_cpu_product(shape.at + lead, shape.n - (int)lead);
    if (rows > INT32_MAX || columns > INT32_MAX) {
        return oribi_kit_fail(run, TF_INVALID_ARGUMENT, "rows of 2^31 values or more");
    }
    const through_call call = {{0, (int32_t)columns, state->asymmetric ? 1 : 0}, loops};
    oribi_quantized_each each = {&call, through_rows, TF_TensorData(run->in[0]),
                                 NULL,  columns * 4,  columns * 4};
    each.y = oribi_kit_output_in_place(run, (const int[]){0}, 1, shape.at, shape.n);
    if (each.y != NULL && rows > 0 && columns > 0) {
        oribi_quantized_run_each(run, &each, rows, columns * 8);
    }
    return each.y != NULL;
}

static bool through_run(const void *state, oribi_kit_run *run)
{
    static const oribi_bytes micro = {.through = oribi_micro_through_bytes};
    return oribi_through_run(state, run, &micro);
}
ORIBI_KIT_COMPUTE(through, 1)

const oribi_cpu_kernel oribi_cpu_quantized_through_kernels[] = {
    {.op_name = "Oribi>ThroughBytes",
     .priority = ORIBI_CPU_REFERENCE,
     .create = oribi_through_create,
     .compute = through_compute,
     .destroy = oribi_kit_free,
     .why = ORIBI_QUANTIZED_WHY},
    {.op_name = NULL},
};
