/* SPDX-License-Identifier: Apache-2.0 */
/* Lowering of float LSTM. That of integers: lower_lstm.c. */
#include "compile/lower/args_table.h"
#include "compile/lower/lower.h"
#include "micro/recurrent/lstm_full_f32_prepare.h"
#include "tensor/status.h"

enum { INPUT, WEIGHTS, RECURRENT, BIAS, HIDDEN, CELL, PEEPHOLE, NORM, PROJECTION, PROJECTION_BIAS };

typedef struct oribi_micro_lstm_full_f32_args arguments;

static int64_t dim(const oribi_value *value, int32_t axis)
{
    return axis < value->shape.rank ? value->shape.dims[axis] : 0;
}

static bool read_sizes(oribi_lowering *lowering, oribi_call *call, arguments *a)
{
    static const int32_t taken[3] = {INPUT, HIDDEN, CELL};
    int32_t input[4], hidden[4], cell[4];
    ORIBI_TRY(oribi_lower_dims(lowering, call, oribi_lower_input(lowering, call, INPUT), input));
    ORIBI_TRY(oribi_lower_dims(lowering, call, oribi_lower_input(lowering, call, HIDDEN), hidden));
    ORIBI_TRY(oribi_lower_dims(lowering, call, oribi_lower_input(lowering, call, CELL), cell));
    a->is_time_major = oribi_lower_bool(call, "time_major") ? 1 : 0;
    a->is_hybrid = oribi_lower_bool(call, "hybrid") ? 1 : 0;
    a->is_asymmetric = oribi_lower_bool(call, "asymmetric") ? 1 : 0;
    a->gates = (int32_t)dim(oribi_lower_input(lowering, call, WEIGHTS), 0);
    a->batch = input[1 + a->is_time_major];
    a->steps = input[2 - a->is_time_major];
    a->in_c = input[3];
    a->units = cell[3];
    a->outputs = hidden[3];
    ORIBI_TRY(oribi_lower_check(lowering, call, oribi_micro_lstm_full_f32_check(a)));
    return oribi_call_take(lowering, call, taken, 3);
}

/* Constant input `index`, which must have this many elements; NULL: it may be empty, and is. */
static bool read(oribi_lowering *lowering, const oribi_call *call, int32_t index, int64_t count,
                 bool is_optional, const float **out)
{
    const int64_t there = oribi_lower_count(oribi_lower_input(lowering, call, index));
    *out = NULL;
    if (is_optional && there == 0) {
        return true;
    }
    if (there != count) {
        return oribi_lower_fail(lowering, call, ORIBI_MICRO_INVALID);
    }
    *out = oribi_lower_constant(lowering, call, index, TF_FLOAT);
    return *out != NULL;
}

static bool read_constants(oribi_lowering *lowering, const oribi_call *call, arguments *a)
{
    const int64_t rows = (int64_t)a->gates * a->units, projected = (int64_t)a->outputs * a->units;
    const bool projects = oribi_lower_count(oribi_lower_input(lowering, call, PROJECTION)) > 0;
    if (!projects && a->outputs != a->units) {
        return oribi_lower_fail(lowering, call, ORIBI_MICRO_INVALID);
    }
    return read(lowering, call, WEIGHTS, rows * a->in_c, false, &a->weights) &&
           read(lowering, call, RECURRENT, rows * a->outputs, false, &a->recurrent) &&
           read(lowering, call, BIAS, rows, false, &a->bias) &&
           read(lowering, call, PEEPHOLE, rows - a->units, true, &a->peephole) &&
           read(lowering, call, NORM, rows, true, &a->norm) &&
           read(lowering, call, PROJECTION, projected, true, &a->projection) &&
           read(lowering, call, PROJECTION_BIAS, projects ? a->outputs : 0, true,
                &a->projection_bias);
}

static void place_constants(oribi_call *call, const arguments *a)
{
    const int64_t rows = (int64_t)a->gates * a->units;
    ORIBI_CALL_PLACE(call, a, weights, rows * a->in_c);
    ORIBI_CALL_PLACE(call, a, recurrent, rows * a->outputs);
    ORIBI_CALL_PLACE(call, a, bias, rows);
    ORIBI_CALL_PLACE(call, a, peephole, rows - a->units);
    ORIBI_CALL_PLACE(call, a, norm, rows);
    ORIBI_CALL_PLACE(call, a, projection, (int64_t)a->outputs * a->units);
    ORIBI_CALL_PLACE(call, a, projection_bias, a->outputs);
}

bool oribi_lower_lstm_full(oribi_lowering *lowering, oribi_call *call)
{
    arguments a = {.cell_clip = oribi_lower_float(call, "cell_clip"),
                   .projection_clip = oribi_lower_float(call, "projection_clip")};
    ORIBI_TRY(
        read_sizes(lowering, call, &a) && read_constants(lowering, call, &a) &&
        ORIBI_CALL_SET(lowering, call, ORIBI_LOWER_FMA(lowering, lstm_full), lstm_full_f32, &a));
    place_constants(call, &a);
    call->has_scratch = true;
    call->scratch_bytes = oribi_micro_lstm_full_f32_scratch(&a);
    call->macs = (int64_t)a.batch * a.steps *
                 ((int64_t)a.gates * a.units * (a.in_c + a.outputs) +
                  oribi_lower_count(oribi_lower_input(lowering, call, PROJECTION)));
    return true;
}
