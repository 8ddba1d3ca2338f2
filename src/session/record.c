/* SPDX-License-Identifier: Apache-2.0 */
/* Record of what kernels asked for in runs with one set of input shapes. A wish only becomes weaker
 * (guess, view or forward, then allocate) and sizes only grow: planning again comes to rest.
 */
#include <string.h>

#include "base/alloc.h"
#include "session/batch/batch.h"
#include "session/session_internal.h"

oribi_record *oribi_record_create(int32_t n_values, int32_t n_steps, TF_Status *status)
{
    oribi_record *record = oribi_claim_zero(1, sizeof *record, status);
    if (record == NULL) {
        return NULL;
    }
    record->n_values = n_values;
    record->n_steps = n_steps;
    record->values = oribi_alloc_zero((size_t)n_values + 1, sizeof *record->values);
    record->by_step = oribi_alloc_zero((size_t)n_steps + 1, sizeof *record->by_step);
    if (record->values == NULL || record->by_step == NULL) {
        oribi_record_destroy(record);
        oribi_fail_memory(status);
        return NULL;
    }
    return record;
}

oribi_record *oribi_record_copy(const oribi_record *record, TF_Status *status)
{
    oribi_record *copy = oribi_record_create(record->n_values, record->n_steps, status);
    if (copy == NULL) {
        return NULL;
    }
    memcpy(copy->values, record->values, (size_t)record->n_values * sizeof *copy->values);
    oribi_batch_retain(record->batch);
    copy->batch = record->batch;
    copy->is_whole = record->is_whole;
    for (const oribi_temp_wish *temp = record->temps; temp != NULL; temp = temp->next) {
        if (!oribi_record_note_temp(copy, temp->step, temp->ordinal, temp->bytes, temp->escapes)) {
            oribi_record_destroy(copy);
            oribi_fail_memory(status);
            return NULL;
        }
    }
    return copy;
}

void oribi_record_destroy(oribi_record *record)
{
    if (record != NULL) {
        oribi_batch_release(record->batch);
        oribi_arena_destroy(&record->arena);
        oribi_free(record->values);
        oribi_free(record->by_step);
        oribi_free(record);
    }
}

static bool is_known(const oribi_wish *wish)
{
    return wish->kind != ORIBI_WISH_NONE && wish->kind != ORIBI_WISH_GUESS;
}

bool oribi_record_is_news(const oribi_record *record, int32_t value, const oribi_wish *wish)
{
    const oribi_wish *known = &record->values[value];
    if (!is_known(known)) {
        return true; /* a guess comes true: forwards are settled from then on */
    }
    if (known->kind == ORIBI_WISH_ALLOCATE) {
        return wish->bytes > known->bytes;
    }
    return wish->kind != known->kind || wish->from != known->from || wish->bytes > known->bytes;
}

void oribi_record_note(oribi_record *record, int32_t value, const oribi_wish *wish)
{
    oribi_wish *known = &record->values[value];
    const size_t bytes = wish->bytes > known->bytes ? wish->bytes : known->bytes;
    const oribi_wish before = *known;
    *known = *wish;
    if (is_known(&before)) {
        known->bytes = bytes;
        if (before.kind != wish->kind || before.from != wish->from) {
            known->kind = ORIBI_WISH_ALLOCATE; /* it varies: the request that is always right */
            known->from = -1;
        }
    }
}

const oribi_temp_wish *oribi_record_find_temp(const oribi_record *record, int32_t step,
                                              int32_t ordinal)
{
    const oribi_temp_wish *temp = record->by_step[step];
    while (temp != NULL && temp->ordinal != ordinal) {
        temp = temp->next_of_step;
    }
    return temp;
}

bool oribi_record_note_temp(oribi_record *record, int32_t step, int32_t ordinal, size_t bytes,
                            bool escapes)
{
    oribi_temp_wish *known = (oribi_temp_wish *)oribi_record_find_temp(record, step, ordinal);
    if (known != NULL) {
        known->bytes = bytes > known->bytes ? bytes : known->bytes;
        known->escapes |= escapes;
        return true;
    }
    oribi_temp_wish *temp = oribi_arena_array(&record->arena, 1, sizeof *temp);
    if (temp == NULL) {
        return false;
    }
    *temp = (oribi_temp_wish){step, ordinal, bytes, escapes, record->temps, record->by_step[step]};
    record->temps = temp;
    record->by_step[step] = temp;
    return true;
}
