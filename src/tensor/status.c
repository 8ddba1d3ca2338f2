/* SPDX-License-Identifier: Apache-2.0 */
/* Status: code, message, payloads. When no memory is left for a new status, all callers share one
 * preallocated RESOURCE_EXHAUSTED status that cannot be changed or deleted: TF_NewStatus is never
 * NULL, and a call that meets this status is seen as failed, which it then most likely has.
 * Not here: errno (status_io.c).
 */
#include "tensor/status.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "tensor/handle_internal.h"
#include "tensor/status_internal.h"

static char out_of_memory_text[] = "out of memory";
static TF_Status out_of_memory = {.code = TF_RESOURCE_EXHAUSTED, .message = out_of_memory_text};

/* Kept out of the fast path, which then needs no stack; so is the other slow half. */
static __attribute__((noinline)) TF_Status *new_slow(void)
{
    TF_Status *status = oribi__handle_new_slow(ORIBI_HANDLE_STATUS);
    return status != NULL ? status : &out_of_memory;
}

TF_Status *TF_NewStatus(void)
{
    oribi_handle_heap *heap = oribi__own_heap;
    return heap != NULL && heap->free[ORIBI_HANDLE_STATUS] != NULL
               ? oribi_handle_take(heap, ORIBI_HANDLE_STATUS, sizeof(TF_Status))
               : new_slow();
}

static void drop_payloads(TF_Status *status)
{
    while (status->payloads != NULL) {
        oribi_payload *next = status->payloads->next;
        oribi_free(status->payloads);
        status->payloads = next;
    }
}

static __attribute__((noinline)) void delete_slow(TF_Status *status)
{
    if (status == NULL || status == &out_of_memory) {
        return;
    }
    drop_payloads(status);
    if (status->message != status->inline_text) {
        oribi_free(status->message);
    }
    oribi_status_init(status);
    oribi_handle_free(status);
}

void TF_DeleteStatus(TF_Status *status)
{
    /* The status of a lack of memory has a code. */
    if (status != NULL && oribi_status_is_new(status)) {
        oribi_handle_slot *slot = oribi_handle_slot_of(status);
        oribi_handle_heap *heap = slot->slab->heap;
        if (heap == oribi__own_heap) {
            oribi_handle_lay_back(heap, slot, ORIBI_HANDLE_STATUS, sizeof *status);
            return;
        }
    }
    delete_slow(status);
}

/* Length of the longest head of text that fits `room` bytes and does not end inside a UTF-8
 * character. */
static size_t cut_length(const char *text, size_t room)
{
    size_t length = room;
    while (length > 0 && ((unsigned char)text[length] & 0xc0) == 0x80) {
        length--;
    }
    return length == 0 ? room : length;
}

/* Takes over [text, text + length), which may be the present message. `block`, when not NULL, is
 * that text NUL-terminated in a block to be kept. */
static void replace_message(TF_Status *status, const char *text, size_t length, char *block)
{
    char *old = status->message != status->inline_text ? status->message : NULL;
    status->was_set = 1;
    char *heap = block;
    if (heap == NULL && length >= ORIBI_STATUS_INLINE_BYTES) {
        heap = oribi_strndup(text, length);
    }
    if (heap != NULL) {
        status->message = heap;
    } else {
        if (length >= ORIBI_STATUS_INLINE_BYTES) { /* no memory: better cut than lost */
            length = cut_length(text, ORIBI_STATUS_INLINE_BYTES - 1);
        }
        memmove(status->inline_text, text, length);
        status->inline_text[length] = '\0';
        status->message = status->inline_text;
    }
    oribi_free(old);
}

void TF_SetStatus(TF_Status *status, TF_Code code, const char *message)
{
    const bool is_clear = status->code == TF_OK && status->message[0] == '\0';
    if (status == &out_of_memory || (code == TF_OK && is_clear)) {
        return; /* a status is set to OK by each of many calls about a node */
    }
    const char *text = code == TF_OK || message == NULL ? "" : message;
    status->code = code;
    replace_message(status, text, strlen(text), NULL);
    drop_payloads(status); /* last: text may be a payload's value */
    status->was_set = code != TF_OK;
}

TF_Code TF_GetCode(const TF_Status *status)
{
    return status->code;
}

const char *TF_Message(const TF_Status *status)
{
    return status->message;
}

/* --- Payloads -------------------------------------------------------------------------------- */

/* On failure to allocate the payload is left out: it is a note beside the error. */
void TF_SetPayload(TF_Status *status, const char *key, const char *value)
{
    if (status->code == TF_OK || status == &out_of_memory) {
        return;
    }
    size_t key_bytes = strlen(key) + 1, value_bytes = strlen(value) + 1;
    oribi_payload *payload = oribi_alloc(sizeof(*payload) + key_bytes + value_bytes);
    if (payload == NULL) {
        return;
    }
    memcpy(payload->key, key, key_bytes);
    payload->value = payload->key + key_bytes;
    memcpy(payload->value, value, value_bytes);
    payload->next = NULL;

    oribi_payload **link = &status->payloads;
    while (*link != NULL && strcmp((*link)->key, payload->key) != 0) {
        link = &(*link)->next;
    }
    oribi_payload *replaced = *link;
    if (replaced != NULL) {
        payload->next = replaced->next;
    }
    *link = payload;
    oribi_free(replaced);
}

void TF_ForEachPayload(const TF_Status *status, TSL_PayloadVisitor visitor, void *capture)
{
    for (const oribi_payload *p = status->payloads; p != NULL; p = p->next) {
        visitor(p->key, p->value, capture);
    }
}

/* --- Inside the house ------------------------------------------------------------------------ */

/* Formats `format` and puts `tail` behind it. The arguments may point into the status. */
static void format_message(TF_Status *status, const char *tail, const char *format, va_list args)
{
    char small[512];
    size_t tail_length = strlen(tail);
    va_list again;
    va_copy(again, args);
    int printed = vsnprintf(small, sizeof(small), format, args);
    size_t head = printed < 0 ? 0 : (size_t)printed;
    size_t length = head + tail_length;
    small[printed < 0 ? 0 : sizeof(small) - 1] = '\0';

    char *block = length >= sizeof(small) ? oribi_alloc(length + 1) : NULL;
    if (block != NULL) {
        (void)vsnprintf(block, head + 1, format, again);
        memcpy(block + head, tail, tail_length + 1);
        replace_message(status, block, length, block);
    } else {
        if (head < sizeof(small) - 1) { /* cut only when no block could be had */
            size_t room = sizeof(small) - 1 - head;
            size_t kept = tail_length <= room ? tail_length : cut_length(tail, room);
            memcpy(small + head, tail, kept);
            small[head + kept] = '\0';
        }
        replace_message(status, small, strlen(small), NULL);
    }
    va_end(again);
}

bool oribi_fail(TF_Status *status, TF_Code code, const char *format, ...)
{
    if (status == NULL || status == &out_of_memory) {
        return false;
    }
    va_list args;
    va_start(args, format);
    format_message(status, "", format, args);
    va_end(args);
    status->code = code;
    drop_payloads(status);
    return false;
}

/* The names are those of a macro's arguments: "path, what, buffer". */
bool oribi_given(TF_Status *status, const char *function, const char *names,
                 const void *const *pointers, size_t n)
{
    TF_SetStatus(status, TF_OK, "");
    for (size_t i = 0; i < n; i++) {
        const size_t length = strcspn(names, ",");
        if (pointers[i] == NULL) {
            return oribi_fail(status, TF_INVALID_ARGUMENT, "%s: %.*s is NULL", function,
                              (int)length, names);
        }
        names += length + strspn(names + length, ", ");
    }
    return true;
}

bool oribi_fail_memory(TF_Status *status)
{
    if (status != NULL) {
        TF_SetStatus(status, TF_RESOURCE_EXHAUSTED, out_of_memory_text);
    }
    return false;
}

static void *claimed(void *memory, TF_Status *status)
{
    if (memory == NULL) {
        oribi_fail_memory(status);
    }
    return memory;
}

void *oribi_claim_array(oribi_arena *arena, size_t count, size_t size, TF_Status *status)
{
    return claimed(oribi_arena_array(arena, count, size), status);
}

void *oribi_claim_zero(size_t count, size_t size, TF_Status *status)
{
    return claimed(oribi_alloc_zero(count, size), status);
}

void oribi_status_prefix(TF_Status *status, const char *format, ...)
{
    if (status == NULL || status == &out_of_memory || status->code == TF_OK) {
        return;
    }
    va_list args;
    va_start(args, format);
    format_message(status, status->message, format, args);
    va_end(args);
}

void oribi_status_copy(TF_Status *to, const TF_Status *from)
{
    if (to == from || to == &out_of_memory) {
        return;
    }
    TF_SetStatus(to, from->code, from->message);
    for (const oribi_payload *p = from->payloads; p != NULL; p = p->next) {
        TF_SetPayload(to, p->key, p->value);
    }
}

/* --- Twins ----------------------------------------------------------------------------------- */

TSL_Status *TSL_NewStatus(void)
{
    return TF_NewStatus();
}

void TSL_DeleteStatus(TSL_Status *status)
{
    TF_DeleteStatus(status);
}

void TSL_SetStatus(TSL_Status *status, TSL_Code code, const char *message)
{
    TF_SetStatus(status, code, message);
}

void TSL_SetPayload(TSL_Status *status, const char *key, const char *value)
{
    TF_SetPayload(status, key, value);
}

void TSL_ForEachPayload(const TSL_Status *status, TSL_PayloadVisitor visitor, void *capture)
{
    TF_ForEachPayload(status, visitor, capture);
}

TSL_Code TSL_GetCode(const TSL_Status *status)
{
    return TF_GetCode(status);
}

const char *TSL_Message(const TSL_Status *status)
{
    return TF_Message(status);
}
