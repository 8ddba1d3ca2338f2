/* SPDX-License-Identifier: Apache-2.0 */
/* Aborts in its init. */
#include <stdio.h>
#include <stdlib.h>

void TF_InitKernel(void);
void TF_InitKernel(void)
{
    fputs("first line\nno such device: \x1b[31mfrobnicator\n", stderr);
    abort();
}
