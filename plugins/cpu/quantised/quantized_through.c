/* SPDX-License-Identifier: Apache-2.0 */
/* Oribi>RowsToBytes: rows of floats to the nearest of 255 or 256 steps of their own range, as
 * TensorFlow Lite's operators with weights of int8 do with their inputs; Oribi>ThroughBytes: the
 * same in floats again. Reference kernels.
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

static bool read_rows(const through_state *state, oribi_kit_run *run, oribi_cpu_shape *shape,
                      int64_t *rows, int64_t *columns)
{
    if (!oribi_cpu_input_shape(run, 0, shape)) {
        return false;
    }
    const int64_t lead = state->lead < 0 ? state->lead + shape->n : state->lead;
    if (lead < 0 || lead > shape->n) {
        return oribi_kit_fail(run, TF_INVALID_ARGUMENT, "there are no %lld dimensions of %s",
                              (long long)state->lead, oribi_cpu_shape_text(shape).chars);
    }
    *rows = oribi_cpu_product(shape->at, (int)lead);
    *columns = oribi_cpu_product(shape->at + lead, shape->n - (int)lead);
    return (*rows <= INT32_MAX && *columns <= INT32_MAX) ||
           oribi_kit_fail(run, TF_INVALID_ARGUMENT, "rows of 2^31 values or more");
}

bool oribi_through_run(const void *object, oribi_kit_run *run, const oribi_bytes *loops)
{
    const through_state *state = object;
    oribi_cpu_shape shape;
    int64_t rows = 0, columns = 0;
    if (!read_rows(state, run, &shape, &rows, &columns)) {
        return false;
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

/* --- To bytes: a unit is a part of a row, so that threads share long ones --------------------- */

enum { PART = 16384 };

typedef struct bytes_call {
    const oribi_bytes *loops;
    int32_t asymmetric;
    int64_t columns, parts; /* of a row */
    const float *x;
    uint8_t *y;
    float *ranges; /* two of each part */
    float *scales;
    int32_t *zeros;
} bytes_call;

/* Where the unit begins; *n: how many numbers it has. */
static int64_t part_of(const bytes_call *call, int64_t unit, int32_t *n)
{
    const int64_t first = unit % call->parts * PART, left = call->columns - first;
    *n = left < PART ? (int32_t)left : PART;
    return unit / call->parts * call->columns + first;
}

static void find_ranges(void *object, int64_t begin, int64_t end)
{
    const bytes_call *call = object;
    for (int64_t unit = begin; unit < end; unit++) {
        int32_t n;
        const float *x = call->x + part_of(call, unit, &n);
        float *range = call->ranges + 2 * unit;
        range[0] = range[1] = 0.0F;
        call->loops->range(x, n, range);
    }
}

static struct oribi_micro_row_steps steps_of(const bytes_call *call, int64_t row)
{
    const float *ranges = call->ranges + 2 * row * call->parts;
    float low = 0.0F, high = 0.0F;
    for (int64_t i = 0; i < call->parts; i++) {
        low = ranges[2 * i] < low ? ranges[2 * i] : low;
        high = ranges[2 * i + 1] > high ? ranges[2 * i + 1] : high;
    }
    return oribi_micro_row_steps_of(low, high, call->asymmetric);
}

static void write_parts(void *object, int64_t begin, int64_t end)
{
    const bytes_call *call = object;
    for (int64_t unit = begin; unit < end; unit++) {
        if (call->parts == 1) {
            find_ranges(object, unit, unit + 1);
        }
        const struct oribi_micro_row_steps steps = steps_of(call, unit / call->parts);
        int32_t n;
        const int64_t at = part_of(call, unit, &n);
        call->loops->to_bytes(&steps, call->x + at, n, call->y + at);
        if (unit % call->parts == 0) {
            call->scales[unit / call->parts] = steps.scale;
            call->zeros[unit / call->parts] = (int32_t)steps.zero + 128;
        }
    }
}

bool oribi_to_bytes_run(const void *object, oribi_kit_run *run, const oribi_bytes *loops)
{
    const through_state *state = object;
    bytes_call call = {.loops = loops, .asymmetric = state->asymmetric ? 1 : 0};
    oribi_cpu_shape shape;
    int64_t rows = 0;
    TF_Tensor *tensor = NULL;
    if (!read_rows(state, run, &shape, &rows, &call.columns)) {
        return false;
    }
    call.parts = call.columns > PART ? (call.columns + PART - 1) / PART : 1;
    call.x = TF_TensorData(run->in[0]);
    call.y = oribi_kit_output(run, 0, shape.at, shape.n);
    call.scales = call.y == NULL ? NULL : oribi_kit_output(run, 1, &rows, 1);
    call.zeros = call.scales == NULL ? NULL : oribi_kit_output(run, 2, &rows, 1);
    const int64_t units = rows * call.parts;
    if (call.zeros == NULL || units == 0) {
        return call.zeros != NULL;
    }
    call.ranges = oribi_kit_scratch(run, units * 2 * (int64_t)sizeof(float), &tensor);
    if (call.ranges == NULL) {
        return false;
    }
    const int64_t cost = (call.columns < PART ? call.columns : PART) / 4 + 8;
    if (call.parts > 1) { /* else while the row is near */
        oribi_kit_parallel(run, units, cost, &call, find_ranges);
    }
    oribi_kit_parallel(run, units, cost, &call, write_parts);
    TF_DeleteTensor(tensor);
    return true;
}

static bool through_run(const void *state, oribi_kit_run *run)
{
    static const oribi_bytes micro = {.through = oribi_micro_through_bytes};
    return oribi_through_run(state, run, &micro);
}
ORIBI_KIT_COMPUTE(through, 1)

static bool to_bytes_run(const void *state, oribi_kit_run *run)
{
    static const oribi_bytes micro = {.range = oribi_bytes_range,
                                      .to_bytes = oribi_micro_row_to_bytes};
    return oribi_to_bytes_run(state, run, &micro);
}
ORIBI_KIT_COMPUTE(to_bytes, 1)

const oribi_cpu_kernel oribi_cpu_quantized_through_kernels[] = {
    {.op_name = "Oribi>ThroughBytes",
     .priority = ORIBI_CPU_REFERENCE,
     .create = oribi_through_create,
     .compute = through_compute,
     .destroy = oribi_kit_free,
     .why = ORIBI_QUANTIZED_WHY},
    {.op_name = "Oribi>RowsToBytes",
     .priority = ORIBI_CPU_REFERENCE,
     .create = oribi_through_create,
     .compute = to_bytes_compute,
     .destroy = oribi_kit_free,
     .why = ORIBI_QUANTIZED_WHY},
    {.op_name = NULL},
};
