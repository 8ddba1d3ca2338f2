/* SPDX-License-Identifier: Apache-2.0 */
/* Reading the bytes of a kernel's arguments by their description. */
#include "compile/lower/call_args.h"

#include <string.h>

#include "base/alloc.h"

const char *oribi_args_name(const oribi_args *args, size_t index)
{
    const char *name = args->names;
    for (; index > 0; index--) {
        name += strlen(name) + 1;
    }
    return name;
}

int32_t oribi_args_find(const oribi_args *args, size_t offset)
{
    for (size_t i = 0; i < args->n_members; i++) {
        if (args->members[i].offset == offset) {
            return (int32_t)i;
        }
    }
    return -1;
}

int32_t oribi_args_named(const oribi_args *args, const char *name)
{
    const char *at = args->names;
    for (size_t i = 0; i < args->n_members; i++) {
        if (strcmp(strncmp(at, "conv.", 5) == 0 ? at + 5 : at, name) == 0) {
            return (int32_t)i;
        }
        at += strlen(at) + 1;
    }
    return -1;
}

static size_t bytes_of(const oribi_args_member *member)
{
    switch (member->dtype) {
    case TF_INT8:
    case TF_UINT8:
        return 1;
    case TF_INT16:
    case TF_UINT16:
        return 2;
    default:
        return 4;
    }
}

int32_t oribi_args_integer(const oribi_args_member *member, const void *from, int32_t i)
{
    const void *at = (const char *)from + member->offset + (size_t)i * bytes_of(member);
    switch (member->dtype) {
    case TF_INT8:
        return *(const int8_t *)at;
    case TF_UINT8:
        return *(const uint8_t *)at;
    case TF_INT16:
        return *(const int16_t *)at;
    case TF_UINT16:
        return *(const uint16_t *)at;
    default:
        return *(const int32_t *)at;
    }
}

float oribi_args_float(const oribi_args_member *member, const void *from, int32_t i)
{
    return ((const float *)(const void *)((const char *)from + member->offset))[i];
}

int32_t oribi_args_count(const oribi_args *args, size_t index, const void *from)
{
    const oribi_args_member *member = &args->members[index];
    const int32_t most = member->count;
    const int32_t n =
        member->counter < 0 ? most : oribi_args_integer(&args->members[member->counter], from, 0);
    return n < 0 ? 0 : n < most ? n : most;
}

int64_t oribi_args_flash(const oribi_args *args)
{
    size_t end = 0, widest = 1;
    for (size_t i = 0; i < args->n_members; i++) { /* of at most 64 kB: nothing overflows */
        const oribi_args_member *member = &args->members[i];
        const size_t bytes = member->kind == ORIBI_ARGS_IS_ARRAY ? 4 : bytes_of(member);
        (void)oribi_size_round_up(end, bytes, &end);
        end += bytes * member->count;
        widest = bytes > widest ? bytes : widest;
    }
    (void)oribi_size_round_up(end, widest, &end);
    return (int64_t)end;
}
