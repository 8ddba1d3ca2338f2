/* SPDX-License-Identifier: Apache-2.0 */
/* Names its op by the option `name`. */
#include "add_one.h"

#include <stdio.h>

#include "tensorflow/c/kernels_extension.h"

void TF_InitKernel(void)
{
    char name[100];
    TF_Status *status = TF_NewStatus();
    const char *given = TF_PluginOption("name");
    snprintf(name, sizeof(name), "TestOption%s", given ? given : "None");
    register_add_one(name, status);
    TF_DeleteStatus(status);
}
