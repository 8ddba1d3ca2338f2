/* SPDX-License-Identifier: Apache-2.0 */
/* A profiler and a graph optimiser in one plugin: the former shows two events in a lane of its own,
 * the latter gives graphs back as they are and switches fusing off. Written byte by byte, as a
 * plugin that has no protobuf would.
 */
#include <stdlib.h>
#include <string.h>

#include "tensorflow/c/experimental/grappler/grappler.h"
#include "tensorflow/c/experimental/pluggable_profiler/pluggable_profiler.h"
#include "tensorflow/c/plugin_note.h"

ORIBI_PLUGIN("profiler", "1.0", "Apache-2.0");

static int is_running, n_started;

static void start(const TP_Profiler *profiler, TF_Status *status)
{
    (void)profiler;
    is_running = 1;
    n_started++;
    TF_SetStatus(status, TF_OK, "");
}

static void stop(const TP_Profiler *profiler, TF_Status *status)
{
    (void)profiler;
    if (!is_running) {
        TF_SetStatus(status, TF_INTERNAL, "stopped and not running");
    }
    is_running = 0;
}

/* XSpace{planes{name "/device:FAKE:0" lines{name "stream 1" timestamp_ns 1000
 *   events{metadata_id 1 offset_ps 5000000 duration_ps 2000000}
 *   events{metadata_id 2 offset_ps 8000000 duration_ps 1000000}}
 *   event_metadata{1: "gemm"} event_metadata{2: "copy"}}} */
static const unsigned char space[] = {
    0x0a, 0x55, 0x12, 0x0e, 0x2f, 0x64, 0x65, 0x76, 0x69, 0x63, 0x65, 0x3a, 0x46, 0x41, 0x4b,
    0x45, 0x3a, 0x30, 0x1a, 0x27, 0x12, 0x08, 0x73, 0x74, 0x72, 0x65, 0x61, 0x6d, 0x20, 0x31,
    0x18, 0xe8, 0x07, 0x22, 0x0b, 0x08, 0x01, 0x10, 0xc0, 0x96, 0xb1, 0x02, 0x18, 0x80, 0x89,
    0x7a, 0x22, 0x0b, 0x08, 0x02, 0x10, 0x80, 0xa4, 0xe8, 0x03, 0x18, 0xc0, 0x84, 0x3d, 0x22,
    0x0c, 0x08, 0x01, 0x12, 0x08, 0x08, 0x01, 0x12, 0x04, 0x67, 0x65, 0x6d, 0x6d, 0x22, 0x0c,
    0x08, 0x02, 0x12, 0x08, 0x08, 0x02, 0x12, 0x04, 0x63, 0x6f, 0x70, 0x79};

static void collect(const TP_Profiler *profiler, uint8_t *buffer, size_t *size_in_bytes,
                    TF_Status *status)
{
    (void)profiler;
    TF_SetStatus(status, TF_OK, "");
    if (buffer != NULL) {
        memcpy(buffer, space, *size_in_bytes < sizeof space ? *size_in_bytes : sizeof space);
    }
    *size_in_bytes = sizeof space;
}

static void destroy_profiler(TP_Profiler *profiler)
{
    (void)profiler;
}

static void destroy_profiler_fns(TP_ProfilerFns *fns)
{
    (void)fns;
}

void TF_InitProfiler(TF_ProfilerRegistrationParams *params, TF_Status *status)
{
    (void)status;
    params->profiler->struct_size = TP_PROFILER_STRUCT_SIZE;
    params->profiler->device_type = "FAKE";
    params->profiler_fns->struct_size = TP_PROFILER_FNS_STRUCT_SIZE;
    params->profiler_fns->start = start;
    params->profiler_fns->stop = stop;
    params->profiler_fns->collect_data_xspace = collect;
    params->destroy_profiler = destroy_profiler;
    params->destroy_profiler_fns = destroy_profiler_fns;
}

static void free_bytes(void *data, size_t length)
{
    (void)length;
    free(data);
}

static void optimize(void *optimizer, const TF_Buffer *graph, const TF_GrapplerItem *item,
                     TF_Buffer *optimized, TF_Status *status)
{
    (void)optimizer;
    (void)item;
    (void)status;
    void *copy = malloc(graph->length);
    memcpy(copy, graph->data, graph->length);
    optimized->data = copy;
    optimized->length = graph->length;
    optimized->data_deallocator = free_bytes;
}

void TF_InitGraph(TP_OptimizerRegistrationParams *params, TF_Status *status)
{
    (void)status;
    params->device_type = "CPU";
    params->optimizer_configs->remapping = TF_TriState_Off;
    params->optimizer->optimize_func = optimize;
}
