/* SPDX-License-Identifier: Apache-2.0 */
/* Says the cause first, then more than anybody keeps, and then that it ends. */
#include <stdio.h>
#include <stdlib.h>

void TF_InitKernel(void);
void TF_InitKernel(void)
{
    fputs("starting\nvendor.so: undefined symbol: PyFrobnicate\n", stderr);
    for (int i = 0; i < 20000; i++) {
        fprintf(stderr, "step %d\n", i);
    }
    fputs("no backend was loaded\nthe end is near\ngiving up\n", stderr);
    abort();
}
