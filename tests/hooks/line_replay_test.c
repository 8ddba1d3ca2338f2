/* SPDX-License-Identifier: Apache-2.0 */
/* Inputs that the line fuzzer found, through the fuzzer's own code, always under UBSan: a trap ends
 * the program. And what a far end computes where a sum passes the last int32. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "examples/accelerators/woofles/common/woofles_device.h"
#include "tvm/device/woofles/params.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

/* line_frame_overflow: a depthwise convolution whose result is the last int32 before the output's
 * zero point is added to it. What is between these bytes is 0. */
static void the_sum_with_a_zero_point_is_no_overflow(void **state)
{
    (void)state;
    static const uint8_t head[78] = {
        0x7c, 0xcb, 0xff, 0xff, 0xff, 0x5b, 0xff, 0xff, 0xff, 0xff, 0x74, 0x74, 0x1a,
        0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
        0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x41, 0xff, 0xff, 0x60, 0xff, 0x0b,
        0xff, 0xff, 0xff, 0xf7, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
        0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
        0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x77};
    uint8_t data[198] = {0};
    memcpy(data, head, sizeof head);
    data[0x84] = 0x80;
    data[0x87] = 0x77;
    memset(data + 0x88, 0x3c, sizeof data - 0x88);
    assert_int_equal(LLVMFuzzerTestOneInput(data, sizeof data), 0);
}

/* Each part of the fuzzer, with bytes that are all alike. */
static void nothing_but_one_byte_is_no_overflow(void **state)
{
    (void)state;
    uint8_t data[512];
    for (int part = 0; part < 5; part++) {
        for (int value = 0; value < 256; value++) {
            memset(data, value, sizeof data);
            data[0] = (uint8_t)part;
            assert_int_equal(LLVMFuzzerTestOneInput(data, sizeof data), 0);
        }
    }
}

/* A 1x1 convolution of one channel, whose sum is the bias, times multiplier / 2^31. */
static int8_t computed(int32_t bias, int32_t multiplier, int32_t zero)
{
    struct {
        struct woofles_conv p;
        int32_t bias, multiplier, shift;
        int8_t weight, padding[3];
    } params = {.p = {.batch = 1,
                      .in_h = 1,
                      .in_w = 1,
                      .in_c = 1,
                      .out_h = 1,
                      .out_w = 1,
                      .out_c = 1,
                      .filter_h = 1,
                      .filter_w = 1,
                      .stride_h = 1,
                      .stride_w = 1,
                      .dilation_h = 1,
                      .dilation_w = 1,
                      .output_zero = zero,
                      .low = -128,
                      .high = 127},
                .bias = bias,
                .multiplier = multiplier};
    uint8_t in[1] = {0}, out[1] = {77};
    const struct woofles_span input = {in, 1}, output = {out, 1};
    assert_int_equal(woofles_compute(WOOFLES_CONV, (const uint8_t *)&params,
                                     (uint32_t)(sizeof params.p + 13), &input, 1, &output, 1),
                     0);
    return (int8_t)out[0];
}

static void sums_beyond_int32_end_at_the_bounds(void **state)
{
    (void)state;
    assert_int_equal(computed(INT32_MAX, INT32_MAX, 127), 127);
    assert_int_equal(computed(INT32_MIN, INT32_MAX, -128), -128);
    assert_int_equal(computed(INT32_MIN, INT32_MIN, 127), 127);
    assert_int_equal(computed(INT32_MAX, INT32_MAX, -128), 127);
    assert_int_equal(computed(5, INT32_MAX, -3), 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_sum_with_a_zero_point_is_no_overflow),
        cmocka_unit_test(nothing_but_one_byte_is_no_overflow),
        cmocka_unit_test(sums_beyond_int32_end_at_the_bounds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
