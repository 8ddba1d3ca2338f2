/* SPDX-License-Identifier: Apache-2.0 */
/* The custom operators of TensorFlow Lite Micro's signal library, with which models that listen
 * begin. Their options are FlexBuffers maps. What they keep from run to run becomes states of the
 * graph; where they only move samples, they become ops that move elements.
 */
#include "import/tflite/tflite.h"

#define FLEX(key) ATTR_INT(key, oribi_tflite_flex_int(n, &m, key, 0))

/* Binds as many outputs as the operator has. */
static bool bind_node(oribi_tflite_node *n, const oribi_node *node)
{
    for (int32_t i = 0; node != NULL && i < n->n_outputs; i++) {
        ORIBI_TRY(oribi_tflite_bind(n, i, node->outputs[i]));
    }
    return node != NULL;
}

/* An op of all inputs. */
static bool emit_all(oribi_tflite_node *n, const char *op, const oribi_emit_attr *attrs,
                     int32_t n_attrs)
{
    oribi_value_id inputs[6];
    for (int32_t i = 0; i < n->n_inputs && i < 6; i++) {
        inputs[i] = oribi_tflite_input(n, i);
    }
    return bind_node(
        n, oribi_tflite_emit_node(n, op, inputs, n->n_inputs, attrs, n_attrs, n->n_outputs));
}

static bool window(oribi_tflite_node *n)
{
    oribi_flex_map m;
    return oribi_tflite_flex(n, &m) && emit_all(n, "Oribi>SignalWindow", ATTRS(FLEX("shift")));
}

static bool energy(oribi_tflite_node *n)
{
    oribi_flex_map m;
    return oribi_tflite_flex(n, &m) &&
           emit_all(n, "Oribi>SignalEnergy", ATTRS(FLEX("start_index"), FLEX("end_index")));
}

static bool auto_scale(oribi_tflite_node *n)
{
    return emit_all(n, "Oribi>SignalFftAutoScale", NO_ATTRS);
}

static bool filter_bank(oribi_tflite_node *n)
{
    oribi_flex_map m;
    return oribi_tflite_flex(n, &m) &&
           emit_all(n, "Oribi>SignalFilterBank", ATTRS(FLEX("num_channels")));
}

static bool square_root(oribi_tflite_node *n)
{
    return emit_all(n, "Oribi>SignalFilterBankSquareRoot", NO_ATTRS);
}

static bool logarithm(oribi_tflite_node *n)
{
    oribi_flex_map m;
    return oribi_tflite_flex(n, &m) &&
           emit_all(n, "Oribi>SignalFilterBankLog",
                    ATTRS(FLEX("output_scale"), FLEX("input_correction_bits")));
}

static bool pcan(oribi_tflite_node *n)
{
    oribi_flex_map m;
    return oribi_tflite_flex(n, &m) && emit_all(n, "Oribi>SignalPcan", ATTRS(FLEX("snr_shift")));
}

static bool rfft(oribi_tflite_node *n)
{
    oribi_flex_map m;
    return oribi_tflite_flex(n, &m) && emit_all(n, "Oribi>SignalRfft", ATTRS(FLEX("fft_length")));
}

static bool irfft(oribi_tflite_node *n)
{
    oribi_flex_map m;
    return oribi_tflite_flex(n, &m) && emit_all(n, "Oribi>SignalIrfft", ATTRS(FLEX("fft_length")));
}

/* --- With a state ----------------------------------------------------------------------------- */

/* The output is the state as well. */
static bool spectral_subtraction(oribi_tflite_node *n)
{
    oribi_flex_map m;
    oribi_tflite_variable *kept = NULL;
    ORIBI_TRY(oribi_tflite_flex(n, &m));
    const oribi_dims dims = {.n = 1, .at = {oribi_tflite_flex_int(n, &m, "num_channels", 0)}};
    const oribi_value_id x = oribi_tflite_input(n, 0);
    const oribi_value_id before = oribi_tflite_keep(n, TF_UINT32, &dims, 0, &kept);
    const oribi_node *node = oribi_tflite_emit_node(
        n, "Oribi>SignalSpectralSubtraction", INPUTS(x, before),
        ATTRS(FLEX("smoothing"), FLEX("one_minus_smoothing"), FLEX("alternate_smoothing"),
              FLEX("alternate_one_minus_smoothing"), FLEX("smoothing_bits"),
              FLEX("min_signal_remaining"), FLEX("spectral_subtraction_bits"),
              ATTR_BOOL("clamping", oribi_tflite_flex_int(n, &m, "clamping", 0) != 0)),
        2);
    if (node == NULL) {
        return false;
    }
    kept->current = node->outputs[1];
    return bind_node(n, node);
}

/* Dimensions of input 0 as the product of all but the last `inner`, and those; false: not known. */
static bool split_dims(oribi_tflite_node *n, int32_t inner, int64_t *out_outer, oribi_dims *out)
{
    const oribi_value_id x = oribi_tflite_input(n, 0);
    ORIBI_TRY(oribi_tflite_dims(n, x, out));
    *out_outer = 1;
    for (int32_t i = 0; i < out->n; i++) {
        if (out->at[i] < 1 || out->at[i] > INT32_MAX || *out_outer > INT32_MAX) {
            return oribi_tflite_want_shapes(n, "the sizes of its input must be known");
        }
        *out_outer *= i < out->n - inner ? out->at[i] : 1;
    }
    return out->n >= inner ||
           oribi_tflite_fail(n, TF_INVALID_ARGUMENT, "the input must have at least %d dimensions",
                             (int)inner);
}

static bool overlap_add(oribi_tflite_node *n)
{
    oribi_flex_map m;
    oribi_tflite_variable *kept = NULL;
    oribi_dims dims;
    int64_t outer;
    ORIBI_TRY(oribi_tflite_flex(n, &m) && split_dims(n, 2, &outer, &dims));
    const oribi_dims state = {.n = 2, .at = {outer, dims.at[dims.n - 1]}};
    const oribi_value_id x = oribi_tflite_input(n, 0);
    const oribi_value_id before =
        oribi_tflite_keep(n, oribi_tflite_dtype_in(n, 0), &state, 0, &kept);
    const oribi_node *node = oribi_tflite_emit_node(n, "Oribi>SignalOverlapAdd", INPUTS(x, before),
                                                    ATTRS(FLEX("frame_step")), 2);
    if (node == NULL) {
        return false;
    }
    kept->current = node->outputs[1];
    return oribi_tflite_bind(n, 0, node->outputs[0]);
}

static oribi_value_id join(oribi_tflite_node *n, oribi_value_id a, oribi_value_id b, int64_t axis)
{
    return oribi_tflite_emit(n, "ConcatV2", INPUTS(a, b, oribi_tflite_scalar(n, axis)),
                             ATTRS(ATTR_INT("N", 2)));
}

/* Elements [from, from + count) of the last dimension of [outer, ...]. */
static oribi_value_id cut(oribi_tflite_node *n, oribi_value_id x, int64_t outer, int64_t from,
                          int64_t count)
{
    const int32_t begin[2] = {0, (int32_t)from}, size[2] = {(int32_t)outer, (int32_t)count};
    return oribi_tflite_emit(
        n, "Slice", INPUTS(x, oribi_tflite_ints(n, begin, 2), oribi_tflite_ints(n, size, 2)),
        NO_ATTRS);
}

/* An option from `least` to a size that keeps all products small. */
static bool option(oribi_tflite_node *n, const oribi_flex_map *m, const char *key, int64_t least,
                   int64_t *out)
{
    enum { MOST = 1 << 20 };
    *out = oribi_tflite_flex_int(n, m, key, 0);
    return !n->failed &&
           ((*out >= least && *out <= MOST) ||
            oribi_tflite_fail(n, TF_INVALID_ARGUMENT, "option %s is %lld", key, (long long)*out));
}

/* The newest samples behind those kept before: the old ones go out, the rest is kept. */
static bool delay(oribi_tflite_node *n)
{
    oribi_flex_map m;
    oribi_tflite_variable *kept = NULL;
    oribi_dims dims;
    int64_t outer, length;
    ORIBI_TRY(oribi_tflite_flex(n, &m) && split_dims(n, 1, &outer, &dims) &&
              option(n, &m, "delay_length", 0, &length));
    const int64_t frame = dims.at[dims.n - 1];
    const oribi_dims flat = {.n = 2, .at = {outer, frame}}, state = {.n = 2, .at = {outer, length}};
    oribi_value_id x = oribi_tflite_input(n, 0);
    if (length == 0) {
        return oribi_tflite_bind(n, 0, oribi_tflite_emit(n, "Identity", INPUTS(x), NO_ATTRS));
    }
    const oribi_value_id before = oribi_tflite_keep(n, TF_INT16, &state, 0, &kept);
    x = join(n, before, oribi_tflite_reshape(n, x, &flat), 1);
    const oribi_value_id next = cut(n, x, outer, frame, length);
    const oribi_value_id y = oribi_tflite_reshape(n, cut(n, x, outer, 0, frame), &dims);
    if (y >= 0 && next >= 0) {
        kept->current = next;
    }
    return oribi_tflite_bind(n, 0, y);
}

/* A counter that goes up to `limit` by `step`; *out_before is what it was. */
static bool count_up(oribi_tflite_node *n, int64_t step, int64_t limit, oribi_value_id *out_before)
{
    const oribi_dims scalar = {.n = 0};
    oribi_tflite_variable *kept = NULL;
    *out_before = oribi_tflite_keep(n, TF_INT32, &scalar, 0, &kept);
    oribi_value_id next =
        oribi_tflite_emit(n, "AddV2", INPUTS(*out_before, oribi_tflite_scalar(n, step)), NO_ATTRS);
    next = oribi_tflite_emit(n, "Minimum", INPUTS(next, oribi_tflite_scalar(n, limit)), NO_ATTRS);
    if (next >= 0) {
        kept->current = next;
    }
    return next >= 0;
}

static oribi_value_id at_least(oribi_tflite_node *n, oribi_value_id x, int64_t least)
{
    return oribi_tflite_emit(n, "GreaterEqual", INPUTS(x, oribi_tflite_scalar(n, least)), NO_ATTRS);
}

/* Where sample j of frame i lies: [frames, size]. */
static oribi_value_id frame_places(oribi_tflite_node *n, int64_t frames, int64_t size, int64_t step)
{
    const int64_t dims[2] = {frames, size};
    int32_t *places = NULL;
    if (!oribi_tflite_spend(n->tflite, (uint64_t)(frames * size), n->status) ||
        (places = oribi_arena_array(&n->tflite->scratch, (size_t)(frames * size),
                                    sizeof *places)) == NULL) {
        n->failed = true;
        (void)(oribi_ok(n->status) ? oribi_fail_memory(n->status) : false);
        return -1;
    }
    for (int64_t i = 0; i < frames * size; i++) {
        places[i] = (int32_t)(i / size * step + i % size);
    }
    const oribi_value_id value =
        oribi_graph_add_constant_copy(n->graph, "frames", TF_INT32, dims, 2, places, n->status);
    n->failed = value < 0;
    return value;
}

/* Frames of the samples so far. Without `prefill` the first are not whole, and there are zeros in
 * front, so many that a frame ends with a step. */
static bool framer(oribi_tflite_node *n)
{
    oribi_flex_map m;
    oribi_tflite_variable *kept = NULL;
    oribi_dims dims;
    int64_t outer, size, step;
    ORIBI_TRY(oribi_tflite_flex(n, &m) && split_dims(n, 1, &outer, &dims) &&
              option(n, &m, "frame_size", 1, &size) && option(n, &m, "frame_step", 1, &step));
    const int64_t count = dims.at[dims.n - 1], frames = count / step;
    const int64_t steps = (size + step - 1) / step; /* until a frame is whole */
    const bool prefill = oribi_tflite_flex_int(n, &m, "prefill", 0) != 0;
    const int64_t history = prefill ? size - step : (steps - 1) * step;
    if (count % step != 0 || size < step || frames * size > INT32_MAX) {
        return oribi_tflite_fail(n, TF_INVALID_ARGUMENT,
                                 "frames of %lld samples every %lld of %lld are not possible",
                                 (long long)size, (long long)step, (long long)count);
    }
    const oribi_dims flat = {.n = 2, .at = {outer, count}},
                     state = {.n = 2, .at = {outer, history}};
    oribi_value_id x = oribi_tflite_reshape(n, oribi_tflite_input(n, 0), &flat);
    if (history > 0) {
        x = join(n, oribi_tflite_keep(n, TF_INT16, &state, 0, &kept), x, 1);
        const oribi_value_id next = cut(n, x, outer, count, history);
        if (next < 0) {
            return false;
        }
        kept->current = next;
    }
    oribi_value_id y = oribi_tflite_emit(
        n, "GatherV2", INPUTS(x, frame_places(n, frames, size, step), oribi_tflite_scalar(n, 1)),
        NO_ATTRS);
    dims.at[dims.n - 1] = frames;
    if (!oribi_dims_add(&dims, size)) {
        return oribi_tflite_fail(n, TF_UNIMPLEMENTED, "the result has too many dimensions");
    }
    y = oribi_tflite_reshape(n, y, &dims);
    oribi_value_id calls = -1;
    ORIBI_TRY(oribi_tflite_bind(n, 0, y) && count_up(n, frames, steps, &calls));
    return oribi_tflite_bind(n, 1, at_least(n, calls, prefill ? 0 : steps - 1));
}

/* The last frames side by side; the first one stands for those before it. After a whole stack
 * `step` more frames are wanted. */
static bool stacker(oribi_tflite_node *n)
{
    oribi_flex_map m;
    oribi_tflite_variable *frames = NULL, *counter = NULL;
    int64_t channels, left, right, step;
    ORIBI_TRY(oribi_tflite_flex(n, &m) && option(n, &m, "num_channels", 1, &channels) &&
              option(n, &m, "stacker_left_context", 0, &left) &&
              option(n, &m, "stacker_right_context", 0, &right) &&
              option(n, &m, "stacker_step", 1, &step));
    const int64_t stack = left + right + 1;
    const oribi_dims row = {.n = 2, .at = {1, channels}}, scalar = {.n = 0};
    const oribi_dims state = {.n = 2, .at = {stack, channels}};
    const oribi_dims flat = {.n = 1, .at = {stack * channels}};
    if (step > stack || stack * channels > INT32_MAX) {
        return oribi_tflite_fail(n, TF_UNIMPLEMENTED, "a step of %lld frames over stacks of %lld",
                                 (long long)step, (long long)stack);
    }
    const oribi_value_id x = oribi_tflite_reshape(n, oribi_tflite_input(n, 0), &row);
    const oribi_value_id before = oribi_tflite_keep(n, TF_INT16, &state, 0, &frames);
    const oribi_value_id seen = oribi_tflite_keep(n, TF_INT32, &scalar, -1, &counter);
    const oribi_value_id is_later = at_least(n, seen, 0);
    oribi_value_id y = oribi_tflite_emit(n, "SelectV2", INPUTS(is_later, before, x), NO_ATTRS);
    y = join(n, y, x, 0);
    const int32_t begin[2] = {1, 0}, size[2] = {(int32_t)stack, (int32_t)channels};
    y = oribi_tflite_emit(n, "Slice",
                          INPUTS(y, oribi_tflite_ints(n, begin, 2), oribi_tflite_ints(n, size, 2)),
                          NO_ATTRS);
    const oribi_value_id first = oribi_tflite_scalar(n, left);
    oribi_value_id have = oribi_tflite_emit(n, "SelectV2", INPUTS(is_later, seen, first), NO_ATTRS);
    have = oribi_tflite_emit(n, "AddV2", INPUTS(have, oribi_tflite_scalar(n, 1)), NO_ATTRS);
    const oribi_value_id is_whole = at_least(n, have, stack);
    const oribi_value_id less =
        oribi_tflite_emit(n, "Sub", INPUTS(have, oribi_tflite_scalar(n, step)), NO_ATTRS);
    const oribi_value_id next =
        oribi_tflite_emit(n, "SelectV2", INPUTS(is_whole, less, have), NO_ATTRS);
    if (y < 0 || next < 0) {
        return false;
    }
    frames->current = y;
    counter->current = next;
    return oribi_tflite_bind(n, 0, oribi_tflite_reshape(n, y, &flat)) &&
           oribi_tflite_bind(n, 1, is_whole);
}

/* One of so many runs goes on behind this operator, the last of them. */
static bool pass_every(oribi_tflite_node *n, int64_t period)
{
    const oribi_dims scalar = {.n = 0};
    oribi_tflite_variable *kept = NULL;
    const oribi_value_id before = oribi_tflite_keep(n, TF_INT32, &scalar, 0, &kept);
    const oribi_value_id count =
        oribi_tflite_emit(n, "AddV2", INPUTS(before, oribi_tflite_scalar(n, 1)), NO_ATTRS);
    const oribi_value_id is_last = at_least(n, count, period);
    const oribi_value_id next = oribi_tflite_emit(
        n, "SelectV2", INPUTS(is_last, oribi_tflite_scalar(n, 0), count), NO_ATTRS);
    if (next < 0) {
        return false;
    }
    kept->current = next;
    return oribi_tflite_add_gate(n, is_last);
}

/* CIRCULAR_BUFFER: the last inputs, the oldest of which goes out. Of a period of more than one run
 * the runs between end here. */
static bool circular_buffer(oribi_tflite_node *n)
{
    oribi_flex_map m;
    oribi_tflite_variable *kept = NULL;
    oribi_tflite_quant quant;
    oribi_dims dims;
    int64_t outer;
    ORIBI_TRY(oribi_tflite_flex(n, &m) && split_dims(n, 1, &outer, &dims) &&
              oribi_tflite_same_output(n, 0) &&
              oribi_tflite_quant_of(n, n->outputs[0], "the output", &quant));
    oribi_dims all = oribi_tflite_dims_of(n->outputs[0]);
    const int64_t slots = all.n == 4 ? all.at[1] : 0;
    if (dims.n != 4 || dims.at[0] != 1 || dims.at[1] != 1 || slots < 2 || all.at[0] != 1 ||
        all.at[2] != dims.at[2] || all.at[3] != dims.at[3] ||
        oribi_tflite_dtype_in(n, 0) != TF_INT8) {
        return oribi_tflite_fail(n, TF_INVALID_ARGUMENT,
                                 "it keeps int8 of the shape [1, 1, w, c] as [1, n, w, c]");
    }
    int64_t period = oribi_tflite_flex_int(n, &m, "cycles_max", 0);
    if (period <= 0) { /* files of before the option: TensorFlow Lite Micro goes by the size */
        period = slots == 5 || slots == 13 || slots == 25 ? 1 : 2;
    }
    const int32_t begin[4] = {0, 1, 0, 0};
    const int32_t size[4] = {1, (int32_t)slots - 1, (int32_t)all.at[2], (int32_t)all.at[3]};
    const oribi_value_id before = oribi_tflite_keep(n, TF_INT8, &all, (int32_t)quant.zero, &kept);
    oribi_value_id y = oribi_tflite_emit(
        n, "Slice", INPUTS(before, oribi_tflite_ints(n, begin, 4), oribi_tflite_ints(n, size, 4)),
        NO_ATTRS);
    y = join(n, y, oribi_tflite_input(n, 0), 1);
    if (y >= 0) {
        kept->current = y;
    }
    return oribi_tflite_bind(n, 0, y) && (period == 1 || pass_every(n, period));
}

#define ROW(name, inputs, outputs, translate)                                                      \
    {                                                                                              \
        name,                                                                                      \
        {                                                                                          \
            ORIBI_TFLITE_CUSTOM, 0, inputs, inputs, outputs, translate, NULL                       \
        }                                                                                          \
    }
const oribi_tflite_custom oribi_tflite_signal_rows[] = {
    ROW("SignalWindow", 2, 1, window),
    ROW("SignalEnergy", 1, 1, energy),
    ROW("SignalFftAutoScale", 1, 2, auto_scale),
    ROW("SignalFilterBank", 6, 1, filter_bank),
    ROW("SignalFilterBankSquareRoot", 2, 1, square_root),
    ROW("SignalFilterBankLog", 1, 1, logarithm),
    ROW("SignalFilterBankSpectralSubtraction", 1, 2, spectral_subtraction),
    ROW("SignalPCAN", 3, 1, pcan),
    ROW("SignalRfft", 1, 1, rfft),
    ROW("SignalIrfft", 1, 1, irfft),
    ROW("SignalOverlapAdd", 1, 1, overlap_add),
    ROW("SignalDelay", 1, 1, delay),
    ROW("CIRCULAR_BUFFER", 1, 1, circular_buffer),
    ROW("SignalFramer", 1, 2, framer),
    ROW("SignalStacker", 1, 2, stacker),
    {.name = NULL},
};
