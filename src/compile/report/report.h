/* SPDX-License-Identifier: Apache-2.0 */
/* What the reports tell of a planned model, worked out once: report.c (JSON), report_html.c (the
 * page), report_map.c (memory over steps), report_devices.c
 * (devices over time), report_graph.c (operators and what flows between them).
 */
#ifndef ORIBI_COMPILE_REPORT_H_
#define ORIBI_COMPILE_REPORT_H_

#include "format/json.h"
#include "compile/plan/planning.h"
#include "compile/schedule/timeline.h"

typedef struct oribi_report {
    const oribi_program *c;
    int32_t *first, *last;   /* by value: calls that touch it; -1: an input, n_calls: an output */
    int32_t *producer;       /* by value: call, or -1 */
    int64_t *live;           /* by call: bytes of all pools that hold something */
    int32_t peak;            /* call at which most are */
    oribi_timeline timeline; /* of a model with devices */
    int64_t most_live, most_macs, most_flash, macs;
    int32_t longest;        /* call: the operator that keeps the CPU longest; -1: there is none */
    int64_t longest_cycles; /* of the CPU, estimated, with hooks that it waits for */
} oribi_report;

/* Adds report.json. */
bool oribi_emit_report(const oribi_program *program, oribi_files *files, TF_Status *status);
/* False: no memory. Lives in the arena. */
bool oribi__report_make(const oribi_program *program, oribi_arena *arena, oribi_report *out);
/* "view", "part", "in_place", "overlap" or "own" of a value that a call makes, and the value that
 * it shares bytes with (-1: none). */
const char *oribi__report_reason(const oribi_report *report, oribi_value_id value,
                                 int32_t *out_with);
/* The same as a sentence without an end. Names in it are not escaped. */
void oribi__report_explain(const oribi_report *report, oribi_value_id value, oribi_text *text);
/* Which of the page's colours a call has: 0 to 7. */
int32_t oribi__report_colour(const oribi_call *call);
const char *oribi__report_colour_name(int32_t colour); /* NULL: past the last */
/* False: a view, or all its parts are there. */
bool oribi__report_is_called(const oribi_call *call);
/* "conv2d_s8", or the pattern of what a device computes. */
const char *oribi__report_work(const oribi_call *call);

/* Escapes all that HTML or an attribute in quotes could take for its own; bytes that are not UTF-8
 * and control characters become U+FFFD. */
void oribi__html_append(oribi_text *text, const char *string);
/* "39,265" */
void oribi__html_number(oribi_text *text, int64_t number);

/* Pieces of the style of the page; the last is NULL. */
extern const char *const oribi__report_style[];
/* report_html.c: the page of all models. */
bool oribi__report_html(const oribi_compile *all, oribi_text *text, TF_Status *status);

void oribi__report_map(const oribi_report *report, int32_t model, oribi_text *text);
/* Nothing for a model without devices. */
void oribi__report_devices(const oribi_report *report, int32_t model, oribi_text *text);
void oribi__report_put_devices(oribi_json *json, const oribi_report *report);
void oribi__report_graph(const oribi_report *report, int32_t model, oribi_text *text);

#endif
