/* SPDX-License-Identifier: Apache-2.0 */
/* Each element of the output finds its place in the input dimension by dimension. */
#include "micro/move/pad_axes.h"

#include "micro/memory.h"
#include "micro/port.h"

/* `at`, from far before to far behind, as one of [0, size): there and back again, or around. */
static int32_t folded(int32_t at, int32_t size, int32_t mirrors)
{
    const int32_t period = mirrors != 0 ? 2 * (size - 1) : size;
    int32_t place = period > 0 ? at % period : 0;
    place += place < 0 ? period : 0;
    return place < size ? place : period - place;
}

/* The input's byte for index i along a dimension; -1: the border's value. */
static int32_t origin(const struct oribi_micro_pad_axes_args *p, int32_t k, int32_t i)
{
    const int32_t size = p->kept[k];
    int32_t at = i - p->before[k];
    if (at < 0 || at >= size) {
        if (p->mode == ORIBI_MICRO_PAD_FILLED) {
            return -1;
        }
        if (p->mode == ORIBI_MICRO_PAD_REPEATED) {
            at = at < 0 ? 0 : size - 1;
        } else {
            at = folded(at, size, p->mode == ORIBI_MICRO_PAD_REFLECTED ? 1 : 0);
        }
    }
    return (p->first[k] + at) * p->step[k];
}

void oribi_micro_pad_axes(const struct oribi_micro_pad_axes_args *args, const void *input,
                          void *output)
{
    const struct oribi_micro_pad_axes_args *p = args;
    const uint8_t *from = input;
    const int32_t last = p->rank - 1;
    uint8_t *to = output;
    int32_t index[ORIBI_MICRO_PAD_RANK] = {0}, k;
    do {
        int32_t row = 0;
        TVMGEN_YIELD();
        for (k = 0; k < last && row >= 0; k++) {
            const int32_t at = origin(p, k, index[k]);
            row = at < 0 ? -1 : row + at;
        }
        for (int32_t i = 0; i < p->out[last]; i++) {
            const int32_t at = row < 0 ? -1 : origin(p, last, i);
            if (at < 0) {
                (void)memcpy(to, p->value, (size_t)p->element_bytes);
            } else {
                (void)memcpy(to, from + row + at, (size_t)p->element_bytes);
            }
            to += p->element_bytes;
        }
        for (k = last - 1; k >= 0; k--) {
            if (++index[k] < p->out[k]) {
                break;
            }
            index[k] = 0;
        }
    } while (k >= 0);
}
