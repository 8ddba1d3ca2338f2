/* SPDX-License-Identifier: Apache-2.0 */
/* Layout of a status, for status.c and for handle.c, which needs its size. */
#ifndef ORIBI_TENSOR_STATUS_INTERNAL_H_
#define ORIBI_TENSOR_STATUS_INTERNAL_H_

#include <stddef.h>
#include <string.h>

#include "tensorflow/c/tf_status.h"

enum { ORIBI_STATUS_INLINE_BYTES = 128 };

typedef struct oribi_payload {
    struct oribi_payload *next; /* in the order of first setting */
    char *value;                /* behind the key in the same block */
    char key[];
} oribi_payload;

struct TSL_Status {
    TF_Code code;
    int was_set;   /* not as TF_NewStatus gives it; beside code, so that both are asked at once */
    char *message; /* inline_text, or a block of its own */
    oribi_payload *payloads;
    char inline_text[ORIBI_STATUS_INLINE_BYTES];
};

/* As TF_NewStatus gives it; all free ones of the slabs are so. */
static inline void oribi_status_init(TF_Status *status)
{
    status->code = TF_OK;
    status->was_set = 0;
    status->message = status->inline_text;
    status->payloads = NULL;
    status->inline_text[0] = '\0';
}

/* Is it OK, and as TF_NewStatus gave it? One comparison: neither code nor was_set. */
static inline bool oribi_status_is_new(const TF_Status *status)
{
    uint64_t both;
    _Static_assert(offsetof(TF_Status, was_set) == sizeof status->code &&
                       sizeof both == sizeof status->code + sizeof status->was_set,
                   "one word");
    memcpy(&both, status, sizeof both);
    return both == 0;
}

#endif
