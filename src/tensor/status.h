/* SPDX-License-Identifier: Apache-2.0 */
/* Status inside the house: formatting setters and the propagate macro over tf_status.h. A status
 * holds 128 bytes of text inline, longer text on the heap; when that fails the text is cut. */
#ifndef ORIBI_TENSOR_STATUS_H_
#define ORIBI_TENSOR_STATUS_H_

#include "base/arena.h"
#include "tensorflow/c/tf_status.h"

/* Sets code and formatted message; first argument may be NULL (then nothing happens). Returns
 * false always, so that `return oribi_fail(...)` reads well in functions that return bool. */
bool oribi_fail(TF_Status *status, TF_Code code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
bool oribi_fail_memory(TF_Status *status); /* RESOURCE_EXHAUSTED, no allocation */
/* Zeroed memory of an arena, of the heap; NULL, and oribi_fail_memory, when there is none. */
void *oribi_claim_array(oribi_arena *arena, size_t count, size_t size, TF_Status *status);
void *oribi_claim_zero(size_t count, size_t size, TF_Status *status);
/* The code of an errno and "path: No such file or directory"; TensorFlow's own text has a ';'. */
bool oribi_fail_io(TF_Status *status, int error, const char *path);
/* Puts text before the present message: "node 'x': ..." */
void oribi_status_prefix(TF_Status *status, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void oribi_status_copy(TF_Status *to, const TF_Status *from);
static inline bool oribi_ok(const TF_Status *status)
{
    return TF_GetCode(status) == TF_OK;
}

/* Every public function begins with this: it clears the status; false, with INVALID_ARGUMENT and
 * the name of the pointer, when one of those given is NULL. */
#define ORIBI_GIVEN(status, ...)                                                                   \
    oribi_given((status), __func__, #__VA_ARGS__, (const void *const[]){__VA_ARGS__},              \
                sizeof((const void *const[]){__VA_ARGS__}) / sizeof(void *))
bool oribi_given(TF_Status *status, const char *function, const char *names,
                 const void *const *pointers, size_t n);

/* Functions that can fail take a TF_Status last, set it on failure only, and return bool. */
#define ORIBI_TRY(expr)                                                                            \
    do {                                                                                           \
        if (!(expr)) {                                                                             \
            return false;                                                                          \
        }                                                                                          \
    } while (0)

#endif
