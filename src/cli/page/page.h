/* SPDX-License-Identifier: Apache-2.0 */
/* Pages that the command writes: one file each, which asks for nothing else, light or dark as the
 * reader prefers. Strings of models are hostile: all of them go through page_text. Read next:
 * page.c.
 */
#ifndef ORIBI_CLI_PAGE_PAGE_H_
#define ORIBI_CLI_PAGE_PAGE_H_

#include "cli.h"

void page_begin(oribi_text *text, const char *what, const char *title);
void page_end(oribi_text *text); /* with the script of search and of sorting */
void page_text(oribi_text *text, const char *string);
void page_number(oribi_text *text, double whole); /* 12 345 678 */
void page_number_cell(oribi_text *text, double whole);
void page_meter(oribi_text *text, double share); /* 0 to 1 */

void page_tiles_begin(oribi_text *text);
void page_tile(oribi_text *text, const char *label, double number, const char *unit,
               const char *more);
void page_tiles_end(oribi_text *text);

/* A field that hides what has not the words in it: rows of tables, elements of class "find". */
void page_search(oribi_text *text);
/* Heads end with NULL; one that begins with '-' is of numbers. */
void page_table_begin(oribi_text *text, const char *id, const char *const *heads);
void page_table_end(oribi_text *text);

/* inspect_page.c: of what oribi_session_describe says about "graph" and "memory". */
void page_inspect(oribi_text *text, const oribi_json_value *graph, const oribi_json_value *memory);

#endif
