/* SPDX-License-Identifier: Apache-2.0 */
/* The cpu plugin: which families are linked in? Read next: families.h, then a family's file.
 */
#include "cpu/base/families.h"

#include "built_in.h"

#define FAMILY_ROW(family)     {#family, oribi_cpu_##family##_kernels},
#define VARIANT_ROW(part, set) FAMILY_ROW(part##_##set)
const oribi_cpu_family oribi_cpu_families[] = {
    ORIBI_CPU_FAMILIES(FAMILY_ROW, VARIANT_ROW, FAMILY_ROW, VARIANT_ROW){NULL, NULL}};
#undef FAMILY_ROW
#undef VARIANT_ROW

bool oribi_cpu_is_whole(void)
{
    const oribi_cpu_family *family = oribi_cpu_families;
    while (family->name != NULL && family->kernels != NULL) {
        family++;
    }
    return family->name == NULL;
}

void oribi_cpu_init(void)
{
    oribi_cpu_register(oribi_cpu_families, NULL);
}

void oribi_cpu_register_kernels(const char *op_name)
{
    oribi_cpu_register(oribi_cpu_families, op_name);
}
