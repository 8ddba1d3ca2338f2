/* SPDX-License-Identifier: Apache-2.0 */
/* The matrix on the right of a quantised product, before it is packed (qlinear_panels.h). */
#ifndef ORIBI_PLUGINS_CPU_QLINEAR_WEIGHTS_H_
#define ORIBI_PLUGINS_CPU_QLINEAR_WEIGHTS_H_

#include <stdint.h>

/* Bytes, with a zero point for each column, or one. */
typedef struct weights {
    const uint8_t *from;
    const int32_t *zeros;
    int32_t zero_step, is_signed;
    int32_t inner, columns, stride; /* of a row of `from` */
} weights;

#endif
