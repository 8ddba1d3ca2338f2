/* SPDX-License-Identifier: Apache-2.0 */
/* What callers read of a value's quantisation. */
#ifndef ORIBI_OP_QUANTISATION_H_
#define ORIBI_OP_QUANTISATION_H_

#include "tensorflow/c/quantisation.h"

/* Fills a caller's struct; false, and out untouched: nothing is known (NULL, or a count of 0), or
 * the struct is too small. */
bool oribi_quantisation_read(const TF_Quantisation *known, TF_Quantisation *out);

#endif
