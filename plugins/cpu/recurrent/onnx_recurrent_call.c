/* SPDX-License-Identifier: Apache-2.0 */
/* See onnx_recurrent_call.h. */
#include "cpu/recurrent/onnx_recurrent_call.h"

#include <string.h>

/* --- Attributes ------------------------------------------------------------------------------ */

static void read_floats(oribi_kit_setup *setup, const char *name, int n, float *out)
{
    int32_t found = 0, total = 0;
    if (TF_GetCode(setup->status) != TF_OK) {
        return;
    }
    TF_OpKernelConstruction_GetAttrSize(setup->construction, name, &found, &total, setup->status);
    if (TF_GetCode(setup->status) == TF_OK && found != n) {
        (void)oribi_kit_setup_fail(setup, TF_INVALID_ARGUMENT,
                                   "attribute '%s' has %d values instead of %d", name, (int)found,
                                   n);
    }
    if (TF_GetCode(setup->status) == TF_OK) {
        TF_OpKernelConstruction_GetAttrFloatList(setup->construction, name, out, n, setup->status);
    }
}

static void read_functions(oribi_kit_setup *setup, int32_t gates,
                           struct oribi_micro_recurrent_f32_args *a)
{
    int64_t codes[ORIBI_MICRO_RECURRENT_FUNCTIONS] = {0};
    const int n = a->directions * (gates > 1 ? gates - 1 : 1);
    oribi_kit_attr_ints(setup, "activations", codes, n, NULL);
    read_floats(setup, "activation_alpha", n, a->alpha);
    read_floats(setup, "activation_beta", n, a->beta);
    for (int i = 0; i < n && oribi_kit_setup_is_ok(setup); i++) {
        if (codes[i] < 0 || codes[i] >= ORIBI_MICRO_GATE_COUNT) {
            (void)oribi_kit_setup_fail(setup, TF_INVALID_ARGUMENT, "there is no activation %lld",
                                       (long long)codes[i]);
            return;
        }
        a->function[i] = (int32_t)codes[i];
    }
}

void oribi_recurrent_read(oribi_kit_setup *setup, int32_t gates, oribi_recurrent *out)
{
    struct oribi_micro_recurrent_f32_args *a = &out->args;
    char direction[16] = "";
    int64_t layout = 0;
    bool form = false;
    out->gates = gates;
    oribi_kit_attr_string(setup, "direction", direction, sizeof direction);
    oribi_kit_attr_int(setup, "layout", &layout);
    oribi_kit_attr_float(setup, "clip", &a->clip);
    if (gates != ORIBI_RECURRENT_RNN) {
        oribi_kit_attr_bool(
            setup, gates == ORIBI_RECURRENT_LSTM ? "input_forget" : "linear_before_reset", &form);
    }
    a->form = form ? 1 : 0;
    a->is_batch_major = layout != 0 ? 1 : 0;
    a->directions = strcmp(direction, "bidirectional") == 0 ? 2 : 1;
    a->is_reverse = strcmp(direction, "reverse") == 0 ? 1 : 0;
    read_functions(setup, gates, a);
}

#define CREATE(name, gates)                                                                        \
    static void name##_read(oribi_kit_setup *setup, oribi_recurrent *state)                        \
    {                                                                                              \
        oribi_recurrent_read(setup, gates, state);                                                 \
    }                                                                                              \
    ORIBI_KIT_CREATE(name, oribi_recurrent)                                                        \
    void *oribi_recurrent_##name##_create(TF_OpKernelConstruction *construction)                   \
    {                                                                                              \
        return name##_create(construction);                                                        \
    }
CREATE(lstm, ORIBI_RECURRENT_LSTM)
CREATE(gru, ORIBI_RECURRENT_GRU)
CREATE(rnn, ORIBI_RECURRENT_RNN)

static void hybrid_read(oribi_kit_setup *setup, oribi_recurrent *state)
{
    bool is_asymmetric = false;
    oribi_recurrent_read(setup, ORIBI_RECURRENT_RNN, state);
    oribi_kit_attr_bool(setup, "asymmetric", &is_asymmetric);
    state->args.form = is_asymmetric ? 2 : 1;
}
ORIBI_KIT_CREATE(hybrid, oribi_recurrent)

void *oribi_recurrent_hybrid_create(TF_OpKernelConstruction *construction)
{
    return hybrid_create(construction);
}

/* --- A call ---------------------------------------------------------------------------------- */

/* An input's data and dims; absent: NULL and zeros. */
static bool take_input(oribi_kit_run *run, int index, int rank, int32_t dims[3],
                       oribi_recurrent_call *call)
{
    TF_Tensor *tensor = index == 0 ? run->in[0] : oribi_kit_input(run, index);
    int64_t found[3] = {0};
    if (tensor == NULL) {
        return false;
    }
    const bool is_absent =
        index >= ORIBI_RECURRENT_B && TF_NumDims(tensor) == 1 && TF_Dim(tensor, 0) == 0;
    if (is_absent) {
        return true;
    }
    if (TF_NumDims(tensor) != rank) {
        return oribi_kit_fail(run, TF_INVALID_ARGUMENT, "input %d must have rank %d, not %d", index,
                              rank, TF_NumDims(tensor));
    }
    if (oribi_kit_dims(run, tensor, found, rank) < 0) {
        return false;
    }
    for (int i = 0; i < rank; i++) {
        if (found[i] > INT32_MAX / 8) {
            return oribi_kit_fail(run, TF_UNIMPLEMENTED, "input %d has %lld values along axis %d",
                                  index, (long long)found[i], i);
        }
        dims[i] = (int32_t)found[i];
    }
    call->in[index] = TF_TensorData(tensor);
    return true;
}

static bool is_fit(const int32_t dims[3], bool is_there, int64_t a, int64_t b, int64_t c)
{
    return !is_there || (dims[0] == a && dims[1] == b && dims[2] == c);
}

static bool take_sizes(oribi_kit_run *run, const oribi_recurrent *recurrent,
                       oribi_recurrent_call *call)
{
    static const int ranks[ORIBI_RECURRENT_INPUTS] = {3, 3, 3, 2, 1, 3, 3, 2};
    struct oribi_micro_recurrent_f32_args *a = &call->args;
    int32_t d[ORIBI_RECURRENT_INPUTS][3] = {{0}};
    const int32_t gates = recurrent->gates;
    const int n = gates == ORIBI_RECURRENT_LSTM ? ORIBI_RECURRENT_INPUTS : ORIBI_RECURRENT_CELL;
    for (int i = 0; i < n; i++) {
        const bool is_packed = i > 0 && i < ORIBI_RECURRENT_B && recurrent->is_packed;
        if (is_packed) {
            memcpy(d[i], i == ORIBI_RECURRENT_W ? recurrent->packed_w : recurrent->packed_r,
                   sizeof d[i]);
        } else if (!take_input(run, i, ranks[i], d[i], call)) {
            return false;
        }
    }
    a->steps = d[0][a->is_batch_major];
    a->batch = d[0][1 - a->is_batch_major];
    a->in_c = d[0][2];
    a->units = d[ORIBI_RECURRENT_R][2];
    a->has_lengths = call->in[ORIBI_RECURRENT_LENGTHS] != NULL && d[ORIBI_RECURRENT_LENGTHS][0] > 0;
    a->has_hidden = d[ORIBI_RECURRENT_HIDDEN][2] > 0;
    a->has_cell = d[ORIBI_RECURRENT_CELL][2] > 0;
    const int64_t rows = (int64_t)gates * a->units, many = a->directions;
    const int64_t first = a->is_batch_major != 0 ? a->batch : many;
    const int64_t second = a->is_batch_major != 0 ? many : a->batch;
    const bool fits =
        is_fit(d[ORIBI_RECURRENT_W], true, many, rows, a->in_c) &&
        is_fit(d[ORIBI_RECURRENT_R], true, many, rows, a->units) &&
        is_fit(d[ORIBI_RECURRENT_B], d[ORIBI_RECURRENT_B][1] > 0, many, 2 * rows, 0) &&
        is_fit(d[ORIBI_RECURRENT_LENGTHS], a->has_lengths != 0, a->batch, 0, 0) &&
        is_fit(d[ORIBI_RECURRENT_HIDDEN], a->has_hidden != 0, first, second, a->units) &&
        is_fit(d[ORIBI_RECURRENT_CELL], a->has_cell != 0, first, second, a->units) &&
        is_fit(d[ORIBI_RECURRENT_PEEPHOLE], d[ORIBI_RECURRENT_PEEPHOLE][1] > 0, many,
               3 * (int64_t)a->units, 0);
    return fits || oribi_kit_fail(run, TF_INVALID_ARGUMENT,
                                  "the shapes of the inputs contradict each other: there are %d "
                                  "steps of %d rows of %d values, %d directions and %d units",
                                  (int)a->steps, (int)a->batch, (int)a->in_c, (int)a->directions,
                                  (int)a->units);
}

static bool take_lengths(oribi_kit_run *run, oribi_recurrent_call *call)
{
    const struct oribi_micro_recurrent_f32_args *a = &call->args;
    const int32_t *given = call->in[ORIBI_RECURRENT_LENGTHS];
    call->lengths = oribi_kit_scratch(run, ((int64_t)a->batch + 1) * 4, &call->scratch);
    for (int32_t b = 0; call->lengths != NULL && b < a->batch; b++) {
        const int32_t length =
            a->has_lengths != 0 ? (int32_t)oribi_kit_int_at(given, TF_INT32, b) : a->steps;
        if (length < 0 || length > a->steps) {
            return oribi_kit_fail(run, TF_INVALID_ARGUMENT,
                                  "sequence %d has the length %d, but there are %d steps", (int)b,
                                  (int)length, (int)a->steps);
        }
        call->lengths[b] = length;
    }
    return call->lengths != NULL;
}

static bool make_outputs(oribi_kit_run *run, int32_t gates, oribi_recurrent_call *call)
{
    const struct oribi_micro_recurrent_f32_args *a = &call->args;
    const int64_t steps_first[4] = {a->steps, a->directions, a->batch, a->units};
    const int64_t batch_first[4] = {a->batch, a->steps, a->directions, a->units};
    const int64_t last[3] = {a->is_batch_major != 0 ? a->batch : a->directions,
                             a->is_batch_major != 0 ? a->directions : a->batch, a->units};
    const int n = gates == ORIBI_RECURRENT_LSTM ? 3 : 2;
    for (int i = 0; i < n; i++) {
        const int64_t *dims = i > 0 ? last : a->is_batch_major != 0 ? batch_first : steps_first;
        call->out[i] = oribi_kit_output(run, i, dims, i > 0 ? 3 : 4);
        if (call->out[i] == NULL) {
            return false;
        }
    }
    return true;
}

bool oribi_recurrent_take(oribi_kit_run *run, const oribi_recurrent *recurrent,
                          oribi_recurrent_call *out)
{
    *out = (oribi_recurrent_call){.args = recurrent->args};
    return take_sizes(run, recurrent, out) && take_lengths(run, out) &&
           make_outputs(run, recurrent->gates, out);
}
