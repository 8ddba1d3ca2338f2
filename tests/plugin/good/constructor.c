/* SPDX-License-Identifier: Apache-2.0 */
/* A library of the kind that TF_LoadLibrary takes: no entry point, a constructor registers. */
#define OP_NAME       "TestConstructor"
#define TF_InitKernel init_in_constructor
#include "add_one.h"

__attribute__((constructor)) static void construct(void)
{
    init_in_constructor();
}
