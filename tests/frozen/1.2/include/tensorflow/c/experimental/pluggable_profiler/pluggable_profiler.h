/* SPDX-License-Identifier: Apache-2.0 */
/* Profilers as plugins: TF_InitProfiler registers one, and a run that is traced (oribi run --trace,
 * oribi_profile_begin) starts it, stops it and takes its events as a serialised XSpace.
 */
#ifndef ORIBI_TENSORFLOW_C_EXPERIMENTAL_PLUGGABLE_PROFILER_H_
#define ORIBI_TENSORFLOW_C_EXPERIMENTAL_PLUGGABLE_PROFILER_H_

#include "tensorflow/c/c_api_macros.h"
#include "tensorflow/c/tf_status.h"

#ifdef __cplusplus
extern "C" {
#endif

#define TP_MAJOR 0
#define TP_MINOR 0
#define TP_PATCH 1

typedef struct TP_Profiler {
    size_t struct_size;
    void *ext;
    const char *device_type; /* the plugin's; required */
} TP_Profiler;
#define TP_PROFILER_STRUCT_SIZE TF_OFFSET_OF_END(TP_Profiler, device_type)

/* All are required. collect_data_xspace is called with buffer NULL for the size, then with a buffer
 * of that size. An event's time is its line's timestamp_ns (of the Unix epoch, or, where it is
 * small, since start) and its offset_ps. */
typedef struct TP_ProfilerFns {
    size_t struct_size;
    void *ext;
    void (*start)(const TP_Profiler *profiler, TF_Status *status);
    void (*stop)(const TP_Profiler *profiler, TF_Status *status);
    void (*collect_data_xspace)(const TP_Profiler *profiler, uint8_t *buffer, size_t *size_in_bytes,
                                TF_Status *status);
} TP_ProfilerFns;
#define TP_PROFILER_FNS_STRUCT_SIZE TF_OFFSET_OF_END(TP_ProfilerFns, collect_data_xspace)

typedef struct TF_ProfilerRegistrationParams {
    size_t struct_size;
    void *ext;
    int32_t major_version, minor_version, patch_version;
    TP_Profiler *profiler;
    TP_ProfilerFns *profiler_fns;
    void (*destroy_profiler)(TP_Profiler *profiler);            /* filled in by the plugin */
    void (*destroy_profiler_fns)(TP_ProfilerFns *profiler_fns); /* filled in by the plugin */
} TF_ProfilerRegistrationParams;
#define TF_PROFILER_REGISTRATION_PARAMS_STRUCT_SIZE                                                \
    TF_OFFSET_OF_END(TF_ProfilerRegistrationParams, destroy_profiler_fns)

/* Exported by the plugin. Context  once, when the plugin is loaded. */
void TF_InitProfiler(TF_ProfilerRegistrationParams *params, TF_Status *status);

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* ORIBI_TENSORFLOW_C_EXPERIMENTAL_PLUGGABLE_PROFILER_H_ */
