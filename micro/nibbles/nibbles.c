/* SPDX-License-Identifier: Apache-2.0 */
/* Two weights a byte become what kernels of int8 read. */
#include "micro/nibbles/nibbles.h"

#include "micro/rvv/rvv_widen.h"
#include "micro/v6m.h"

#ifndef ORIBI_MICRO_RVV_WIDEN
/* Four weights that are 8 more, from which no bit is carried into the next one. */
static int32_t four(const struct oribi_micro_nibbles_form *form, uint32_t weights)
{
    const uint32_t wide = ((weights | form->set) - 0x08080808U) ^ form->flip;
#if ORIBI_MICRO_BYTE(0) != 0
    if (form->is_bytes != 0) {
        return (int32_t)(wide << 24 | (wide & 0xff00U) << 8 | (wide >> 8 & 0xff00U) | wide >> 24);
    }
#endif
    return (int32_t)wide;
}

/* The weights of `words` words. */
static void oribi_micro_widen(const struct oribi_micro_nibbles_form *form, const int32_t *from,
                              int32_t words, int32_t *to)
{
    for (int32_t i = words; i > 0; i -= 2) {
        const uint32_t eight = (uint32_t)*from++;
        to[0] = four(form, eight & 0x0f0f0f0fU);
        to[1] = four(form, eight >> 4 & 0x0f0f0f0fU);
        to += 2;
    }
}
#endif

const int32_t *oribi_micro_nibbles_widen(const struct oribi_micro_nibbles_form *form,
                                         const int32_t *from, int32_t *to)
{
    const struct oribi_micro_nibbles_form f = *form;
    for (int32_t group = 0; group < f.groups; group++) {
        for (int32_t i = f.head; i > 0; i--) {
            *to++ = *from++;
        }
        oribi_micro_widen(&f, from, f.words, to);
        from += f.words / 2;
        to += f.words;
        for (int32_t i = f.tail; i > 0; i--) {
            *to++ = *from++;
        }
    }
    return from;
}
