/* SPDX-License-Identifier: Apache-2.0 */
/* Tensors between canaries, filled with a pattern that nobody writes by chance: what one call of a
 * kernel gets while it is checked. A tensor that the kernel keeps outlives its guards.
 */
#ifndef ORIBI_CHECK_GUARD_H_
#define ORIBI_CHECK_GUARD_H_

#include "base/text.h"
#include "base/thread.h"
#include "tensor/status.h"
#include "tensor/tensor.h"

typedef struct oribi_guards {
    uint8_t pattern;
    oribi_mutex lock; /* kernels ask for temporaries on any thread */
    struct oribi_guarded *first;
    int n_temps;
} oribi_guards;

bool oribi_guards_begin(oribi_guards *guards, uint8_t pattern, TF_Status *status);
/* what    "input", "output" or "temporary", for messages. Elements that own memory are empty. */
TF_Tensor *oribi_guards_tensor(oribi_guards *guards, TF_DataType dtype, const int64_t *dims,
                               int rank, const char *what, int index, TF_Status *status);
/* A copy of the tensor; variants are shared instead, for nobody but their plugin can copy them. */
TF_Tensor *oribi_guards_copy(oribi_guards *guards, const TF_Tensor *tensor, int index,
                             TF_Status *status);
/* Appends where something was written that is no tensor's; nothing: all canaries live. */
void oribi_guards_find_damage(const oribi_guards *guards, oribi_text *text);
void oribi_guards_end(oribi_guards *guards);

#endif
