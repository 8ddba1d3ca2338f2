/* SPDX-License-Identifier: Apache-2.0 */
/* Registers a good op and a kernel without a compute function, and looks away. */
#include "tensorflow/c/kernels.h"
#include "tensorflow/c/ops.h"

void TF_InitKernel(void);
void TF_InitKernel(void)
{
    TF_Status *status = TF_NewStatus();
    TF_RegisterOpDefinition(TF_NewOpDefinitionBuilder("TestIgnoresKernel"), status);
    TF_RegisterKernelBuilder("k", TF_NewKernelBuilder("TestIgnoresKernel", "CPU", NULL, NULL, NULL),
                             status);
    TF_DeleteStatus(status);
}
