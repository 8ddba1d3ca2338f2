/* SPDX-License-Identifier: Apache-2.0 */
/* A kernel that uses streams: Com>Acme>Sorted gives each row of x in ascending order. The example
 * device cannot sort, so the host does, while the device goes on: on a stream of the kernel's own
 * the row is copied to the host, sorted in a callback and copied back; an event makes that wait for
 * the stream of the computation, another makes the computation wait for it. No thread ever waits.
 *
 * It is a kernel of the device's own plugin, as all that call a vendor's driver: built together
 * with ../fake_accelerator (all but its kernels.c). What the calls mean: stream_executor.h.
 *
 *     cd ../fake_accelerator && cc -shared -fPIC -fvisibility=hidden \
 *         $(pkg-config --cflags oribi-plugin) -I. ../streams/sorted.c device.c stream.c launch.c \
 *         queue.c faults.c -o sorted.so -pthread
 *     oribi run model.onnx --plugin ./sorted.so --device FAKE
 */
#include <pthread.h>
#include <stdlib.h>

#include "fake.h"
#include "tensorflow/c/kernels.h"
#include "tensorflow/c/ops.h"

enum { MAX_RANK = 8 };

static SP_StreamExecutor driver; /* its members, as the host has them */

typedef struct sorter {   /* the kernel */
    pthread_mutex_t lock; /* runs of a session share the kernel: one enqueues at a time */
    SP_Device device;
    SP_Stream side; /* made in the first compute, on its device */
    SP_Event ready, done;
} sorter;

typedef struct job { /* one compute; freed by the last thing on the stream */
    int64_t n_rows, n_columns;
    float rows[];
} job;

/* --- On the threads of the device ---------------------------------------------------------------
 */

static int compare(const void *a, const void *b)
{
    const float x = *(const float *)a, y = *(const float *)b;
    return (x > y) - (x < y);
}

static void sort_rows(void *const arg, TF_Status *const status)
{
    job *j = arg;
    if (TF_GetCode(status) == TF_OK) {
        for (int64_t i = 0; i < j->n_rows; i++) {
            qsort(j->rows + i * j->n_columns, (size_t)j->n_columns, sizeof(float), compare);
        }
    }
}

static void free_job(void *const arg, TF_Status *const status)
{
    (void)status; /* a failure of the stream is told to the host, which ends the run with it */
    free(arg);
}

/* --- The kernel ---------------------------------------------------------------------------------
 */

static void *create(TF_OpKernelConstruction *construction)
{
    sorter *self = calloc(1, sizeof *self);
    if (self == NULL) {
        TF_Status *status = TF_NewStatus();
        TF_SetStatus(status, TF_RESOURCE_EXHAUSTED, "out of memory");
        TF_OpKernelConstruction_Failure(construction, status);
        TF_DeleteStatus(status);
        return NULL;
    }
    pthread_mutex_init(&self->lock, NULL);
    return self;
}

static void destroy(void *state)
{
    sorter *self = state;
    if (self == NULL) {
        return;
    }
    if (self->done != NULL) {
        driver.destroy_event(&self->device, self->done);
    }
    if (self->ready != NULL) {
        driver.destroy_event(&self->device, self->ready);
    }
    if (self->side != NULL) {
        driver.destroy_stream(&self->device, self->side);
    }
    pthread_mutex_destroy(&self->lock);
    free(self);
}

static bool is_ok(const TF_Status *status)
{
    return TF_GetCode(status) == TF_OK;
}

/* What an earlier compute made stays when a later part fails. A stream that failed stays failed, so
 * the next compute, in another run, makes a new one. */
static bool open_side(sorter *self, TF_OpKernelContext *ctx, TF_Status *status)
{
    self->device.struct_size = SP_DEVICE_STRUCT_SIZE;
    self->device.ordinal = TF_GetDeviceId(ctx);
    if (self->side != NULL) {
        driver.get_stream_status(&self->device, self->side, status);
    }
    if (!is_ok(status)) {
        driver.destroy_stream(&self->device, self->side);
        self->side = NULL;
        TF_SetStatus(status, TF_OK, "");
    }
    if (self->side == NULL) {
        driver.create_stream(&self->device, &self->side, status);
    }
    if (is_ok(status) && self->ready == NULL) {
        driver.create_event(&self->device, &self->ready, status);
    }
    if (is_ok(status) && self->done == NULL) {
        driver.create_event(&self->device, &self->done, status);
    }
    return is_ok(status);
}

static bool call_back(sorter *self, SP_Stream stream, SE_StatusCallbackFn function, job *j,
                      TF_Status *status)
{
    if (is_ok(status) && !driver.host_callback(&self->device, stream, function, j)) {
        TF_SetStatus(status, TF_INTERNAL, "host_callback: the device refuses");
    }
    return is_ok(status);
}

/* Takes the job. After a call that fails the next ones are not made. */
static void enqueue(sorter *self, SP_Stream stream, SP_DeviceMemoryBase *to,
                    SP_DeviceMemoryBase *from, job *j, TF_Status *status)
{
    const SP_Device *device = &self->device;
    driver.record_event(device, stream, self->ready, status);
    if (is_ok(status)) {
        driver.wait_for_event(device, self->side, self->ready, status);
    }
    if (is_ok(status)) {
        driver.memcpy_dtoh(device, self->side, j->rows, from, from->size, status);
    }
    if (call_back(self, self->side, sort_rows, j, status)) {
        driver.memcpy_htod(device, self->side, to, j->rows, to->size, status);
    }
    if (is_ok(status)) {
        driver.record_event(device, self->side, self->done, status);
    }
    if (is_ok(status)) {
        driver.wait_for_event(device, stream, self->done, status);
    }
    if (!call_back(self, stream, free_job, j, status)) {
        TF_Status *ignored = TF_NewStatus(); /* the first failure is the one to tell */
        driver.block_host_until_done(device, self->side, ignored);
        TF_DeleteStatus(ignored);
        free(j); /* nothing on the device uses it any more */
    }
}

static SP_DeviceMemoryBase memory_of(const TF_Tensor *tensor)
{
    return (SP_DeviceMemoryBase){.struct_size = SP_DEVICE_MEMORY_BASE_STRUCT_SIZE,
                                 .opaque = TF_TensorData(tensor),
                                 .size = TF_TensorByteSize(tensor),
                                 .payload = (uint64_t)(uintptr_t)TF_TensorData(tensor)};
}

static void sort(sorter *self, TF_OpKernelContext *ctx, const TF_Tensor *x, const TF_Tensor *out,
                 TF_Status *status)
{
    SP_Stream stream = TF_GetStream(ctx, status);
    job *j = malloc(sizeof *j + TF_TensorByteSize(x));
    SP_DeviceMemoryBase to = memory_of(out), from = memory_of(x);

    if (is_ok(status) && j == NULL) {
        TF_SetStatus(status, TF_RESOURCE_EXHAUSTED, "Sorted: no host memory for the rows");
    }
    if (is_ok(status)) {
        j->n_columns = TF_Dim(x, TF_NumDims(x) - 1);
        j->n_rows = j->n_columns > 0 ? TF_TensorElementCount(x) / j->n_columns : 0;
        pthread_mutex_lock(&self->lock);
        if (open_side(self, ctx, status)) {
            enqueue(self, stream, &to, &from, j, status);
            j = NULL;
        }
        pthread_mutex_unlock(&self->lock);
    }
    free(j);
}

static void compute(void *state, TF_OpKernelContext *ctx)
{
    TF_Status *status = TF_NewStatus();
    TF_Tensor *x = NULL, *out = NULL;
    int64_t dims[MAX_RANK];

    TF_GetInput(ctx, 0, &x, status);
    if (is_ok(status) && (TF_NumDims(x) < 1 || TF_NumDims(x) > MAX_RANK)) {
        TF_SetStatus(status, TF_UNIMPLEMENTED, "Sorted takes ranks of 1 to 8");
    }
    if (is_ok(status)) {
        for (int i = 0; i < TF_NumDims(x); i++) {
            dims[i] = TF_Dim(x, i);
        }
        out =
            TF_AllocateOutput(ctx, 0, TF_FLOAT, dims, TF_NumDims(x), TF_TensorByteSize(x), status);
    }
    if (is_ok(status) && TF_TensorElementCount(x) > 0) {
        sort(state, ctx, x, out, status);
    }
    TF_OpKernelContext_Failure(ctx, status); /* does nothing when all is well */
    TF_DeleteTensor(out);
    TF_DeleteTensor(x);
    TF_DeleteStatus(status);
}

static void infer_shape(TF_ShapeInferenceContext *ctx, TF_Status *status)
{
    TF_ShapeHandle *shape = TF_NewShapeHandle();

    TF_ShapeInferenceContextGetInput(ctx, 0, shape, status);
    if (is_ok(status)) {
        TF_ShapeInferenceContextSetOutput(ctx, 0, shape, status);
    }
    TF_DeleteShapeHandle(shape);
}

__attribute__((visibility("default"))) void TF_InitKernel(void)
{
    TF_Status *status = TF_NewStatus();
    TF_OpDefinitionBuilder *op = TF_NewOpDefinitionBuilder("Com>Acme>Sorted");

    fake_fill_streams(&driver);
    TF_OpDefinitionBuilderAddInput(op, "x: float");
    TF_OpDefinitionBuilderAddOutput(op, "sorted: float");
    TF_OpDefinitionBuilderSetShapeInferenceFunction(op, infer_shape);
    TF_RegisterOpDefinition(op, status);
    if (is_ok(status)) {
        TF_RegisterKernelBuilder(
            "Sorted", TF_NewKernelBuilder("Com>Acme>Sorted", "FAKE", create, compute, destroy),
            status);
    }
    TF_DeleteStatus(status); /* the host keeps a failure and refuses the plugin with it */
}
