/* SPDX-License-Identifier: Apache-2.0 */
/* What have kernels asked for in runs so far? A plan is made of it. */
#ifndef ORIBI_SESSION_RECORD_H_
#define ORIBI_SESSION_RECORD_H_

#include "base/arena.h"
#include "tensor/tensor.h"

typedef enum oribi_wish_kind {
    ORIBI_WISH_NONE,     /* not seen, and not to be guessed */
    ORIBI_WISH_GUESS,    /* shape functions know the bytes; the kernel was not seen yet */
    ORIBI_WISH_ALLOCATE, /* allocated, or must be copied */
    ORIBI_WISH_FORWARD,  /* would take over input `from` */
    ORIBI_WISH_VIEW,     /* set to the bytes of value `from` */
    ORIBI_WISH_TEMP,     /* set to a temporary of the step; `from` is its ordinal */
    ORIBI_WISH_EXTERNAL  /* set to bytes that are not planned: a constant, the caller's, its own */
} oribi_wish_kind;

typedef struct oribi_wish { /* for one value */
    uint8_t kind;
    int32_t from;
    int32_t rank;
    int64_t dims[ORIBI_INLINE_RANK];
    size_t bytes; /* most that was asked for */
} oribi_wish;

/* Sizes of more than ORIBI_INLINE_RANK dimensions are not noted. */
static inline oribi_wish oribi_wish_make(oribi_wish_kind kind, int32_t from, const int64_t *dims,
                                         int rank, size_t bytes)
{
    oribi_wish wish = {.kind = (uint8_t)kind, .from = from, .rank = rank, .bytes = bytes};
    for (int k = 0; k < rank && rank <= ORIBI_INLINE_RANK; k++) {
        wish.dims[k] = dims[k];
    }
    return wish;
}

typedef struct oribi_temp_wish {
    int32_t step, ordinal;
    size_t bytes;
    bool escapes;                 /* the kernel keeps it: never planned */
    struct oribi_temp_wish *next; /* of all steps */
    struct oribi_temp_wish *next_of_step;
} oribi_temp_wish;

typedef struct oribi_batch oribi_batch; /* batch/batch.h */
typedef struct oribi_batch_border oribi_batch_border;
struct oribi_batch_loop;

typedef struct oribi_record {
    oribi_wish *values;        /* n_values of the session */
    oribi_temp_wish *temps;    /* all, the newest first */
    oribi_temp_wish **by_step; /* the newest of each step */
    int32_t n_values, n_steps;
    oribi_batch *batch; /* one reference; NULL: no steps take a batch in turns */
    bool is_whole;      /* none may, though some could */
    oribi_arena arena;
} oribi_record;

oribi_record *oribi_record_create(int32_t n_values, int32_t n_steps, TF_Status *status);
oribi_record *oribi_record_copy(const oribi_record *record, TF_Status *status);
void oribi_record_destroy(oribi_record *record);
/* Would noting it change the record? Sizes only grow and a wish only becomes weaker, so planning
 * settles. */
bool oribi_record_is_news(const oribi_record *record, int32_t value, const oribi_wish *wish);
void oribi_record_note(oribi_record *record, int32_t value, const oribi_wish *wish);
const oribi_temp_wish *oribi_record_find_temp(const oribi_record *record, int32_t step,
                                              int32_t ordinal);
bool oribi_record_note_temp(oribi_record *record, int32_t step, int32_t ordinal, size_t bytes,
                            bool escapes);

#endif
