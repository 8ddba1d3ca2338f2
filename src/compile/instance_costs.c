/* SPDX-License-Identifier: Apache-2.0 */
/* What calls cost on a Cortex-M4: instructions of one run and bytes of code, by kernel and by
 * instance. The numbers of the table were counted in QEMU on what GCC 12 makes at -O3, by
 *
 *     python3 bench/mcu.py --instances
 *
 * which prints the estimates beside what it counts; compile.instance_costs fails where they differ
 * by more than 15 in 100.
 */
#include <string.h>

#include "compile/instances.h"

enum {
    /* Two pixels and two channels of them: a tap (a quarter of the rounds of micro/dsp.h), the turn
     * of 16 taps, and the way from sums to results. */
    TAP = 3,
    TURN = 2,
    BLOCK = 46,
    BLOCK_UNROLLED = 37,
    /* Two pixels: what surrounds their blocks, and four inputs of both widened. */
    PIXELS = 82,
    PIXELS_KNOWN = 38,
    FOUR_INPUTS = 9,
    /* Windows of two pixels: to find them, a row of them, what is left of a row of one. */
    WINDOWS = 70,
    WINDOWS_KNOWN = 30,
    WINDOW_ROW = 12,
    ROW_REST = 12,
    REST = 45,
    REST_KNOWN = 10,
    /* A window over the border costs about so much more for each input. */
    CLIPPED = 3,
    /* A channel, a row and results of a 3x3 depthwise convolution; four inputs to its plane. */
    CHANNEL = 110,
    PLANE_ROW = 18,
    PLANE_FOUR = 12,
    RESULT_ROW = 32,
    RESULT_PAIR = 38,
    RESULT_SINGLE = 28,
    UNROLLED_ROW = 3,
    UNROLLED_PAIR = 35,
    /* A sum behind a convolution. */
    ADD = 33,
    /* Anything else, by multiply and accumulate, or by byte of the result. */
    MAC = 4
};

/* A number of the call, or of the convolution that is part of it. */
static int32_t size_of(const oribi_call *call, const char *name)
{
    for (int32_t i = 0; i < call->n_fields; i++) {
        const char *field = call->fields[i].name;
        if (strcmp(strncmp(field, "conv.", 5) == 0 ? field + 5 : field, name) == 0) {
            return call->fields[i].number;
        }
    }
    oribi_call_set_fault(call, name, "has no field");
    return 0;
}

static int64_t conv_windows(const oribi_call *call, bool is_known, int64_t pairs, int64_t taps)
{
    const int64_t rows = size_of(call, "filter_h");
    const int64_t run = size_of(call, "filter_w") * size_of(call, "in_c");
    const int64_t whole = run / 4 * 4;
    int64_t pair =
        (is_known ? WINDOWS_KNOWN : WINDOWS) + rows * (WINDOW_ROW + FOUR_INPUTS * whole / 4);
    if (whole != run) {
        pair += 2 * ((is_known ? REST_KNOWN : REST) + rows * ROW_REST / 2 +
                     FOUR_INPUTS * (taps - rows * whole) / 8);
    }
    return pairs * pair;
}

/* Windows that reach over the border. */
static int64_t clipped(const oribi_call *call)
{
    int64_t inside = 1;
    static const char *const names[2][5] = {{"out_h", "in_h", "filter_h", "stride_h", "before_h"},
                                            {"out_w", "in_w", "filter_w", "stride_w", "before_w"}};
    for (int32_t i = 0; i < 2; i++) {
        int32_t n[5], count = 0;
        for (int32_t k = 0; k < 5; k++) {
            n[k] = size_of(call, names[i][k]);
        }
        for (int32_t at = -n[4], k = 0; k < n[0]; k++, at += n[3]) {
            count += at >= 0 && at + n[2] <= n[1] ? 1 : 0;
        }
        inside *= count;
    }
    return (int64_t)size_of(call, "out_h") * size_of(call, "out_w") - inside;
}

static int64_t conv_cost(const oribi_call *call, const oribi_instance *instance)
{
    const int64_t taps = size_of(call, "taps");
    const int64_t out_c = size_of(call, "out_c");
    const int64_t pixels = (int64_t)size_of(call, "out_h") * size_of(call, "out_w");
    const int64_t pairs = (pixels + 1) / 2;
    const bool is_unrolled =
        instance != NULL && oribi_instance_constant_of(instance, "UNROLL", 0) != 0;
    const bool is_point = size_of(call, "is_point") != 0;
    const int64_t block = TAP * taps + (is_unrolled ? BLOCK_UNROLLED : BLOCK + TURN * taps / 16);
    int64_t cost = pairs * (out_c + 1) / 2 * block;
    cost += pairs * (instance != NULL ? PIXELS_KNOWN : PIXELS);
    if (is_point) {
        cost += pairs * FOUR_INPUTS * taps / 4;
    } else {
        cost += conv_windows(call, instance != NULL, pairs, taps) + CLIPPED * taps * clipped(call);
    }
    return cost * size_of(call, "batch");
}

static int64_t depthwise_cost(const oribi_call *call, const oribi_instance *instance)
{
    const int64_t columns = size_of(call, "out_columns");
    const int64_t pairs = size_of(call, "column_stride") == 1 ? columns / 2 : 0;
    const int64_t row =
        instance != NULL ? UNROLLED_ROW + pairs * UNROLLED_PAIR
                         : RESULT_ROW + pairs * RESULT_PAIR + (columns - 2 * pairs) * RESULT_SINGLE;
    const int64_t copy = size_of(call, "in_rows") *
                         (PLANE_ROW + (int64_t)PLANE_FOUR * size_of(call, "in_columns") / 4);
    return (int64_t)size_of(call, "batch") * size_of(call, "channels") *
           (CHANNEL + copy + row * size_of(call, "out_rows"));
}

int64_t oribi_instance_cost(const oribi_call *call, const oribi_instance *instance)
{
    const char *kernel = instance != NULL ? instance->kernel : call->kernel;
    if (kernel == NULL) {
        return 0;
    }
    if (strcmp(kernel, "conv2d_lanes_s8") == 0) {
        return conv_cost(call, instance);
    }
    if (strcmp(kernel, "conv2d_add_lanes_s8") == 0) {
        return conv_cost(call, NULL) + ADD * (int64_t)size_of(call, "batch") *
                                           size_of(call, "out_h") * size_of(call, "out_w") *
                                           size_of(call, "out_c");
    }
    if (strcmp(kernel, "depthwise_conv2d_3x3_s8") == 0) {
        return depthwise_cost(call, instance);
    }
    return MAC * call->macs;
}

/* --- Code ------------------------------------------------------------------------------------ */

enum {
    POINT_CODE = 690, /* with the loop of 16 taps */
    POINT_UNROLLED_CODE = 460,
    TAP_CODE = 12, /* 48 bytes for each four taps */
    WINDOW_CODE = 900,
    WINDOW_RESTS_CODE = 200,
    LOOP_CODE = 410,
    ROWS_3X3_CODE = 700,
    PAIR_3X3_CODE = 140
};

int32_t oribi_instance_code(const oribi_instance *instance)
{
    const int32_t unroll = oribi_instance_constant_of(instance, "UNROLL", 0);
    const int32_t columns = oribi_instance_constant_of(instance, "COLUMNS", 0);
    if (columns > 0) {
        return ROWS_3X3_CODE + PAIR_3X3_CODE * columns / 2;
    }
    if (oribi_instance_constant_of(instance, "IS_POINT", 0) != 0) {
        return unroll > 0 ? POINT_UNROLLED_CODE + TAP_CODE * unroll : POINT_CODE;
    }
    const bool has_rests = oribi_instance_constant_of(instance, "ROW_BYTES", 0) % 4 != 0;
    return WINDOW_CODE + (has_rests ? WINDOW_RESTS_CODE : 0) +
           (unroll > 0 ? TAP_CODE * unroll : LOOP_CODE);
}

int32_t oribi_instance_kernel_code(const char *kernel)
{
    return strcmp(kernel, "depthwise_conv2d_3x3_s8") == 0 ? 1500 : 2900;
}
