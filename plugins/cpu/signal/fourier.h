/* SPDX-License-Identifier: Apache-2.0 */
/* The discrete Fourier transform of one line of any length, in double: radix 2 where the length is
 * a power of two, else as a convolution of such a length (Bluestein). Read next: dft.c.
 */
#ifndef ORIBI_PLUGINS_CPU_FOURIER_H_
#define ORIBI_PLUGINS_CPU_FOURIER_H_

#include "cpu/base/cpu.h"

typedef struct oribi_fourier {
    int64_t n;           /* of a line */
    int64_t size;        /* of the powers of two: n, or at least 2 n - 1 */
    const double *roots; /* exp(-2 pi i k / size) for k below size / 2, re and im in turn */
    const double *chirp; /* exp(-pi i k^2 / n), n; NULL: n is a power of two */
    const double *curve; /* the transform of its conjugate, over size, `size` */
    int64_t cost;        /* cycles of a line, about */
} oribi_fourier;

/* Makes the tables in scratch, which the caller deletes after use. n is at least 1.
 * Errors   INVALID_ARGUMENT: n is above 2^28. */
bool oribi_fourier_make(oribi_kit_run *run, int64_t n, oribi_fourier *out, TF_Tensor **out_memory);

/* Doubles that one transform needs beside the line. */
int64_t oribi_fourier_room(const oribi_fourier *f);
/* n complex numbers in place, re and im in turn. The inverse is not divided by n. */
void oribi_fourier_run(const oribi_fourier *f, bool is_inverse, double *line, double *room);

#endif
