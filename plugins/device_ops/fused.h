/* SPDX-License-Identifier: Apache-2.0 */
/* What a fused op does with its sum: the words of fused_ops; see fused.c. */
#ifndef ORIBI_PLUGINS_DEVICE_OPS_FUSED_H_
#define ORIBI_PLUGINS_DEVICE_OPS_FUSED_H_

#include "device_ops/device_op.h"

typedef struct fused_words {
    bool has_bias, has_residual;
    int activation;
    float alpha; /* of OP_LEAKY_RELU */
} fused_words;

void fused_read(oribi_kit_setup *setup, fused_words *words);
/* Opens bias and residual, the inputs after the second, and checks them against `channels` and the
 * output. */
bool fused_open(op_request *r, const fused_words *words, int64_t channels);

#endif
