/* SPDX-License-Identifier: Apache-2.0 */
/* Trace: events of a run as Chrome trace JSON, which Perfetto opens. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"

struct cli_trace {
    oribi_run *run;
    char *text;
    size_t length, room;
    uint64_t first_ns;
    int events;
};

static void add(cli_trace *trace, const char *text, size_t length)
{
    if (trace->length + length + 1 > trace->room) {
        trace->room = (trace->length + length) * 2 + 4096;
        trace->text = cli_grow(trace->text, trace->room, 1);
    }
    memcpy(trace->text + trace->length, text, length);
    trace->length += length;
    trace->text[trace->length] = 0;
}

static void add_string(cli_trace *trace, const char *key, const char *value)
{
    char escaped[8];

    add(trace, key, strlen(key));
    for (const unsigned char *c = (const unsigned char *)value; *c != 0; c++) {
        int n = *c == '"' || *c == '\\' ? snprintf(escaped, sizeof escaped, "\\%c", *c)
                : *c < 32               ? snprintf(escaped, sizeof escaped, "\\u%04x", *c)
                                        : snprintf(escaped, sizeof escaped, "%c", *c);
        add(trace, escaped, (size_t)n);
    }
    add(trace, "\"", 1);
}

static void on_event(void *arg, const oribi_trace_event *event)
{
    cli_trace *trace = arg;
    char numbers[256];

    if (trace->events == 0) {
        trace->first_ns = event->start_ns;
    }
    if (trace->events++ > 0) {
        add(trace, ",", 1);
    }
    add(trace, "\n{", 2);
    add_string(trace, "\"name\":\"", event->name == NULL ? "" : event->name);
    add_string(trace, ",\"cat\":\"", event->kind == NULL ? "" : event->kind);
    int n = snprintf(numbers, sizeof numbers,
                     ",\"ph\":\"X\",\"pid\":1,\"tid\":%d,\"ts\":%.3f,\"dur\":%.3f,\"args\":{"
                     "\"bytes\":%llu",
                     (int)event->lane, ((double)event->start_ns - (double)trace->first_ns) / 1000.0,
                     ((double)event->end_ns - (double)event->start_ns) / 1000.0,
                     (unsigned long long)event->bytes);
    add(trace, numbers, (size_t)n);
    add_string(trace, ",\"detail\":\"", event->detail == NULL ? "" : event->detail);
    add(trace, "}}", 2);
}

cli_trace *cli_trace_begin(oribi_run *run)
{
    static const char head[] = "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[";
    cli_trace *trace = cli_alloc(sizeof *trace);

    trace->run = run;
    add(trace, head, sizeof head - 1);
    oribi_run_set_trace(run, on_event, trace);
    return trace;
}

bool cli_trace_end(cli_trace *trace, const char *path, bool force)
{
    oribi_run_set_trace(trace->run, NULL, NULL);
    add(trace, "\n]}\n", 4);
    bool good = cli_write_file(path, trace->text, trace->length, force);
    free(trace->text);
    free(trace);
    return good;
}
