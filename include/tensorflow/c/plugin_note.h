/* SPDX-License-Identifier: Apache-2.0 */
/* What a plugin says about itself without being loaded: one ELF note with the contract that it was
 * built for, its name, version, licence and compiler. Write once, in one file of the plugin:
 *
 *     ORIBI_PLUGIN("acme", "1.2", "Apache-2.0");
 *
 * A loader that refuses the plugin then says "built for contract 1.4, this is 1.0, missing TF_X";
 * `oribi plugin describe FILE` shows the rest. Not here: versions and their floor,
 * ORIBI_TARGET_CONTRACT (c_api_macros.h). Since 1.0.
 */
#ifndef ORIBI_TENSORFLOW_C_PLUGIN_NOTE_H_
#define ORIBI_TENSORFLOW_C_PLUGIN_NOTE_H_

#include "tensorflow/c/c_api_macros.h"

/* Type of the note, and the form of its contents: two numbers, then four texts, each with its NUL.
 */
#define ORIBI_PLUGIN_NOTE_TYPE 1
/* The type of a note of test cases: one text with its NUL. */
#define ORIBI_PLUGIN_CASES_TYPE 2

#define ORIBI_PLUGIN(name_, version_, licence_)                                                    \
    static const struct {                                                                          \
        uint32_t owner_bytes, content_bytes, type;                                                 \
        char owner[8];                                                                             \
        uint32_t contract; /* that its functions were limited to */                                \
        uint32_t headers;  /* that it was compiled with */                                         \
        char name[sizeof(name_)], version[sizeof(version_)], licence[sizeof(licence_)];            \
        char build[sizeof(__VERSION__)];                                                           \
    } oribi_plugin_note __attribute__((section(".note.oribi"), used, aligned(4))) = {              \
        6,                                                                                         \
        8 + sizeof(name_) + sizeof(version_) + sizeof(licence_) + sizeof(__VERSION__),             \
        ORIBI_PLUGIN_NOTE_TYPE,                                                                    \
        "Oribi",                                                                                   \
        ORIBI_TARGET_CONTRACT,                                                                     \
        ORIBI_CONTRACT_VERSION,                                                                    \
        name_,                                                                                     \
        version_,                                                                                  \
        licence_,                                                                                  \
        __VERSION__}

/* Cases for `oribi plugin test`, which travel in the plugin: JSON as docs/reference/author-tools.md
 * has it, a string literal. Once, in one file; a file beside the plugin or --cases goes before it.
 */
#define ORIBI_PLUGIN_CASES(json_)                                                                  \
    static const struct {                                                                          \
        uint32_t owner_bytes, content_bytes, type;                                                 \
        char owner[8];                                                                             \
        char json[sizeof(json_)];                                                                  \
    } oribi_plugin_cases __attribute__((section(".note.oribi"), used, aligned(4))) = {             \
        6, sizeof(json_), ORIBI_PLUGIN_CASES_TYPE, "Oribi", json_}

#endif /* ORIBI_TENSORFLOW_C_PLUGIN_NOTE_H_ */
