/* SPDX-License-Identifier: Apache-2.0 */
/* What does each emitted file begin with? */
#include "compile/common/c_names.h"
#include "compile/emit/emit_parts.h"

void oribi_emit_banner(const oribi_program *c, oribi_writer *writer, const char *what)
{
    oribi_text safe = {0}, asked = {0};
    oribi_compile_append_safe(&safe, c->source_name);
    oribi_compile_options_print(c->options, &asked);
    oribi_writer_line(writer, "/* SPDX-License-Identifier: 0BSD */");
    oribi_writer_comment(
        writer,
        "%s Made by oribi %s from '%s' (SHA-256 %s)%s%s; make it again rather than "
        "change it.",
        what, oribi_version(), oribi_text_string(&safe), c->sha256, asked.length > 0 ? " with" : "",
        oribi_text_string(&asked));
    oribi_writer_end(writer, &safe);
    oribi_writer_end(writer, &asked);
}
