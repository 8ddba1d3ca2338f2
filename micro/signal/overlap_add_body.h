/* SPDX-License-Identifier: Apache-2.0 */
/* The loops of overlap_add_*.c, whose elements T are added by ORIBI_MICRO_OVERLAP(a, b). */
#ifndef ORIBI_MICRO_OVERLAP_ADD_BODY_H_
#define ORIBI_MICRO_OVERLAP_ADD_BODY_H_

#include "micro/memory.h"
#include "micro/port.h"
#include "micro/signal/overlap_add.h"

static void overlap(const struct oribi_micro_overlap_add_args *p, const ORIBI_MICRO_SAMPLE *input,
                    const ORIBI_MICRO_SAMPLE *before, ORIBI_MICRO_SAMPLE *output,
                    ORIBI_MICRO_SAMPLE *after)
{
    const size_t width = sizeof(ORIBI_MICRO_SAMPLE);
    const size_t step = (size_t)p->step * width, rest = (size_t)(p->size - p->step) * width;
    (void)memmove(after, before, (size_t)p->outer * (size_t)p->size * width);
    for (int32_t row = 0; row < p->outer; row++, after += p->size) {
        for (int32_t frame = 0; frame < p->frames; frame++) {
            TVMGEN_YIELD();
            for (int32_t i = 0; i < p->size; i++) {
                after[i] = ORIBI_MICRO_OVERLAP(input[i], after[i]);
            }
            (void)memcpy(output, after, step);
            (void)memmove(after, after + p->step, rest);
            (void)memset(after + (p->size - p->step), 0, step);
            input += p->size;
            output += p->step;
        }
    }
}

#endif
