/* SPDX-License-Identifier: Apache-2.0 */
/* Patterns as kernels get them: as an attribute, or as an input that is read in each run. */
#ifndef ORIBI_PLUGINS_CPU_REGEX_INPUT_H_
#define ORIBI_PLUGINS_CPU_REGEX_INPUT_H_

#include "cpu/text/regex.h"
#include "cpu/text/texts.h"

/* The attribute `pattern`; fails with the reason why it cannot be read. */
void oribi_cpu_regex_attr(oribi_kit_setup *setup, oribi_regex *regex);
/* The scalar input `index`, in memory that the caller deletes; NULL: failed. */
const oribi_regex *oribi_cpu_regex_input(oribi_kit_run *run, int index, TF_Tensor **out_memory);

#endif
