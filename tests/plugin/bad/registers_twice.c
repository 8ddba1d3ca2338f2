/* SPDX-License-Identifier: Apache-2.0 */
/* Defines one op in two ways. */
#include "tensorflow/c/ops.h"

void TF_InitKernel(void);
static void define(const char *output)
{
    TF_Status *status = TF_NewStatus();
    TF_OpDefinitionBuilder *op = TF_NewOpDefinitionBuilder("TestRegistersTwice");
    TF_OpDefinitionBuilderAddOutput(op, output);
    TF_RegisterOpDefinition(op, status);
    TF_DeleteStatus(status);
}

void TF_InitKernel(void)
{
    define("y: float");
    define("y: int32");
}
