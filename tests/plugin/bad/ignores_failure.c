/* SPDX-License-Identifier: Apache-2.0 */
/* Fails in the middle, looks away and registers on. */
#include "tensorflow/c/kernels.h"
#include "tensorflow/c/ops.h"

void TF_InitKernel(void);
static void compute(void *kernel, TF_OpKernelContext *ctx)
{
    (void)kernel;
    (void)ctx;
}

void TF_InitKernel(void)
{
    TF_Status *status = TF_NewStatus();
    TF_OpDefinitionBuilder *bad = TF_NewOpDefinitionBuilder("TestIgnoresBad");
    TF_OpDefinitionBuilderAddAttr(bad, "broken");
    TF_RegisterOpDefinition(bad, status);
    TF_RegisterOpDefinition(TF_NewOpDefinitionBuilder("TestIgnoresGood"), status);
    TF_RegisterKernelBuilder(
        "k", TF_NewKernelBuilder("TestIgnoresGood", "CPU", NULL, compute, NULL), status);
    TF_DeleteStatus(status);
}
