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
#include "oribi/kernel_kit.h"

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

static void sorted_read(oribi_kit_setup *setup, sorter *self)
{
    (void)setup;
    pthread_mutex_init(&self->lock, NULL);
}
ORIBI_KIT_CREATE(sorted, sorter)

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

static void compute(void *state, TF_OpKernelContext *context)
{
    int64_t dims[MAX_RANK];
    oribi_kit_run run;

    if (oribi_kit_begin(&run, context, 1)) {
        const int rank = oribi_kit_dims(&run, run.in[0], dims, MAX_RANK);
        if (rank == 0) {
            (void)oribi_kit_fail(&run, TF_UNIMPLEMENTED, "Sorted takes rows, no single number");
        } else if (rank > 0 && oribi_kit_output(&run, 0, dims, rank) != NULL &&
                   TF_TensorElementCount(run.in[0]) > 0) {
            sort(state, context, run.in[0], run.out[0], run.status);
        }
    }
    oribi_kit_end(&run);
}

__attribute__((visibility("default"))) void TF_InitKernel(void)
{
    fake_fill_streams(&driver);
    oribi_kit_register_op("Com>Acme>Sorted", "x: float", "sorted: float", NULL, "along(x, -1)",
                          oribi_kit_shape_unchanged);
    oribi_kit_register_kernel("Com>Acme>Sorted", "FAKE", sorted_create, compute, destroy);
}
