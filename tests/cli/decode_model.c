/* SPDX-License-Identifier: Apache-2.0 */
/* What does a decoder say? Greedy decoding as an application does it: the prompt in one run, then a
 * token a run, and what the model calls present becomes what it calls past. Prints the tokens.
 *
 *     decode_model [--bound LENGTH | --room LENGTH] MODEL COUNT TOKEN...
 *
 * With a bound it says on stderr how many plans the session made. With room each cache is one piece
 * of memory of that length from the first run on, past and present alike, and it says how many of
 * the runs' allocations are as large as a cache.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "oribi/oribi.h"

enum { MAX_RANK = 8, MAX_TOKENS = 1024 };

typedef struct decoder {
    oribi_model *model;
    oribi_run *run;
    TF_Status *status;
    int64_t ids[MAX_TOKENS];
    int64_t own, before; /* tokens of this run, of earlier ones */
    int64_t room;        /* rows of each cache; 0: they grow */
    size_t cache_bytes;
    int copies; /* allocations of that size */
} decoder;

static void check(const decoder *d)
{
    if (TF_GetCode(d->status) != TF_OK) {
        fprintf(stderr, "%s\n", TF_Message(d->status));
        exit(1);
    }
}

static int64_t id_of(const decoder *d, int64_t i)
{
    return d->ids[i];
}

static int64_t seen(const decoder *d, int64_t i)
{
    (void)d;
    (void)i;
    return 1;
}

static int64_t place(const decoder *d, int64_t i)
{
    return d->before + i;
}

/* [1, count] of int64. */
static void set_row(decoder *d, int input, int64_t count,
                    int64_t (*value)(const decoder *, int64_t))
{
    const int64_t dims[2] = {1, count};
    TF_Tensor *tensor = TF_AllocateTensor(TF_INT64, dims, 2, (size_t)count * sizeof(int64_t));
    if (tensor == NULL) {
        exit(1);
    }
    for (int64_t i = 0; i < count; i++) {
        ((int64_t *)TF_TensorData(tensor))[i] = value(d, i);
    }
    oribi_run_set_input(d->run, input, tensor, d->status);
    TF_DeleteTensor(tensor);
    check(d);
}

static void count_copies(void *arg, const oribi_trace_event *event)
{
    decoder *d = arg;
    d->copies += strcmp(event->kind, "alloc") == 0 && event->bytes == d->cache_bytes;
}

/* Of the dimensions that the model leaves open the batch is 1, the length 0, or the room there is,
 * which is the present cache as well. */
static void set_first(decoder *d, int input, int present)
{
    int64_t dims[MAX_RANK], next = 1;
    const int rank = oribi_model_input_shape(d->model, input, dims, MAX_RANK);
    for (int i = 0; i < rank; i++) {
        next = dims[i] < 0 ? next - 1 : next;
        dims[i] = dims[i] < 0 ? (next == 0 ? 1 : d->room) : dims[i];
    }
    const TF_DataType type = oribi_model_input_type(d->model, input);
    size_t bytes = TF_DataTypeSize(type);
    for (int i = 0; i < rank; i++) {
        bytes *= (size_t)dims[i];
    }
    TF_Tensor *tensor = TF_AllocateTensor(type, dims, rank, bytes);
    oribi_run_set_input(d->run, input, tensor, d->status);
    check(d);
    if (d->room > 0) {
        memset(TF_TensorData(tensor), 0x11, bytes);
        d->cache_bytes = bytes;
        oribi_run_set_output(d->run, present, tensor, d->status);
        check(d);
    }
    TF_DeleteTensor(tensor);
}

static int output_named(const decoder *d, const char *begin, const char *rest)
{
    const size_t length = strlen(begin);
    for (int i = 0; i < oribi_model_num_outputs(d->model); i++) {
        const char *name = oribi_model_output_name(d->model, i);
        if (strncmp(name, begin, length) == 0 && strcmp(name + length, rest) == 0) {
            return i;
        }
    }
    return -1;
}

/* Of the open dimensions of each input the first is the batch, what follows is bounded. */
static void set_bounds(const decoder *d, oribi_options *options, int64_t most)
{
    for (int input = 0; input < oribi_model_num_inputs(d->model); input++) {
        int64_t dims[MAX_RANK];
        const int rank = oribi_model_input_shape(d->model, input, dims, MAX_RANK);
        for (int i = 0, open = 0; i < rank; i++) {
            open += dims[i] < 0;
            if (dims[i] < 0 && open > 1) {
                oribi_options_set_input_bound(options, oribi_model_input_name(d->model, input), i,
                                              most, d->status);
                check(d);
            }
        }
    }
}

static void print_plans(const decoder *d, oribi_session *session)
{
    TF_Buffer *json = TF_NewBuffer();
    oribi_session_describe(session, "memory", json, d->status);
    check(d);
    const char *plans = strstr(json->data, "\"plans\":");
    fprintf(stderr, "plans %d\n", plans == NULL ? -1 : atoi(plans + strlen("\"plans\":")));
    TF_DeleteBuffer(json);
}

/* "past_key_values.0.key" is fed by "present.0.key", "past_0" by "present_0"; -1: by no output. */
static int present_of(const decoder *d, const char *past)
{
    const char *rest = strncmp(past, "past_key_values", 15) == 0 ? past + 15
                       : strncmp(past, "past", 4) == 0           ? past + 4
                                                                 : NULL;
    return rest == NULL ? -1 : output_named(d, "present", rest);
}

static void set_inputs(decoder *d)
{
    for (int i = 0; i < oribi_model_num_inputs(d->model); i++) {
        const char *name = oribi_model_input_name(d->model, i);
        const int present = present_of(d, name);
        if (strcmp(name, "input_ids") == 0) {
            set_row(d, i, d->own, id_of);
        } else if (strcmp(name, "attention_mask") == 0) {
            set_row(d, i, d->before + d->own, seen);
        } else if (strcmp(name, "position_ids") == 0) {
            set_row(d, i, d->own, place);
        } else if (present >= 0 && d->before == 0) {
            set_first(d, i, present);
        } else if (present >= 0 && d->room > 0) {
            continue; /* what was present is past */
        } else if (present >= 0) {
            TF_Tensor *tensor = oribi_run_output(d->run, present, d->status);
            check(d);
            oribi_run_set_input(d->run, i, tensor, d->status);
            TF_DeleteTensor(tensor);
            check(d);
        } else {
            fprintf(stderr, "what is the input '%s'?\n", name);
            exit(1);
        }
    }
}

/* A number that is larger where the half is. */
static float order_of(uint16_t half)
{
    return (half & 0x8000U) != 0 ? -(float)(half & 0x7fffU) : (float)half;
}

/* The token after the last one. */
static int64_t best(decoder *d)
{
    TF_Tensor *logits = oribi_run_output(d->run, output_named(d, "logits", ""), d->status);
    check(d);
    const bool is_half = TF_TensorType(logits) == TF_HALF;
    const int64_t words = TF_Dim(logits, 2), first = (TF_Dim(logits, 1) - 1) * words;
    const void *data = TF_TensorData(logits);
    int64_t found = 0;
    float largest = 0;
    for (int64_t i = 0; i < words; i++) {
        const float x = is_half ? order_of(((const uint16_t *)data)[first + i])
                                : ((const float *)data)[first + i];
        found = i == 0 || x > largest ? i : found;
        largest = i == 0 || x > largest ? x : largest;
    }
    TF_DeleteTensor(logits);
    return found;
}

int main(int argc, char **argv)
{
    decoder d = {.status = TF_NewStatus()};
    int64_t most = -1;
    if (argc > 2 && strcmp(argv[1], "--bound") == 0) {
        most = atoll(argv[2]);
        argv += 2;
        argc -= 2;
    } else if (argc > 2 && strcmp(argv[1], "--room") == 0) {
        d.room = atoll(argv[2]);
        argv += 2;
        argc -= 2;
    }
    if (argc < 4 || argc - 3 > MAX_TOKENS) {
        fprintf(stderr, "usage: decode_model MODEL COUNT TOKEN...\n");
        return 2;
    }
    d.model = oribi_model_open(argv[1], NULL, d.status);
    check(&d);
    oribi_options *options = oribi_options_create(d.status);
    oribi_options_set_threads(options, 1);
    if (most >= 0) {
        set_bounds(&d, options, most);
    }
    oribi_session *session = oribi_session_create(d.model, options, d.status);
    check(&d);
    d.run = oribi_run_create(session, d.status);
    check(&d);
    for (d.own = 0; d.own < argc - 3; d.own++) {
        d.ids[d.own] = atoll(argv[3 + d.own]);
    }
    if (d.room > 0) {
        oribi_run_set_trace(d.run, count_copies, &d);
    }
    for (int count = atoi(argv[2]); count > 0; count--) {
        set_inputs(&d);
        oribi_run_execute(d.run, d.status);
        check(&d);
        d.before += d.own;
        d.own = 1;
        d.ids[0] = best(&d);
        printf("%" PRId64 "\n", d.ids[0]);
    }
    if (most >= 0) {
        print_plans(&d, session);
    } else if (d.room > 0) {
        fprintf(stderr, "copies %d\n", d.copies);
    }
    oribi_run_destroy(d.run);
    oribi_session_destroy(session);
    oribi_options_destroy(options);
    oribi_model_destroy(d.model);
    TF_DeleteStatus(d.status);
    return 0;
}
