/* SPDX-License-Identifier: Apache-2.0 */
/* Fully connected layer of int8 in lanes: four results at a time from inputs where they lie; what
 * is left are one or two. */
#include "micro/dense/fully_connected_lanes_s8.h"

#include "micro/plain.h"
#include "micro/port.h"

/* Writes the two results of a pair. */
static inline void write_pair(const struct oribi_micro_lanes_output *o, const int32_t *record,
                              int32_t sum0, int32_t sum1, int8_t *to)
{
    if (oribi_micro_lanes_is_general(record) != 0) {
        oribi_micro_lanes_general(o, record, sum0, sum1, to);
    } else {
        const struct oribi_micro_lanes_pair pair = oribi_micro_lanes_read(o, record);
        oribi_micro_lanes_store(&pair, sum0, sum1, to);
    }
}

/* The last pair, of which `count` channels exist. */
static void last_pair(const struct oribi_micro_lanes_output *o, const int8_t *x, const int8_t *end,
                      const int32_t *w, int8_t *to, int32_t count)
{
    int32_t sum0 = 0, sum1 = 0;
    int8_t both[2];
    for (; x != end; x += 4, w += 2) {
        const int32_t four = oribi_micro_load4(x);
        oribi_micro_lanes_by_input(w[0], oribi_micro_even_bytes(four), &sum0, &sum1);
        oribi_micro_lanes_by_input(w[1], oribi_micro_odd_bytes(four), &sum0, &sum1);
    }
    write_pair(o, w, sum0, sum1, both);
    for (int32_t i = 0; i < count; i++) {
        to[i] = both[i];
    }
}

/* A row's inputs to scratch, with zeros up to whole taps. */
static void put_row(const int8_t *from, int32_t count, int32_t taps, int8_t *to)
{
    int8_t *const end = to + taps;
    for (; count >= 4; count -= 4) {
        oribi_micro_copy4(from, to);
        from += 4;
        to += 4;
    }
    for (; to != end; count--) {
        *to++ = (int8_t)(count > 0 ? *from++ : 0);
    }
}

static void row(const struct oribi_micro_fully_connected_lanes_s8_args *a, const int8_t *x,
                const int8_t *end, int8_t *output)
{
    const int32_t *w = a->filter;
    int32_t left = a->out_c;
    for (; left > 2; left -= 4) {
        TVMGEN_YIELD();
        struct oribi_micro_sums1x4 s;
        w = oribi_micro_sum1x4(x, end, w, &s);
        write_pair(&a->output, w, s.c0, s.c1, output);
        w += ORIBI_MICRO_LANES_RECORD;
        if (left == 3) {
            int8_t both[2];
            write_pair(&a->output, w, s.c2, s.c3, both);
            output[2] = both[0];
            return;
        }
        write_pair(&a->output, w, s.c2, s.c3, output + 2);
        w += ORIBI_MICRO_LANES_RECORD;
        output += 4;
    }
    if (left > 0) {
        last_pair(&a->output, x, end, w, output, left);
    }
}

void oribi_micro_fully_connected_lanes_s8(
    const struct oribi_micro_fully_connected_lanes_s8_args *args, const int8_t *input,
    int8_t *output, void *scratch)
{
    const struct oribi_micro_fully_connected_lanes_s8_args *a = args;
    for (int32_t i = 0; i < a->rows; i++) {
        const int8_t *x = input;
        int32_t taps = a->in_c;
        if (a->scratch_bytes != 0) {
            taps = a->scratch_bytes;
            put_row(input, a->in_c, taps, scratch);
            x = scratch;
        }
        row(a, x, x + taps, output);
        input += a->in_c;
        output += a->out_c;
    }
}
