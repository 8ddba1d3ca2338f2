/* SPDX-License-Identifier: Apache-2.0 */
/* Layout of a status, for status.c and for handle.c, which needs its size. */
#ifndef ORIBI_TENSOR_STATUS_INTERNAL_H_
#define ORIBI_TENSOR_STATUS_INTERNAL_H_

#include "tensorflow/c/tf_status.h"

enum { ORIBI_STATUS_INLINE_BYTES = 128 };

typedef struct oribi_payload {
    struct oribi_payload *next; /* in the order of first setting */
    char *value;                /* behind the key in the same block */
    char key[];
} oribi_payload;

struct TSL_Status {
    TF_Code code;
    int reserved;
    char *message; /* inline_text, or a block of its own */
    oribi_payload *payloads;
    char inline_text[ORIBI_STATUS_INLINE_BYTES];
};

#endif
