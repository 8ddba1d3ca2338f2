/* SPDX-License-Identifier: Apache-2.0 */
/* Emission: the C of a program that is planned, and the files that the programs of a compilation
 * share. What it is given is const. Read next: emit_operators.c; with devices: emit_device.h.
 */
#ifndef ORIBI_COMPILE_EMIT_EMIT_PARTS_H_
#define ORIBI_COMPILE_EMIT_EMIT_PARTS_H_

#include "compile/emit/writer.h"
#include "compile/plan/planning.h"

/* emit_*.c: files of one model. */
bool oribi_emit_header(const oribi_program *program, oribi_files *files, TF_Status *status);
bool oribi_emit_operators(const oribi_program *program, oribi_files *files, TF_Status *status);
void oribi_emit_helpers(const oribi_program *program, oribi_writer *writer); /* into the header */
void oribi_emit_entries(const oribi_program *program, oribi_writer *writer); /* of it */
/* Opens the loop over the operators; `condition` is added to its own. */
void oribi_emit_open_operators(const oribi_program *program, oribi_writer *writer,
                               const char *condition);
bool oribi_emit_weights(const oribi_program *program, oribi_files *files, TF_Status *status);
bool oribi_emit_self_test(const oribi_program *program, oribi_files *files,
                          TF_Status *status); /* none: none is asked for */
/* Files that all models share. */
bool oribi_emit_kernels(const oribi_compile *all, oribi_files *files, TF_Status *status);
bool oribi_emit_shared(const oribi_compile *all, oribi_files *files, TF_Status *status);
bool oribi_emit_table(const oribi_compile *all, oribi_files *files,
                      TF_Status *status); /* none: none is asked for */
bool oribi_emit_build(const oribi_compile *all, oribi_files *files, TF_Status *status);
/* emit_library.c: what describes a library that is compiled where it is used. */
bool oribi_emit_arduino(const oribi_compile *all, oribi_files *files, TF_Status *status);
bool oribi_emit_platformio(const oribi_compile *all, oribi_files *files, TF_Status *status);
/* The flags of the C files, with ';' between them: the arithmetic of floats, and what --optimize
 * asks for. */
const char *oribi_emit_flags(const oribi_compile *all);
#define ORIBI_EMIT_LICENCE "0BSD" /* of what is emitted */
bool oribi_emit_metadata(const oribi_compile *all, oribi_files *files, TF_Status *status);
int64_t oribi_compile_time(void); /* SOURCE_DATE_EPOCH, else 0 (1970) */
int32_t oribi_emit_operator_count(const oribi_program *program);
/* "1, 28, 28"; of a scalar "1". */
void oribi_emit_shape(oribi_text *text, const oribi_shape *shape);
/* Writes the lines that each emitted file begins with. */
void oribi_emit_banner(const oribi_program *program, oribi_writer *writer, const char *what);
/* The place of a value as an expression over inputs, outputs, workspace, weights and state. */
void oribi_emit_place(const oribi_program *program, oribi_text *text, oribi_value_id value);
/* "unary_f32" of the header that declares the call's kernel: its own, or the one of its arguments;
 * NULL: no kernel is called. */
const char *oribi_emit_kernel_header(const oribi_call *call);
/* What the names of its kernel begin with, behind the model's. */
const char *oribi_emit_prefix(const oribi_call *call);
/* Writes `args`, a copy of the call's arguments, where --weights bin has pointers that are known
 * when the model runs, or always. Is there one? */
bool oribi_emit_own_arguments(const oribi_program *program, oribi_writer *writer,
                              const oribi_call *call, bool always);
/* emit_blocks.c: the call with its blocks, where `args` is a copy of its arguments, from and to
 * what these expressions point to. */
void oribi_emit_blocks(const oribi_program *program, oribi_writer *writer, const oribi_call *call,
                       const char *input, const char *output, const oribi_location *scratch);
/* emit_rings.c: the function of a call with rings, and the line that calls it. */
void oribi_emit_rings(const oribi_program *program, oribi_writer *writer, int32_t call);
void oribi_emit_rings_call(const oribi_program *program, oribi_writer *writer, int32_t call);
/* The place of a constant. */
void oribi_emit_array(const oribi_program *program, oribi_text *text, int32_t array);
/* "(const int32_t *)(const void *)" where a pointer to bytes needs it. */
const char *oribi_emit_pointer_cast(int32_t kind, bool is_const);
/* "(int8_t *)&pool_workspace[128]" */
void oribi_emit_pool_place(const oribi_program *program, oribi_text *text, int32_t kind,
                           const oribi_location *location);
/* "inputs, outputs, workspace_pools, state": the lines of parameters of an entry, and an argument
 * list of the same. */
void oribi_emit_parameters(const oribi_program *program, oribi_writer *writer, const char *end);
const char *oribi_emit_forwarded(const oribi_program *program);
/* Writes what follows an entry's name: the parameters, and the check of them whose result is
 * `code`. */
void oribi_emit_open_entry(const oribi_program *program, oribi_writer *writer);
void oribi_emit_step(const oribi_program *program, oribi_writer *writer);
/* Lines that name the pools that `body` uses; what it does not use is marked so. */
void oribi_emit_pools(const oribi_program *program, oribi_writer *writer, const char *body);
/* evaluate.c: fills values, by id and NULL before, with the tensors of one run on made-up inputs,
 * and first with those that are whole when their operator's turn first comes, NULL of others: in a
 * loop of its first iteration. The caller deletes both, also on failure; of a constant it is a
 * handle of its own. */
bool oribi_program_evaluate(const oribi_program *program, TF_Tensor **values, TF_Tensor **first,
                            TF_Status *status);
/* emit_own.c: kernels of plugins. The file as the plugin has it, with its licence, the guard of a
 * header, and the header of a source. */
void oribi_emit_own_file(const oribi_target_kernel *kernel, const oribi_target_file *file,
                         oribi_text *out);
/* Copies `bytes` of a kernel's text with symbols that carry the model's name, so that models
 * compiled apart link together, and headers found beside the file. prefix: of a plugin's; NULL:
 * none. */
void oribi_emit_rename(const char *text, size_t bytes, const char *model, const char *prefix,
                       oribi_text *out);
/* Adds a plugin's file; one that is there already must be the same. Takes over the text. */
bool oribi_emit_own_add(oribi_files *files, const oribi_target_kernel *kernel, const char *name,
                        oribi_text *text, TF_Status *status);
/* The C of an instance and its header, in the words of micro/. */
void oribi_instance_source(const oribi_instance *instance, oribi_text *text);
void oribi_instance_header(const oribi_instance *instance, oribi_text *text);

#endif
