/* SPDX-License-Identifier: Apache-2.0 */
/* Lowering of ONNX's LSTM, GRU and RNN of float, and of TFLite's hybrid RNN. Its LSTMs:
 * lower_lstm_full.c. */
#include "compile/lower/args_table.h"
#include "compile/lower/lower.h"
#include "micro/recurrent/recurrent_f32_prepare.h"
#include "tensor/status.h"

enum { X, W, R, B, LENGTHS, HIDDEN, CELL, PEEPHOLE };

typedef struct oribi_micro_recurrent_f32_args arguments;

/* An absent input is a vector without elements. */
static bool is_there(const oribi_lowering *lowering, const oribi_call *call, int32_t index)
{
    return oribi_lower_count(oribi_lower_input(lowering, call, index)) > 0;
}

static bool read_sizes(oribi_lowering *lowering, oribi_call *call, int32_t gates, arguments *a)
{
    int32_t input[4], recurrent[4];
    ORIBI_TRY(oribi_lower_dims(lowering, call, oribi_lower_input(lowering, call, X), input));
    ORIBI_TRY(oribi_lower_dims(lowering, call, oribi_lower_input(lowering, call, R), recurrent));
    a->is_batch_major = oribi_lower_int(call, "layout", 0);
    a->is_reverse = oribi_lower_is(call, "direction", "reverse") ? 1 : 0;
    a->directions = oribi_lower_is(call, "direction", "bidirectional") ? 2 : 1;
    a->steps = input[1 + a->is_batch_major];
    a->batch = input[2 - a->is_batch_major];
    a->in_c = input[3];
    a->units = recurrent[3];
    a->clip = oribi_lower_float(call, "clip");
    a->has_lengths = is_there(lowering, call, LENGTHS) ? 1 : 0;
    a->has_hidden = is_there(lowering, call, HIDDEN) ? 1 : 0;
    a->has_cell = gates == 4 && is_there(lowering, call, CELL) ? 1 : 0;
    return true;
}

static bool read_functions(oribi_lowering *lowering, const oribi_call *call, int32_t gates,
                           arguments *a)
{
    const int32_t n = a->directions * (gates > 1 ? gates - 1 : 1);
    int32_t n_alpha = 0, n_beta = 0;
    const float *alpha = oribi_lower_floats(call, "activation_alpha", &n_alpha);
    const float *beta = oribi_lower_floats(call, "activation_beta", &n_beta);
    if (n_alpha != n || n_beta != n) {
        return oribi_lower_fail(lowering, call, ORIBI_MICRO_INVALID);
    }
    for (int32_t i = 0; i < n; i++) {
        a->function[i] = oribi_lower_list(call, "activations", i, -1);
        a->alpha[i] = alpha[i];
        a->beta[i] = beta[i];
    }
    return true;
}

/* A constant input of so many elements; NULL: it may be absent, and is. */
static bool read(oribi_lowering *lowering, const oribi_call *call, int32_t index, int64_t count,
                 const float **out)
{
    *out = NULL;
    if (index >= B && !is_there(lowering, call, index)) {
        return true;
    }
    if (oribi_lower_count(oribi_lower_input(lowering, call, index)) != count) {
        return oribi_lower_fail(lowering, call, ORIBI_MICRO_INVALID);
    }
    *out = oribi_lower_constant(lowering, call, index, TF_FLOAT);
    return *out != NULL;
}

/* The kernel's inputs; in the place of an absent one stands the first, which is not looked at. */
static bool take_inputs(oribi_lowering *lowering, oribi_call *call, int32_t gates,
                        const arguments *a)
{
    const int32_t taken[4] = {X, a->has_lengths != 0 ? LENGTHS : X, a->has_hidden != 0 ? HIDDEN : X,
                              a->has_cell != 0 ? CELL : X};
    return oribi_call_take(lowering, call, taken, gates == 4 ? 4 : 3);
}

/* `rooms`: beside the sums of a row, floats for a unit of each row and an input. */
static bool lower(oribi_lowering *lowering, oribi_call *call, int32_t gates, int32_t form,
                  const char *kernel, int32_t rooms)
{
    arguments a = {.form = form};
    ORIBI_TRY(read_sizes(lowering, call, gates, &a));
    ORIBI_TRY(read_functions(lowering, call, gates, &a));
    ORIBI_TRY(oribi_lower_check(lowering, call, oribi_micro_recurrent_f32_check(&a, gates)));
    const int64_t rows = (int64_t)a.directions * gates * a.units;
    const int64_t peepholes = (int64_t)3 * a.directions * a.units;
    ORIBI_TRY(read(lowering, call, W, rows * a.in_c, &a.weights) &&
              read(lowering, call, R, rows * a.units, &a.recurrent) &&
              read(lowering, call, B, 2 * rows, &a.bias) &&
              (gates != 4 || read(lowering, call, PEEPHOLE, peepholes, &a.peephole)) &&
              ORIBI_CALL_SET(lowering, call, kernel, recurrent_f32, &a) &&
              take_inputs(lowering, call, gates, &a));
    ORIBI_CALL_PLACE(call, &a, weights, rows * a.in_c);
    ORIBI_CALL_PLACE(call, &a, recurrent, rows * a.units);
    ORIBI_CALL_PLACE(call, &a, bias, 2 * rows);
    ORIBI_CALL_PLACE(call, &a, peephole, peepholes);
    call->has_scratch = true;
    call->scratch_bytes = oribi_micro_recurrent_f32_scratch(&a, gates) +
                          rooms * 4 * ((int64_t)a.batch * a.units + a.in_c);
    call->macs = (int64_t)a.batch * a.steps * rows * (a.in_c + a.units);
    return true;
}

bool oribi_lower_onnx_lstm(oribi_lowering *lowering, oribi_call *call)
{
    return lower(lowering, call, 4, oribi_lower_bool(call, "input_forget") ? 1 : 0,
                 ORIBI_LOWER_FMA(lowering, onnx_lstm), 0);
}

bool oribi_lower_dynamic_lstm(oribi_lowering *lowering, oribi_call *call)
{
    return lower(lowering, call, 4, oribi_lower_bool(call, "input_forget") ? 1 : 0,
                 "dynamic_lstm_f32", 1);
}

bool oribi_lower_onnx_gru(oribi_lowering *lowering, oribi_call *call)
{
    return lower(lowering, call, 3, oribi_lower_bool(call, "linear_before_reset") ? 1 : 0,
                 ORIBI_LOWER_FMA(lowering, onnx_gru), 0);
}

bool oribi_lower_onnx_rnn(oribi_lowering *lowering, oribi_call *call)
{
    return lower(lowering, call, 1, 0, ORIBI_LOWER_FMA(lowering, onnx_rnn), 0);
}

bool oribi_lower_hybrid_rnn(oribi_lowering *lowering, oribi_call *call)
{
    return lower(lowering, call, 1, oribi_lower_bool(call, "asymmetric") ? 2 : 1,
                 ORIBI_LOWER_FMA(lowering, hybrid_rnn), 0);
}
