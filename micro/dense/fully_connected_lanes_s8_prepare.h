/* SPDX-License-Identifier: Apache-2.0 */
/* Arguments of fully_connected_lanes_s8 from those of fully_connected_s8, which hold the
 * multipliers. Host only.
 */
#ifndef ORIBI_MICRO_FULLY_CONNECTED_LANES_S8_PREPARE_H_
#define ORIBI_MICRO_FULLY_CONNECTED_LANES_S8_PREPARE_H_

#include "micro/dense/fully_connected_lanes_s8.h"
#include "micro/dense/fully_connected_s8.h"
#include "micro/lanes_prepare.h"
#include "micro/variant_prepare.h"

/* 1, with what is to be packed in out_spec: the layer fits fully_connected_lanes_s8; 0: it needs
 * fully_connected_s8. */
int32_t
oribi_micro_fully_connected_lanes_s8_fits(const struct oribi_micro_fully_connected_s8_args *plain,
                                          struct oribi_micro_lanes_spec *out_spec);

/* Fills args, which then points to words, packed before (lanes_prepare.h). */
void oribi_micro_fully_connected_lanes_s8_prepare(
    const struct oribi_micro_fully_connected_s8_args *plain, const int32_t *words,
    struct oribi_micro_fully_connected_lanes_s8_args *args);

extern const struct oribi_micro_variant
    oribi_micro_fully_connected_lanes_s8_variant; /* of fully_connected_s8 */

#endif
