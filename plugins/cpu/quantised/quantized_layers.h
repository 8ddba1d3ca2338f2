/* SPDX-License-Identifier: Apache-2.0 */
/* What quantised convolutions and depthwise layers share: attributes, weights, rows of kernels. */
#ifndef ORIBI_PLUGINS_CPU_QUANTIZED_LAYERS_H_
#define ORIBI_PLUGINS_CPU_QUANTIZED_LAYERS_H_

#include "cpu/base/families.h"
#include "cpu/quantised/quantized.h"
#include "cpu/quantised/quantized_panels.h"

/* The attributes and weights that both specs name alike. */
#define ORIBI_QUANTIZED_READ(setup, s, w, channel_dim)                                             \
    do {                                                                                           \
        oribi_quantized_attr((setup), "input", &(s)->input);                                       \
        oribi_quantized_attr((setup), "output", &(s)->output);                                     \
        oribi_quantized_activation((setup), &(s)->activation);                                     \
        oribi_quantized_pads((setup), &(s)->padding, (s)->pads);                                   \
        oribi_quantized_pair((setup), "strides", &(s)->stride_h, &(s)->stride_w);                  \
        oribi_quantized_pair((setup), "dilations", &(s)->dilation_h, &(s)->dilation_w);            \
        oribi_quantized_weights_take((setup), 4, (channel_dim), (w));                              \
        (s)->filter_scales = (w)->scales;                                                          \
        (s)->n_filter_scales = (w)->n_scales;                                                      \
        (s)->filter = (w)->filter;                                                                 \
        (s)->bias = (w)->bias;                                                                     \
        (s)->filter_h = (w)->filter_dims[1];                                                       \
        (s)->filter_w = (w)->filter_dims[2];                                                       \
    } while (0)

static inline bool take_image(oribi_kit_run *run, int32_t channels, int32_t out_dims[4])
{
    int rank;
    return oribi_quantized_dims(run, 0, 4, 4, out_dims, &rank) &&
           (out_dims[3] == channels ||
            oribi_kit_fail(run, TF_INVALID_ARGUMENT, "there are %d channels where %d are expected",
                           (int)out_dims[3], (int)channels));
}

/* A layer's rows: micro/'s kernel, and one for each set. */
#define ORIBI_QUANTIZED_CREATE(fn, set, simd)                                                      \
    static void *fn##_create_##set(TF_OpKernelConstruction *construction)                          \
    {                                                                                              \
        return fn##_create_for(construction, simd);                                                \
    }
#define ORIBI_QUANTIZED_LAYER(op, fn, set, text)                                                   \
    {                                                                                              \
        .op_name = op, .types = {{"T", ORIBI_KIT_TYPE(TF_INT8)}}, ORIBI_ISA_FIELDS(set),           \
        .create = fn##_create_##set, .compute = fn##_compute, .destroy = fn##_destroy, .why = text \
    }
#define ORIBI_QUANTIZED_BY_PANELS(op, fn, set)                                                     \
    ORIBI_QUANTIZED_LAYER(op, fn, set, "panels of 16 channels, the same bits, " #set),

#endif
