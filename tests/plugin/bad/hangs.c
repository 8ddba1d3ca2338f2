/* SPDX-License-Identifier: Apache-2.0 */
/* Never comes back from its init. */
#include <unistd.h>

void TF_InitKernel(void);
void TF_InitKernel(void)
{
    for (;;) {
        pause();
    }
}
