/* SPDX-License-Identifier: Apache-2.0 */
/* What the emitted const tables of a model with devices hold: its steps as rows, and the ranges of
 * memory and the calls that the rows name by their numbers. */
#ifndef ORIBI_COMPILE_EMIT_DEVICE_TABLE_H_
#define ORIBI_COMPILE_EMIT_DEVICE_TABLE_H_

#include "base/arena.h"
#include "compile/emit/writer.h"
#include "compile/plan/program.h"
#include "compile/schedule/compile_steps.h"

/* Bytes in the memory of device `memory`, or, past the devices, at host memory
 * `memory - n_devices`. */
typedef struct oribi_device_range {
    int32_t memory;
    int64_t offset, bytes;
} oribi_device_range;

typedef struct oribi_device_row {
    const oribi_step *step; /* NULL: the copy of an output, which is the CPU's */
    int32_t operator_index;
    int32_t first, second; /* ranges; of a call, its place among `calls`, and 0 */
} oribi_device_row;

typedef struct oribi_device_table {
    oribi_arena arena;
    oribi_device_row *rows;
    oribi_device_range *ranges;
    oribi_location *memories; /* of the host's: storage and index */
    int32_t *tensors;         /* ranges of the tensors of calls, one call behind the other */
    int32_t *calls;           /* those on devices */
    int32_t *first_tensor;    /* by place among `calls` */
    int32_t n_rows, n_ranges, n_memories, n_tensors, n_calls;
    uint32_t hooks[ORIBI_DEVICES_MAX]; /* called of a device by its kind: a bit for each */
    uint64_t kinds;                    /* of rows: a bit for each oribi_step_kind */
    bool has_own;                      /* calls that their target has written itself */
} oribi_device_table;

/* Is the step the call of an operator that its target has written itself? */
bool oribi_device_step_is_own(const oribi_program *program, const oribi_step *step);
/* False: no memory. The caller destroys the arena, also then. */
bool oribi_device_table_make(const oribi_program *program, oribi_device_table *out);
/* Does a row call a hook, or what its target has written in the place of one? */
bool oribi_device_table_calls_any(const oribi_device_table *table);
/* Are hooks of a kind called, by rows or by unwinding? */
bool oribi_device_table_has_hooks(const oribi_device_table *table);
/* Has any device a Load? */
bool oribi_device_any_loads(const oribi_program *program);
/* Writes the structs and tables. */
void oribi_emit_device_table(const oribi_program *program, const oribi_device_table *table,
                             oribi_writer *writer);
/* "COPY_TO" of TVM_DEVICE_HOOK_COPY_TO. */
void oribi_emit_hook_macro(oribi_text *text, int32_t hook);

#endif
