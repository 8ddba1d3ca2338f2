/* SPDX-License-Identifier: Apache-2.0 */
/* Writer: the only way emitted text is made. Owns indentation and the escaping of text that comes
 * from a model, which is hostile. Out of memory is sticky, in `text`. Not here: what is written
 * (emit_*.c), names (names.h).
 */
#ifndef ORIBI_COMPILE_WRITER_H_
#define ORIBI_COMPILE_WRITER_H_

#include <stdint.h>

#include "base/text.h"
#include "compile/common/elements.h"

typedef struct oribi_writer {
    oribi_text text;
    int32_t depth; /* of blocks */
} oribi_writer;

void oribi_writer_blank(oribi_writer *writer);
/* One indented line. */
void oribi_writer_line(oribi_writer *writer, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* One statement, continued on deeper lines where it is long; it is broken after commas. */
void oribi_writer_wrapped(oribi_writer *writer, const char *statement);
/* The same of a text that is made for it; takes it over. */
void oribi_writer_statement(oribi_writer *writer, oribi_text *statement);
/* The line, then deeper by one level. */
void oribi_writer_open(oribi_writer *writer, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* Back by one level, then the line ("}", "};"). */
void oribi_writer_close(oribi_writer *writer, const char *line);
/* Ends a text that the writer was given parts of: what failed in it has failed here. */
void oribi_writer_end(oribi_writer *writer, oribi_text *part);
/* A comment of one paragraph, wrapped; comment marks and what is not printable in it are made
 * harmless. */
void oribi_writer_comment(oribi_writer *writer, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Elements of an initialiser, as many as fit on a line. */
void oribi_writer_elements(oribi_writer *writer, int32_t kind, const void *data, int64_t count);

/* A literal of type float that reads back as the same value: "0.5f". */
void oribi_writer_append_float(oribi_text *text, float value);

#endif
