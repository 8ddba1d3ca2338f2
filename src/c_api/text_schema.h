/* SPDX-License-Identifier: Apache-2.0 */
/* Fields of the messages that text_format.c knows, and names of their numbers. */
#ifndef ORIBI_C_API_TEXT_SCHEMA_H_
#define ORIBI_C_API_TEXT_SCHEMA_H_

#include <stdbool.h>
#include <stdint.h>

#include "base/text.h"

enum {
    ORIBI_FIELD_TEXT,
    ORIBI_FIELD_MESSAGE,
    ORIBI_FIELD_INT, /* and others that are numbers, behind it */
    ORIBI_FIELD_BOOL,
    ORIBI_FIELD_ENUM,
    ORIBI_FIELD_FLOAT,
    ORIBI_FIELD_DOUBLE,
};

/* The numbers of packed fields are below ORIBI_MOST_PACKED. */
enum { ORIBI_FORM_PLAIN, ORIBI_FORM_MAP, ORIBI_FORM_PACKED, ORIBI_MOST_PACKED = 18 };

typedef struct oribi_text_field {
    uint8_t in; /* the message that it is of */
    uint8_t number, kind;
    uint8_t message; /* that it is, or which names its numbers have */
    uint8_t form;    /* ORIBI_FORM_.. */
    char name[27];
} oribi_text_field;

/* The message's fields, in order of their numbers: those that follow each other `in` it. */
const oribi_text_field *oribi_text_fields_of(int message);
const oribi_text_field *oribi_text_field_of(int message, oribi_string name);
/* Numbers that have names. */
bool oribi_text_number_of(int names, oribi_string name, int64_t *out);
bool oribi_text_name_of(int names, int64_t number, oribi_string *out);

#endif
