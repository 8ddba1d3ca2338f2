/* SPDX-License-Identifier: Apache-2.0 */
/* oribi_cpu_extra.so: kernels of ops that few models have, which liboribi.so loads when a model has
 * one (src/plugin/extra.c). Not part of the archive, which has the families themselves.
 */
#define ORIBI_CPU_EXTRA
#include "cpu/base/families.h"
#include "tensorflow/c/kernels.h"

#define NOTHING(name)
#define NO_VARIANT(part, set)
#define FAMILY_ROW(family)     {#family, oribi_cpu_##family##_kernels},
#define VARIANT_ROW(part, set) FAMILY_ROW(part##_##set)
static const oribi_cpu_family families[] = {
    ORIBI_CPU_FAMILIES(NOTHING, NO_VARIANT, FAMILY_ROW, VARIANT_ROW){NULL, NULL}};

void TF_InitKernel(void)
{
    oribi_cpu_register(families, NULL);
}
