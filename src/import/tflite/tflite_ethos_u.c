/* SPDX-License-Identifier: Apache-2.0 */
/* What does a file of Vela say? One custom operator `ethos-u` holds a command stream for an Ethos-U
 * NPU; its scratch memory is a tensor that nothing makes, and the metadata OfflineMemoryAllocation
 * lays tensors inside it, at fixed offsets. It becomes Oribi>EthosU
 * (plugins/ops_core/region_ops.c). All of it is checked here: ranges, alignment, who makes and
 * reads what. Source   files of Vela 5.2; inputs: command stream, read-only data, scratch, fast
 * scratch, then those of the model.
 */
#include "import/tflite/tflite.h"

#include <inttypes.h>
#include <string.h>

#define OP       "ethos-u"
#define METADATA "OfflineMemoryAllocation"

enum { COMMANDS, READ_ONLY, SCRATCH, FAST, FIRST_INPUT }; /* inputs of the operator */
enum {
    HEAD_WORDS = 3,      /* of the metadata: version, subgraphs, tensors */
    MOST_BASES = 8,      /* base addresses that the NPU has */
    PLACE_ALIGNMENT = 16 /* of base addresses */
};

/* --- Metadata --------------------------------------------------------------------------------- */

static bool check_head(const oribi_tflite *t, const oribi_flat_vector *data, TF_Status *status)
{
    int32_t head[HEAD_WORDS] = {0};
    oribi_flat_vector words = {data->file, data->at, data->count / 4};
    for (uint32_t i = 0; i < HEAD_WORDS && i < words.count; i++) {
        head[i] = oribi_flat_int32_at(&words, i);
    }
    const bool is_good = data->count % 4 == 0 && words.count >= HEAD_WORDS && head[0] == 0 &&
                         head[1] == 1 && head[2] >= 0 && (uint32_t)head[2] == t->n_tensors &&
                         words.count - HEAD_WORDS == t->n_tensors && t->subgraphs.count == 1;
    return is_good ||
           oribi_fail(status, TF_INVALID_ARGUMENT,
                      "byte %zu: the metadata " METADATA " has %u bytes, version %d, %d subgraphs "
                      "and %d tensors; wanted are version 0, one subgraph, and an offset for each "
                      "of the %u tensors",
                      data->at, (unsigned)data->count, (int)head[0], (int)head[1], (int)head[2],
                      (unsigned)t->n_tensors);
}

static bool read_offsets(oribi_tflite *t, const oribi_flat_table *entry, TF_Status *status)
{
    int64_t buffer = 0;
    oribi_flat_table table = {0};
    oribi_flat_vector data = {0};
    ORIBI_TRY(oribi_flat_read_int(entry, 1, 4, false, 0, "a metadata's buffer", &buffer, status));
    if (buffer >= t->buffers.count) {
        return oribi_fail(status, TF_INVALID_ARGUMENT,
                          "byte %zu: the metadata " METADATA " names buffer %" PRId64
                          ", but there are %u",
                          entry->at, buffer, (unsigned)t->buffers.count);
    }
    ORIBI_TRY(oribi_flat_table_at(&t->buffers, (uint32_t)buffer, "a buffer", &table, status));
    ORIBI_TRY(oribi_flat_read_vector(&table, 0, 1, "a buffer's data", &data, status));
    ORIBI_TRY(check_head(t, &data, status));
    t->offsets = (oribi_flat_vector){data.file, data.at + 4 * HEAD_WORDS, t->n_tensors};
    return oribi_tflite_spend(t, t->n_tensors, status);
}

bool oribi_tflite_read_offsets(oribi_tflite *t, const oribi_flat_table *model, TF_Status *status)
{
    oribi_flat_vector entries = {0};
    bool is_wanted = false;
    for (uint32_t i = 0; i < t->n_codes; i++) {
        is_wanted = is_wanted || (t->codes[i].builtin == ORIBI_TFLITE_CUSTOM &&
                                  oribi_string_is(t->codes[i].custom, OP));
    }
    if (!is_wanted) { /* others plan their tensors themselves */
        return true;
    }
    ORIBI_TRY(oribi_flat_read_vector(model, 6, 4, "the metadata", &entries, status));
    ORIBI_TRY(oribi_tflite_spend(t, entries.count, status));
    for (uint32_t i = 0; i < entries.count; i++) {
        oribi_flat_table entry = {0};
        oribi_string name = {0};
        ORIBI_TRY(oribi_flat_table_at(&entries, i, "a metadata", &entry, status));
        ORIBI_TRY(oribi_flat_read_string(&entry, 0, "a metadata's name", &name, status));
        if (oribi_string_is(name, METADATA)) {
            return read_offsets(t, &entry, status);
        }
    }
    return true;
}

/* --- Scratch ---------------------------------------------------------------------------------- */

bool oribi_tflite_is_scratch(const oribi_tflite_node *n, int32_t i)
{
    return (i == SCRATCH || i == FAST) && strcmp(n->op, OP) == 0;
}

/* Bytes of a tensor in the file's words; -1: unknown, or 2 GiB and more. */
static int64_t bytes_of(const oribi_tflite_tensor *tensor)
{
    int64_t bytes = tensor->dtype != 0 ? (int64_t)oribi_dtype_bytes(tensor->dtype) : -1;
    for (uint32_t i = 0; i < tensor->shape.count && bytes > 0; i++) {
        const int64_t dim = oribi_flat_int32_at(&tensor->shape, i);
        bytes = dim >= 0 && dim <= INT32_MAX / bytes ? bytes * dim : -1;
    }
    return bytes;
}

/* Nothing makes a scratch, and only operators of this kind have it. */
static bool check_scratch(oribi_tflite_node *n, int32_t i)
{
    oribi_tflite_tensor *tensor = n->inputs[i];
    const char *why =
        tensor->data.file != NULL ? "has data"
        : tensor->is_variable     ? "is a variable"
        : tensor->value != ORIBI_TFLITE_UNMADE && tensor->value != ORIBI_TFLITE_SCRATCH
            ? "is an input of the model, or an operator makes it"
        : tensor->dtype != TF_UINT8 && tensor->dtype != TF_INT8 ? "is not bytes"
        : bytes_of(tensor) < 0                                  ? "has no size"
                                                                : NULL;
    if (why != NULL) {
        return oribi_tflite_fail(n, TF_INVALID_ARGUMENT,
                                 "input %d is the NPU's scratch memory, which nothing else may "
                                 "touch, but it %s",
                                 (int)i, why);
    }
    tensor->value = ORIBI_TFLITE_SCRATCH;
    return true;
}

/* --- Places ----------------------------------------------------------------------------------- */

/* As the file has it; -1: anywhere. */
static int64_t offset_in_file(const oribi_tflite *t, const oribi_tflite_tensor *tensor)
{
    const uint32_t index = (uint32_t)(tensor - t->tensors);
    return t->offsets.file != NULL ? oribi_flat_int32_at(&t->offsets, index) : -1;
}

/* Where a tensor lies in the scratch; -1: not there. */
static bool place(oribi_tflite_node *n, const oribi_tflite_tensor *tensor, const char *what,
                  int32_t i, int64_t *out)
{
    const oribi_tflite_tensor *scratch = n->inputs[SCRATCH];
    const int64_t base = offset_in_file(n->tflite, scratch), room = bytes_of(scratch);
    const int64_t offset = offset_in_file(n->tflite, tensor), bytes = bytes_of(tensor);
    *out = offset == -1 ? -1 : offset - base;
    if (bytes < 0) {
        return oribi_tflite_fail(n, TF_INVALID_ARGUMENT, "%s %d has no size", what, (int)i);
    }
    if (offset == -1) {
        return true;
    }
    return (base >= 0 && offset >= base && *out <= room && bytes <= room - *out &&
            *out % PLACE_ALIGNMENT == 0) ||
           oribi_tflite_fail(n, TF_INVALID_ARGUMENT,
                             "%s %d has %" PRId64 " bytes at offset %" PRId64
                             ", which is no multiple of %d inside the scratch memory (%" PRId64
                             " bytes at offset %" PRId64 ")",
                             what, (int)i, bytes, offset, PLACE_ALIGNMENT, room, base);
}

/* Two of one operator's inputs, or of its outputs, over each other; an output may lie over an
 * input, since the stream says when it is written. */
static bool check_apart(oribi_tflite_node *n, oribi_tflite_tensor *const *tensors,
                        const int64_t *places, int32_t count, const char *what)
{
    for (int32_t i = 0; i < count; i++) {
        for (int32_t k = 0; k < i; k++) {
            if (tensors[i] != tensors[k] && places[i] >= 0 && places[k] >= 0 &&
                places[i] < places[k] + bytes_of(tensors[k]) &&
                places[k] < places[i] + bytes_of(tensors[i])) {
                return oribi_tflite_fail(n, TF_INVALID_ARGUMENT,
                                         "%s %d and %d lie over each other in the scratch memory",
                                         what, (int)k, (int)i);
            }
        }
    }
    return true;
}

static bool read_places(oribi_tflite_node *n, int32_t n_inputs, int64_t *places)
{
    for (int32_t i = 0; i < n_inputs; i++) {
        ORIBI_TRY(place(n, n->inputs[FIRST_INPUT + i], "input", FIRST_INPUT + i, &places[i]));
    }
    for (int32_t i = 0; i < n->n_outputs; i++) {
        ORIBI_TRY(place(n, n->outputs[i], "output", i, &places[n_inputs + i]));
    }
    return check_apart(n, n->inputs + FIRST_INPUT, places, n_inputs, "inputs") &&
           check_apart(n, n->outputs, places + n_inputs, n->n_outputs, "outputs");
}

/* --- The operator ----------------------------------------------------------------------------- */

static bool check_form(oribi_tflite_node *n)
{
    const int32_t n_bases = n->n_inputs - 1 + n->n_outputs;
    if (n->outputs[0] == NULL || n_bases > MOST_BASES) {
        return oribi_tflite_fail(n, TF_INVALID_ARGUMENT,
                                 "it has %d base addresses (read-only data, scratch twice, inputs, "
                                 "outputs), or no output; the NPU has %d",
                                 (int)n_bases, MOST_BASES);
    }
    for (int32_t i = 0; i < n->n_inputs; i++) {
        if (n->inputs[i] == NULL) {
            return oribi_tflite_fail(n, TF_INVALID_ARGUMENT, "input %d is required", (int)i);
        }
    }
    const oribi_flat_vector *commands = &n->inputs[COMMANDS]->data;
    if (commands->file == NULL || commands->count < 4 ||
        memcmp(commands->file->data + commands->at, "COP1", 4) != 0) {
        return oribi_tflite_fail(n, TF_INVALID_ARGUMENT,
                                 "input 0 is no command stream for an Ethos-U: it does not begin "
                                 "with COP1");
    }
    return check_scratch(n, SCRATCH) && check_scratch(n, FAST);
}

/* The last operator of this kind that has begun when a tensor is read; set once all are read. */
typedef struct oribi_tflite_ending {
    oribi_node *node;
    oribi_tflite_tensor *const *outputs;
    int32_t n_outputs;
    struct oribi_tflite_ending *next;
} ending;

static bool keep_for_the_end(oribi_tflite_node *n, oribi_node *node)
{
    oribi_arena *kept = &n->tflite->kept;
    ending *made = oribi_arena_array(kept, 1, sizeof *made);
    oribi_tflite_tensor **outputs =
        oribi_arena_memdup(kept, n->outputs, (size_t)n->n_outputs * sizeof *outputs);
    if (made == NULL || outputs == NULL) {
        return oribi_fail_memory(n->status);
    }
    *made = (ending){node, outputs, n->n_outputs, n->tflite->npu_ends};
    n->tflite->npu_ends = made;
    return true;
}

bool oribi_tflite_end_npu(oribi_tflite *t, TF_Status *status)
{
    for (const ending *e = t->npu_ends; e != NULL; e = e->next) {
        int64_t until[MOST_BASES] = {0};
        for (int32_t i = 0; i < e->n_outputs; i++) {
            const bool is_output =
                e->outputs[i]->value >= 0 && t->graph->values[e->outputs[i]->value]->is_output;
            until[i] = is_output ? INT32_MAX : e->outputs[i]->npu_read;
        }
        if (!oribi_attrs_set_ints(&e->node->attrs, &t->graph->arena, "until", until,
                                  e->n_outputs)) {
            return oribi_fail_memory(status);
        }
    }
    return true;
}

static oribi_node *emit(oribi_tflite_node *n, int32_t n_inputs, const int64_t *places)
{
    oribi_tflite *t = n->tflite;
    oribi_value_id inputs[2 + MOST_BASES] = {oribi_tflite_input(n, COMMANDS),
                                             oribi_tflite_input(n, READ_ONLY)};
    TF_DataType types[2 * MOST_BASES];
    oribi_shape shapes[MOST_BASES];
    for (int32_t i = 0; i < n_inputs; i++) {
        inputs[2 + i] = oribi_tflite_input(n, FIRST_INPUT + i);
        types[i] = oribi_tflite_dtype_in(n, FIRST_INPUT + i);
    }
    for (int32_t i = 0; i < n->n_outputs; i++) {
        const oribi_dims dims = oribi_tflite_dims_of(n->outputs[i]);
        types[n_inputs + i] = n->outputs[i]->dtype;
        if (!oribi_shape_copy(&n->graph->arena, dims.at, dims.n, &shapes[i])) {
            n->failed = !oribi_fail_memory(n->status);
            return NULL;
        }
    }
    const bool is_one = n->inputs[SCRATCH] == n->inputs[FAST];
    oribi_node *node = oribi_tflite_emit_node(
        n, "Oribi>EthosU", inputs, 2 + n_inputs,
        ATTRS(ATTR_INT("scratch", n->inputs[SCRATCH] - t->tensors),
              ATTR_INT("scratch_bytes", bytes_of(n->inputs[SCRATCH])),
              ATTR_INT("fast_bytes", is_one ? -1 : bytes_of(n->inputs[FAST])),
              ATTR_INT("order", t->n_npu), ATTR_INTS("places", places, n_inputs + n->n_outputs),
              ATTR_TYPES("Tin", types, n_inputs),
              ATTR_TYPES("Tout", types + n_inputs, n->n_outputs),
              ATTR_SHAPES("shapes", shapes, n->n_outputs)),
        n->n_outputs);
    t->n_npu++;
    return node;
}

static bool translate(oribi_tflite_node *n)
{
    int64_t places[2 * MOST_BASES];
    const int32_t n_inputs = n->n_inputs - FIRST_INPUT;
    ORIBI_TRY(check_form(n) && read_places(n, n_inputs, places));
    oribi_node *node = emit(n, n_inputs, places);
    if (node == NULL || !keep_for_the_end(n, node)) {
        n->failed = true;
        return false;
    }
    for (int32_t i = 0; i < n->n_outputs; i++) {
        ORIBI_TRY(oribi_tflite_bind(n, i, node->outputs[i]));
    }
    return true;
}

const oribi_tflite_custom oribi_tflite_ethos_u_rows[] = {
    {OP, {ORIBI_TFLITE_CUSTOM, 0, FIRST_INPUT, -1, -1, translate, NULL}},
    {.name = NULL},
};
