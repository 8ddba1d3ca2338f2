/* SPDX-License-Identifier: Apache-2.0 */
/* The end of a compilation: compile_finish.c. */
#ifndef ORIBI_COMPILE_FINISH_H_
#define ORIBI_COMPILE_FINISH_H_

#include "compile/plan/program.h"

/* Adds to the files of the models what they share, and puts all where the layout has them. */
bool oribi_compile_finish(oribi_compile *all, TF_Status *status);

#endif
