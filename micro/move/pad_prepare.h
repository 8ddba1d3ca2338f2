/* SPDX-License-Identifier: Apache-2.0 */
/* Arguments of pad and mirror_pad from sizes in elements. Host only. */
#ifndef ORIBI_MICRO_PAD_PREPARE_H_
#define ORIBI_MICRO_PAD_PREPARE_H_

#include "micro/move/mirror_pad.h"
#include "micro/move/pad.h"
#include "micro/prepare.h"

struct oribi_micro_pad_spec {
    int32_t rank, element_bytes; /* 1, 2, 4 or 8 */
    const int32_t *dims;         /* of the input */
    const int32_t *pads;         /* before and after each dimension */
    const void *value;           /* of the border; not for mirrors */
    int32_t reflects;            /* of mirrors: 1 leaves the edge out */
};

/* Each fills args; dimensions without a border are joined. Errors: INVALID for a negative border,
 * or one that is too long for a mirror; TOO_LARGE. */
int32_t oribi_micro_pad_prepare(const struct oribi_micro_pad_spec *spec,
                                struct oribi_micro_pad_args *args);
int32_t oribi_micro_mirror_pad_prepare(const struct oribi_micro_pad_spec *spec,
                                       struct oribi_micro_mirror_pad_args *args);

#endif
