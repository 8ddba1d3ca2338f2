/* SPDX-License-Identifier: Apache-2.0 */
/* Emission for models with devices. Everything here is for n_devices > 0. */
#ifndef ORIBI_COMPILE_EMIT_DEVICE_H_
#define ORIBI_COMPILE_EMIT_DEVICE_H_

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

/* emit_device_steps.c */
/* The cases of run_operator. kernel_line writes the call of a kernel. */
void oribi_emit_device_cases(const oribi_program *program, oribi_writer *writer,
                             void (*kernel_line)(void *arg, int32_t call), void *arg);
/* Writes the code that ends what a failed run has begun, and counts failures in doing so. */
void oribi_emit_unwinding(const oribi_program *program, oribi_writer *writer);
#endif
