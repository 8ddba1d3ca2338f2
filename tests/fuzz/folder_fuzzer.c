/* SPDX-License-Identifier: Apache-2.0 */
/* libFuzzer target of what is several files: bytes become the folder of a SavedModel with its
 * checkpoint and the file of a table, which the model's reader, TensorFlow's C API and a checkpoint
 * reader open. Any bytes give a session and tensors, or an error with a message. Not here: runs
 * (session_fuzzer.c, binding_fuzzer.c). The bytes of a folder are files one after the other: which
 * of `names`, two bytes of length, what is in it; folder_seeds.py writes such. See
 * docs/reference/fuzzing.md.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "binding/binding_session.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

enum { N_NAMES = 4, MOST_PATH = 256, MOST_BYTES = 64 << 20, ROOM = 16 };

static const char *const folders[] = {"", "/variables", "/assets"};
static const char *const names[N_NAMES] = {"/saved_model.pb", "/variables/variables.index",
                                           "/variables/variables.data-00000-of-00001",
                                           "/assets/words.txt"};
static char root[MOST_PATH / 2];

static const char *path_of(const char *name)
{
    static char path[MOST_PATH];
    snprintf(path, sizeof path, "%s%s", root, name);
    return path;
}

static void clear(void)
{
    for (int i = 0; i < N_NAMES; i++) {
        (void)unlink(path_of(names[i]));
    }
}

static void remove_root(void)
{
    clear();
    for (int i = 2; i >= 0; i--) {
        (void)rmdir(path_of(folders[i]));
    }
}

static void make_root(void)
{
    const char *base = getenv("TMPDIR");
    snprintf(root, sizeof root, "%s/oribi_folder_XXXXXX", base != NULL ? base : "/tmp");
    if (mkdtemp(root) == NULL || mkdir(path_of(folders[1]), 0700) != 0 ||
        mkdir(path_of(folders[2]), 0700) != 0 || atexit(remove_root) != 0) {
        abort();
    }
}

static void write_files(const uint8_t *data, size_t bytes)
{
    clear();
    for (size_t at = 0; bytes - at >= 3;) {
        const char *name = names[data[at] % N_NAMES];
        const size_t length = (size_t)(data[at + 1] | data[at + 2] << 8), left = bytes - at - 3;
        FILE *file = fopen(path_of(name), "wb");
        if (file == NULL) {
            abort();
        }
        const size_t some = length < left ? length : left;
        const size_t written = fwrite(data + at + 3, 1, some, file);
        if (fclose(file) != 0 || written != some) {
            abort();
        }
        at += 3 + some;
    }
}

/* A failure says why. */
static bool is_good(TF_Status *status)
{
    if (TF_GetCode(status) != TF_OK && TF_Message(status)[0] == '\0') {
        abort();
    }
    return TF_GetCode(status) == TF_OK;
}

static void read_checkpoint(TF_Status *status)
{
    TF_CheckpointReader *reader = TF_NewCheckpointReader(path_of("/variables/variables"), status);
    int64_t dims[ROOM];
    if (!is_good(status)) {
        return;
    }
    for (int i = 0; i < TF_CheckpointReaderSize(reader); i++) {
        const char *name = TF_CheckpointReaderGetVariable(reader, i);
        const int rank = TF_CheckpointReaderGetVariableNumDims(reader, name);
        TF_CheckpointReaderGetVariableShape(reader, name, dims, rank < ROOM ? rank : ROOM, status);
        (void)is_good(status);
        TF_Tensor *tensor = TF_CheckpointReaderGetTensor(reader, name, status);
        if (is_good(status) &&
            (tensor == NULL ||
             TF_TensorType(tensor) != TF_CheckpointReaderGetVariableDataType(reader, name) ||
             TF_NumDims(tensor) != rank)) {
            abort();
        }
        TF_DeleteTensor(tensor);
    }
    TF_DeleteCheckpointReader(reader);
}

static void load_session(TF_Status *status)
{
    static const char *const tags[] = {"serve"};
    TF_SessionOptions *options = TF_NewSessionOptions();
    TF_Graph *graph = TF_NewGraph();
    oribi_options_set_max_bytes(options->options, MOST_BYTES);
    graph->known->max_bytes = MOST_BYTES;
    TF_Session *session =
        TF_LoadSessionFromSavedModel(options, NULL, root, tags, 1, graph, NULL, status);
    if (is_good(status)) {
        TF_DeleteSession(session, status);
    }
    TF_DeleteGraph(graph);
    TF_DeleteSessionOptions(options);
}

static void open_model(TF_Status *status)
{
    oribi_options *options = oribi_options_create(status);
    oribi_options_set_max_bytes(options, MOST_BYTES);
    oribi_options_set_threads(options, 1);
    oribi_options_set_time_limit(options, UINT64_C(2000000000));
    oribi_model *model = oribi_model_open(root, options, status);
    oribi_session *session = is_good(status) ? oribi_session_create(model, options, status) : NULL;
    (void)is_good(status);
    oribi_session_destroy(session);
    oribi_model_destroy(model);
    oribi_options_destroy(options);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    TF_Status *status = TF_NewStatus();
    if (root[0] == '\0') {
        make_root();
    }
    write_files(data, bytes);
    read_checkpoint(status);
    load_session(status);
    open_model(status);
    TF_DeleteStatus(status);
    return 0;
}
