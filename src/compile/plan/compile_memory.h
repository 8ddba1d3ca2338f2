/* SPDX-License-Identifier: Apache-2.0 */
/* Shared by the rooms of memory: compile_compile_memory.c (the flow, from buffers to places),
 * memory_groups.c (which values are the same bytes), memory_shared.c (which lie at fixed places),
 * memory_alias.c (what a call may write over).
 * Read first: program.h.
 */
#ifndef ORIBI_COMPILE_MEMORY_H_
#define ORIBI_COMPILE_MEMORY_H_

#include "compile/plan/planning.h"

/* Values that share one buffer, each at its offset. */
typedef struct oribi_memory_group {
    int64_t bytes;
    int32_t first, last;   /* calls, both included; last < 0: not used; first -1: an input */
    int32_t read;          /* the last call that reads it; of an output all of them */
    int32_t input, output; /* port of the model that is one of the values, or -1 */
    int32_t state;         /* that is read here, or -1 */
    int32_t buffer;        /* of the planner, or -1 */
    int32_t alignment;
    uint32_t pools; /* that all who touch it see, a bit for each */
    uint32_t seen;  /* by the devices that touch it: of one, or with others' differences, 0 */
    bool is_constant, is_read_only; /* is_read_only: never written over */
    bool is_carried;                /* by a loop: it is written over as a whole */
    bool is_bound; /* a device writes it that does not write to the caller's memory */
    bool is_fixed; /* scratch with values at fixed places in it: it is laid out by others */
} oribi_memory_group;

typedef struct oribi_memory_member { /* a value in its group */
    int32_t parent;                  /* value; itself: the root, whose group counts */
    int64_t offset;                  /* from the parent's first byte */
} oribi_memory_member;

typedef struct oribi_memory {
    oribi_program *program;
    oribi_memory_member *members; /* by value; behind them, by call: scratch that calls share */
    oribi_memory_group *groups;   /* the same; roots count */
    oribi_share *shares;          /* by value: why it is where it is */
    oribi_plan_buffer *buffers;
    oribi_plan_alias *aliases;
    int32_t *alias_calls;    /* by alias */
    int32_t *scratch_buffer; /* by call, -1: none */
    int64_t *changes;        /* n_calls + 3, for what is alive, memory_groups.c */
    int32_t n_buffers, n_aliases;
    bool forbids_joins; /* no two values exactly in place: more freedom, more to search */
    bool is_too_large;  /* a size is above all sizes: there is no plan */
    TF_Status *status;
} oribi_memory;

/* Root of a value's group, and the value's offset in it. out_offset may be NULL. */
int32_t oribi__memory_root(const oribi_memory *memory, int32_t value, int64_t *out_offset);
bool oribi__memory_in_pool(const oribi_memory *memory, int32_t root);
/* The smallest multiple of line, a power of two, that is not below bytes. Where there is none it
 * notes that in is_too_large and gives bytes. */
int64_t oribi__memory_round_up(oribi_memory *memory, int64_t bytes, int32_t line);
/* memory_groups.c: groups by views, then (unless forbids_joins) by operators in place; sets
 * copies, shares, elided calls. False: what the model fixes cannot be. */
bool oribi__memory_group(oribi_memory *memory, oribi_arena *arena);
/* The group `part` becomes bytes of the group `whole`, from offset on. Both are roots. */
void oribi__memory_join(oribi_memory *memory, int32_t whole, int32_t part, int64_t offset);
/* memory_shared.c: the group of the scratch that the call shares with others, or -1; where a tensor
 * of it (inputs, then outputs) lies there, or -1. */
int32_t oribi__memory_shared(const oribi_memory *memory, int32_t call);
int64_t oribi__memory_place(const oribi_memory *memory, int32_t call, int32_t tensor);
/* Makes those groups; and, once views are known, lays values into them. */
void oribi__memory_init_shared(oribi_memory *memory);
bool oribi__memory_lay_shared(oribi_memory *memory, oribi_arena *arena);

/* memory_alias.c: the offset that alias k of the call allows from root to root, if the alias holds
 * at all. */
bool oribi__memory_window(const oribi_memory *memory, int32_t call, int32_t alias,
                          oribi_plan_alias *out_roots);

#endif
