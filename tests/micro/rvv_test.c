/* SPDX-License-Identifier: Apache-2.0 */
/* The kernels for cores with RISC-V's vectors against the oracle, on random layers: on the host
 * their twins in plain C, in QEMU the assembly (riscv_test.py).
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "micro/rvv/add_rvv_s8.h"
#include "micro/rvv/conv2d_rvv_s8_prepare.h"
#include "micro/rvv/depthwise_conv2d_rvv_s8_prepare.h"

#define LAYER_CHANNELS    72 /* more than 256 bits hold */
#define DENSE             oribi_micro_conv2d_rvv_s8
#define DENSE_ARGS        struct oribi_micro_conv2d_rvv_s8_args
#define DENSE_VARIANT     oribi_micro_fully_connected_rvv_s8_variant
#define DENSE_CHANNELS    (random_once_in(&seed, 4) ? LAYER_CHANNELS : 11)
#define CONV              oribi_micro_conv2d_rvv_s8
#define CONV_ARGS         struct oribi_micro_conv2d_rvv_s8_args
#define CONV_VARIANT      oribi_micro_conv2d_rvv_s8_variant
#define CONV_CHANNELS     (random_once_in(seed, 4) ? LAYER_CHANNELS : 11)
#define DEPTHWISE         oribi_micro_depthwise_conv2d_rvv_s8
#define DEPTHWISE_ARGS    struct oribi_micro_depthwise_conv2d_rvv_s8_args
#define DEPTHWISE_VARIANT oribi_micro_depthwise_conv2d_rvv_s8_variant
#define ADD               oribi_micro_add_rvv_s8
#define LEFT_ONCE_IN      3
#include "tests/micro/vectors_body.h"

static oracle_window make_window(uint64_t *seed)
{
    oracle_window w = {0};
    w.batch = random_once_in(seed, 5) ? 2 : 1;
    w.in_c = random_in(seed, 1, random_once_in(seed, 4) ? LAYER_CHANNELS : 9);
    w.filter_h = random_in(seed, 1, 4);
    w.filter_w = random_in(seed, 1, 4);
    w.dilation_h = random_once_in(seed, 4) ? 2 : 1;
    w.dilation_w = random_once_in(seed, 4) ? 2 : 1;
    w.stride_h = w.dilation_h * w.dilation_w > 1 ? 1 : random_in(seed, 1, 3);
    w.stride_w = w.dilation_h * w.dilation_w > 1 ? 1 : random_in(seed, 1, 3);
    w.padding = random_in(seed, 0, 2);
    w.in_h = random_in(seed, w.padding != 0 ? 1 : (w.filter_h - 1) * w.dilation_h + 1, 12);
    w.in_w = random_in(seed, w.padding != 0 ? 1 : (w.filter_w - 1) * w.dilation_w + 1, 12);
    oracle_pad(seed, &w);
    return w;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fully_connected_layers_give_what_the_oracle_gives),
        cmocka_unit_test(convolutions_give_what_the_oracle_gives),
        cmocka_unit_test(depthwise_convolutions_give_what_the_oracle_gives),
        cmocka_unit_test(sums_of_every_two_values_give_what_the_oracle_gives),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
