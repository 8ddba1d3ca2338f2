/* SPDX-License-Identifier: Apache-2.0 */
/* Oribi>HybridConv2D by panels: an image after the other, as each has a zero point, which padding
 * is; images of one pixel are rows of one product (qlinear_matmul_loops.h). */
#ifndef ORIBI_PLUGINS_CPU_QLINEAR_HYBRID_LOOPS_H_
#define ORIBI_PLUGINS_CPU_QLINEAR_HYBRID_LOOPS_H_

#include "cpu/qlinear/qlinear_conv_loops.h"
#include "cpu/qlinear/qlinear_matmul_loops.h"

static bool hybrid_images(const conv_state *state, oribi_kit_run *run, const layer *whole,
                          struct oribi_micro_qlinear_conv2d_args *a)
{
    const int32_t *zeros = TF_TensorData(run->in[5]);
    const int64_t image = (int64_t)a->in_h * a->in_w * a->in_c, n = a->batch;
    bool is_done = true;
    a->batch = 1;
    for (int64_t i = 0; is_done && i < n; i++) {
        layer l = *whole;
        a->input_zero = zeros[i];
        l.x += i * image;
        l.floats.scales += i;
        l.rows /= n;
        l.output = (float *)l.output + i * l.rows * a->out_c;
        is_done = conv_layer(state, run, &l);
    }
    return is_done;
}

static bool hybrid_rows(oribi_kit_run *run, const layer *l)
{
    const struct oribi_micro_qlinear_conv2d_args *a = l->a;
    matmul_call call = {.of = {.args = {.batch = {1, {1}, {0}, {0}},
                                        .rows = a->batch,
                                        .inner = a->in_c,
                                        .columns = a->out_c,
                                        .b_signed = 1,
                                        .a_zero_step = 1,
                                        .multiplier_step = 1,
                                        .output = a->output},
                               .a = l->x,
                               .b = l->w,
                               .a_zeros = TF_TensorData(run->in[5]),
                               .b_zeros = &no_zero,
                               .multipliers = l->multipliers,
                               .output = l->output,
                               .width = sizeof(float),
                               .matrices = 1},
                        .floats = l->floats,
                        .packed = l->packed};
    call.floats.step = 1;
    return matmul_product(run, &call);
}

static bool hybrid_run(const conv_state *state, oribi_kit_run *run)
{
    struct oribi_micro_qlinear_conv2d_args args;
    layer l;
    if (!conv_begin(state, run, &args, &l)) {
        return false;
    }
    l.floats = (scaling){.bias = TF_TensorData(run->in[2]),
                         .scales = TF_TensorData(run->in[4]),
                         .low = state->layer.least,
                         .high = state->layer.most};
    l.multipliers = TF_TensorData(run->in[3]);
    const bool is_pixel = args.in_h == 1 && args.in_w == 1 && args.filter_h == 1 &&
                          args.filter_w == 1 && args.out_h == 1 && args.out_w == 1 &&
                          args.groups == 1;
    return l.rows == 0 || (is_pixel ? hybrid_rows(run, &l) : hybrid_images(state, run, &l, &args));
}
ORIBI_KIT_COMPUTE(hybrid, 6)

static void hybrid_read(oribi_kit_setup *setup, conv_state *state)
{
    oribi_hybrid_read(setup, &state->layer);
    conv_take_constants(setup, state, -1);
}
ORIBI_KIT_CREATE(hybrid, conv_state)

#endif
