/* SPDX-License-Identifier: Apache-2.0 */
/* Crashes before its init, in a constructor. */
#include <signal.h>

__attribute__((constructor)) static void crash(void)
{
    raise(SIGSEGV);
}

void TF_InitKernel(void);
void TF_InitKernel(void)
{
}
