/* SPDX-License-Identifier: Apache-2.0 */
/* Emission for models with devices. Everything here is for n_devices > 0. */
#ifndef ORIBI_COMPILE_EMIT_DEVICE_H_
#define ORIBI_COMPILE_EMIT_DEVICE_H_

#include "compile/emit/emit_device_table.h"
#include "compile/emit/emit_parts.h"

/* emit_device.c */
bool oribi_device_is_first_of_kind(const oribi_program *program, int32_t device);
void oribi_emit_device_includes(const oribi_program *program, oribi_writer *writer);
void oribi_emit_device_structs(const oribi_program *program, oribi_writer *writer);
void oribi_emit_device_cursor(const oribi_program *program, oribi_writer *writer);
void oribi_emit_device_prototypes(const oribi_program *program, oribi_writer *writer);
void oribi_emit_model_parameters(const oribi_program *program, oribi_writer *writer,
                                 const char *end);
void oribi_emit_device_functions(const oribi_program *program, oribi_writer *writer);

/* emit_device_entry.c */
void oribi_emit_device_checks(const oribi_program *program, oribi_writer *writer);
void oribi_emit_device_entries(const oribi_program *program, oribi_writer *writer);

/* What the functions of emit_device_steps.c and emit_device_hooks.c write from and to. */
typedef struct oribi_device_stepper {
    const oribi_program *c;
    const oribi_device_table *t;
    oribi_writer *w;
} oribi_device_stepper;

/* emit_device_hooks.c: call_device and unwind, with what they need. */
void oribi_emit_device_hooks(const oribi_device_stepper *stepper);

/* emit_device_steps.c */
extern const char *const oribi_device_marks[ORIBI_MARKS]; /* members of the cursor */
/* The tables of a run's steps and the functions that walk them, run_operator last. */
void oribi_emit_device_steps(const oribi_program *program, const oribi_device_table *table,
                             oribi_writer *writer);
/* The cases of run_kernel. kernel_line writes the call of a kernel. */
void oribi_emit_device_kernel_cases(const oribi_program *program, oribi_writer *writer,
                                    void (*kernel_line)(void *arg, int32_t call), void *arg);
/* Is there a loop whose last operator is not done while the loop goes on? run_kernel says so. */
bool oribi_device_leaves_early(const oribi_program *program);
#endif
