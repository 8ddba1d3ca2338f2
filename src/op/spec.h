/* SPDX-License-Identifier: Apache-2.0 */
/* Private to the room: the op-spec mini-language, the text-format values in it, and the checks of a
 * whole definition. Grammar: docs/reference/ops.md. Read next: spec_attr.c, spec_arg.c,
 * spec_value.c.
 */
#ifndef ORIBI_OP_SPEC_H_
#define ORIBI_OP_SPEC_H_

#include <stdarg.h>

#include "base/text.h"
#include "op/traits.h"

enum { ORIBI_ATTR_KIND_BROKEN = 255 }; /* its spec failed: no second message about its uses */

typedef struct oribi_held_tensor { /* tensors that default values own */
    TF_Tensor *tensor;
    struct oribi_held_tensor *next;
} oribi_held_tensor;

typedef struct oribi_op_entry { /* a definition and what lives with it */
    oribi_op_def def;
    oribi_arena arena;
    oribi_held_tensor *tensors;
    void (*delete_data)(void *data);
    struct oribi_op_entry *next; /* in a transaction's pending list */
} oribi_op_entry;
void oribi_op_entry_destroy(oribi_op_entry *entry); /* NULL ok; runs delete_data */
/* Takes entry. Accepted or identical: true. */
bool oribi_op_register(oribi_op_entry *entry, TF_Status *status);
/* Remembers the failure of a registration for the commit of this thread's transaction. */
void oribi_op_note_failure(const TF_Status *status);

typedef struct oribi_spec { /* state of parsing one definition */
    oribi_op_entry *entry;
    oribi_text *errors; /* joined by newlines */
    const char *what;   /* "Attr", "Input", "Output": which call brought `text` */
    const char *text;
    bool no_memory;
} oribi_spec;

/* Adds "<message> from Attr("spec") for Op X" to the errors; returns false. */
bool oribi_spec_fail(oribi_spec *spec, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
bool oribi_spec_no_memory(oribi_spec *spec);
/* A line of the errors, without more. */
void oribi_spec_error(oribi_text *errors, const char *format, va_list args);

/* --- Scanner over NUL-terminated text; each consumes on success only (spec_scan.c) ------------ */
typedef struct oribi_span {
    const char *data;
    size_t length;
} oribi_span;
void oribi_scan_spaces(const char **at);
bool oribi_scan_literal(const char **at, const char *literal);
/* [A-Za-z][A-Za-z0-9_]*, or with `lower` [a-z][a-z0-9_]* */
bool oribi_scan_name(const char **at, bool lower, oribi_span *out);
/* Optional '-' and digits; false also when out of int64. */
bool oribi_scan_integer(const char **at, int64_t *out);
/* '...' or "..." with C escapes, unescaped into the arena. */
bool oribi_scan_quoted(const char **at, oribi_spec *spec, oribi_string *out);
bool oribi_span_is(oribi_span span, const char *text);
/* The attribute of the definition that has the name; NULL: none. */
oribi_attr_def *oribi_spec_find_attr(const oribi_spec *spec, oribi_span name);
/* "name :" into the arena, with `lower` as oribi_scan_name; `shown` is what a failure names. */
bool oribi_spec_scan_name(oribi_spec *spec, const char **at, bool lower, const char *shown,
                          const char **out);

/* --- Specs (spec_attr.c, spec_arg.c) ---------------------------------------------------------- */
bool oribi_spec_parse_attr(oribi_spec *spec, oribi_attr_def *out);
bool oribi_spec_parse_arg(oribi_spec *spec, oribi_arg_def *out);
bool oribi_spec_parse_trait(oribi_spec *spec, oribi_trait_def *out); /* spec_trait.c */
/* Adds a chain to the definition's, after its attributes are known (fusion.c). */
bool oribi_spec_parse_fusion(oribi_spec *spec);
struct oribi_fusion;
/* What begins with the names of the inputs in brackets (fusion_formula.c). */
bool oribi_spec_parse_formula(oribi_spec *spec, const char *at, struct oribi_fusion *out);

/* --- Default values in protobuf text format (spec_value.c, spec_tensor.c) --------------------- */
/* Growing array of elements of one kind in the arena. */
typedef struct oribi_values {
    oribi_spec *spec;
    uint8_t kind;
    void *elements;
    int32_t count, capacity;
} oribi_values;
bool oribi_values_add(oribi_values *values, const void *element);
/* Parses the whole of text as a value; false without a message when it is none. */
bool oribi_value_parse(oribi_spec *spec, const char *text, uint8_t kind, bool is_list,
                       const char *name, const oribi_attr **out);
/* Scalars of text format; each skips spaces before. */
bool oribi_value_int(const char **at, int64_t *out);
bool oribi_value_uint(const char **at, uint64_t *out);
bool oribi_value_double(const char **at, double *out);
bool oribi_value_bool(const char **at, bool *out);
bool oribi_value_type(const char **at, TF_DataType *out);
bool oribi_value_string(const char **at, oribi_spec *spec, oribi_string *out);
bool oribi_value_shape(const char **at, oribi_spec *spec, oribi_shape *out); /* { ... } */
bool oribi_value_tensor(const char **at, oribi_spec *spec, TF_Tensor **out); /* { ... } */
/* Messages: the opening brace, a field's name with its colon, the closing brace. */
bool oribi_value_open(const char **at, char *out_close);
bool oribi_value_close(const char **at, char close);
bool oribi_value_field(const char **at, oribi_span *out_name, bool *out_has_colon);
void oribi_value_separator(const char **at); /* optional ',' or ';' */

/* --- Docs and the checks of the whole (spec_doc.c, op_check.c) -----------------------------------
 */
bool oribi_spec_parse_doc(oribi_spec *spec, const char *doc);
/* Names, kinds, minimums, allowed values, defaults, references. Adds to the errors. */
bool oribi_op_check(oribi_spec *spec);
/* Does a value of an attribute satisfy its minimum and allowed set? Message without prefix. */
bool oribi_attr_def_accepts(const oribi_attr_def *def, const oribi_attr *value, oribi_text *why);

#endif
