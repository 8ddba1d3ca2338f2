/* SPDX-License-Identifier: Apache-2.0 */
/* Folders and lists of files as inputs: NAME=@FOLDER/ is a run for each file in it, in order of
 * name; NAME=[@a.png,@b.png] and NAME=[@FOLDER/] are one batch for one run, or a sequence.
 */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"

/* --- Folders --------------------------------------------------------------------------------- */

static int by_name(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}

static int is_shown(const struct dirent *entry)
{
    return entry->d_name[0] != '.';
}

/* Is there "@FOLDER/" at the text's end? Where the '@' is, or NULL. */
static const char *find_folder(const char *text)
{
    const char *at = text[0] == '@' ? text : strstr(text, "=@");
    const size_t length = strlen(text);
    at = at == NULL || at[0] == '@' ? at : at + 1;
    return at != NULL && length > 1 && text[length - 1] == '/' ? at : NULL;
}

bool cli_each_file(const char *folder, void (*hook)(void *arg, const char *file), void *arg)
{
    struct dirent **entries;
    const int n = scandir(folder, &entries, is_shown, by_name);

    if (n <= 0) {
        cli_error("%s: %s", folder, n == 0 ? "the folder has no file" : strerror(errno));
        if (n == 0) {
            free(entries);
        }
        return false;
    }
    for (int i = 0; i < n; i++) {
        const size_t room = strlen(folder) + strlen(entries[i]->d_name) + 2;
        char *path = cli_alloc(room);
        (void)snprintf(path, room, "@%s%s", folder, entries[i]->d_name);
        hook(arg, path);
        free(path);
        free(entries[i]);
    }
    free(entries);
    return true;
}

typedef struct expansion {
    cli_args *args;
    const cli_option *option;
    const char *before; /* "NAME=" */
    size_t before_length;
} expansion;

static void add_given(void *arg, const char *file)
{
    const expansion *e = arg;
    cli_args *args = e->args;
    const size_t length = strlen(file);
    char *text = cli_alloc(e->before_length + length + 1);

    memcpy(text, e->before, e->before_length);
    memcpy(text + e->before_length, file, length + 1);
    args->owned = cli_grow(args->owned, (size_t)args->n_owned + 1, sizeof *args->owned);
    args->owned[args->n_owned++] = text;
    args->given = cli_grow(args->given, (size_t)args->n_given + 1, sizeof *args->given);
    args->given[args->n_given++] = (struct cli_given){e->option, text};
}

bool cli_inputs_expand(cli_args *args)
{
    const int n = args->n_given;
    int kept = 0;
    bool good = true;

    for (int i = 0; i < n && good; i++) {
        const struct cli_given given = args->given[i];
        const char *folder =
            strcmp(given.option->name, "--input") == 0 ? find_folder(given.value) : NULL;
        if (folder == NULL) {
            args->given[kept++] = given;
            continue;
        }
        const expansion e = {args, given.option, given.value, (size_t)(folder - given.value)};
        good = cli_each_file(folder + 1, add_given, (void *)(uintptr_t)&e);
    }
    if (good && kept < n) {
        memmove(args->given + kept, args->given + n,
                (size_t)(args->n_given - n) * sizeof *args->given);
        args->n_given -= n - kept;
    }
    return good;
}

/* --- Batches --------------------------------------------------------------------------------- */

typedef struct batch {
    const oribi_model *model;
    const cli_input *input;
    const cli_image_options *images;
    TF_Tensor **items;
    int n;
    bool is_list; /* a sequence, whose elements need not be alike */
    bool failed;
} batch;

static void add_item(void *arg, const char *spec)
{
    batch *b = arg;
    const cli_input one = {b->input->index, spec, spec};

    if (b->failed) {
        return;
    }
    TF_Tensor *item =
        b->is_list ? cli_list_element(&one) : cli_input_make_one(b->model, &one, b->images, true);
    b->failed = item == NULL;
    b->items = cli_grow(b->items, (size_t)b->n + 1, sizeof *b->items);
    b->items[b->n++] = item;
}

/* "[@a,@b]" or "[@FOLDER/]". */
static bool make_items(batch *b, const char *spec)
{
    const char *end = spec + strlen(spec) - 1;
    bool good = true;

    for (const char *at = spec + 1; good && at < end;) {
        const char *comma = memchr(at, ',', (size_t)(end - at));
        char *word = cli_copy_text(at, (size_t)((comma == NULL ? end : comma) - at));
        const char *folder = find_folder(word);
        if (word[0] != '@') {
            cli_error("input '%s': a batch is [@FILE,@FILE] or [@FOLDER/]", b->input->text);
            good = false;
        } else if (folder != NULL) {
            good = cli_each_file(folder + 1, add_item, b);
        } else {
            add_item(b, word);
        }
        free(word);
        at = comma == NULL ? end : comma + 1;
    }
    return good && !b->failed;
}

static bool is_like(const TF_Tensor *a, const TF_Tensor *b)
{
    if (TF_TensorType(a) != TF_TensorType(b) || TF_NumDims(a) != TF_NumDims(b) ||
        TF_NumDims(a) == 0 || TF_TensorType(a) == TF_STRING) {
        return false;
    }
    for (int d = 1; d < TF_NumDims(a); d++) {
        if (TF_Dim(a, d) != TF_Dim(b, d)) {
            return false;
        }
    }
    return true;
}

/* One behind another in the first dimension; NULL after a message. */
static TF_Tensor *join(const batch *b)
{
    cli_dims dims = {0};
    int64_t rows = 0;

    for (int i = 0; i < b->n; i++) {
        if (!is_like(b->items[0], b->items[i])) {
            cli_error("input '%s': file %d of the batch has another shape or type than the first",
                      b->input->text, i + 1);
            return NULL;
        }
        rows += TF_Dim(b->items[i], 0);
    }
    for (int d = 0; d < TF_NumDims(b->items[0]); d++) {
        (void)cli_dims_add(&dims, d == 0 ? rows : TF_Dim(b->items[0], d));
    }
    TF_Tensor *out = cli_tensor(TF_TensorType(b->items[0]), &dims);
    uint8_t *to = out == NULL ? NULL : TF_TensorData(out);
    for (int i = 0; out != NULL && i < b->n; i++) {
        const size_t bytes = TF_TensorByteSize(b->items[i]);
        if (bytes > 0) {
            memcpy(to, TF_TensorData(b->items[i]), bytes);
        }
        to += bytes;
    }
    return out;
}

TF_Tensor *cli_batch_make(const oribi_model *model, const cli_input *input,
                          const cli_image_options *images)
{
    batch b = {.model = model,
               .input = input,
               .images = images,
               .is_list = oribi_model_input_type(model, input->index) == TF_VARIANT};
    TF_Tensor *out = NULL;

    if (make_items(&b, input->spec) && (b.n > 0 || b.is_list)) {
        out = b.is_list ? cli_list_make(b.items, b.n, true) : join(&b);
    } else if (b.n == 0) {
        cli_error("input '%s': the batch is empty", input->text);
    }
    for (int i = 0; i < b.n; i++) {
        TF_DeleteTensor(b.items[i]);
    }
    free(b.items);
    return out;
}
