/* SPDX-License-Identifier: Apache-2.0 */
/* One copy for each step of each sequence. */
#include "micro/index/reverse_sequence.h"

#include "micro/memory.h"

/* Where step t of a sequence comes from. */
static int32_t source_of(int32_t t, int32_t length, int32_t steps)
{
    const int32_t n = length > steps ? steps : length;
    return t < n ? n - 1 - t : t;
}

void oribi_micro_reverse_sequence(const struct oribi_micro_reverse_sequence_args *args,
                                  const void *input, const int32_t *lengths, void *output)
{
    const struct oribi_micro_reverse_sequence_args *p = args;
    uint8_t *to = output;
    for (int32_t o = 0; o < p->outer; o++) {
        for (int32_t f = 0; f < p->first; f++) {
            for (int32_t m = 0; m < p->middle; m++) {
                for (int32_t s = 0; s < p->second; s++) {
                    const int32_t a =
                        p->batch_is_first != 0 ? f : source_of(f, lengths[s], p->first);
                    const int32_t b =
                        p->batch_is_first != 0 ? source_of(s, lengths[f], p->second) : s;
                    const int32_t at = ((o * p->first + a) * p->middle + m) * p->second + b;
                    (void)memcpy(to, (const uint8_t *)input + at * p->bytes, (size_t)p->bytes);
                    to += p->bytes;
                }
            }
        }
    }
}
