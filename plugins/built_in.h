/* SPDX-License-Identifier: Apache-2.0 */
/* Table of the built-in plugins: each is an init function, which TF_InitKernel calls when the
 * plugin is a .so of its own. No constructors, so one static binary works. Linked in, an op and its
 * kernels are registered when they are first looked for: hundreds would be, of which a model has
 * ten.
 */
#ifndef ORIBI_PLUGINS_BUILT_IN_H_
#define ORIBI_PLUGINS_BUILT_IN_H_

#include <stdbool.h>

void oribi_ops_core_init(void);
void oribi_cpu_init(void);
/* Registers the op of that name alone; its kernels alone. */
void oribi_ops_core_register(const char *name);
void oribi_cpu_register_kernels(const char *op_name);
bool oribi_ops_core_has(const char *name);
/* Walks the names of all ops, from {0} on; NULL: no more. *out_fuses: it stands for others. A name
 * stays until the cursor goes on. */
typedef struct oribi_ops_cursor {
    int table, row, at;
    char name[64];
} oribi_ops_cursor;
const char *oribi_ops_core_next(oribi_ops_cursor *cursor, bool *out_fuses);
void oribi_ethos_u_init(void);
/* Are all families linked in, or are the rarer ones in oribi_cpu_extra.so? */
bool oribi_cpu_is_whole(void);

#endif
