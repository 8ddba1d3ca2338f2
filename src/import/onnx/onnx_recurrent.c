/* SPDX-License-Identifier: Apache-2.0 */
/* LSTM, GRU and RNN: names of activations become codes with their numbers, absent inputs vectors
 * without elements.
 */
#include <string.h>
#include <strings.h>

#include "import/onnx/onnx_emit.h"
#include "micro/recurrent/recurrent_f32.h"
#include "tensor/status.h"

/* How many of the numbers in activation_alpha and activation_beta a function takes, and what it has
 * without: the defaults of ONNX's operator of that name, 1 and 0 where there is none. */
static const struct {
    const char *name;
    int32_t code;
    bool takes_alpha, takes_beta;
    float alpha, beta;
} functions[] = {
    {"Sigmoid", ORIBI_MICRO_GATE_SIGMOID, false, false, 0.0F, 0.0F},
    {"Tanh", ORIBI_MICRO_GATE_TANH, false, false, 0.0F, 0.0F},
    {"Relu", ORIBI_MICRO_GATE_RELU, false, false, 0.0F, 0.0F},
    {"Affine", ORIBI_MICRO_GATE_AFFINE, true, true, 1.0F, 0.0F},
    {"LeakyRelu", ORIBI_MICRO_GATE_LEAKY_RELU, true, false, 0.01F, 0.0F},
    {"ThresholdedRelu", ORIBI_MICRO_GATE_THRESHOLDED_RELU, true, false, 1.0F, 0.0F},
    {"ScaledTanh", ORIBI_MICRO_GATE_SCALED_TANH, true, true, 1.0F, 1.0F},
    {"HardSigmoid", ORIBI_MICRO_GATE_HARD_SIGMOID, true, true, 0.2F, 0.5F},
    {"Elu", ORIBI_MICRO_GATE_ELU, true, false, 1.0F, 0.0F},
    {"Softsign", ORIBI_MICRO_GATE_SOFTSIGN, false, false, 0.0F, 0.0F},
    {"Softplus", ORIBI_MICRO_GATE_SOFTPLUS, false, false, 0.0F, 0.0F},
};

enum { N_FUNCTIONS = (int)(sizeof functions / sizeof functions[0]) };

typedef struct numbers { /* of activation_alpha or activation_beta, taken in their order */
    float *at;
    int32_t n, next;
} numbers;

typedef struct gates {
    int32_t n; /* functions, of all directions */
    int64_t code[ORIBI_MICRO_RECURRENT_FUNCTIONS];
    float alpha[ORIBI_MICRO_RECURRENT_FUNCTIONS], beta[ORIBI_MICRO_RECURRENT_FUNCTIONS];
} gates;

static float take_number(numbers *from, bool takes, float otherwise)
{
    return takes && from->next < from->n ? from->at[from->next++] : otherwise;
}

static bool set_function(oribi_onnx_node *n, const oribi_string *name, numbers *alpha,
                         numbers *beta, int32_t i, gates *out)
{
    for (int32_t k = 0; k < N_FUNCTIONS; k++) {
        if (strlen(functions[k].name) == name->length &&
            strncasecmp(functions[k].name, name->data, name->length) == 0) {
            out->code[i] = functions[k].code;
            out->alpha[i] = take_number(alpha, functions[k].takes_alpha, functions[k].alpha);
            out->beta[i] = take_number(beta, functions[k].takes_beta, functions[k].beta);
            return true;
        }
    }
    return oribi_onnx_fail(n, TF_INVALID_ARGUMENT, "there is no activation '%s'",
                           oribi_import_text(&n->graph->arena, name));
}

/* The activations of an operator of so many a direction, whose defaults stand first to last. */
static bool read_gates(oribi_onnx_node *n, int32_t directions, int32_t each,
                       const char *const defaults[3], gates *out)
{
    oribi_onnx_attr attr;
    oribi_string *given = NULL;
    int32_t count = 0;
    numbers alpha = {0}, beta = {0};
    out->n = directions * each;
    if ((oribi_onnx_find_attr(n, "activation_alpha", &attr) &&
         !oribi_onnx_read_floats(n, &attr, &alpha.at, &alpha.n)) ||
        (oribi_onnx_find_attr(n, "activation_beta", &attr) &&
         !oribi_onnx_read_floats(n, &attr, &beta.at, &beta.n)) ||
        (oribi_onnx_find_attr(n, "activations", &attr) &&
         !oribi_onnx_read_strings(n, &attr, &given, &count)) ||
        n->failed) {
        return false;
    }
    if (count != 0 && count != out->n) {
        return oribi_onnx_fail(n, TF_INVALID_ARGUMENT, "%d activations, there must be %d",
                               (int)count, (int)out->n);
    }
    for (int32_t i = 0; i < out->n; i++) {
        const char *name = defaults[i % each];
        const oribi_string otherwise = {name, strlen(name)};
        if (!set_function(n, count > 0 ? &given[i] : &otherwise, &alpha, &beta, i, out)) {
            return false;
        }
    }
    return true;
}

static const char *read_direction(oribi_onnx_node *n, int32_t *out_directions)
{
    static const char *const names[3] = {"forward", "reverse", "bidirectional"};
    for (int32_t i = 0; i < 3; i++) {
        if (oribi_onnx_string_is(n, "direction", names[0], names[i])) {
            *out_directions = i == 2 ? 2 : 1;
            return names[i];
        }
    }
    oribi_onnx_fail(n, TF_INVALID_ARGUMENT,
                    "the direction must be forward, reverse or bidirectional");
    return NULL;
}

/* Has the model the number of units that it says? */
static bool check_units(oribi_onnx_node *n)
{
    const int64_t units = oribi_emit_dim(n, n->inputs[2], 2);
    const int64_t said = oribi_onnx_int(n, "hidden_size", units);
    if (!n->failed && units >= 0 && said != units) {
        return oribi_onnx_fail(n, TF_INVALID_ARGUMENT,
                               "hidden_size is %lld, but input 2 has %lld columns", (long long)said,
                               (long long)units);
    }
    return !n->failed;
}

/* What the three have in common. `form`: the flag that is the operator's own, or NULL. */
static bool recurrent(oribi_onnx_node *n, int32_t each, const char *const defaults[3],
                      int32_t n_inputs, int32_t n_outputs, const char *form)
{
    oribi_value_id inputs[8];
    oribi_onnx_attr attr;
    gates g = {0};
    int32_t directions = 1;
    const char *direction = read_direction(n, &directions);
    if (direction == NULL || !check_units(n) || !read_gates(n, directions, each, defaults, &g)) {
        return false;
    }
    const float clip = oribi_onnx_float(n, "clip", 0.0F);
    if (!n->failed && oribi_onnx_find_attr(n, "clip", &attr) && !(clip > 0.0F)) {
        return oribi_onnx_fail(n, TF_INVALID_ARGUMENT, "a clip of %g, which must be above 0",
                               (double)clip);
    }
    const TF_DataType dtype = oribi_emit_dtype(n, n->inputs[0]);
    for (int32_t i = 0; i < n_inputs; i++) {
        inputs[i] = oribi_emit_input(n, i);
        if (inputs[i] < 0) {
            inputs[i] = oribi_emit_empty(n, i == 4 ? TF_INT32 : dtype);
        }
    }
    const oribi_emit_attr attrs[7] = {
        ATTR_TEXT("direction", direction),
        ATTR_INT("layout", oribi_onnx_int(n, "layout", 0)),
        ATTR_INTS("activations", g.code, g.n),
        ATTR_FLOATS("activation_alpha", g.alpha, g.n),
        ATTR_FLOATS("activation_beta", g.beta, g.n),
        ATTR_FLOAT("clip", clip),
        ATTR_BOOL(form, form != NULL && oribi_onnx_flag(n, form, false)),
    };
    const oribi_node *node =
        oribi_emit_node(n, n->row->into, inputs, n_inputs, attrs, form != NULL ? 7 : 6, n_outputs);
    for (int32_t i = 0; node != NULL && i < n_outputs; i++) {
        if (oribi_emit_wants(n, i) && !oribi_emit_bind(n, i, node->outputs[i])) {
            return false;
        }
    }
    return node != NULL;
}

/* Bytes as numbers; the parameters of a row are one of the direction's, or its own. */
static void make_real(const TF_Tensor *bytes, const TF_Tensor *scale, const TF_Tensor *zero,
                      float *out)
{
    const int64_t rows = TF_Dim(bytes, 2), matrix = TF_Dim(bytes, 1) * rows;
    const bool is_signed = TF_TensorType(bytes) == TF_INT8, each = TF_NumDims(scale) == 2;
    const uint8_t *data = TF_TensorData(bytes), *zeros = zero != NULL ? TF_TensorData(zero) : NULL;
    const float *scales = TF_TensorData(scale);
    const int32_t flip = is_signed ? 128 : 0; /* as numbers of 0 to 255 both are alike */
    for (int64_t i = 0; i < TF_TensorElementCount(bytes); i++) {
        const int64_t k = i / matrix * (each ? rows : 1) + (each ? i % rows : 0);
        const int32_t point = zeros != NULL ? zeros[k] ^ flip : flip;
        out[i] = (float)((data[i] ^ flip) - point) * scales[k];
    }
}

/* Have a scale or zero point, or none, a value for each direction or for each of its rows? */
static bool is_fit(const TF_Tensor *of, const TF_Tensor *like, TF_DataType type, const TF_Tensor *w)
{
    const int rank = of != NULL ? TF_NumDims(of) : 0;
    return of == NULL ||
           (TF_TensorType(of) == type && (rank == 1 || rank == 2) && rank == TF_NumDims(like) &&
            TF_Dim(of, 0) == TF_Dim(w, 0) && (rank == 1 || TF_Dim(of, 1) == TF_Dim(w, 2)));
}

/* Constants as one, which is made now. -1 without a failure: something is computed, or of another
 * form. */
static oribi_value_id constant_weights(oribi_onnx_node *n, int32_t at, int32_t scale, int32_t zero)
{
    const oribi_value_id ids[3] = {n->inputs[at], oribi_emit_input(n, scale),
                                   oribi_emit_input(n, zero)};
    TF_Tensor *of[3] = {NULL}, *made = NULL;
    oribi_value_id id = -1;
    bool fits = !n->failed && oribi_emit_is_constant(n, ids[0]) && ids[1] >= 0;
    for (int32_t i = 0; fits && i < 3; i++) {
        if (ids[i] >= 0 && (fits = oribi_emit_is_constant(n, ids[i]))) {
            of[i] = oribi_graph_constant_tensor(n->graph, ids[i], n->status);
            n->failed = of[i] == NULL;
            fits = !n->failed;
        }
    }
    const TF_DataType type = fits ? TF_TensorType(of[0]) : 0;
    fits = fits && (type == TF_INT8 || type == TF_UINT8) && TF_NumDims(of[0]) == 3 &&
           is_fit(of[1], of[1], TF_FLOAT, of[0]) && is_fit(of[2], of[1], type, of[0]);
    if (fits) { /* the bytes of `of` were there, so four times as many are a number */
        made =
            TF_AllocateTensor(TF_FLOAT, of[0]->dims, 3, TF_TensorByteSize(of[0]) * sizeof(float));
        n->failed = made == NULL && !oribi_fail_memory(n->status);
    }
    if (made != NULL) {
        make_real(of[0], of[1], of[2], TF_TensorData(made));
        id = oribi_graph_add_constant_tensor(n->graph, "weights", made, n->status);
        n->failed = id < 0;
    }
    TF_DeleteTensor(made);
    for (int32_t i = 0; i < 3; i++) {
        TF_DeleteTensor(of[i]);
    }
    return id;
}

/* Weights of com.microsoft's operator at input `at`, [directions, k, rows] of bytes, as real ones
 * in the form of the standard operator, [directions, rows, k]. A direction has one scale and zero
 * point, or one for each row. */
static oribi_value_id real_weights(oribi_onnx_node *n, int32_t at, int32_t scale, int32_t zero)
{
    const oribi_dims last = {3, {0, 2, 1}};
    oribi_value_id w = constant_weights(n, at, scale, zero);
    if (w >= 0 || n->failed) {
        return oribi_emit_transpose(n, w, &last);
    }
    w = oribi_emit_cast(n, n->inputs[at], TF_FLOAT);
    oribi_value_id of[2] = {oribi_emit_input(n, zero), oribi_emit_input(n, scale)};
    if (!n->failed && of[1] < 0) {
        oribi_onnx_fail(n, TF_INVALID_ARGUMENT, "input %d, a scale, is required", (int)scale);
    }
    for (int32_t i = 0; i < 2 && !n->failed; i++) {
        if (of[i] < 0) {
            continue; /* a zero point of 0 */
        }
        const int64_t directions = oribi_emit_dim(n, n->inputs[at], 0);
        const int64_t dims[3] = {directions < 0 ? 1 : directions, 1, -1};
        of[i] = oribi_emit_reshape(n, oribi_emit_cast(n, of[i], TF_FLOAT), dims, 3);
        w = oribi_emit2(n, i == 0 ? "Sub" : "Mul", w, of[i]);
    }
    return oribi_emit_transpose(n, w, &last);
}

bool oribi_onnx_dynamic_lstm(oribi_onnx_node *n)
{
    n->inputs[1] = real_weights(n, 1, 8, 9);
    n->inputs[2] = real_weights(n, 2, 10, 11);
    return !n->failed &&
           recurrent(n, 3, (const char *const[3]){"Sigmoid", "Tanh", "Tanh"}, 8, 3, "input_forget");
}

static bool lstm(oribi_onnx_node *n)
{
    return recurrent(n, 3, (const char *const[3]){"Sigmoid", "Tanh", "Tanh"}, 8, 3, "input_forget");
}

static bool gru(oribi_onnx_node *n)
{
    return recurrent(n, 2, (const char *const[3]){"Sigmoid", "Tanh"}, 6, 2, "linear_before_reset");
}

static bool rnn(oribi_onnx_node *n)
{
    return recurrent(n, 1, (const char *const[3]){"Tanh"}, 6, 2, NULL);
}

/* clang-format off */
const oribi_onnx_row oribi_onnx_recurrent_rows[] = {
    {"GRU", 3, 28, gru, 3, 6, "ONNX>GRU"},
    {"LSTM", 1, 28, lstm, 3, 8, "ONNX>LSTM"},
    {"RNN", 1, 28, rnn, 3, 6, "ONNX>RNN"},
    {NULL, 0, 0, NULL, 0, 0, NULL}};
/* clang-format on */
