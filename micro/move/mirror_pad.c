/* SPDX-License-Identifier: Apache-2.0 */
/* Each element of the output finds its place in the input dimension by dimension. */
#include "micro/move/mirror_pad.h"

#include "micro/memory.h"

/* Where index `i` of the output reads along a dimension. */
static int32_t place(int32_t i, int32_t before, int32_t size, int32_t edge)
{
    const int32_t at = i - before;
    if (at < 0) {
        return -at - 1 + edge;
    }
    return at < size ? at : 2 * size - 1 - edge - at;
}

void oribi_micro_mirror_pad(const struct oribi_micro_mirror_pad_args *args, const void *input,
                            void *output)
{
    const struct oribi_micro_mirror_pad_args *p = args;
    const int32_t last = p->rank - 1;
    const int32_t count = p->before[last] + p->dims[last] + p->after[last];
    uint8_t *to = output;
    int32_t index[ORIBI_MICRO_PAD_RANK] = {0}, k;
    do {
        const uint8_t *row = input;
        for (k = 0; k < last; k++) {
            row += place(index[k], p->before[k], p->dims[k], p->edge) * p->step[k];
        }
        for (int32_t i = 0; i < count; i++) {
            const int32_t at = place(i, p->before[last], p->dims[last], p->edge);
            (void)memcpy(to, row + at * p->step[last], (size_t)p->element_bytes);
            to += p->element_bytes;
        }
        for (k = last - 1; k >= 0; k--) {
            if (++index[k] < p->before[k] + p->dims[k] + p->after[k]) {
                break;
            }
            index[k] = 0;
        }
    } while (k >= 0);
}
