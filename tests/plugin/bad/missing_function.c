/* SPDX-License-Identifier: Apache-2.0 */
/* Needs two functions of a contract that does not have them, and one that it has. */
#include "tensorflow/c/tf_status.h"

void TF_FrobnicateTensor(void);
void SE_DefenestrateStream(void);
void TF_InitKernel(void);
void TF_InitKernel(void)
{
    TF_DeleteStatus(TF_NewStatus());
    TF_FrobnicateTensor();
    SE_DefenestrateStream();
}
