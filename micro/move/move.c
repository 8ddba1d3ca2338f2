/* SPDX-License-Identifier: Apache-2.0 */
/* A walk over the output in its order; the innermost loop copies elements or runs. */
#include "micro/move/move.h"

#include "micro/memory.h"

static void copy_bytes(uint8_t *to, const uint8_t *from, int32_t count, int32_t step)
{
    for (int32_t i = 0; i < count; i++) {
        to[i] = *from;
        from += step;
    }
}

static void copy_words(uint8_t *to, const uint8_t *from, int32_t count, int32_t step)
{
    for (int32_t i = 0; i < count; i++) {
        (void)memcpy(to + 4 * i, from, 4);
        from += step;
    }
}

static void copy_runs(uint8_t *to, const uint8_t *from, int32_t count, int32_t step, int32_t bytes)
{
    for (int32_t i = 0; i < count; i++) {
        (void)memcpy(to, from, (size_t)bytes);
        to += bytes;
        from += step;
    }
}

void oribi_micro_move(const struct oribi_micro_move_args *args, const void *input, void *output)
{
    const struct oribi_micro_move_args *p = args;
    const int32_t last = p->rank - 1, count = p->dims[last], step = p->step[last];
    const uint8_t *from = (const uint8_t *)input + p->start;
    uint8_t *to = output;
    int32_t index[ORIBI_MICRO_MOVE_RANK] = {0}, k;
    do {
        if (p->run_bytes == 1) {
            copy_bytes(to, from, count, step);
        } else if (p->run_bytes == 4) {
            copy_words(to, from, count, step);
        } else {
            copy_runs(to, from, count, step, p->run_bytes);
        }
        to += count * p->run_bytes;
        for (k = last - 1; k >= 0; k--) {
            from += p->step[k];
            if (++index[k] < p->dims[k]) {
                break;
            }
            from -= p->step[k] * p->dims[k];
            index[k] = 0;
        }
    } while (k >= 0);
}
