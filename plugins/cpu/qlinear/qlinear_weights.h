/* SPDX-License-Identifier: Apache-2.0 */
/* The matrix on the right of a quantised product, before it is packed (qlinear_panels.h). */
#ifndef ORIBI_PLUGINS_CPU_QLINEAR_WEIGHTS_H_
#define ORIBI_PLUGINS_CPU_QLINEAR_WEIGHTS_H_

#include <stdbool.h>
#include <stdint.h>

/* A block of work: LINES rows by PANEL columns, whose sums, with CHUNK numbers of each row and of a
 * panel's columns, stay in the first level. */
#ifndef ORIBI_QLINEAR_LINES
#define ORIBI_QLINEAR_LINES 32
#endif
enum { LINES = ORIBI_QLINEAR_LINES, PANEL = 128, CHUNK = 512 };

enum { LOOSE = 16 /* bytes that are copied at once */ };

/* Bytes, with a zero point for each column, or one. */
typedef struct weights {
    const uint8_t *from;
    const int32_t *zeros;
    int32_t zero_step, is_signed;
    int32_t inner, columns, stride; /* of a row of `from` */
    bool is_layer; /* of which numbers are seldom far from their zero point: qlinear_octets.h */
} weights;

#endif
