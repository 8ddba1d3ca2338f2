/* SPDX-License-Identifier: Apache-2.0 */
/* Registers a good op, then fails on a bad one and gives up. */
#include "tensorflow/c/ops.h"

void TF_InitKernel(void);
void TF_InitKernel(void)
{
    TF_Status *status = TF_NewStatus();
    TF_RegisterOpDefinition(TF_NewOpDefinitionBuilder("TestHalfGood"), status);
    TF_OpDefinitionBuilder *bad = TF_NewOpDefinitionBuilder("TestHalfBad");
    TF_OpDefinitionBuilderAddInput(bad, "x: no_such_type!");
    TF_RegisterOpDefinition(bad, status);
    TF_DeleteStatus(status);
}
