/* SPDX-License-Identifier: Apache-2.0 */
/* Built with headers of contract 1.4, with and without a floor of 1.0. */
#include "newer.h"

ORIBI_PLUGIN("newer", "3.1", "MIT");

void TF_InitKernel(void);
void TF_InitKernel(void)
{
#if ORIBI_HAS_CONTRACT(1, 4) || defined(CALL_IT_ANYWAY)
    TF_FrobnicateTensor();
#endif
}
