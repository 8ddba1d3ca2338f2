/* SPDX-License-Identifier: Apache-2.0 */
/* The words of fused_ops: what _FusedConv2D, its depthwise twin and _FusedMatMul do at the end. */
#include "device_ops/fused.h"

#include <string.h>

enum { MAX_WORDS = 4 };

static void take_word(fused_words *w, const char *text, size_t length, TF_Status *status)
{
    static const char *const words[] = {"", "Relu", "Relu6", "Elu", "LeakyRelu", "Sigmoid", "Tanh"};
    bool is_known = false;
    if (length == 7 && memcmp(text, "BiasAdd", 7) == 0) {
        is_known = w->has_bias = true;
    } else if (length == 3 && memcmp(text, "Add", 3) == 0) {
        is_known = w->has_residual = true;
    }
    for (int i = OP_RELU; i <= OP_TANH; i++) {
        if (length == strlen(words[i]) && memcmp(text, words[i], length) == 0) {
            w->activation = i;
            is_known = true;
        }
    }
    if (!is_known) {
        TF_SetStatus(status, TF_UNIMPLEMENTED, "devices do not know a word in fused_ops");
    }
}

void fused_read(oribi_kit_setup *setup, fused_words *w)
{
    char storage[128], *words[MAX_WORDS];
    size_t lengths[MAX_WORDS];
    int32_t count = 0, total = 0;
    if (oribi_kit_setup_is_ok(setup)) {
        TF_OpKernelConstruction_GetAttrSize(setup->construction, "fused_ops", &count, &total,
                                            setup->status);
    }
    if (!oribi_kit_setup_is_ok(setup) || count <= 0) {
        return;
    }
    if (count > MAX_WORDS || total > (int32_t)sizeof storage) {
        (void)oribi_kit_setup_fail(setup, TF_UNIMPLEMENTED, "more than %d words in fused_ops",
                                   (int)MAX_WORDS);
        return;
    }
    TF_OpKernelConstruction_GetAttrStringList(setup->construction, "fused_ops", words, lengths,
                                              count, storage, sizeof storage, setup->status);
    for (int32_t i = 0; i < count && oribi_kit_setup_is_ok(setup); i++) {
        take_word(w, words[i], lengths[i], setup->status);
    }
    if (w->activation == OP_LEAKY_RELU) {
        oribi_kit_attr_float(setup, "leakyrelu_alpha", &w->alpha);
    }
}

bool fused_open(op_request *r, const fused_words *w, int64_t channels)
{
    int index = 2;
    if (w->has_bias) {
        r->bias = op_other(r, index++);
    }
    if (op_is_ok(r) && w->has_residual) {
        r->residual = op_other(r, index);
    }
    if (op_is_ok(r) && ((w->has_bias && TF_TensorElementCount(r->bias) != channels) ||
                        (w->has_residual &&
                         TF_TensorElementCount(r->residual) != TF_TensorElementCount(r->out)))) {
        return op_refuse(r, TF_INVALID_ARGUMENT, "a bias or summand has the wrong shape");
    }
    return op_is_ok(r);
}
