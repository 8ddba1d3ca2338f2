/* SPDX-License-Identifier: Apache-2.0 */
/* Built twice: the two define one op with different outputs. */
#include "tensorflow/c/ops.h"

void TF_InitKernel(void);
void TF_InitKernel(void)
{
    TF_Status *status = TF_NewStatus();
    TF_OpDefinitionBuilder *op = TF_NewOpDefinitionBuilder("TestConflict");
    TF_OpDefinitionBuilderAddOutput(op, OUTPUT);
    TF_RegisterOpDefinition(op, status);
    TF_DeleteStatus(status);
}
