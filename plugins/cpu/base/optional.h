/* SPDX-License-Identifier: Apache-2.0 */
/* Optional inputs of ONNX's operators: ops ONNX>Name have those that are there side by side, and
 * their attribute `present` tells which they are.
 */
#ifndef ORIBI_PLUGINS_CPU_OPTIONAL_H_
#define ORIBI_PLUGINS_CPU_OPTIONAL_H_

#include "cpu/base/cpu.h"

/* The place among the node's inputs of each of the operator's `n` (at most 8), -1 where it is
 * absent. Fails where `present` and the inputs disagree, or one of the first `n_needed` is absent.
 */
void oribi_cpu_read_present(oribi_kit_setup *setup, int n, int n_needed, int *out);

/* The one number of an optional input; `absent` where it is. Fails where it has another count or is
 * no float or integer of 32 or 64 bits. */
bool oribi_cpu_optional_int(oribi_kit_run *run, int place, const char *what, int64_t absent,
                            int64_t *out);
bool oribi_cpu_optional_real(oribi_kit_run *run, int place, const char *what, double absent,
                             double *out);
/* Is input `place` of this type? Fails naming it. */
bool oribi_cpu_check_type(oribi_kit_run *run, int place, const char *what, TF_DataType wanted);

#endif
