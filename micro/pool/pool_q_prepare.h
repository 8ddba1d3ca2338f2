/* SPDX-License-Identifier: Apache-2.0 */
/* Arguments of pools of quantised images from what a model says. Host only. */
#ifndef ORIBI_MICRO_POOL_Q_PREPARE_H_
#define ORIBI_MICRO_POOL_Q_PREPARE_H_

#include "micro/pool/pool_q.h"
#include "micro/prepare.h"

/* Input and output have one quantisation: pooling does not rescale. */
struct oribi_micro_pool_q_spec {
    int32_t kind; /* S8, U8 or S16 of element.h */
    int32_t batch, in_h, in_w, channels;
    int32_t filter_h, filter_w, stride_h, stride_w;
    int32_t padding;
    int32_t pads[4]; /* of EXPLICIT: above, below, left, right; each smaller than a window */
    int32_t activation;
    struct oribi_micro_quantisation output;
};

/* Fills args. Errors: the codes of prepare.h; args are then unspecified. */
int32_t oribi_micro_pool_q_prepare(const struct oribi_micro_pool_q_spec *spec,
                                   struct oribi_micro_pool_q_args *args);

#endif
