/* SPDX-License-Identifier: Apache-2.0 */
/* The broadcast of two shapes. Host only. */
#ifndef ORIBI_MICRO_BROADCAST_PREPARE_H_
#define ORIBI_MICRO_BROADCAST_PREPARE_H_

#include "micro/broadcast.h"
#include "micro/prepare.h"

/* Joins shapes as NumPy does. Errors: INVALID when they do not fit or a size is below 1, TOO_LARGE
 * beyond 2^31 values or ORIBI_MICRO_BROADCAST_RANK dimensions. */
int32_t oribi_micro_broadcast_resolve(const int32_t *a_dims, int32_t a_rank, const int32_t *b_dims,
                                      int32_t b_rank, struct oribi_micro_broadcast *out);

#endif
