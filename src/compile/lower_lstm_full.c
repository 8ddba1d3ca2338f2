/* SPDX-License-Identifier: Apache-2.0 */
/* Lowering of float LSTM in all its forms. The plain one: lower_lstm.c. */
#include "compile/lower.h"
#include "micro/lstm_full_f32_prepare.h"
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
    a->gates = (int32_t)dim(oribi_lower_input(lowering, call, WEIGHTS), 0);
    a->batch = input[1 + a->is_time_major];
    a->steps = input[2 - a->is_time_major];
    a->in_c = input[3];
    a->units = cell[3];
    a->outputs = hidden[3];
    ORIBI_TRY(oribi_lower_check(lowering, call, oribi_micro_lstm_full_f32_check(a)));
    return oribi_call_take(lowering, call, taken, 3);
}

/* Places input `index` unless it is empty; it must have this many elements. */
static bool place(oribi_lowering *lowering, oribi_call *call, int32_t index, const char *name,
                  int64_t count, bool is_optional)
{
    const int64_t there = oribi_lower_count(oribi_lower_input(lowering, call, index));
    if (is_optional && there == 0) {
        return true;
    }
    if (there != count) {
        return oribi_lower_fail(lowering, call, ORIBI_MICRO_INVALID);
    }
    const void *data = oribi_lower_constant(lowering, call, index, TF_FLOAT);
    ORIBI_TRY(data != NULL);
    oribi_call_place(call, name, ORIBI_ELEMENT_F32, count, data);
    return true;
}

static bool place_constants(oribi_lowering *lowering, oribi_call *call, const arguments *a)
{
    const int64_t rows = (int64_t)a->gates * a->units;
    const bool projects = oribi_lower_count(oribi_lower_input(lowering, call, PROJECTION)) > 0;
    if (!projects && a->outputs != a->units) {
        return oribi_lower_fail(lowering, call, ORIBI_MICRO_INVALID);
    }
    return place(lowering, call, WEIGHTS, "weights", rows * a->in_c, false) &&
           place(lowering, call, RECURRENT, "recurrent", rows * a->outputs, false) &&
           place(lowering, call, BIAS, "bias", rows, false) &&
           place(lowering, call, PEEPHOLE, "peephole", rows - a->units, true) &&
           place(lowering, call, NORM, "norm", rows, true) &&
           place(lowering, call, PROJECTION, "projection", (int64_t)a->outputs * a->units, true) &&
           place(lowering, call, PROJECTION_BIAS, "projection_bias", projects ? a->outputs : 0,
                 true);
}

bool oribi_lower_lstm_full(oribi_lowering *lowering, oribi_call *call)
{
    arguments a = {0};
    call->kernel = "lstm_full_f32";
    ORIBI_TRY(read_sizes(lowering, call, &a) && place_constants(lowering, call, &a));
    ORIBI_CALL_MEMBERS(call, &a, gates, batch, steps, in_c, units, outputs, is_time_major);
    oribi_call_real(call, "cell_clip", oribi_lower_float(call, "cell_clip"));
    oribi_call_real(call, "projection_clip", oribi_lower_float(call, "projection_clip"));
    call->has_scratch = true;
    call->scratch_bytes = oribi_micro_lstm_full_f32_scratch(&a);
    call->macs = (int64_t)a.batch * a.steps *
                 ((int64_t)a.gates * a.units * (a.in_c + a.outputs) +
                  oribi_lower_count(oribi_lower_input(lowering, call, PROJECTION)));
    return true;
}
