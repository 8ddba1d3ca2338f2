/* SPDX-License-Identifier: Apache-2.0 */
/* A relocatable ELF object of constants: named arrays in sections, no code. Little-endian. */
#ifndef ORIBI_COMPILE_OBJECT_H_
#define ORIBI_COMPILE_OBJECT_H_

#include <stdint.h>

#include "base/text.h"

typedef struct oribi_object_symbol {
    const char *name;
    int32_t section; /* index in the sections given */
    uint64_t offset, bytes;
} oribi_object_symbol;

typedef struct oribi_object_section {
    const char *name;
    const oribi_text *bytes;
    int32_t alignment; /* of the section; at least 16 */
} oribi_object_section;

/* machine is an oribi_option_machine. Sections are aligned to 16 bytes or more. */
void oribi_object_write(int32_t machine, const oribi_object_section *sections, int32_t n_sections,
                        const oribi_object_symbol *symbols, int32_t n_symbols, oribi_text *out);

#endif
