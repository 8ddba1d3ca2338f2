/* SPDX-License-Identifier: Apache-2.0 */
/* The weights as --weights says: tvmgen_<model>_weights.h and beside it .c, .S with .bin, or .o; or
 * .bin alone, which the application passes to each run.
 */
#include <inttypes.h>
#include <string.h>

#include "compile/emit/emit_parts.h"
#include "compile/emit/object.h"
#include "compile/common/checksum.h"
#include "tensor/status.h"

static const char default_section[] = ".rodata.tvmgen_weights";

/* --- Header ---------------------------------------------------------------------------------- */

static void head_array(const oribi_program *c, oribi_writer *w)
{
    oribi_text image = {0};
    (void)oribi_weights_image(c, &image);
    oribi_writer_comment(w, "What tvmgen_%s_weights.bin begins with: its kind, its size, a hash.",
                         c->name);
    oribi_writer_open(w, "static const uint8_t tvmgen_%s_weights_head[%d] = {", c->name,
                      (int)ORIBI_WEIGHTS_HEAD);
    if (!image.failed && image.length >= ORIBI_WEIGHTS_HEAD) {
        oribi_writer_elements(w, ORIBI_ELEMENT_U8, image.data, ORIBI_WEIGHTS_HEAD);
    }
    oribi_writer_close(w, "};");
    oribi_writer_line(w, "#define TVMGEN_%s_WEIGHTS_CRC32 0x%08" PRIx32 "u", c->macro,
                      oribi_crc32(0, oribi_text_string(&image), image.length));
    oribi_writer_end(w, &image);
}

static bool emit_declarations(const oribi_program *c, oribi_files *files, TF_Status *status)
{
    oribi_writer w = {0};
    oribi_emit_banner(c, &w, "The weights of the model; for tvmgen_*.c alone.");
    oribi_writer_line(&w, "#ifndef TVMGEN_%s_WEIGHTS_H_", c->macro);
    oribi_writer_line(&w, "#define TVMGEN_%s_WEIGHTS_H_", c->macro);
    oribi_writer_blank(&w);
    oribi_writer_line(&w, "#include <stdint.h>");
    oribi_writer_blank(&w);
    if (c->options->weights == ORIBI_WEIGHTS_BIN) {
        head_array(c, &w);
    }
    for (int32_t i = 0; c->options->weights != ORIBI_WEIGHTS_BIN && i < c->n_arrays; i++) {
        const oribi_placed *placed = c->arrays[i].placed;
        oribi_writer_line(&w, "extern const %s tvmgen_%s_%s[%" PRId64 "];",
                          oribi_element_c_type(placed->kind), c->name, c->arrays[i].symbol,
                          placed->count);
    }
    oribi_writer_blank(&w);
    oribi_writer_line(&w, "#endif");
    return oribi_files_add(files, &w.text, status, "tvmgen_%s_weights.h", c->name);
}

/* --- C --------------------------------------------------------------------------------------- */

static bool emit_c(const oribi_program *c, oribi_files *files, TF_Status *status)
{
    oribi_writer w = {0};
    oribi_emit_banner(c, &w, "The weights of the model.");
    oribi_writer_line(&w, "#include \"tvmgen_%s_weights.h\"", c->name);
    oribi_writer_blank(&w);
    oribi_writer_line(&w, "#include \"micro/port.h\"");
    for (int32_t i = 0; i < c->n_arrays; i++) {
        const oribi_weights_array *array = &c->arrays[i];
        const oribi_placed *placed = array->placed;
        oribi_writer_blank(&w);
        if (array->section != NULL) {
            oribi_writer_line(&w, "TVMGEN_SECTION(\"%s\")", array->section);
        } else {
            oribi_writer_line(&w, "TVMGEN_CONSTANT");
        }
        oribi_writer_open(&w, "TVMGEN_ALIGNED(%d) const %s tvmgen_%s_%s[%" PRId64 "] = {",
                          (int)oribi_weights_alignment(placed), oribi_element_c_type(placed->kind),
                          c->name, array->symbol, placed->count);
        oribi_writer_elements(&w, placed->kind, placed->data, placed->count);
        oribi_writer_close(&w, "};");
    }
    return oribi_files_add(files, &w.text, status, "tvmgen_%s_weights.c", c->name);
}

/* --- One file of bytes ----------------------------------------------------------------------- */

static bool emit_image(const oribi_program *c, oribi_files *files, TF_Status *status)
{
    oribi_text image = {0};
    (void)oribi_weights_image(c, &image);
    return oribi_files_add(files, &image, status, "tvmgen_%s_weights.bin", c->name);
}

/* Pieces of the image by .incbin; the file is found beside this one through -I. */
static bool emit_assembly(const oribi_program *c, oribi_files *files, TF_Status *status)
{
    oribi_writer w = {0};
    oribi_emit_banner(c, &w, "The weights of the model, taken from the file beside this one.");
    oribi_writer_line(&w,
                      "#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__");
    oribi_writer_line(&w, "#error \"the file of weights is little-endian; use --weights c\"");
    oribi_writer_line(&w, "#endif");
    for (int32_t i = 0; i < c->n_arrays; i++) {
        const oribi_weights_array *array = &c->arrays[i];
        const int64_t bytes = array->placed->count * oribi_element_bytes(array->placed->kind);
        oribi_writer_blank(&w);
        oribi_writer_line(&w, "    .section %s, \"a\"",
                          array->section != NULL ? array->section : default_section);
        oribi_writer_line(&w, "    .balign %d", (int)oribi_weights_alignment(array->placed));
        oribi_writer_line(&w, "    .globl tvmgen_%s_%s", c->name, array->symbol);
        oribi_writer_line(&w, "    .type tvmgen_%s_%s, %%object", c->name, array->symbol);
        oribi_writer_line(&w, "    .size tvmgen_%s_%s, %" PRId64, c->name, array->symbol, bytes);
        oribi_writer_line(&w, "tvmgen_%s_%s:", c->name, array->symbol);
        oribi_writer_line(&w, "    .incbin \"tvmgen_%s_weights.bin\", %" PRId64 ", %" PRId64,
                          c->name, array->offset, bytes);
    }
    oribi_writer_blank(&w);
    oribi_writer_line(&w, "    .section .note.GNU-stack, \"\", %%progbits");
    return oribi_files_add(files, &w.text, status, "tvmgen_%s_weights.S", c->name);
}

/* --- Object ---------------------------------------------------------------------------------- */

static int32_t section_index(oribi_object_section *sections, int32_t *n, const char *name)
{
    name = name != NULL ? name : default_section;
    for (int32_t i = 0; i < *n; i++) {
        if (strcmp(sections[i].name, name) == 0) {
            return i;
        }
    }
    sections[*n].name = name;
    return (*n)++;
}

static bool emit_object(const oribi_program *c, oribi_files *files, TF_Status *status)
{
    const size_t n = (size_t)c->n_arrays + 1;
    oribi_object_symbol *symbols = oribi_arena_array(&files->arena, n, sizeof *symbols);
    oribi_object_section *sections = oribi_arena_array(&files->arena, n, sizeof *sections);
    oribi_text *bodies = oribi_arena_array(&files->arena, n, sizeof *bodies);
    oribi_text object = {0};
    int32_t n_sections = 0;
    if (symbols == NULL || sections == NULL || bodies == NULL) {
        return oribi_fail_memory(status);
    }
    for (int32_t i = 0; i < c->n_arrays; i++) {
        const oribi_weights_array *array = &c->arrays[i];
        const int32_t index = section_index(sections, &n_sections, array->section);
        sections[index].bytes = &bodies[index];
        symbols[i].name = oribi_arena_printf(&files->arena, "tvmgen_%s_%s", c->name, array->symbol);
        symbols[i].section = index;
        symbols[i].bytes =
            (uint64_t)(array->placed->count * oribi_element_bytes(array->placed->kind));
        object.failed = object.failed || symbols[i].name == NULL;
        sections[index].alignment =
            oribi_weights_alignment(array->placed) > sections[index].alignment
                ? oribi_weights_alignment(array->placed)
                : sections[index].alignment;
        oribi_weights_append(&bodies[index], array->placed);
        symbols[i].offset = bodies[index].length - (uint64_t)array->padded_bytes;
    }
    if (!object.failed) {
        oribi_object_write(c->options->machine, sections, n_sections, symbols, c->n_arrays,
                           &object);
    }
    for (int32_t i = 0; i < n_sections; i++) {
        oribi_text_destroy(&bodies[i]);
    }
    return oribi_files_add(files, &object, status, "tvmgen_%s_weights.o", c->name);
}

bool oribi_emit_weights(const oribi_program *c, oribi_files *files, TF_Status *status)
{
    ORIBI_TRY(emit_declarations(c, files, status));
    switch (c->options->weights) {
    case ORIBI_WEIGHTS_BIN:
        return emit_image(c, files, status);
    case ORIBI_WEIGHTS_INCBIN:
        return emit_image(c, files, status) && emit_assembly(c, files, status);
    case ORIBI_WEIGHTS_OBJ:
        return emit_object(c, files, status);
    default:
        return emit_c(c, files, status);
    }
}
