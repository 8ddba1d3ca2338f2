/* SPDX-License-Identifier: Apache-2.0 */
/* A device of contract 1.2, in one file: memory of the host, done at once whatever is enqueued, and
 * an optimiser and a profiler beside it. Frozen>Fused gives 2 x + x x^T x by what came for kernels
 * on devices in 1.2: functions that are launched, a matrix product, Eigen's stream.
 */
#include <stdlib.h>
#include <string.h>

#include "tensorflow/c/device_extension.h"
#include "tensorflow/c/device_kernels.h"
#include "tensorflow/c/eigen_device.h"
#include "tensorflow/c/experimental/grappler/grappler.h"
#include "tensorflow/c/experimental/pluggable_profiler/pluggable_profiler.h"
#include "tensorflow/c/experimental/stream_executor/stream_executor.h"
#include "tensorflow/c/kernels.h"
#include "tensorflow/c/ops.h"
#include "tensorflow/c/plugin_note.h"

#pragma GCC diagnostic ignored "-Wunused-parameter"

ORIBI_PLUGIN("frozen_device", "1.2", "Apache-2.0");

/* --- Memory, streams, events, copies -----------------------------------------------------------
 */

struct SP_Stream_st {
    int is_there;
};
struct SP_Event_st {
    int is_recorded;
};
struct SP_Timer_st {
    int is_started;
};

static void allocate(const SP_Device *device, uint64_t size, int64_t space, SP_DeviceMemoryBase *m)
{
    m->struct_size = SP_DEVICE_MEMORY_BASE_STRUCT_SIZE;
    m->opaque = malloc(size);
    m->size = size;
}

static void deallocate(const SP_Device *device, SP_DeviceMemoryBase *m)
{
    free(m->opaque);
}

static void *host_allocate(const SP_Device *device, uint64_t size)
{
    return malloc(size);
}

static void host_deallocate(const SP_Device *device, void *memory)
{
    free(memory);
}

static TF_Bool stats(const SP_Device *device, SP_AllocatorStats *out)
{
    return 0;
}

static TF_Bool usage(const SP_Device *device, int64_t *free_bytes, int64_t *total)
{
    *free_bytes = *total = (int64_t)1 << 30;
    return 1;
}

static void create_stream(const SP_Device *device, SP_Stream *stream, TF_Status *status)
{
    *stream = calloc(1, sizeof **stream);
}

static void destroy_stream(const SP_Device *device, SP_Stream stream)
{
    free(stream);
}

static void depend(const SP_Device *device, SP_Stream stream, SP_Stream other, TF_Status *status)
{
}

static void stream_status(const SP_Device *device, SP_Stream stream, TF_Status *status)
{
}

static void create_event(const SP_Device *device, SP_Event *event, TF_Status *status)
{
    *event = calloc(1, sizeof **event);
}

static void destroy_event(const SP_Device *device, SP_Event event)
{
    free(event);
}

static SE_EventStatus event_status(const SP_Device *device, SP_Event event)
{
    return SE_EVENT_COMPLETE;
}

static void record(const SP_Device *device, SP_Stream stream, SP_Event event, TF_Status *status)
{
    event->is_recorded = 1;
}

static void wait_for(const SP_Device *const device, SP_Stream stream, SP_Event event,
                     TF_Status *const status)
{
}

static void block_for(const SP_Device *device, SP_Event event, TF_Status *status)
{
    if (!event->is_recorded) {
        TF_SetStatus(status, TF_INTERNAL, "an event that was never recorded");
    }
}

static void synchronize(const SP_Device *device, TF_Status *status)
{
}

static void create_timer(const SP_Device *device, SP_Timer *timer, TF_Status *status)
{
    *timer = calloc(1, sizeof **timer);
}

static void destroy_timer(const SP_Device *device, SP_Timer timer)
{
    free(timer);
}

static void time(const SP_Device *device, SP_Stream stream, SP_Timer timer, TF_Status *status)
{
    timer->is_started = 1;
}

static uint64_t nanoseconds(SP_Timer timer)
{
    return 1000;
}

static void dtoh(const SP_Device *device, SP_Stream stream, void *to,
                 const SP_DeviceMemoryBase *from, uint64_t size, TF_Status *status)
{
    memcpy(to, from->opaque, size);
}

static void htod(const SP_Device *device, SP_Stream stream, SP_DeviceMemoryBase *to,
                 const void *from, uint64_t size, TF_Status *status)
{
    memcpy(to->opaque, from, size);
}

static void dtod(const SP_Device *device, SP_Stream stream, SP_DeviceMemoryBase *to,
                 const SP_DeviceMemoryBase *from, uint64_t size, TF_Status *status)
{
    memcpy(to->opaque, from->opaque, size);
}

static void sync_dtoh(const SP_Device *device, void *to, const SP_DeviceMemoryBase *from,
                      uint64_t size, TF_Status *status)
{
    abort(); /* as some plugins do: nobody may call it */
}

static void sync_htod(const SP_Device *device, SP_DeviceMemoryBase *to, const void *from,
                      uint64_t size, TF_Status *status)
{
    abort();
}

static TF_Bool call_back(const SP_Device *device, SP_Stream stream, SE_StatusCallbackFn function,
                         void *arg)
{
    TF_Status *status = TF_NewStatus();
    function(arg, status);
    TF_DeleteStatus(status);
    return 1;
}

/* --- Launch and products ------------------------------------------------------------------------
 */

typedef void (*device_code)(const TF_Launch *launch);

static void load_function(const SP_Device *device, const TF_DeviceCode *code, void **function,
                          TF_Status *status)
{
    memcpy(function, code->image, sizeof *function);
}

static void unload_function(const SP_Device *device, void *function)
{
}

static void launch(const SP_Device *device, SP_Stream stream, void *function, const TF_Launch *what,
                   TF_Status *status)
{
    device_code code;
    memcpy(&code, &function, sizeof code);
    code(what);
}

static void gemm(const SP_Device *device, SP_Stream stream, const TF_Gemm *g, TF_Status *status)
{
    for (int64_t i = 0; i < g->m * g->n; i++) {
        const int64_t row = i / g->n, column = i % g->n;
        float *c = (float *)g->c + row * g->ldc + column;
        double sum = 0;
        for (int64_t k = 0; k < g->k; k++) {
            const int64_t a = g->transpose_a ? k * g->lda + row : row * g->lda + k;
            const int64_t b = g->transpose_b ? column * g->ldb + k : k * g->ldb + column;
            sum += (double)((const float *)g->a)[a] * (double)((const float *)g->b)[b];
        }
        *c = (float)(g->alpha * sum + g->beta * (double)*c);
    }
}

static const void *native_stream(const SP_Device *device, SP_Stream stream)
{
    return stream;
}

/* --- Platform -----------------------------------------------------------------------------------
 */

static void create_device(const SP_Platform *platform, SE_CreateDeviceParams *params,
                          TF_Status *status)
{
    params->device->hardware_name = "the host at once";
}

static void destroy_device(const SP_Platform *platform, SP_Device *device)
{
}

static void create_device_fns(const SP_Platform *platform, SE_CreateDeviceFnsParams *params,
                              TF_Status *status)
{
    params->device_fns->struct_size = SP_DEVICE_FNS_STRUCT_SIZE;
}

static void destroy_device_fns(const SP_Platform *platform, SP_DeviceFns *fns)
{
}

static void create_executor(const SP_Platform *platform, SE_CreateStreamExecutorParams *params,
                            TF_Status *status)
{
    *params->stream_executor = (SP_StreamExecutor){
        .struct_size = SP_STREAMEXECUTOR_STRUCT_SIZE,
        .allocate = allocate,
        .deallocate = deallocate,
        .host_memory_allocate = host_allocate,
        .host_memory_deallocate = host_deallocate,
        .get_allocator_stats = stats,
        .device_memory_usage = usage,
        .create_stream = create_stream,
        .destroy_stream = destroy_stream,
        .create_stream_dependency = depend,
        .get_stream_status = stream_status,
        .create_event = create_event,
        .destroy_event = destroy_event,
        .get_event_status = event_status,
        .record_event = record,
        .wait_for_event = wait_for,
        .create_timer = create_timer,
        .destroy_timer = destroy_timer,
        .start_timer = time,
        .stop_timer = time,
        .memcpy_dtoh = dtoh,
        .memcpy_htod = htod,
        .memcpy_dtod = dtod,
        .sync_memcpy_dtoh = sync_dtoh,
        .sync_memcpy_htod = sync_htod,
        .block_host_for_event = block_for,
        .synchronize_all_activity = synchronize,
        .host_callback = call_back,
    };
}

static void destroy_executor(const SP_Platform *platform, SP_StreamExecutor *executor)
{
}

static void create_timer_fns(const SP_Platform *platform, SP_TimerFns *fns, TF_Status *status)
{
    fns->struct_size = SP_TIMER_FNS_STRUCT_SIZE;
    fns->nanoseconds = nanoseconds;
}

static void destroy_timer_fns(const SP_Platform *platform, SP_TimerFns *fns)
{
}

static void destroy_platform(SP_Platform *platform)
{
}

static void destroy_platform_fns(SP_PlatformFns *fns)
{
}

void SE_InitPlugin(SE_PlatformRegistrationParams *params, TF_Status *status)
{
    const TF_DeviceExtension extension = {.struct_size = TF_DEVICE_EXTENSION_STRUCT_SIZE,
                                          .flags = TF_DEVICE_PEER_COPIES,
                                          .load_function = load_function,
                                          .unload_function = unload_function,
                                          .launch = launch,
                                          .gemm = gemm,
                                          .native_stream = native_stream};
    *params->platform = (SP_Platform){.struct_size = SP_PLATFORM_STRUCT_SIZE,
                                      .name = "FROZEN",
                                      .type = "FROZEN",
                                      .use_bfc_allocator = 1};
    *params->platform_fns = (SP_PlatformFns){.struct_size = SP_PLATFORM_FNS_STRUCT_SIZE,
                                             .create_device = create_device,
                                             .destroy_device = destroy_device,
                                             .create_device_fns = create_device_fns,
                                             .destroy_device_fns = destroy_device_fns,
                                             .create_stream_executor = create_executor,
                                             .destroy_stream_executor = destroy_executor,
                                             .create_timer_fns = create_timer_fns,
                                             .destroy_timer_fns = destroy_timer_fns};
    params->destroy_platform = destroy_platform;
    params->destroy_platform_fns = destroy_platform_fns;
    TF_SetDeviceExtension(params, &extension, status);
}

/* --- A kernel -----------------------------------------------------------------------------------
 */

/* args: to, from, the semaphore, how many, a factor. */
static void scale(const TF_Launch *launch)
{
    const TF_LaunchArg *a = launch->args;
    for (int64_t i = 0; i < *(const int64_t *)a[3].value; i++) {
        ((float *)(uintptr_t)a[0].value)[i] =
            ((const float *)a[1].value)[i] * *(const float *)a[4].value +
            (float)*(const unsigned int *)a[2].value;
    }
}

static void (*const scale_code)(const TF_Launch *) = scale;

static void launch_scale(TF_OpKernelContext *ctx, TF_DeviceFunction *function, void *to,
                         const void *from, unsigned int *semaphore, int64_t n, float factor,
                         TF_Status *status)
{
    const TF_LaunchArg args[] = {
        {.kind = TF_LAUNCH_MEMORY, .value = to},
        {.kind = TF_LAUNCH_MEMORY, .value = from},
        {.kind = TF_LAUNCH_MEMORY, .value = semaphore},
        {.kind = TF_LAUNCH_VALUE, .value = &n, .bytes = sizeof n},
        {.kind = TF_LAUNCH_VALUE, .value = &factor, .bytes = sizeof factor},
        {.kind = TF_LAUNCH_SCRATCH, .bytes = 16}};
    const TF_Launch what = {.struct_size = TF_LAUNCH_STRUCT_SIZE,
                            .grid = {1, 1, 1},
                            .block = {1, 1, 1},
                            .args = args,
                            .n_args = 6};
    TF_LaunchKernel(ctx, function, &what, status);
}

/* y = 2 x, by way of Eigen's memory, then y += (x x^T) x */
static void fuse(TF_OpKernelContext *ctx, TF_DeviceFunction *function, TF_Tensor *x, TF_Tensor *y,
                 TF_Status *status)
{
    const int64_t m = TF_Dim(x, 0), n = TF_Dim(x, 1);
    TF_EigenStream *eigen = TF_GetEigenStreamHandle(ctx);
    void *between = TF_EigenStream_Allocate(eigen, TF_TensorByteSize(x));
    void *product = TF_EigenStream_Allocate(eigen, (size_t)(m * m) * sizeof(float));
    unsigned int *semaphore = TF_EigenStream_Semaphore(eigen);
    const TF_Gemm first = {.struct_size = TF_GEMM_STRUCT_SIZE,
                           .dtype = TF_FLOAT,
                           .transpose_b = 1,
                           .m = m,
                           .n = m,
                           .k = n,
                           .alpha = 1,
                           .a = TF_TensorData(x),
                           .b = TF_TensorData(x),
                           .c = product,
                           .lda = n,
                           .ldb = n,
                           .ldc = m,
                           .batch = 1};
    const TF_Gemm second = {.struct_size = TF_GEMM_STRUCT_SIZE,
                            .dtype = TF_FLOAT,
                            .m = m,
                            .n = n,
                            .k = m,
                            .alpha = 1,
                            .beta = 1,
                            .a = product,
                            .b = TF_TensorData(x),
                            .c = TF_TensorData(y),
                            .lda = m,
                            .ldb = n,
                            .ldc = n,
                            .batch = 1};
    if (TF_EigenStream_GetCudaStream(eigen) != TF_GetStream(ctx, status) ||
        TF_EigenStream_GetDeviceProperties(eigen) != NULL ||
        TF_EigenStream_GetDeviceOrdinal(eigen) != 0 || TF_EigenStream_Scratchpad(eigen) == NULL) {
        TF_SetStatus(status, TF_INTERNAL, "Eigen's stream is another");
    }
    memset(product, 0, (size_t)(m * m) * sizeof(float));
    if (TF_GetCode(status) == TF_OK) {
        launch_scale(ctx, function, between, TF_TensorData(x), semaphore, m * n, 2, status);
    }
    if (TF_GetCode(status) == TF_OK) {
        launch_scale(ctx, function, TF_TensorData(y), between, semaphore, m * n, 1, status);
    }
    if (TF_GetCode(status) == TF_OK) {
        TF_LaunchGemm(ctx, &first, status);
    }
    if (TF_GetCode(status) == TF_OK) {
        TF_LaunchGemm(ctx, &second, status);
    }
    TF_EigenStream_Deallocate(eigen, between);
    TF_EigenStream_Deallocate(eigen, product);
    TF_DeleteEigenStreamHandle(eigen);
}

static void compute(void *kernel, TF_OpKernelContext *ctx)
{
    const TF_DeviceCode code = {.struct_size = TF_DEVICE_CODE_STRUCT_SIZE,
                                .image = (const void *)&scale_code,
                                .image_bytes = sizeof scale_code,
                                .function = "scale"};
    TF_Status *status = TF_NewStatus();
    TF_Tensor *x = NULL, *y = NULL;
    TF_DeviceFunction *function = NULL;
    TF_GetInput(ctx, 0, &x, status);
    if (TF_GetCode(status) == TF_OK && TF_NumDims(x) != 2) {
        TF_SetStatus(status, TF_INVALID_ARGUMENT, "x must be a matrix");
    }
    if (TF_GetCode(status) == TF_OK) {
        const int64_t dims[2] = {TF_Dim(x, 0), TF_Dim(x, 1)};
        y = TF_AllocateOutput(ctx, 0, TF_FLOAT, dims, 2, TF_TensorByteSize(x), status);
    }
    if (TF_GetCode(status) == TF_OK) {
        function = TF_LoadDeviceFunction(ctx, &code, status);
    }
    if (TF_GetCode(status) == TF_OK) {
        fuse(ctx, function, x, y, status);
    }
    TF_OpKernelContext_Failure(ctx, status);
    TF_DeleteDeviceFunction(function);
    TF_DeleteTensor(y);
    TF_DeleteTensor(x);
    TF_DeleteStatus(status);
}

static void infer_shape(TF_ShapeInferenceContext *ctx, TF_Status *status)
{
    TF_ShapeHandle *shape = TF_NewShapeHandle();
    TF_ShapeInferenceContextGetInput(ctx, 0, shape, status);
    if (TF_GetCode(status) == TF_OK) {
        TF_ShapeInferenceContextSetOutput(ctx, 0, shape, status);
    }
    TF_DeleteShapeHandle(shape);
}

void TF_InitKernel(void)
{
    TF_Status *status = TF_NewStatus();
    TF_OpDefinitionBuilder *op = TF_NewOpDefinitionBuilder("Frozen>Fused");
    TF_OpDefinitionBuilderAddInput(op, "x: float");
    TF_OpDefinitionBuilderAddOutput(op, "y: float");
    TF_OpDefinitionBuilderSetShapeInferenceFunction(op, infer_shape);
    TF_RegisterOpDefinition(op, status);
    if (TF_GetCode(status) == TF_OK) {
        TF_RegisterKernelBuilder(
            "Fused", TF_NewKernelBuilder("Frozen>Fused", "FROZEN", NULL, compute, NULL), status);
    }
    TF_DeleteStatus(status);
}

/* --- An optimiser that gives graphs back as they are, a profiler with nothing to tell -----------
 */

static void free_bytes(void *data, size_t length)
{
    free(data);
}

static void optimize(void *optimizer, const TF_Buffer *graph, const TF_GrapplerItem *item,
                     TF_Buffer *optimized, TF_Status *status)
{
    void *copy = malloc(graph->length);
    memcpy(copy, graph->data, graph->length);
    optimized->data = copy;
    optimized->length = graph->length;
    optimized->data_deallocator = free_bytes;
}

void TF_InitGraph(TP_OptimizerRegistrationParams *params, TF_Status *status)
{
    params->device_type = "FROZEN";
    params->optimizer->optimize_func = optimize;
}

static void change(const TP_Profiler *profiler, TF_Status *status)
{
    TF_SetStatus(status, TF_OK, "");
}

static void collect(const TP_Profiler *profiler, uint8_t *buffer, size_t *bytes, TF_Status *status)
{
    *bytes = 0;
    TF_SetStatus(status, TF_OK, "");
}

static void destroy_profiler(TP_Profiler *profiler)
{
}

static void destroy_profiler_fns(TP_ProfilerFns *fns)
{
}

void TF_InitProfiler(TF_ProfilerRegistrationParams *params, TF_Status *status)
{
    params->profiler->struct_size = TP_PROFILER_STRUCT_SIZE;
    params->profiler->device_type = "FROZEN";
    params->profiler_fns->struct_size = TP_PROFILER_FNS_STRUCT_SIZE;
    params->profiler_fns->start = change;
    params->profiler_fns->stop = change;
    params->profiler_fns->collect_data_xspace = collect;
    params->destroy_profiler = destroy_profiler;
    params->destroy_profiler_fns = destroy_profiler_fns;
}
