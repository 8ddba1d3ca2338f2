/* SPDX-License-Identifier: Apache-2.0 */
/* Functions of an image, what they take of the stack, and whom they call. */
#ifndef ORIBI_CLI_VERIFY_STACK_H_
#define ORIBI_CLI_VERIFY_STACK_H_

#include "verify.h"

typedef struct verify_function {
    char *name;    /* of a static function GCC says "file.c:name" */
    int64_t bytes; /* -1: unknown */
    int64_t bound; /* with what it calls; -1: not found out yet */
    bool is_open;  /* it is on the present way down */
    size_t *calls;
    size_t n_calls;
} verify_function;

typedef struct verify_calls {
    verify_function *frames;
    size_t n;
    const char *missing; /* why there is no bound */
} verify_calls;

/* The function of that name, a new one perhaps. */
size_t verify_function_of(verify_calls *calls, const char *name, size_t length);
void verify_function_calls(verify_calls *calls, size_t caller, size_t callee);

/* Adds what objdump's listing of the image says: of functions that GCC has said nothing of, all; of
 * others what it does not count. */
void verify_read_listing(const verify *v, verify_calls *calls);

#endif
