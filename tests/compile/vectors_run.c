/* SPDX-License-Identifier: Apache-2.0 */
/* Runs vectors (tests/peer/tflite/container.py) in host sessions, and compiles their models to C,
 * many in one process. Not the comparison of what that C computes: vectors_test.py builds and runs
 * it.
 *
 *     vectors_run JOBS FOLDER tflm|tflite [emit]     emit: no sessions
 *
 * JOBS is what vectors_test.py writes: for each case the tolerances (2 floats) and the number of
 * steps (u32), then the model, the inputs and the wanted outputs as (u32 length, bytes), with a u32
 * count before each list. FOLDER gets the C, a folder b0, b1, ... for each batch of models m0, m1,
 * ..., which have the same names in each, so that what they share has the same text; the output a
 * line for each finding: "session 3 differs: ...", "compile 3 fails: ...", and for a batch the jobs
 * that are in it: "batch 0 0 1 3".
 */
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "oribi/oribi.h"
#include "tensorflow/c/tf_tensor.h"

enum { MOST_PORTS = 64, BATCH = 64, PATH = 512 };

typedef struct piece {
    const uint8_t *data;
    uint32_t bytes;
} piece;

typedef struct job {
    float atol, rtol;
    piece model, inputs[MOST_PORTS], outputs[MOST_PORTS];
    uint32_t n_inputs, n_outputs, steps; /* inputs and outputs of one step after the other */
} job;

typedef struct reader {
    const uint8_t *at, *end;
} reader;

static void die(const char *what)
{
    fprintf(stderr, "vectors_run: %s\n", what);
    exit(2);
}

static uint32_t read_u32(reader *r)
{
    uint32_t value;
    if (r->end - r->at < (ptrdiff_t)sizeof value) {
        die("the jobs end early");
    }
    memcpy(&value, r->at, sizeof value);
    r->at += sizeof value;
    return value;
}

static piece read_piece(reader *r)
{
    const uint32_t bytes = read_u32(r);
    const piece out = {r->at, bytes};
    if ((size_t)(r->end - r->at) < bytes) {
        die("the jobs end early");
    }
    r->at += bytes;
    return out;
}

static uint32_t read_list(reader *r, piece *out)
{
    const uint32_t n = read_u32(r);
    if (n > MOST_PORTS) {
        die("too many inputs or outputs");
    }
    for (uint32_t i = 0; i < n; i++) {
        out[i] = read_piece(r);
    }
    return n;
}

static job read_job(reader *r)
{
    job j = {0};
    const uint32_t bits[2] = {read_u32(r), read_u32(r)};
    memcpy(&j.atol, &bits[0], sizeof j.atol);
    memcpy(&j.rtol, &bits[1], sizeof j.rtol);
    j.steps = read_u32(r);
    j.model = read_piece(r);
    j.n_inputs = read_list(r, j.inputs);
    j.n_outputs = read_list(r, j.outputs);
    if (j.steps == 0) {
        die("a job of no steps");
    }
    return j;
}

/* A finding is one line. */
static void print_finding(const char *what, int index, const char *how, const char *text)
{
    printf("%s %d %s: ", what, index, how);
    for (; *text != 0; text++) {
        putchar(*text == '\n' ? ' ' : *text);
    }
    putchar('\n');
}

/* --- Host sessions --------------------------------------------------------------------------- */

static bool is_close(const float *a, const float *b, size_t n, const job *j)
{
    for (size_t i = 0; i < n; i++) {
        const bool same = memcmp(&a[i], &b[i], sizeof *a) == 0 || (isnan(a[i]) && isnan(b[i]));
        if (!same && !(fabsf(a[i] - b[i]) <= j->atol + j->rtol * fabsf(b[i]))) {
            return false;
        }
    }
    return true;
}

/* NULL: as wanted. */
static const char *compare(const TF_Tensor *got, const piece *wanted, const job *j)
{
    static char text[96];
    const uint8_t *bytes = TF_TensorData(got);
    if (TF_TensorByteSize(got) != wanted->bytes) {
        return "the size of an output";
    }
    if (TF_TensorType(got) == TF_FLOAT && (j->atol > 0.0F || j->rtol > 0.0F)) {
        float *want = malloc(wanted->bytes + 1);
        if (want == NULL) {
            die("no memory");
        }
        memcpy(want, wanted->data, wanted->bytes);
        const bool close = is_close((const float *)(const void *)bytes, want, wanted->bytes / 4, j);
        free(want);
        return close ? NULL : "a float is too far away";
    }
    for (uint32_t i = 0; i < wanted->bytes; i++) {
        if (bytes[i] != wanted->data[i]) {
            snprintf(text, sizeof text, "byte %u is %d, wanted %d", (unsigned)i,
                     (int)(int8_t)bytes[i], (int)(int8_t)wanted->data[i]);
            return text;
        }
    }
    return NULL;
}

static bool bind(oribi_run *run, const oribi_model *model, const piece *inputs, uint32_t n,
                 TF_Status *status)
{
    for (uint32_t i = 0; i < n && TF_GetCode(status) == TF_OK; i++) {
        int64_t dims[16];
        const int rank = oribi_model_input_shape(model, (int)i, dims, 16);
        TF_Tensor *x =
            TF_AllocateTensor(oribi_model_input_type(model, (int)i), dims, rank, inputs[i].bytes);
        if (x == NULL || TF_TensorByteSize(x) != inputs[i].bytes) {
            die("an input of another size than the model's");
        }
        memcpy(TF_TensorData(x), inputs[i].data, inputs[i].bytes);
        oribi_run_set_input(run, (int)i, x, status);
        TF_DeleteTensor(x);
    }
    return TF_GetCode(status) == TF_OK;
}

static void check_outputs(oribi_run *run, int index, const job *j, uint32_t first, uint32_t n,
                          TF_Status *status)
{
    for (uint32_t i = 0; i < n; i++) {
        TF_Tensor *y = oribi_run_output(run, (int)i, status);
        const char *what = y == NULL ? TF_Message(status) : compare(y, &j->outputs[first + i], j);
        if (what != NULL) {
            printf("session %d differs: output %u: %s\n", index, (unsigned)(first + i), what);
        }
        TF_DeleteTensor(y);
    }
}

/* Each step reads the state that the one before has left. */
static void run_steps(oribi_run *run, const oribi_model *model, int index, const job *j,
                      TF_Status *status)
{
    const uint32_t n_inputs = j->n_inputs / j->steps, n_outputs = j->n_outputs / j->steps;
    for (uint32_t step = 0; step < j->steps; step++) {
        if (bind(run, model, j->inputs + step * n_inputs, n_inputs, status)) {
            oribi_run_execute(run, status);
        }
        if (TF_GetCode(status) != TF_OK) {
            return;
        }
        check_outputs(run, index, j, step * n_outputs, n_outputs, status);
    }
}

static void run_session(int index, const job *j, const oribi_options *options)
{
    TF_Status *status = TF_NewStatus();
    oribi_session *session = NULL;
    oribi_run *run = NULL;
    oribi_model *model =
        oribi_model_from_memory(j->model.data, j->model.bytes, "vector", options, status);
    if (model != NULL) {
        session = oribi_session_create(model, options, status);
    }
    if (session != NULL) {
        run = oribi_run_create(session, status);
    }
    if (run != NULL) {
        run_steps(run, model, index, j, status);
    }
    if (TF_GetCode(status) != TF_OK) {
        print_finding("session", index, "fails", TF_Message(status));
    }
    oribi_run_destroy(run);
    oribi_session_destroy(session);
    oribi_model_destroy(model);
    TF_DeleteStatus(status);
}

/* --- C --------------------------------------------------------------------------------------- */

static void write_file(const char *path, const void *data, size_t bytes)
{
    FILE *file = fopen(path, "wb");
    if (file == NULL || fwrite(data, 1, bytes, file) != bytes || fclose(file) != 0) {
        die("a file cannot be written");
    }
}

static oribi_compile *compile(const char *const *paths, const int *indices, int n,
                              const char *variant, TF_Status *status)
{
    oribi_compile *c = oribi_compile_create(status);
    for (int i = 0; c != NULL && i < n && TF_GetCode(status) == TF_OK; i++) {
        char name[16];
        snprintf(name, sizeof name, "m%d", indices[i] % BATCH);
        oribi_compile_set_option(c, "name", name, status);
    }
    if (c != NULL && TF_GetCode(status) == TF_OK) {
        oribi_compile_set_option(c, "tflite-variant", variant, status);
    }
    static const char *const options[][2] = {{"optimize", "ORIBI_VECTORS_OPTIMIZE"},
                                             {"core", "ORIBI_VECTORS_CORE"},
                                             {"rings", "ORIBI_VECTORS_RINGS"}};
    for (size_t i = 0; c != NULL && i < sizeof options / sizeof options[0]; i++) {
        if (TF_GetCode(status) == TF_OK && getenv(options[i][1]) != NULL) {
            oribi_compile_set_option(c, options[i][0], getenv(options[i][1]), status);
        }
    }
    if (c != NULL && TF_GetCode(status) == TF_OK) {
        oribi_compile_models(c, paths, n, status);
    }
    return c;
}

static void write_batch(const oribi_compile *c, const char *folder, int batch)
{
    char path[PATH], micro[PATH];
    snprintf(path, sizeof path, "%s/b%d", folder, batch);
    snprintf(micro, sizeof micro, "%s/b%d/micro", folder, batch);
    if (mkdir(path, 0777) != 0 || mkdir(micro, 0777) != 0) {
        die("a folder cannot be made");
    }
    for (int i = 0; i < oribi_compile_num_files(c); i++) {
        size_t bytes;
        const void *data = oribi_compile_file_data(c, i, &bytes);
        snprintf(path, sizeof path, "%s/b%d/%s", folder, batch, oribi_compile_file_name(c, i));
        write_file(path, data, bytes);
    }
}

static bool compiles_alone(const char *path, int index, const char *variant)
{
    TF_Status *status = TF_NewStatus();
    oribi_compile_destroy(compile(&path, &index, 1, variant, status));
    const bool ok = TF_GetCode(status) == TF_OK;
    if (!ok) {
        print_finding("compile", index, "fails", TF_Message(status));
    }
    TF_DeleteStatus(status);
    return ok;
}

/* All together; where that fails, those that compile by themselves. */
static void compile_batch(const job *jobs, int first, int n, const char *folder, int batch,
                          const char *variant)
{
    static char paths[BATCH][PATH];
    const char *good_paths[BATCH];
    int good[BATCH], n_good = n;
    TF_Status *status = TF_NewStatus();
    for (int i = 0; i < n; i++) {
        good[i] = first + i;
        good_paths[i] = paths[i];
        snprintf(paths[i], PATH, "%s/m%d.tflite", folder, first + i);
        write_file(paths[i], jobs[first + i].model.data, jobs[first + i].model.bytes);
    }
    oribi_compile *c = compile(good_paths, good, n_good, variant, status);
    if (TF_GetCode(status) != TF_OK) {
        oribi_compile_destroy(c);
        n_good = 0;
        for (int i = 0; i < n; i++) {
            if (compiles_alone(paths[i], first + i, variant)) {
                good[n_good] = first + i;
                good_paths[n_good++] = paths[i];
            }
        }
        TF_SetStatus(status, TF_OK, "");
        c = n_good > 0 ? compile(good_paths, good, n_good, variant, status) : NULL;
    }
    if (TF_GetCode(status) != TF_OK) {
        print_finding("batch", batch, "fails", TF_Message(status));
    } else if (n_good > 0) {
        write_batch(c, folder, batch);
        printf("batch %d", batch);
        for (int i = 0; i < n_good; i++) {
            printf(" %d", good[i]);
        }
        printf("\n");
    }
    oribi_compile_destroy(c);
    TF_DeleteStatus(status);
}

static uint8_t *read_all(const char *path, size_t *bytes)
{
    FILE *file = fopen(path, "rb");
    if (file == NULL || fseek(file, 0, SEEK_END) != 0) {
        die("the jobs cannot be read");
    }
    *bytes = (size_t)ftell(file);
    uint8_t *data = malloc(*bytes + 1);
    rewind(file);
    if (data == NULL || fread(data, 1, *bytes, file) != *bytes) {
        die("the jobs cannot be read");
    }
    fclose(file);
    return data;
}

int main(int argc, char **argv)
{
    size_t bytes;
    if (argc < 4) {
        die("wants JOBS FOLDER VARIANT [emit]");
    }
    const bool runs_sessions = argc < 5 || strcmp(argv[4], "emit") != 0;
    uint8_t *data = read_all(argv[1], &bytes);
    reader r = {data, data + bytes};
    const int n = (int)read_u32(&r);
    job *jobs = calloc((size_t)n + 1, sizeof *jobs);
    TF_Status *status = TF_NewStatus();
    oribi_options *options = oribi_options_create(status);
    if (jobs == NULL || options == NULL) {
        die("no memory");
    }
    oribi_options_set_threads(options, 1);
    oribi_options_set_tflite_variant(options, argv[3], status);
    oribi_options_set_kernels(options, "micro", status); /* what the C computes */
    if (TF_GetCode(status) != TF_OK) {
        die(TF_Message(status));
    }
    for (int i = 0; i < n; i++) {
        jobs[i] = read_job(&r);
        if (runs_sessions) {
            run_session(i, &jobs[i], options);
        }
    }
    for (int first = 0, batch = 0; first < n; first += BATCH, batch++) {
        compile_batch(jobs, first, n - first < BATCH ? n - first : BATCH, argv[2], batch, argv[3]);
    }
    oribi_options_destroy(options);
    TF_DeleteStatus(status);
    free(jobs);
    free(data);
    return 0;
}
