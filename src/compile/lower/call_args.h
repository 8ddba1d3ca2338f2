/* SPDX-License-Identifier: Apache-2.0 */
/* The arguments of a kernel as data: where the members of its args struct lie and what they are. A
 * call has the bytes of such a struct, which the kernel's prepare half filled, and this description
 * of them; the writer, the estimates of flash and the placing of arrays read nothing else.
 *
 * A kernel of micro/ declares its struct in its header and nothing more: cmake/args_table.cmake
 * makes `oribi_args_<name>` of `struct oribi_micro_<name>_args` when the library is built. The
 * description is the one that plugins give of their kernels: oribi/target.h.
 */
#ifndef ORIBI_COMPILE_LOWER_CALL_ARGS_H_
#define ORIBI_COMPILE_LOWER_CALL_ARGS_H_

#include "oribi/target.h"

/* The name of member `index`. */
const char *oribi_args_name(const oribi_args *args, size_t index);
/* The member at that offset; -1: there is none. */
int32_t oribi_args_find(const oribi_args *args, size_t offset);
/* The member of that name, in the arguments or in the convolution that they hold; -1: there is
 * none. */
int32_t oribi_args_named(const oribi_args *args, const char *name);
/* A number, or element `i` of a list, of the struct at `from`: an integer, or a float. */
int32_t oribi_args_integer(const oribi_args_member *member, const void *from, int32_t i);
float oribi_args_float(const oribi_args_member *member, const void *from, int32_t i);
/* How many elements of a list count. */
int32_t oribi_args_count(const oribi_args *args, size_t index, const void *from);
/* Bytes of the struct where pointers have 4. */
int64_t oribi_args_flash(const oribi_args *args);

#endif
