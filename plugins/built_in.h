/* SPDX-License-Identifier: Apache-2.0 */
/* Table of the built-in plugins: each is an init function that, as a .so of its own, would be
 * TF_InitKernel. No constructors, so one static binary works.
 */
#ifndef ORIBI_PLUGINS_BUILT_IN_H_
#define ORIBI_PLUGINS_BUILT_IN_H_

#include "tensorflow/c/kernels.h" /* for a .so the names below are defined as TF_InitKernel, and this
                                     header makes that one visible */

void oribi_ops_core_init(void);
void oribi_cpu_init(void);

#endif
