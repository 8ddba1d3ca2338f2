/* SPDX-License-Identifier: Apache-2.0 */
/* Fully connected layer of int8 for cores with MVE: groups of four results. */
#include "micro/mve/fully_connected_mve_s8.h"

#include "micro/port.h"

enum { CHANNELS = 256 }; /* between two yields */

static void row(const struct oribi_micro_fully_connected_mve_s8_args *a, const int8_t *x,
                int8_t *output)
{
    const int32_t *w = a->filter;
    int32_t left = a->out_c & ~(ORIBI_MICRO_MVE_GROUP - 1);
    while (left > 0) {
        const int32_t now = left < CHANNELS ? left : CHANNELS;
        TVMGEN_YIELD();
        w = oribi_micro_mve_groups1(x, a->in_c, w, &a->output, output, output + now);
        output += now;
        left -= now;
    }
    left = a->out_c % ORIBI_MICRO_MVE_GROUP;
    if (left > 0) {
        int8_t last[ORIBI_MICRO_MVE_GROUP];
        (void)oribi_micro_mve_groups1(x, a->in_c, w, &a->output, last,
                                      last + ORIBI_MICRO_MVE_GROUP);
        for (int32_t i = 0; i < left; i++) {
            output[i] = last[i];
        }
    }
}

void oribi_micro_fully_connected_mve_s8(const struct oribi_micro_fully_connected_mve_s8_args *args,
                                        const int8_t *input, int8_t *output, void *scratch)
{
    const struct oribi_micro_fully_connected_mve_s8_args *a = args;
    (void)scratch;
    for (int32_t i = 0; i < a->rows; i++) {
        row(a, input, output);
        input += a->in_c;
        output += a->out_c;
    }
}
