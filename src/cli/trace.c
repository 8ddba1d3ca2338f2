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
    char **lanes; /* of profilers, "device lane" */
    int n_lanes;
    int32_t *run_lanes; /* of the run, that have a name already */
    int n_run_lanes, run_lanes_room;
};

enum { RUN_PROCESS = 1, PROFILER_PROCESS = 2 };

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
    char *escaped = cli_json_text(value, strlen(value));

    add(trace, key, strlen(key));
    add(trace, escaped, strlen(escaped));
    free(escaped);
    add(trace, "\"", 1);
}

typedef struct cli_event {
    const char *name, *kind, *detail; /* or NULL */
    int process, lane;
    uint64_t start_ns, end_ns, bytes;
} cli_event;

static void add_event(cli_trace *trace, const cli_event *event)
{
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
                     ",\"ph\":\"X\",\"pid\":%d,\"tid\":%d,\"ts\":%.3f,\"dur\":%.3f,\"args\":{"
                     "\"bytes\":%llu",
                     event->process, event->lane,
                     ((double)event->start_ns - (double)trace->first_ns) / 1000.0,
                     ((double)event->end_ns - (double)event->start_ns) / 1000.0,
                     (unsigned long long)event->bytes);
    add(trace, numbers, (size_t)n);
    add_string(trace, ",\"detail\":\"", event->detail == NULL ? "" : event->detail);
    add(trace, "}}", 2);
}

/* The first event of a lane brings its name. */
static void name_run_lane(cli_trace *trace, const oribi_trace_event *event)
{
    char numbers[96];
    for (int i = 0; i < trace->n_run_lanes; i++) {
        if (trace->run_lanes[i] == event->lane) {
            return;
        }
    }
    if (trace->n_run_lanes == trace->run_lanes_room) {
        trace->run_lanes_room = trace->run_lanes_room * 2 + 16;
        trace->run_lanes =
            cli_grow(trace->run_lanes, (size_t)trace->run_lanes_room, sizeof *trace->run_lanes);
    }
    trace->run_lanes[trace->n_run_lanes++] = event->lane;
    int n = snprintf(numbers, sizeof numbers,
                     ",\n{\"name\":\"thread_name\",\"ph\":\"M\",\"pid\":1,\"tid\":%d,\"args\":{",
                     (int)event->lane);
    add(trace, numbers, (size_t)n);
    add_string(trace, "\"name\":\"", event->lane_name == NULL ? "" : event->lane_name);
    add(trace, "}}", 2);
}

static void on_event(void *arg, const oribi_trace_event *event)
{
    add_event(arg, &(cli_event){event->name, event->kind, event->detail, RUN_PROCESS, event->lane,
                                event->start_ns, event->end_ns, event->bytes});
    name_run_lane(arg, event);
}

/* What Perfetto writes beside the lane. */
static void name_lane(cli_trace *trace, int lane, const char *name)
{
    char text[96];
    int n = snprintf(text, sizeof text,
                     "%s\n{\"ph\":\"M\",\"name\":\"thread_name\",\"pid\":%d,\"tid\":%d,\"args\":{",
                     trace->events++ > 0 ? "," : "", PROFILER_PROCESS, lane);
    add(trace, text, (size_t)n);
    add_string(trace, "\"name\":\"", name);
    add(trace, "}}", 2);
}

static void on_profile(void *arg, const oribi_profile_event *event)
{
    cli_trace *trace = arg;
    char name[256];
    int lane = 0;

    (void)snprintf(name, sizeof name, "%s %s", event->device, event->lane);
    while (lane < trace->n_lanes && strcmp(trace->lanes[lane], name) != 0) {
        lane++;
    }
    if (lane == trace->n_lanes) {
        trace->lanes = cli_grow(trace->lanes, (size_t)lane + 1, sizeof *trace->lanes);
        trace->lanes[trace->n_lanes] = cli_alloc(strlen(name) + 1);
        memcpy(trace->lanes[trace->n_lanes++], name, strlen(name) + 1);
        name_lane(trace, lane, name);
    }
    add_event(trace, &(cli_event){event->name, "device", NULL, PROFILER_PROCESS, lane,
                                  event->start_ns, event->end_ns, 0});
}

cli_trace *cli_trace_begin(oribi_run *run)
{
    static const char head[] = "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[";
    cli_trace *trace = cli_alloc(sizeof *trace);
    TF_Status *status = TF_NewStatus();

    trace->run = run;
    add(trace, head, sizeof head - 1);
    oribi_profile_begin(status);
    if (TF_GetCode(status) != TF_OK) {
        cli_note("%s", TF_Message(status));
    }
    TF_DeleteStatus(status);
    oribi_run_set_trace(run, on_event, trace);
    return trace;
}

int cli_trace_end(cli_trace *trace, const char *path, bool force)
{
    TF_Status *status = TF_NewStatus();
    oribi_run_set_trace(trace->run, NULL, NULL);
    oribi_profile_end(on_profile, trace, status);
    if (TF_GetCode(status) != TF_OK) {
        cli_note("%s", TF_Message(status));
    }
    TF_DeleteStatus(status);
    add(trace, "\n]}\n", 4);
    int code = cli_write_file(path, trace->text, trace->length, force);
    for (int i = 0; i < trace->n_lanes; i++) {
        free(trace->lanes[i]);
    }
    free(trace->lanes);
    free(trace->text);
    free(trace->run_lanes);
    free(trace);
    return code;
}
