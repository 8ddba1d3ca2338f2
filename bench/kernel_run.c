/* SPDX-License-Identifier: Apache-2.0 */
/* See kernel_run.h. */
#include "kernel_run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "machine.h"

enum { SAMPLES = 2000 };

typedef struct bench_run {
    TF_OpKernelContext context; /* first */
    atomic_int stop;
    oribi_slot slots[BENCH_INPUTS + 1];
    int32_t ids[BENCH_INPUTS + 1];
    oribi_step_io step;
    oribi_kernel kernel;
    oribi_kernel_def def;
    oribi_node_view view;
    oribi_signature signature;
    oribi_shape shapes[BENCH_INPUTS];
    TF_DataType types[BENCH_INPUTS], output_type;
    int64_t strides[BENCH_INPUTS][BENCH_RANK];
    TF_Tensor *temps[BENCH_INPUTS]; /* kept from run to run */
    int n_temps;
    void *output;
    size_t output_bytes;
    TF_Status *status;
} bench_run;

const oribi_cpu_kernel *bench_row(const char *op, const char *isa)
{
    const oribi_cpu_kernel *best = NULL;
    for (const oribi_cpu_family *family = oribi_cpu_families; family->name != NULL; family++) {
        for (const oribi_cpu_kernel *row = family->kernels; row->op_name != NULL; row++) {
            if (strcmp(row->op_name, op) == 0 && oribi_cpu_has(row->isa) &&
                (isa == NULL || strcmp(isa, oribi_cpu_isa_name(row->isa)) == 0) &&
                (best == NULL || row->priority > best->priority)) {
                best = row;
            }
        }
    }
    return best;
}

void bench_input_add(bench_node *node, const int64_t *dims, int rank, bool is_constant)
{
    bench_input *input = &node->inputs[node->n_inputs++];
    size_t count = 1;
    for (int i = 0; i < rank; i++) {
        input->dims[i] = dims[i];
        count *= (size_t)dims[i];
    }
    input->rank = rank;
    input->is_constant = is_constant;
    input->data = aligned_alloc(64, (count * sizeof(float) + 63) / 64 * 64);
    for (size_t i = 0; input->data != NULL && i < count; i++) {
        input->data[i] = (float)(i % 13) * 0.125f - 0.75f;
    }
}

static bool constant_input(void *arg, int32_t index, oribi_constant_view *out)
{
    bench_node *node = arg;
    const bench_input *input = &node->inputs[index];
    if (!input->is_constant) {
        return false;
    }
    *out = (oribi_constant_view){
        .dtype = TF_FLOAT, .rank = input->rank, .dims = input->dims, .data = input->data};
    return true;
}

static bool allocate_output(TF_OpKernelContext *context, int index, const int64_t *dims, int rank,
                            const int *candidates, int n_candidates, int *out_forwarded,
                            TF_Status *status)
{
    bench_run *run = (bench_run *)context;
    oribi_slot *slot = &run->slots[context->step->outputs[index]];
    size_t bytes = sizeof(float);
    (void)candidates;
    (void)n_candidates;
    *out_forwarded = -1;
    for (int i = 0; i < rank; i++) {
        bytes *= (size_t)dims[i];
    }
    if (run->output == NULL) {
        run->output = aligned_alloc(64, (bytes + 63) / 64 * 64);
        run->output_bytes = bytes;
    }
    if (run->output == NULL || run->output_bytes != bytes ||
        !oribi_slot_set_dims(slot, dims, rank)) {
        TF_SetStatus(status, TF_RESOURCE_EXHAUSTED, "no memory for the output");
        return false;
    }
    slot->data = run->output;
    slot->bytes = bytes;
    slot->storage = ORIBI_STORAGE_ARENA;
    slot->stamp = context->stamp;
    return true;
}

static bool set_output(TF_OpKernelContext *context, int index, const TF_Tensor *tensor,
                       TF_Status *status)
{
    (void)context;
    (void)index;
    (void)tensor;
    TF_SetStatus(status, TF_UNIMPLEMENTED, "the benchmark sets no output");
    return false;
}

/* As in a session, scratch has the same address in every run. */
static TF_Tensor *allocate_temp(TF_OpKernelContext *context, TF_DataType dtype, const int64_t *dims,
                                int rank, bool on_host, TF_Status *status)
{
    (void)on_host;
    bench_run *run = (bench_run *)context;
    size_t bytes = TF_DataTypeSize(dtype);
    for (int i = 0; i < rank; i++) {
        bytes *= (size_t)dims[i];
    }
    TF_Tensor **temp = &run->temps[run->n_temps % BENCH_INPUTS];
    run->n_temps++;
    if (*temp == NULL) {
        *temp = TF_AllocateTensor(dtype, dims, rank, bytes);
    }
    TF_Tensor *share = *temp != NULL ? oribi_tensor_share(*temp) : NULL;
    if (share == NULL) {
        TF_SetStatus(status, TF_RESOURCE_EXHAUSTED, "no memory for scratch");
    }
    return share;
}

static void detached(TF_OpKernelContext *context)
{
    (void)context;
}

static bool compute(bench_run *run)
{
    run->context.stamp++;
    run->n_temps = 0;
    for (int i = 0; i < run->step.n_inputs; i++) {
        run->slots[i].stamp = run->context.stamp;
    }
    return oribi_context_compute(&run->context, &run->step, run->status);
}

static void bind(bench_node *node, bench_run *run)
{
    for (int i = 0; i <= node->n_inputs; i++) {
        oribi_slot *slot = &run->slots[i];
        run->ids[i] = i;
        slot->dtype = TF_FLOAT;
        slot->forward_from = -1;
        if (i < node->n_inputs) {
            bench_input *input = &node->inputs[i];
            run->types[i] = TF_FLOAT;
            run->shapes[i] = (oribi_shape){input->rank, input->dims};
            slot->data = input->data;
            slot->storage = ORIBI_STORAGE_CALLER;
            (void)oribi_slot_set_dims(slot, input->dims, input->rank);
        }
    }
    run->output_type = TF_FLOAT;
    run->signature = (oribi_signature){.n_inputs = node->n_inputs,
                                       .n_outputs = 1,
                                       .input_types = run->types,
                                       .output_types = &run->output_type};
    run->view = (oribi_node_view){.name = "bench",
                                  .attrs = &node->attrs,
                                  .signature = &run->signature,
                                  .input_shapes = run->shapes,
                                  .constant_input = constant_input,
                                  .arg = node};
    run->step = (oribi_step_io){.kernel = &run->kernel,
                                .inputs = run->ids,
                                .outputs = run->ids + node->n_inputs,
                                .n_inputs = node->n_inputs,
                                .n_outputs = 1,
                                .first_temp = node->n_inputs + 1};
}

bool bench_begin(bench_node *node, const oribi_cpu_kernel *row, oribi_pool *pool)
{
    static const oribi_context_host host = {allocate_output, set_output, allocate_temp,
                                            detached,        NULL,       NULL};
    bench_run *run = calloc(1, sizeof *run);
    node->run = run;
    if (run == NULL) {
        return false;
    }
    run->status = TF_NewStatus();
    run->def = (oribi_kernel_def){.op_name = row->op_name,
                                  .device_type = "CPU",
                                  .kernel_name = row->op_name,
                                  .provider = "built-in",
                                  .create = row->create,
                                  .compute = row->compute,
                                  .destroy = row->destroy};
    bind(node, run);
    if (!oribi_kernel_create(&run->def, &run->view, &run->kernel, run->status) ||
        !oribi_context_init(&run->context, &host, NULL, run->status)) {
        fprintf(stderr, "%s: %s\n", row->op_name, TF_Message(run->status));
        return false;
    }
    run->context.pool = pool;
    run->context.slots = run->slots;
    run->context.stop = &run->stop;
    run->step.compute = row->compute;
    run->step.state = run->kernel.state;
    oribi_context_enter(&run->context);
    if (!compute(run)) {
        fprintf(stderr, "%s: %s\n", row->op_name, TF_Message(run->status));
        return false;
    }
    return true;
}

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Writes to each line of the block, which is made by the first call and kept. */
static void sweep(size_t bytes)
{
    static char *block;
    if (block == NULL) {
        block = calloc(bytes, 1);
    }
    for (size_t i = 0; block != NULL && i < bytes; i += 64) {
        block[i]++;
    }
}

void bench_measure(bench_node *node, double seconds, size_t sweep_bytes, double *out_time,
                   double *out_peak)
{
    static double times[SAMPLES], peaks[SAMPLES];
    int count = 0;
    const double begin = machine_seconds();
    while (count < SAMPLES && (count < 4 || machine_seconds() - begin < seconds)) {
        if (sweep_bytes > 0) {
            sweep(sweep_bytes);
        } else {
            (void)compute(node->run); /* what the peak sample disturbed is warm again */
        }
        const double start = machine_seconds();
        (void)compute(node->run);
        times[count] = machine_seconds() - start;
        peaks[count++] = machine_peak_sample();
    }
    qsort(times, (size_t)count, sizeof *times, compare);
    qsort(peaks, (size_t)count, sizeof *peaks, compare);
    *out_time = times[count / 10];
    *out_peak = peaks[count - 1 - count / 10];
}

void bench_end(bench_node *node)
{
    bench_run *run = node->run;
    if (run != NULL) {
        if (run->context.host != NULL) {
            (void)oribi_context_leave(&run->context);
            oribi_slots_clear(run->slots, BENCH_INPUTS + 1);
            oribi_context_destroy(&run->context);
        }
        oribi_kernel_destroy(&run->kernel);
        for (int i = 0; i < BENCH_INPUTS; i++) {
            TF_DeleteTensor(run->temps[i]);
        }
        TF_DeleteStatus(run->status);
        free(run->output);
        free(run);
    }
    for (int i = 0; i < node->n_inputs; i++) {
        free(node->inputs[i].data);
    }
    oribi_arena_destroy(&node->arena);
    *node = (bench_node){.n_inputs = 0};
}
