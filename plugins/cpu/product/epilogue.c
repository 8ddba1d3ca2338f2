/* SPDX-License-Identifier: Apache-2.0 */
/* See epilogue.h. Source of the words: fused_ops of TensorFlow's _FusedConv2D and _FusedMatMul. */
#include "cpu/product/epilogue.h"

#include <math.h>
#include <string.h>

enum { MAX_WORDS = 4, MAX_TEXT = 128 };

static const struct {
    const char *word;
    oribi_activation activation;
    float low, high;
} activations[] = {
    {"Relu", ORIBI_ACTIVATION_BOUND, 0.0f, INFINITY},
    {"Relu6", ORIBI_ACTIVATION_BOUND, 0.0f, 6.0f},
    {"Elu", ORIBI_ACTIVATION_ELU, -INFINITY, INFINITY},
    {"LeakyRelu", ORIBI_ACTIVATION_LEAKY_RELU, -INFINITY, INFINITY},
    {"Sigmoid", ORIBI_ACTIVATION_SIGMOID, -INFINITY, INFINITY},
    {"Tanh", ORIBI_ACTIVATION_TANH, -INFINITY, INFINITY},
    {"ONNX>Swish", ORIBI_ACTIVATION_SWISH, -INFINITY, INFINITY},
    {"ONNX>HardSwish", ORIBI_ACTIVATION_HARD_SWISH, -INFINITY, INFINITY},
    {"ONNX>PRelu", ORIBI_ACTIVATION_PRELU, -INFINITY, INFINITY},
};

static bool is_word(const char *text, size_t length, const char *word)
{
    return length == strlen(word) && memcmp(text, word, length) == 0;
}

/* Words come in the order BiasAdd, Add, activation; each may be missing. */
static bool take_word(oribi_epilogue *out, const char *text, size_t length)
{
    if (out->activation != ORIBI_ACTIVATION_NONE) {
        return false;
    }
    if (is_word(text, length, "BiasAdd") && !out->has_bias && !out->has_residual) {
        return out->has_bias = true;
    }
    if (is_word(text, length, "Add") && !out->has_residual) {
        return out->has_residual = true;
    }
    for (size_t i = 0; i < sizeof activations / sizeof *activations; i++) {
        if (is_word(text, length, activations[i].word)) {
            out->activation = activations[i].activation;
            out->low = activations[i].low;
            out->high = activations[i].high;
            return true;
        }
    }
    return false;
}

static void read_words(oribi_kit_setup *setup, oribi_epilogue *out)
{
    char storage[MAX_TEXT];
    char *words[MAX_WORDS];
    size_t lengths[MAX_WORDS];
    int32_t count = 0, total = 0;
    TF_OpKernelConstruction_GetAttrSize(setup->construction, "fused_ops", &count, &total,
                                        setup->status);
    if (TF_GetCode(setup->status) != TF_OK || count <= 0) {
        return;
    }
    if (count > MAX_WORDS || total > MAX_TEXT) {
        (void)oribi_kit_setup_fail(setup, TF_UNIMPLEMENTED,
                                   "attribute 'fused_ops' has %d words; at most %d are supported",
                                   (int)count, (int)MAX_WORDS);
        return;
    }
    TF_OpKernelConstruction_GetAttrStringList(setup->construction, "fused_ops", words, lengths,
                                              count, storage, sizeof storage, setup->status);
    for (int32_t i = 0; i < count && TF_GetCode(setup->status) == TF_OK; i++) {
        if (!take_word(out, words[i], lengths[i])) {
            (void)oribi_kit_setup_fail(setup, TF_UNIMPLEMENTED,
                                       "word %d of 'fused_ops', '%.*s', is not supported there; "
                                       "the order is BiasAdd, Add, "
                                       "then one of Relu, Relu6, Elu, LeakyRelu, Sigmoid, Tanh, "
                                       "ONNX>Swish, ONNX>HardSwish, ONNX>PRelu",
                                       (int)i, (int)lengths[i], words[i]);
        }
    }
}

/* Sets stand in the order of their priority. */
static oribi_activate_fn choose_activate(oribi_cpu_isa isa)
{
    static const struct {
        oribi_cpu_isa isa;
        oribi_activate_fn activate;
    } sets[] = {
#define SET(part, set) {ORIBI_ISA_##set, oribi_activate_##set},
        ORIBI_ISAS_OF_activate(SET)
#undef SET
    };
    size_t best = 0;
    for (size_t i = 1; i < sizeof sets / sizeof *sets; i++) {
        best = sets[i].isa <= isa ? i : best;
    }
    return sets[best].activate;
}

void oribi_epilogue_read(oribi_kit_setup *setup, oribi_cpu_isa isa, oribi_epilogue *out)
{
    *out = (oribi_epilogue){
        .low = -INFINITY, .high = INFINITY, .alpha = 0.2f, .activate = choose_activate(isa)};
    if (setup->state == NULL || TF_GetCode(setup->status) != TF_OK ||
        !TF_OpKernelConstruction_HasAttr(setup->construction, "fused_ops", setup->status)) {
        return;
    }
    read_words(setup, out);
    if (TF_OpKernelConstruction_HasAttr(setup->construction, "leakyrelu_alpha", setup->status)) {
        oribi_kit_attr_float(setup, "leakyrelu_alpha", &out->alpha);
    }
}

float oribi_epilogue_value(const oribi_epilogue_args *args, double sum, int64_t channel)
{
    const oribi_epilogue *epilogue = args->epilogue;
    double gate;
    switch (epilogue->activation) {
    case ORIBI_ACTIVATION_NONE:
        break;
    case ORIBI_ACTIVATION_BOUND:
        sum = sum < (double)epilogue->low ? (double)epilogue->low : sum;
        sum = sum > (double)epilogue->high ? (double)epilogue->high : sum;
        break;
    case ORIBI_ACTIVATION_ELU:
        sum = sum < 0.0 ? expm1(sum) : sum;
        break;
    case ORIBI_ACTIVATION_LEAKY_RELU:
        sum = sum < 0.0 ? (double)epilogue->alpha * sum : sum;
        break;
    case ORIBI_ACTIVATION_SIGMOID:
        sum = 1.0 / (1.0 + exp(-sum));
        break;
    case ORIBI_ACTIVATION_TANH:
        sum = tanh(sum);
        break;
    case ORIBI_ACTIVATION_SWISH:
        sum = sum / (1.0 + exp(-sum));
        break;
    case ORIBI_ACTIVATION_HARD_SWISH:
        gate = sum / 6.0 + 0.5;
        sum *= gate < 0.0 ? 0.0 : gate > 1.0 ? 1.0 : gate;
        break;
    case ORIBI_ACTIVATION_PRELU:
        sum = sum < 0.0 ? (double)args->slope[channel] * sum : sum;
        break;
    }
    return (float)sum;
}

bool oribi_epilogue_needs_row(const oribi_epilogue *epilogue)
{
    return epilogue->activation > ORIBI_ACTIVATION_BOUND;
}

void oribi_epilogue_row(const void *arg, float *row, int64_t channel, int64_t count)
{
    const oribi_epilogue_args *args = arg;
    args->epilogue->activate(args->epilogue, args->slope != NULL ? args->slope + channel : NULL,
                             row, count);
}

/* Input `index` must have exactly these dims. */
static const float *take_arg(oribi_kit_run *run, int index, const char *what, const int64_t *dims,
                             int rank)
{
    const TF_Tensor *tensor = oribi_kit_input(run, index);
    if (tensor == NULL) {
        return NULL;
    }
    bool fits = TF_NumDims(tensor) == rank && TF_TensorType(tensor) == TF_FLOAT;
    for (int i = 0; fits && i < rank; i++) {
        fits = TF_Dim(tensor, i) == dims[i];
    }
    if (!fits) {
        (void)oribi_kit_fail(run, TF_INVALID_ARGUMENT,
                             "%s (input %d) must be float of rank %d with the dims of the output%s",
                             what, index, rank, rank == 1 ? "'s channels" : "");
        return NULL;
    }
    return TF_TensorData(tensor);
}

bool oribi_epilogue_args_take(oribi_kit_run *run, const oribi_epilogue *epilogue,
                              const int64_t *dims, int rank, oribi_epilogue_args *out)
{
    int index = 2;
    *out = (oribi_epilogue_args){.epilogue = epilogue};
    if (epilogue->has_bias) {
        out->bias = take_arg(run, index++, "the bias", dims + rank - 1, 1);
        if (out->bias == NULL) {
            return false;
        }
    }
    if (epilogue->has_residual) {
        out->residual = take_arg(run, index++, "the side input", dims, rank);
        if (out->residual == NULL) {
            return false;
        }
    }
    if (epilogue->activation == ORIBI_ACTIVATION_PRELU) {
        out->slope = take_arg(run, index, "the slope", dims + rank - 1, 1);
        return out->slope != NULL;
    }
    return true;
}

void oribi_epilogue_apply(const oribi_epilogue *epilogue, const oribi_epilogue_args *args,
                          oribi_gemm *out)
{
    out->bias = args->bias;
    out->residual = args->residual;
    out->low = epilogue->low;
    out->high = epilogue->high;
    out->activate = oribi_epilogue_needs_row(epilogue) ? oribi_epilogue_row : NULL;
    out->activate_arg = args;
}
