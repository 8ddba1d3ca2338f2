/* SPDX-License-Identifier: Apache-2.0 */
/* The report of what passes changed. Running out of memory here loses a line, never a model. */
#include "pass/pass_internal.h"

#include <stdarg.h>
#include <string.h>

static bool grow(oribi_graph *graph, oribi_pass_report *report)
{
    int32_t capacity = report->capacity < 32 ? 32 : report->capacity * 2;
    oribi_pass_change *changes =
        oribi_arena_array(&graph->arena, (size_t)capacity, sizeof *changes);
    if (changes == NULL) {
        return false;
    }
    if (report->n_changes > 0) {
        memcpy(changes, report->changes, (size_t)report->n_changes * sizeof *changes);
    }
    report->changes = changes;
    report->capacity = capacity;
    return true;
}

void oribi_pass_note(oribi_graph *graph, oribi_pass_report *report, const char *pass,
                     const char *format, ...)
{
    if (report == NULL || (report->n_changes == report->capacity && !grow(graph, report))) {
        return;
    }
    va_list args;
    va_start(args, format);
    const char *what = oribi_arena_vprintf(&graph->arena, format, args);
    va_end(args);
    if (what != NULL) {
        report->changes[report->n_changes++] = (oribi_pass_change){.pass = pass, .what = what};
    }
}
