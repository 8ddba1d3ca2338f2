/* SPDX-License-Identifier: Apache-2.0 */
/* One call of a kernel as a file: a case of `oribi plugin test` (trial.h reads it) with all that
 * the call depends on, and a member "recorded" that says whose it was. Format: docs/reference/
 * checked-runs.md.
 */
#ifndef ORIBI_CHECK_CALL_RECORD_H_
#define ORIBI_CHECK_CALL_RECORD_H_

#include "kernel/kernel.h"

/* outputs  NULL: there are none. end: how the call ended; NULL: it has only begun. The file is
 *          written whole or not at all, and over one that is there.
 * Errors   UNIMPLEMENTED: an input is a resource or a variant; what the system says.
 */
bool oribi_call_record(const char *file, const oribi_kernel *kernel, TF_Tensor *const *inputs,
                       TF_Tensor *const *outputs, const TF_Status *end, TF_Status *status);

#endif
