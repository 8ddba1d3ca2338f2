/* SPDX-License-Identifier: Apache-2.0 */
/* Which models are served: FILE; or FOLDER/NAME.onnx and FOLDER/NAME/VERSION/anything.onnx. Runs
 * are kept for the next request. A model is warmed up before anybody finds it. */
#include <dirent.h>
#include <stdlib.h>
#include <string.h>

#include "serve/serve.h"

/* --- One model ------------------------------------------------------------------------------- */

void serve_model_release(serve_model *model)
{
    if (model == NULL || atomic_fetch_sub(&model->references, 1) != 1) {
        return;
    }
    for (int i = 0; i < model->n_runs; i++) {
        oribi_run_destroy(model->runs[i]);
    }
    free(model->runs);
    cli_session_close(&model->s);
    pthread_mutex_destroy(&model->lock);
    free(model->name);
    free(model->path);
    free(model);
}

oribi_run *serve_model_take_run(serve_model *model, TF_Status *status)
{
    pthread_mutex_lock(&model->lock);
    oribi_run *run = model->n_runs > 0 ? model->runs[--model->n_runs] : NULL;
    pthread_mutex_unlock(&model->lock);
    if (run == NULL) {
        return oribi_run_create(model->s.session, status);
    }
    TF_SetStatus(status, TF_OK, "");
    oribi_run_reset(run, status); /* nobody sees what another request left in it */
    if (TF_GetCode(status) != TF_OK) {
        oribi_run_destroy(run);
        run = NULL;
    }
    return run;
}

void serve_model_give_run(serve_model *model, oribi_run *run, bool is_good)
{
    if (run == NULL || !is_good) {
        oribi_run_destroy(run);
        return;
    }
    pthread_mutex_lock(&model->lock);
    if (model->n_runs == model->run_capacity) {
        model->run_capacity += 8;
        model->runs = cli_grow(model->runs, (size_t)model->run_capacity, sizeof *model->runs);
    }
    model->runs[model->n_runs++] = run;
    pthread_mutex_unlock(&model->lock);
}

/* One run on zeros, or empty strings, with 1 for sizes that are not known. What such a model says
 * to that is no fault of it. */
static void warm_up(serve_model *model)
{
    TF_Status *status = TF_NewStatus();
    oribi_run *run = serve_model_take_run(model, status);
    for (int i = 0; run != NULL && i < oribi_model_num_inputs(model->s.model); i++) {
        cli_dims dims;
        const TF_DataType type = oribi_model_input_type(model->s.model, i);
        if (cli_port_dims(model->s.model, true, i, true, &dims) < 0) {
            break;
        }
        TF_Tensor *zeros = cli_tensor(type, &dims);
        if (zeros == NULL) {
            break;
        }
        memset(TF_TensorData(zeros), 0, TF_TensorByteSize(zeros));
        oribi_run_set_input(run, i, zeros, status);
        TF_DeleteTensor(zeros);
    }
    if (run != NULL) {
        oribi_run_execute(run, status);
        if (TF_GetCode(status) != TF_OK) {
            cli_note("%s: not warmed up: %s", model->name, TF_Message(status));
        }
    }
    serve_model_give_run(model, run, TF_GetCode(status) == TF_OK);
    TF_DeleteStatus(status);
}

static serve_model *open_model(const serve_store *store, const char *name, int64_t version,
                               const char *path, const struct stat *file, int *code)
{
    cli_args args = *store->args;
    const char *positional[] = {path};
    cli_session s;

    args.positional = positional;
    args.n_positional = 1;
    const int opened = cli_session_open(&args, &s);
    if (opened != CLI_OK) {
        *code = opened;
        return NULL;
    }
    serve_model *model = cli_alloc(sizeof *model);
    *model = (serve_model){.name = cli_copy_text(name, strlen(name)),
                           .path = cli_copy_text(path, strlen(path)),
                           .version = version,
                           .changed = file->st_mtim,
                           .bytes = file->st_size,
                           .s = s};
    atomic_init(&model->references, 1);
    pthread_mutex_init(&model->lock, NULL);
    warm_up(model);
    return model;
}

/* --- All of them ----------------------------------------------------------------------------- */

typedef struct found { /* what a look at the folder gives */
    serve_store *store;
    serve_model **models;
    int n;
    int code;
} found;

static serve_model *find(serve_model *const *models, int n, const char *name, int64_t version)
{
    serve_model *best = NULL;
    for (int i = 0; i < n; i++) {
        if (strcmp(models[i]->name, name) == 0 && (version == 0 || models[i]->version == version)) {
            best = models[i]; /* they are sorted: the last is the highest */
        }
    }
    return best;
}

static int order(const void *a, const void *b)
{
    const serve_model *x = *(serve_model *const *)a, *y = *(serve_model *const *)b;
    const int names = strcmp(x->name, y->name);
    return names != 0 ? names : (x->version > y->version) - (x->version < y->version);
}

/* The one that is there, if its file has not changed; else a new one; else the old one after all.
 */
static void add(found *f, const char *name, int64_t version, const char *path)
{
    struct stat file;
    serve_store *store = f->store;
    serve_model *old = find(store->models, store->n_models, name, version);

    if (find(f->models, f->n, name, version) != NULL) {
        cli_error("serve: %s: a second '%s' of version %lld", path, name, (long long)version);
        f->code = CLI_BAD_INPUT;
        return;
    }
    serve_model *model = NULL;
    if (stat(path, &file) != 0) {
        f->code = CLI_BAD_INPUT;
        cli_error("serve: %s cannot be read", path);
    } else if (old == NULL || strcmp(old->path, path) != 0 || old->bytes != file.st_size ||
               old->changed.tv_sec != file.st_mtim.tv_sec ||
               old->changed.tv_nsec != file.st_mtim.tv_nsec) {
        model = open_model(store, name, version, path, &file, &f->code);
    }
    if (model == NULL && old != NULL) {
        model = old;
        atomic_fetch_add(&old->references, 1);
    }
    if (model != NULL) {
        f->models = cli_grow(f->models, (size_t)f->n + 1, sizeof *f->models);
        f->models[f->n++] = model;
    }
}

/* Bytes of the name before ".onnx" and its kin; 0: it is no model's. */
static size_t stem_length(const char *name)
{
    static const char *const suffixes[] = {".onnx", ".tflite", ".pb", ".oribi"};
    const size_t length = strlen(name);
    for (size_t i = 0; i < sizeof suffixes / sizeof suffixes[0]; i++) {
        const size_t n = strlen(suffixes[i]);
        if (length > n && name[0] != '.' && strcmp(name + length - n, suffixes[i]) == 0) {
            return length - n;
        }
    }
    return 0;
}

/* Calls `look` with each name of the folder, in order. */
static void walk(found *f, const char *folder, void *arg,
                 void (*look)(found *f, const char *path, const char *name, void *arg))
{
    struct dirent **entries = NULL;
    const int n = scandir(folder, &entries, NULL, alphasort);
    for (int i = 0; i < n; i++) {
        char *path = cli_path_in(folder, entries[i]->d_name);
        if (entries[i]->d_name[0] != '.') {
            look(f, path, entries[i]->d_name, arg);
        }
        free(path);
        free(entries[i]);
    }
    free(entries);
}

typedef struct place { /* of a model's file */
    const char *name;
    int64_t version;
    bool is_found;
} place;

static void look_at_file(found *f, const char *path, const char *name, void *arg)
{
    place *p = arg;
    if (stem_length(name) > 0 && !p->is_found) {
        p->is_found = true;
        add(f, p->name, p->version, path);
    }
}

static void look_at_version(found *f, const char *path, const char *name, void *arg)
{
    char *end;
    const long long version = name[0] >= '1' && name[0] <= '9' ? strtoll(name, &end, 10) : 0;
    if (version > 0 && version < INT64_MAX && *end == '\0') {
        place p = {arg, version, false};
        walk(f, path, &p, look_at_file);
    }
}

static void look_at_model(found *f, const char *path, const char *name, void *arg)
{
    struct stat file;
    (void)arg;
    if (stat(path, &file) != 0) {
        return;
    }
    if (S_ISDIR(file.st_mode)) {
        walk(f, path, (void *)(uintptr_t)name, look_at_version);
    } else if (stem_length(name) > 0) {
        char *stem = cli_copy_text(name, stem_length(name));
        add(f, stem, 1, path);
        free(stem);
    }
}

int serve_store_load(serve_store *store)
{
    found f = {.store = store, .code = CLI_OK};
    struct stat top;

    if (stat(store->path, &top) == 0 && S_ISDIR(top.st_mode)) {
        walk(&f, store->path, NULL, look_at_model);
    } else {
        const char *slash = strrchr(store->path, '/');
        const char *name = slash != NULL ? slash + 1 : store->path;
        char *stem = cli_copy_text(name, stem_length(name) > 0 ? stem_length(name) : strlen(name));
        add(&f, stem, 1, store->path);
        free(stem);
    }
    if (f.n > 0) {
        qsort(f.models, (size_t)f.n, sizeof *f.models, order);
    }
    pthread_mutex_lock(&store->lock);
    serve_model **old = store->models;
    const int n_old = store->n_models;
    store->models = f.models;
    store->n_models = f.n;
    pthread_mutex_unlock(&store->lock);
    for (int i = 0; i < n_old; i++) {
        serve_model_release(old[i]);
    }
    free(old);
    return f.code;
}

void serve_store_close(serve_store *store)
{
    for (int i = 0; i < store->n_models; i++) {
        serve_model_release(store->models[i]);
    }
    free(store->models);
    store->models = NULL;
    store->n_models = 0;
}

serve_model *serve_store_find(serve_store *store, const char *name, int64_t version)
{
    pthread_mutex_lock(&store->lock);
    serve_model *model = find(store->models, store->n_models, name, version);
    if (model != NULL) {
        atomic_fetch_add(&model->references, 1);
    }
    pthread_mutex_unlock(&store->lock);
    return model;
}

serve_model **serve_store_all(serve_store *store, int *out_n)
{
    pthread_mutex_lock(&store->lock);
    serve_model **all = cli_alloc(((size_t)store->n_models + 1) * sizeof *all);
    *out_n = store->n_models;
    for (int i = 0; i < store->n_models; i++) {
        all[i] = store->models[i];
        atomic_fetch_add(&all[i]->references, 1);
    }
    pthread_mutex_unlock(&store->lock);
    return all;
}
