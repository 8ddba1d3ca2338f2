/* SPDX-License-Identifier: Apache-2.0 */
/* Runs a model of TensorFlow's by its C API alone, for models_test.py: a SavedModel or a GraphDef,
 * with feeds and fetches that are listed one a line,
 *
 *   in TENSOR TYPE DIMS... FILE      out TENSOR FILE
 *
 * and checks on some threads at once that all runs give the same bits. A result is written as a
 * line "TYPE DIMS..." and its bytes; strings have their lengths, 8 bytes, before them.
 *
 *   model_runner MODEL LIST THREADS META
 */
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tensorflow/c/c_api.h"

enum { MOST = 64, TIMES = 5 };

typedef struct model {
    TF_Graph *graph;
    TF_Session *session;
    TF_Output feeds[MOST], fetches[MOST];
    TF_Tensor *values[MOST];
    char *files[MOST]; /* of fetches */
    int n_feeds, n_fetches;
} model;

static void check(const TF_Status *status, const char *what)
{
    if (TF_GetCode(status) != TF_OK) {
        fprintf(stderr, "%s: %d: %s\n", what, (int)TF_GetCode(status), TF_Message(status));
        exit(1);
    }
}

static char *read_file(const char *path, size_t *out_bytes)
{
    FILE *file = fopen(path, "rb");
    if (file == NULL) {
        fprintf(stderr, "cannot read %s\n", path);
        exit(1);
    }
    fseek(file, 0, SEEK_END);
    const long bytes = ftell(file);
    rewind(file);
    char *data = malloc((size_t)bytes + 1);
    if (data == NULL || fread(data, 1, (size_t)bytes, file) != (size_t)bytes) {
        exit(1);
    }
    fclose(file);
    *out_bytes = (size_t)bytes;
    return data;
}

/* --- Opening -------------------------------------------------------------------------------- */

static void open_graph_def(model *m, const char *path, TF_Status *status)
{
    size_t bytes;
    char *data = read_file(path, &bytes);
    TF_Buffer *buffer = TF_NewBufferFromString(data, bytes);
    TF_ImportGraphDefOptions *options = TF_NewImportGraphDefOptions();
    TF_GraphImportGraphDef(m->graph, buffer, options, status);
    check(status, "import");
    m->session = TF_NewSession(m->graph, NULL, status);
    check(status, "session");
    TF_DeleteImportGraphDefOptions(options);
    TF_DeleteBuffer(buffer);
    free(data);
}

static void open_saved_model(model *m, const char *path, const char *meta_path, TF_Status *status)
{
    const char *tags[] = {"serve"};
    TF_SessionOptions *options = TF_NewSessionOptions();
    TF_Buffer *meta = TF_NewBuffer();
    m->session = TF_LoadSessionFromSavedModel(options, NULL, path, tags, 1, m->graph, meta, status);
    check(status, "load");
    FILE *file = fopen(meta_path, "wb");
    if (file == NULL || fwrite(meta->data, 1, meta->length, file) != meta->length) {
        exit(1);
    }
    fclose(file);
    TF_DeleteBuffer(meta);
    TF_DeleteSessionOptions(options);
}

/* --- Tensors -------------------------------------------------------------------------------- */

static TF_Output find(const model *m, char *name)
{
    char *colon = strrchr(name, ':');
    const int index = colon != NULL ? atoi(colon + 1) : 0;
    if (colon != NULL) {
        *colon = '\0';
    }
    TF_Operation *op = TF_GraphOperationByName(m->graph, name);
    if (op == NULL) {
        fprintf(stderr, "there is no operation %s\n", name);
        exit(1);
    }
    return (TF_Output){op, index};
}

static TF_Tensor *read_tensor(TF_DataType dtype, const int64_t *dims, int rank, const char *path)
{
    size_t bytes;
    int64_t n = 1;
    char *data = read_file(path, &bytes), *at = data;
    for (int i = 0; i < rank; i++) {
        n *= dims[i];
    }
    TF_Tensor *tensor = TF_AllocateTensor(
        dtype, dims, rank, dtype == TF_STRING ? (size_t)n * sizeof(TF_TString) : bytes);
    for (int64_t i = 0; dtype == TF_STRING && i < n; i++) {
        uint64_t length;
        TF_TString *string = (TF_TString *)TF_TensorData(tensor) + i;
        memcpy(&length, at, 8);
        TF_StringInit(string);
        TF_StringCopy(string, at + 8, (size_t)length);
        at += 8 + length;
    }
    if (dtype != TF_STRING && bytes > 0) {
        memcpy(TF_TensorData(tensor), data, bytes);
    }
    free(data);
    return tensor;
}

static void write_tensor(const TF_Tensor *tensor, const char *path)
{
    FILE *file = fopen(path, "wb");
    if (file == NULL) {
        exit(1);
    }
    fprintf(file, "%d", (int)TF_TensorType(tensor));
    for (int i = 0; i < TF_NumDims(tensor); i++) {
        fprintf(file, " %lld", (long long)TF_Dim(tensor, i));
    }
    fprintf(file, "\n");
    const int64_t n = TF_TensorElementCount(tensor);
    for (int64_t i = 0; TF_TensorType(tensor) == TF_STRING && i < n; i++) {
        const TF_TString *string = (const TF_TString *)TF_TensorData(tensor) + i;
        const uint64_t length = TF_StringGetSize(string);
        fwrite(&length, 8, 1, file);
        fwrite(TF_StringGetDataPointer(string), 1, (size_t)length, file);
    }
    if (TF_TensorType(tensor) != TF_STRING) {
        fwrite(TF_TensorData(tensor), 1, TF_TensorByteSize(tensor), file);
    }
    fclose(file);
}

static void read_list(model *m, const char *path)
{
    size_t bytes;
    char *text = read_file(path, &bytes), *line_end = NULL;
    text[bytes] = '\0';
    for (char *line = strtok_r(text, "\n", &line_end); line != NULL;
         line = strtok_r(NULL, "\n", &line_end)) {
        char *words[MOST] = {NULL}, *end = NULL;
        int n = 0;
        for (char *w = strtok_r(line, " ", &end); w != NULL && n < MOST;
             w = strtok_r(NULL, " ", &end)) {
            words[n++] = w;
        }
        if (m->n_feeds == MOST || m->n_fetches == MOST) {
            fprintf(stderr, "more than %d inputs or outputs\n", MOST);
            exit(1);
        }
        if (n >= 4 && strcmp(words[0], "in") == 0) {
            int64_t dims[MOST];
            for (int i = 3; i < n - 1; i++) {
                dims[i - 3] = atoll(words[i]);
            }
            m->feeds[m->n_feeds] = find(m, words[1]);
            m->values[m->n_feeds++] =
                read_tensor((TF_DataType)atoi(words[2]), dims, n - 4, words[n - 1]);
        } else if (n == 3) {
            m->fetches[m->n_fetches] = find(m, words[1]);
            m->files[m->n_fetches++] = strdup(words[2]);
        }
    }
    free(text);
}

/* --- Runs ----------------------------------------------------------------------------------- */

static void run(const model *m, TF_Tensor **out, TF_Status *status)
{
    TF_SessionRun(m->session, NULL, m->feeds, m->values, m->n_feeds, m->fetches, out, m->n_fetches,
                  NULL, 0, NULL, status);
    check(status, "run");
}

typedef struct worker {
    const model *m;
    TF_Tensor **wanted;
    pthread_t thread;
    int n_wrong;
} worker;

static bool is_same(const TF_Tensor *a, const TF_Tensor *b)
{
    return TF_TensorType(a) == TF_STRING || /* which are addresses */
           (TF_TensorByteSize(a) == TF_TensorByteSize(b) &&
            memcmp(TF_TensorData(a), TF_TensorData(b), TF_TensorByteSize(a)) == 0);
}

static void *work(void *arg)
{
    worker *self = arg;
    TF_Status *status = TF_NewStatus();
    for (int i = 0; i < TIMES; i++) {
        TF_Tensor *out[MOST];
        run(self->m, out, status);
        for (int k = 0; k < self->m->n_fetches; k++) {
            self->n_wrong += !is_same(out[k], self->wanted[k]);
            TF_DeleteTensor(out[k]);
        }
    }
    TF_DeleteStatus(status);
    return NULL;
}

static int run_on_threads(const model *m, int n, TF_Tensor **wanted)
{
    worker workers[MOST];
    int n_wrong = 0;
    n = n < MOST ? n : MOST;
    for (int i = 0; i < n; i++) {
        workers[i] = (worker){.m = m, .wanted = wanted};
        if (pthread_create(&workers[i].thread, NULL, work, &workers[i]) != 0) {
            exit(1);
        }
    }
    for (int i = 0; i < n; i++) {
        pthread_join(workers[i].thread, NULL);
        n_wrong += workers[i].n_wrong;
    }
    return n_wrong;
}

int main(int argc, char **argv)
{
    TF_Status *status = TF_NewStatus();
    model m = {.graph = TF_NewGraph()};
    TF_Tensor *out[MOST];
    if (argc != 5) {
        return 2;
    }
    const size_t length = strlen(argv[1]);
    if (length > 3 && strcmp(argv[1] + length - 3, ".pb") == 0) {
        open_graph_def(&m, argv[1], status);
    } else {
        open_saved_model(&m, argv[1], argv[4], status);
    }
    read_list(&m, argv[2]);
    run(&m, out, status);
    const int n_wrong = run_on_threads(&m, atoi(argv[3]), out);
    for (int i = 0; i < m.n_fetches; i++) {
        write_tensor(out[i], m.files[i]);
        free(m.files[i]);
        TF_DeleteTensor(out[i]);
    }
    for (int i = 0; i < m.n_feeds; i++) {
        TF_DeleteTensor(m.values[i]);
    }
    TF_CloseSession(m.session, status);
    TF_DeleteSession(m.session, status);
    TF_DeleteGraph(m.graph);
    TF_DeleteStatus(status);
    if (n_wrong > 0) {
        fprintf(stderr, "%d results of threads differ\n", n_wrong);
    }
    return n_wrong > 0;
}
