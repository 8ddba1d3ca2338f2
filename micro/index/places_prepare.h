/* SPDX-License-Identifier: Apache-2.0 */
/* Which slices of a tensor indices address. Host half: emitted code never carries it. */
#ifndef ORIBI_MICRO_PLACES_PREPARE_H_
#define ORIBI_MICRO_PLACES_PREPARE_H_

#include "micro/dims.h"
#include "micro/index/places.h"
#include "micro/prepare.h"

/* An index for each element, along one axis of `data`. INVALID: the indices do not lie within the
 * data, but for the axis; TOO_LARGE: more than 2^28 elements. */
int32_t oribi_micro_places_of_elements(const oribi_sizes *data, const oribi_sizes *indices,
                                       int32_t axis, struct oribi_micro_places *out);
/* Tuples, the last dimension of the indices; `batch` leading dimensions are shared. */
int32_t oribi_micro_places_of_tuples(const oribi_sizes *data, const oribi_sizes *indices,
                                     int32_t batch, struct oribi_micro_places *out);

#endif
