/* SPDX-License-Identifier: Apache-2.0 */
/* TF_TString: the 24-byte string that is the element of a TF_STRING tensor, and its functions, all
 * static inline: they are compiled into plugins and hosts alike, so the layout is frozen. The
 * exported twins are in tf_tstring.h.
 *
 * Kind    low two bits of byte 0.
 *   SMALL   byte 0 = length << 2; bytes 1-22 text, NUL after the text. 24 zero bytes are "".
 *   LARGE   word 0 = length << 2 | 1; word 1 capacity; word 2 malloc-ed text, capacity + 1 bytes.
 *   OFFSET  uint32 length << 2 | 2, uint32 offset, uint32 count (unused); text at self + offset.
 *   VIEW    word 0 = length << 2 | 3; word 1 text of someone else; word 2 written 0, not followed.
 * Owns      LARGE text is of the C heap (malloc, realloc, free): both sides must share it. Plain
 *           copies of the struct are views at best; use Assign or Move.
 * Context   one thread at a time. Every function but Init needs an initialised string.
 * Errors    when memory runs out a mutation returns NULL (or nothing), the string stays as it was.
 */
#ifndef ORIBI_TENSORFLOW_C_CTSTRING_H_
#define ORIBI_TENSORFLOW_C_CTSTRING_H_

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "The layout of TF_TString is given for little-endian machines only."
#endif
#define TF_le32toh(x) x /* 32 bits of the layout as the machine has them */

#ifdef __cplusplus
extern "C" {
#endif

typedef enum TF_TString_Type {
    TF_TSTR_SMALL = 0x00,
    TF_TSTR_LARGE = 0x01,
    TF_TSTR_OFFSET = 0x02,
    TF_TSTR_VIEW = 0x03,
    TF_TSTR_TYPE_MASK = 0x03
} TF_TString_Type;

typedef struct TF_TString_Large {
    size_t size;
    size_t cap;
    char *ptr;
} TF_TString_Large;

typedef struct TF_TString_Offset {
    uint32_t size;
    uint32_t offset;
    uint32_t count;
} TF_TString_Offset;

typedef struct TF_TString_View {
    size_t size;
    const char *ptr;
} TF_TString_View;

typedef struct TF_TString_Raw {
    uint8_t raw[24];
} TF_TString_Raw;

typedef struct TF_TString_Small {
    uint8_t size;
    char str[23];
} TF_TString_Small;

typedef union TF_TString_Union {
    TF_TString_Large large;
    TF_TString_Offset offset;
    TF_TString_View view;
    TF_TString_Raw raw;
    TF_TString_Small smll;
} TF_TString_Union;

typedef struct TF_TString {
    TF_TString_Union u;
} TF_TString;

enum { TF_TString_SmallCapacity = 22 };

static inline size_t TF_TString_ToActualSizeT(size_t size)
{
    return size >> 2;
}

static inline size_t TF_TString_ToInternalSizeT(size_t size, TF_TString_Type type)
{
    return (size << 2) | (size_t)type;
}

static inline TF_TString_Type TF_TString_GetType(const TF_TString *str)
{
    return (TF_TString_Type)(str->u.raw.raw[0] & TF_TSTR_TYPE_MASK);
}

static inline size_t TF_TString_GetSize(const TF_TString *str)
{
    switch (TF_TString_GetType(str)) {
    case TF_TSTR_SMALL:
        return (size_t)str->u.smll.size >> 2;
    case TF_TSTR_OFFSET:
        return (size_t)str->u.offset.size >> 2;
    case TF_TSTR_LARGE:
        return TF_TString_ToActualSizeT(str->u.large.size);
    default:
        return TF_TString_ToActualSizeT(str->u.view.size);
    }
}

/* Bytes of text that fit without a new block; 0 for VIEW and OFFSET. */
static inline size_t TF_TString_GetCapacity(const TF_TString *str)
{
    switch (TF_TString_GetType(str)) {
    case TF_TSTR_SMALL:
        return TF_TString_SmallCapacity;
    case TF_TSTR_LARGE:
        return str->u.large.cap;
    default:
        return 0;
    }
}

/* Not always NUL-terminated for VIEW and OFFSET; for SMALL inside the struct. */
static inline const char *TF_TString_GetDataPointer(const TF_TString *str)
{
    switch (TF_TString_GetType(str)) {
    case TF_TSTR_SMALL:
        return str->u.smll.str;
    case TF_TSTR_LARGE:
        return str->u.large.ptr;
    case TF_TSTR_OFFSET:
        return (const char *)str + str->u.offset.offset;
    default:
        return str->u.view.ptr;
    }
}

static inline void TF_TString_Init(TF_TString *str)
{
    memset(str, 0, sizeof(*str));
}

/* Frees LARGE text; such a string is "" after. Other kinds own nothing and stay. */
static inline void TF_TString_Dealloc(TF_TString *str)
{
    if (TF_TString_GetType(str) == TF_TSTR_LARGE) {
        free(str->u.large.ptr);
        TF_TString_Init(str);
    }
}

/* Largest capacity that a block of 16-byte grains for n text bytes and a NUL gives. */
static inline size_t TF_TString_RoundCapacity(size_t n)
{
    return ((n + 1 + 15) & ~(size_t)15) - 1;
}

/* Makes the string LARGE with `capacity`, keeping the first `keep` bytes; size is not set. */
static inline char *TF_TString_MakeLarge(TF_TString *str, size_t capacity, size_t keep)
{
    char *text;
    if (TF_TString_GetType(str) == TF_TSTR_LARGE) {
        if (capacity == str->u.large.cap) {
            return str->u.large.ptr;
        }
        text = (char *)realloc(str->u.large.ptr, capacity + 1);
    } else {
        text = (char *)malloc(capacity + 1);
        if (text != NULL && keep > 0) {
            memcpy(text, TF_TString_GetDataPointer(str), keep);
        }
    }
    if (text != NULL) {
        str->u.large.cap = capacity;
        str->u.large.ptr = text;
    }
    return text;
}

/* New size; text beyond the old size is not set, but for the NUL. Returns the text. */
static inline char *TF_TString_ResizeUninitialized(TF_TString *str, size_t new_size)
{
    const size_t old_size = TF_TString_GetSize(str);
    const size_t keep = new_size < old_size ? new_size : old_size;
    const size_t cap = TF_TString_GetCapacity(str);
    const TF_TString_Type type = TF_TString_GetType(str);
    size_t new_cap = cap;
    char *text;

    if (new_size <= TF_TString_SmallCapacity) {
        const char *old = TF_TString_GetDataPointer(str);
        if (type != TF_TSTR_SMALL && keep > 0) {
            memmove(str->u.smll.str, old, keep);
        }
        if (type == TF_TSTR_LARGE) {
            free((void *)(uintptr_t)old);
        }
        str->u.smll.size = (uint8_t)((new_size << 2) | TF_TSTR_SMALL);
        str->u.smll.str[new_size] = '\0';
        return str->u.smll.str;
    }
    if (new_size > (SIZE_MAX >> 2)) { /* two bits of the word are the kind */
        return NULL;
    }
    if (new_size < old_size && new_size < cap / 2) {
        new_cap = TF_TString_RoundCapacity(cap / 2);
    } else if (new_size > cap) { /* at least doubles: appending byte by byte stays linear */
        new_cap = TF_TString_RoundCapacity(new_size > cap * 2 ? new_size : cap * 2);
    }
    text = TF_TString_MakeLarge(str, new_cap, keep);
    if (text != NULL) {
        str->u.large.size = TF_TString_ToInternalSizeT(new_size, TF_TSTR_LARGE);
        text[new_size] = '\0';
    }
    return text;
}

/* New size; text beyond the old size is filled with c. */
static inline char *TF_TString_Resize(TF_TString *str, size_t new_size, char c)
{
    const size_t old_size = TF_TString_GetSize(str);
    char *text = TF_TString_ResizeUninitialized(str, new_size);
    if (text != NULL && new_size > old_size) {
        memset(text + old_size, c, new_size - old_size);
    }
    return text;
}

/* Text that may be written; VIEW and OFFSET become SMALL or LARGE first. */
static inline char *TF_TString_GetMutableDataPointer(TF_TString *str)
{
    switch (TF_TString_GetType(str)) {
    case TF_TSTR_SMALL:
        return str->u.smll.str;
    case TF_TSTR_LARGE:
        return str->u.large.ptr;
    default:
        return TF_TString_ResizeUninitialized(str, TF_TString_GetSize(str));
    }
}

/* Capacity of at least new_cap; size and text stay. Nothing happens up to 22. */
static inline void TF_TString_Reserve(TF_TString *str, size_t new_cap)
{
    const size_t size = TF_TString_GetSize(str);
    char *text;
    if (new_cap <= TF_TString_SmallCapacity || new_cap > (SIZE_MAX >> 2) ||
        (TF_TString_GetType(str) == TF_TSTR_LARGE && new_cap <= str->u.large.cap)) {
        return;
    }
    if (new_cap < size) { /* a VIEW or OFFSET longer than asked */
        new_cap = size;
    }
    text = TF_TString_MakeLarge(str, TF_TString_RoundCapacity(new_cap), size);
    if (text != NULL) {
        str->u.large.size = TF_TString_ToInternalSizeT(size, TF_TSTR_LARGE);
        text[size] = '\0';
    }
}

/* As Reserve, but grows to at least twice the capacity. */
static inline void TF_TString_ReserveAmortized(TF_TString *str, size_t new_cap)
{
    const size_t cap = TF_TString_GetCapacity(str);
    TF_TString_Reserve(str, new_cap > cap && new_cap < cap * 2 ? cap * 2 : new_cap);
}

/* VIEW on [src, src + size), which must outlive dst. */
static inline void TF_TString_AssignView(TF_TString *dst, const char *src, size_t size)
{
    TF_TString_Dealloc(dst);
    TF_TString_Init(dst);
    dst->u.view.size = TF_TString_ToInternalSizeT(size, TF_TSTR_VIEW);
    dst->u.view.ptr = src;
}

/* src may lie inside dst. */
static inline void TF_TString_AppendN(TF_TString *dst, const char *src, size_t size)
{
    const size_t old_size = TF_TString_GetSize(dst);
    const uintptr_t old = (uintptr_t)TF_TString_GetDataPointer(dst);
    /* Own text moves when it grows; what a VIEW or OFFSET shows stays where it is. */
    const int own = TF_TString_GetType(dst) <= TF_TSTR_LARGE;
    const int inside = own && (uintptr_t)src >= old && (uintptr_t)src < old + old_size;
    const size_t at = inside ? (size_t)((uintptr_t)src - old) : 0;
    char *text;
    if (size == 0) {
        return;
    }
    text = size > (SIZE_MAX >> 2) ? NULL : TF_TString_ResizeUninitialized(dst, old_size + size);
    if (text != NULL) {
        memmove(text + old_size, inside ? text + at : src, size);
    }
}

static inline void TF_TString_Append(TF_TString *dst, const TF_TString *src)
{
    TF_TString_AppendN(dst, TF_TString_GetDataPointer(src), TF_TString_GetSize(src));
}

/* Copies the bytes: dst becomes SMALL or LARGE. src must not lie inside dst. */
static inline void TF_TString_Copy(TF_TString *dst, const char *src, size_t size)
{
    char *text = TF_TString_ResizeUninitialized(dst, size);
    if (text != NULL && size > 0) {
        memcpy(text, src, size);
    }
}

/* SMALL and VIEW are copied bit by bit, LARGE text is copied, OFFSET gives a VIEW. */
static inline void TF_TString_Assign(TF_TString *dst, const TF_TString *src)
{
    if (dst == src) {
        return;
    }
    switch (TF_TString_GetType(src)) {
    case TF_TSTR_SMALL:
        TF_TString_Dealloc(dst);
        *dst = *src;
        return;
    case TF_TSTR_LARGE:
        TF_TString_Copy(dst, src->u.large.ptr, TF_TString_GetSize(src));
        return;
    default:
        TF_TString_AssignView(dst, TF_TString_GetDataPointer(src), TF_TString_GetSize(src));
        return;
    }
}

/* As Assign, but LARGE text changes hands and src is "" after. */
static inline void TF_TString_Move(TF_TString *dst, TF_TString *src)
{
    if (dst == src) {
        return;
    }
    if (TF_TString_GetType(src) == TF_TSTR_LARGE) {
        TF_TString_Dealloc(dst);
        *dst = *src;
        TF_TString_Init(src);
        return;
    }
    TF_TString_Assign(dst, src);
}

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* ORIBI_TENSORFLOW_C_CTSTRING_H_ */
