/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of the output in their order: border, or border, row of the input, border. */
#include "micro/move/pad.h"

#include "micro/memory.h"

static uint8_t *fill(uint8_t *to, int32_t bytes, const struct oribi_micro_pad_args *p)
{
    if (p->element_bytes == 1) {
        uint8_t value;
        (void)memcpy(&value, p->value, 1);
        (void)memset(to, value, (size_t)bytes);
        return to + bytes;
    }
    for (int32_t i = 0; i < bytes; i += p->element_bytes) {
        (void)memcpy(to + i, p->value, (size_t)p->element_bytes);
    }
    return to + bytes;
}

void oribi_micro_pad(const struct oribi_micro_pad_args *args, const void *input, void *output)
{
    const struct oribi_micro_pad_args *p = args;
    const int32_t last = p->rank - 1;
    const int32_t row_bytes = p->before[last] + p->dims[last] + p->after[last];
    const uint8_t *from = input;
    uint8_t *to = output;
    int32_t index[ORIBI_MICRO_PAD_RANK] = {0}, k;
    do {
        int32_t is_inside = 1;
        for (k = 0; k < last; k++) {
            is_inside &= index[k] >= p->before[k] && index[k] < p->before[k] + p->dims[k];
        }
        if (is_inside != 0) {
            to = fill(to, p->before[last], p);
            (void)memcpy(to, from, (size_t)p->dims[last]);
            from += p->dims[last];
            to = fill(to + p->dims[last], p->after[last], p);
        } else {
            to = fill(to, row_bytes, p);
        }
        for (k = last - 1; k >= 0; k--) {
            if (++index[k] < p->before[k] + p->dims[k] + p->after[k]) {
                break;
            }
            index[k] = 0;
        }
    } while (k >= 0);
}
