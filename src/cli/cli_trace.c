/* SPDX-License-Identifier: Apache-2.0 */
/* Trace: events of a run as Chrome trace JSON, which Perfetto opens. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"

struct cli_trace {
    oribi_run *run;
    oribi_text text;
    oribi_json json;
    uint64_t first_ns;
    bool has_first;
    char **lanes; /* of profilers, "device lane" */
    int n_lanes;
    int32_t *run_lanes; /* of the run, that have a name already */
    int n_run_lanes, run_lanes_room;
};

enum { RUN_PROCESS = 1, PROFILER_PROCESS = 2 };

typedef struct cli_event {
    const char *name, *kind, *detail; /* or NULL */
    int process, lane;
    uint64_t start_ns, end_ns, bytes;
} cli_event;

static void put_text(oribi_json *json, const char *key, const char *value)
{
    oribi_json_put_string(json, key, value == NULL ? "" : value);
}

/* In microseconds, which Perfetto wants. */
static void put_time(oribi_json *json, const char *key, double ns)
{
    oribi_json_key(json, key);
    oribi_json_double(json, ns / 1000.0);
}

static void add_event(cli_trace *trace, const cli_event *event)
{
    oribi_json *json = &trace->json;

    trace->first_ns = trace->has_first ? trace->first_ns : event->start_ns;
    trace->has_first = true;
    oribi_json_open(json, '{');
    put_text(json, "name", event->name);
    put_text(json, "cat", event->kind);
    put_text(json, "ph", "X");
    oribi_json_put_int(json, "pid", event->process);
    oribi_json_put_int(json, "tid", event->lane);
    put_time(json, "ts", (double)event->start_ns - (double)trace->first_ns);
    put_time(json, "dur", (double)event->end_ns - (double)event->start_ns);
    oribi_json_key(json, "args");
    oribi_json_open(json, '{');
    oribi_json_put_uint(json, "bytes", event->bytes);
    put_text(json, "detail", event->detail);
    oribi_json_close(json, '}');
    oribi_json_close(json, '}');
}

/* Gives the lane the name that Perfetto writes beside it. */
static void name_lane(cli_trace *trace, int process, int lane, const char *name)
{
    oribi_json *json = &trace->json;

    oribi_json_open(json, '{');
    put_text(json, "ph", "M");
    put_text(json, "name", "thread_name");
    oribi_json_put_int(json, "pid", process);
    oribi_json_put_int(json, "tid", lane);
    oribi_json_key(json, "args");
    oribi_json_open(json, '{');
    put_text(json, "name", name);
    oribi_json_close(json, '}');
    oribi_json_close(json, '}');
}

/* The first event of a lane brings its name. */
static void name_run_lane(cli_trace *trace, const oribi_trace_event *event)
{
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
    name_lane(trace, RUN_PROCESS, event->lane, event->lane_name);
}

static void on_event(void *arg, const oribi_trace_event *event)
{
    add_event(arg, &(cli_event){event->name, event->kind, event->detail, RUN_PROCESS, event->lane,
                                event->start_ns, event->end_ns, event->bytes});
    name_run_lane(arg, event);
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
        name_lane(trace, PROFILER_PROCESS, lane, name);
    }
    add_event(trace, &(cli_event){event->name, "device", NULL, PROFILER_PROCESS, lane,
                                  event->start_ns, event->end_ns, 0});
}

cli_trace *cli_trace_begin(oribi_run *run)
{
    cli_trace *trace = cli_alloc(sizeof *trace);
    TF_Status *status = TF_NewStatus();

    trace->run = run;
    trace->json.text = &trace->text;
    oribi_json_open(&trace->json, '{');
    oribi_json_put_string(&trace->json, "displayTimeUnit", "ns");
    oribi_json_key(&trace->json, "traceEvents");
    oribi_json_open(&trace->json, '[');
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
    oribi_json_close(&trace->json, ']');
    oribi_json_close(&trace->json, '}');
    oribi_text_append(&trace->text, "\n");
    if (trace->text.failed) {
        cli_no_memory(trace->text.length);
    }
    int code = cli_write_file(path, trace->text.data, trace->text.length, force);
    for (int i = 0; i < trace->n_lanes; i++) {
        free(trace->lanes[i]);
    }
    free(trace->lanes);
    oribi_text_destroy(&trace->text);
    free(trace->run_lanes);
    free(trace);
    return code;
}
