/* SPDX-License-Identifier: Apache-2.0 */
/* libFuzzer target of TensorFlow's C API: bytes become a graph, which is asked everything, written,
 * read again and run. What a graph writes must be read again as the same graph. Not here: whether
 * results are right. See docs/reference/fuzzing.md.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "binding/binding_session.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

enum { MOST_BYTES = 32 << 20, MOST_FETCHES = 6, MOST_FEEDS = 8, ROOM = 16 };

static void ask_attr(TF_Operation *op, int i, TF_Status *status)
{
    char name[256] = {0};
    const int length = TF_OperationGetAttrNameLength(op, i);
    if (length < 0 || length >= (int)sizeof name) {
        return;
    }
    TF_OperationGetAttrName(op, i, name, status);
    const TF_AttrMetadata about = TF_OperationGetAttrMetadata(op, name, status);
    TF_Buffer *value = TF_NewBuffer();
    TF_OperationGetAttrValueProto(op, name, value, status);
    TF_DeleteBuffer(value);
    int64_t ints[ROOM], *dims[ROOM];
    float reals[ROOM];
    unsigned char bools[ROOM];
    TF_DataType types[ROOM];
    char text[ROOM];
    void *texts[ROOM];
    size_t lengths[ROOM];
    int ranks[ROOM];
    TF_Tensor *tensors[ROOM] = {NULL};
    TF_OperationGetAttrInt(op, name, ints, status);
    TF_OperationGetAttrIntList(op, name, ints, ROOM, status);
    TF_OperationGetAttrFloatList(op, name, reals, ROOM, status);
    TF_OperationGetAttrBoolList(op, name, bools, ROOM, status);
    TF_OperationGetAttrTypeList(op, name, types, ROOM, status);
    TF_OperationGetAttrString(op, name, text, ROOM, status);
    TF_OperationGetAttrStringList(op, name, texts, lengths, ROOM, text, ROOM, status);
    TF_OperationGetAttrShape(op, name, ints, ROOM, status);
    TF_OperationGetAttrShapeList(op, name, dims, ranks, ROOM, ints, ROOM, status);
    if (about.type == TF_ATTR_TENSOR) {
        TF_OperationGetAttrTensor(op, name, tensors, status);
        TF_DeleteTensor(tensors[0]);
    }
}

static void ask(TF_Graph *graph, TF_Operation *op, TF_Status *status)
{
    int64_t dims[ORIBI_MAX_TENSOR_RANK];
    TF_Input readers[ROOM];
    TF_Operation *others[ROOM];
    for (int i = 0; i < TF_OperationNumOutputs(op); i++) {
        const TF_Output output = {op, i};
        const int rank = TF_GraphGetTensorNumDims(graph, output, status);
        (void)TF_OperationOutputType(output);
        (void)TF_OperationOutputConsumers(output, readers, ROOM);
        if (rank >= 0 && rank <= ORIBI_MAX_TENSOR_RANK) {
            TF_GraphGetTensorShape(graph, output, dims, rank, status);
        }
    }
    for (int i = 0; i < TF_OperationNumInputs(op); i++) {
        (void)TF_OperationInputType((TF_Input){op, i});
    }
    (void)TF_OperationGetControlInputs(op, others, ROOM);
    (void)TF_OperationGetControlOutputs(op, others, ROOM);
    for (int i = 0; i < TF_OperationGetNumAttrs(op); i++) {
        ask_attr(op, i, status);
    }
}

/* A tensor of ones and noughts, of the size that the graph knows, or 2; NULL: it would be large. */
static TF_Tensor *feed_of(TF_Graph *graph, TF_Output output, TF_Status *status)
{
    enum { MOST_ELEMENTS = 4096 };
    const TF_DataType dtype = TF_OperationOutputType(output);
    const int rank = TF_GraphGetTensorNumDims(graph, output, status);
    int64_t dims[ROOM];
    size_t n = 0;
    if (rank > ROOM || TF_DataTypeSize(dtype) == 0 || dtype == TF_STRING) {
        return NULL;
    }
    if (rank > 0) {
        TF_GraphGetTensorShape(graph, output, dims, rank, status);
    }
    for (int i = 0; i < rank; i++) {
        dims[i] = dims[i] < 0 ? 2 : dims[i];
    }
    if (!oribi_size_of_dims(dims, rank < 0 ? 0 : rank, 1, &n) || n > MOST_ELEMENTS) {
        return NULL;
    }
    TF_Tensor *tensor =
        TF_AllocateTensor(dtype, dims, rank < 0 ? 0 : rank, n * TF_DataTypeSize(dtype));
    if (tensor != NULL) {
        memset(TF_TensorData(tensor), 0, TF_TensorByteSize(tensor));
        for (size_t i = 0; i < n; i += 2) {
            ((uint8_t *)TF_TensorData(tensor))[i * TF_DataTypeSize(dtype)] = 1;
        }
    }
    return tensor;
}

/* The last few operations, with a feed for each placeholder. */
static void run(TF_Graph *graph, TF_Operation **ops, int n, TF_Status *status)
{
    TF_SessionOptions *options = TF_NewSessionOptions();
    oribi_options_set_max_bytes(options->options, MOST_BYTES);
    oribi_options_set_threads(options->options, 1);
    TF_Session *session = TF_NewSession(graph, options, status);
    TF_Output feeds[MOST_FEEDS];
    TF_Tensor *values[MOST_FEEDS];
    int n_feeds = 0;
    for (int i = 0; i < n && n_feeds < MOST_FEEDS; i++) {
        if (strcmp(TF_OperationOpType(ops[i]), "Placeholder") == 0) {
            feeds[n_feeds] = (TF_Output){ops[i], 0};
            values[n_feeds] = feed_of(graph, feeds[n_feeds], status);
            n_feeds += values[n_feeds] != NULL;
        }
    }
    for (int i = n; i > 0 && i > n - MOST_FETCHES; i--) {
        const TF_Output fetch = {ops[i - 1], 0};
        const TF_Operation *target = ops[i - 1];
        TF_Tensor *out = NULL;
        TF_SessionRun(session, NULL, feeds, values, n_feeds, &fetch, &out,
                      TF_OperationNumOutputs(ops[i - 1]) > 0 ? 1 : 0, &target, 1, NULL, status);
        if (TF_GetCode(status) != TF_OK && TF_Message(status)[0] == '\0') {
            abort();
        }
        TF_DeleteTensor(out);
    }
    for (int i = 0; i < n_feeds; i++) {
        TF_DeleteTensor(values[i]);
    }
    TF_DeleteSession(session, status);
    TF_DeleteSessionOptions(options);
}

/* NULL: the bytes are no graph. */
static TF_Graph *import(const void *data, size_t bytes, TF_Status *status)
{
    TF_Graph *graph = TF_NewGraph();
    TF_Buffer *buffer = TF_NewBufferFromString(data, bytes);
    graph->known->max_bytes = MOST_BYTES;
    TF_GraphImportGraphDef(graph, buffer, NULL, status);
    TF_DeleteBuffer(buffer);
    if (TF_GetCode(status) == TF_OK) {
        return graph;
    }
    if (TF_Message(status)[0] == '\0' || graph->n_ops > 0) {
        abort();
    }
    TF_DeleteGraph(graph);
    return NULL;
}

/* What is written is read again, and written in the same way. */
static void write_twice(TF_Graph *graph, TF_Status *status)
{
    TF_Buffer *first = TF_NewBuffer(), *second = TF_NewBuffer();
    TF_GraphToGraphDef(graph, first, status);
    TF_Graph *again = import(first->data, first->length, status);
    if (again != NULL) {
        TF_GraphToGraphDef(again, second, status);
        if (first->length != second->length ||
            memcmp(first->data, second->data, first->length) != 0) {
            abort();
        }
    } else if (TF_GetCode(status) != TF_RESOURCE_EXHAUSTED) {
        abort();
    }
    TF_DeleteGraph(again);
    TF_DeleteBuffer(first);
    TF_DeleteBuffer(second);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    TF_Status *status = TF_NewStatus();
    TF_Graph *graph = import(data, bytes, status);
    if (graph != NULL) {
        for (int i = 0; i < graph->n_ops; i++) {
            ask(graph, graph->ops[i], status);
        }
        write_twice(graph, status);
        run(graph, graph->ops, graph->n_ops, status);
        TF_DeleteGraph(graph);
    }
    TF_DeleteStatus(status);
    return 0;
}
