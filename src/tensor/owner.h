/* SPDX-License-Identifier: Apache-2.0 */
/* Handles of a run context on the thread that runs it: whose thread it is, and a handle's place, in
 * which it lies, closed to AddressSanitizer, while nobody has it. */
#ifndef ORIBI_TENSOR_OWNER_H_
#define ORIBI_TENSOR_OWNER_H_

#include "base/poison.h"
#include "base/thread.h"
#include "tensor/tensor.h"

static inline bool oribi_tensor_owner_runs_here(const oribi_tensor_owner *owner)
{
    return atomic_load_explicit(&((oribi_tensor_owner *)owner)->thread, memory_order_relaxed) ==
           oribi_thread_self();
}

/* A handle that is deleted twice is laid back twice: the owner counts wrong, no more. */
static inline void oribi_tensor_lay_back(TF_Tensor *tensor)
{
    *tensor->place = tensor;
    oribi_poison(tensor, sizeof *tensor);
}

static inline TF_Tensor *oribi_tensor_take_out(TF_Tensor **place)
{
    TF_Tensor *tensor = *place;
    *place = NULL;
    oribi_unpoison(tensor, sizeof *tensor);
    return tensor;
}

#endif
