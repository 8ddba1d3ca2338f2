/* SPDX-License-Identifier: Apache-2.0 */
/* What a run (desk_run.c) and its hooks (hooks.c) share. */
#ifndef ORIBI_DESK_RUN_H_
#define ORIBI_DESK_RUN_H_

#include "desk/desk.h"

/* The value, computed if it is a view; INTERNAL when nothing has made it. Borrowed. */
bool oribi__desk_value(oribi_desk *desk, oribi_value_id id, TF_Tensor **out, TF_Status *status);
/* Memory for a value that a device writes. */
bool oribi__desk_make_value(oribi_desk *desk, oribi_value_id id, TF_Tensor **out,
                            TF_Status *status);

/* Where a tensor of the call (inputs, then outputs) lies in scratch that calls share; NULL: not
 * there, or no memory. */
uint8_t *oribi__desk_shared_place(oribi_desk *desk, int32_t call, int32_t tensor);

/* A step of a device, or for one. */
bool oribi__desk_step(oribi_desk *desk, const oribi_step *step, TF_Status *status);
/* Ends what a failed run has begun, the last first, and adds to the message what failed then. */
void oribi__desk_unwind(oribi_desk *desk, TF_Status *status);

#endif
