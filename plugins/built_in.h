/* SPDX-License-Identifier: Apache-2.0 */
/* Table of the built-in plugins: each is an init function, which TF_InitKernel calls when the
 * plugin is a .so of its own. No constructors, so one static binary works.
 */
#ifndef ORIBI_PLUGINS_BUILT_IN_H_
#define ORIBI_PLUGINS_BUILT_IN_H_

#include <stdbool.h>

void oribi_ops_core_init(void);
void oribi_cpu_init(void);
void oribi_ethos_u_init(void);
/* Are all families linked in, or are the rarer ones in oribi_cpu_extra.so? */
bool oribi_cpu_is_whole(void);

#endif
