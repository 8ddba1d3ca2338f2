/* SPDX-License-Identifier: Apache-2.0 */
/* Arguments of average_pool_s8 and max_pool_s8 from what a model says. Host only. */
#ifndef ORIBI_MICRO_POOL_S8_PREPARE_H_
#define ORIBI_MICRO_POOL_S8_PREPARE_H_

#include "micro/pool_s8.h"
#include "micro/prepare.h"

/* Input and output have one quantisation: pooling does not rescale. */
struct oribi_micro_pool_s8_spec {
    int32_t batch, in_h, in_w, channels;
    int32_t filter_h, filter_w, stride_h, stride_w;
    int32_t padding, activation;
    struct oribi_micro_quantisation output;
};

/* Fills args. Errors: the codes of prepare.h; args are then unspecified. */
int32_t oribi_micro_pool_s8_prepare(const struct oribi_micro_pool_s8_spec *spec,
                                    struct oribi_micro_pool_s8_args *args);

#endif
