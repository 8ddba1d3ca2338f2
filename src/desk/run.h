/* SPDX-License-Identifier: Apache-2.0 */
/* What a run (run.c) and its hooks (hooks.c) share. */
#ifndef ORIBI_DESK_RUN_H_
#define ORIBI_DESK_RUN_H_

#include "desk/desk.h"

/* The value, computed if it is a view; INTERNAL when nothing has made it. Borrowed. */
bool oribi__desk_value(oribi_desk *desk, oribi_value_id id, TF_Tensor **out, TF_Status *status);
/* Memory for a value that a device writes. */
bool oribi__desk_make_value(oribi_desk *desk, oribi_value_id id, TF_Tensor **out,
                            TF_Status *status);

/* One step each; `call` is the operator that a failure is told of. */
bool oribi__desk_copy(oribi_desk *desk, const oribi_step *step, int32_t call, TF_Status *status);
bool oribi__desk_event(oribi_desk *desk, const oribi_event *event, int32_t call, TF_Status *status);
bool oribi__desk_device_call(oribi_desk *desk, int32_t index, bool is_started, TF_Status *status);
/* Ends what a failed run has begun, the last first, and adds to the message what failed then. */
void oribi__desk_unwind(oribi_desk *desk, TF_Status *status);

#endif
