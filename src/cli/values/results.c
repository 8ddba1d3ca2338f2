/* SPDX-License-Identifier: Apache-2.0 */
/* Where do the outputs of `oribi run` go? To FILE.npz or FILE.npy, one for each run ("{}" in the
 * name is the run's number, from 0), or as an .npz to standard output. What cannot work is found
 * before the first run.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "shard/shard.h"

static bool is_stdout(const char *path)
{
    return strcmp(path, "-") == 0;
}

static bool ends_with(const char *path, const char *tail)
{
    size_t a = strlen(path), b = strlen(tail);

    return a > b && strcmp(path + a - b, tail) == 0;
}

static bool is_folder(const char *path)
{
    struct stat info;

    return stat(path, &info) == 0 && S_ISDIR(info.st_mode);
}

/* The name with this word for each {}; the caller frees it. */
static char *name_with(const char *pattern, const char *word)
{
    oribi_text text = {0};

    for (const char *at = pattern, *next; *at != 0; at = next + 2) {
        next = strstr(at, "{}");
        if (next == NULL) {
            oribi_text_append(&text, at);
            break;
        }
        oribi_text_append_n(&text, at, (size_t)(next - at));
        oribi_text_append(&text, word);
    }
    if (text.failed) {
        cli_no_memory(strlen(pattern));
    }
    char *name = cli_copy_text(text.data, text.length);
    oribi_text_destroy(&text);
    return name;
}

char *cli_results_path(const char *pattern, int run)
{
    char number[16];

    (void)snprintf(number, sizeof number, "%d", run);
    return name_with(pattern, number);
}

char *cli_results_record(const char *pattern)
{
    char *path = name_with(pattern, "parts");

    memcpy(path + strlen(path) - 4, ".txt", 4); /* of .npz or .npy: it was checked */
    return path;
}

static int check_stdout(const cli_args *args)
{
    static const char *const others[] = {"--json", "--top-k", "--show"};

    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        if (cli_has(args, others[i])) {
            cli_error("run: -o - and %s both need standard output", others[i]);
            return CLI_USAGE;
        }
    }
    return CLI_OK;
}

int cli_results_check(const cli_args *args, int n_runs, const shard *s)
{
    const char *pattern = cli_value(args, "--output");
    int code = CLI_OK;

    if (pattern == NULL) {
        return CLI_OK;
    }
    if (s->is_asked && strstr(pattern, "{}") == NULL) {
        cli_error("run: -o %s needs {} in the name, which becomes the number of the run: files are "
                  "what shards leave to one another",
                  pattern);
        return CLI_USAGE;
    }
    if (n_runs > 1 && strstr(pattern, "{}") == NULL) {
        cli_error("run: -o %s would keep the last of %d runs; put {} in the name, which becomes "
                  "the number of the run",
                  pattern, n_runs);
        return CLI_USAGE;
    }
    if (is_stdout(pattern)) {
        return check_stdout(args);
    }
    if (is_folder(pattern)) {
        return cli_check_writable(pattern, false);
    }
    if (!ends_with(pattern, ".npz") && !ends_with(pattern, ".npy")) {
        cli_error("run: -o wants FILE.npz, FILE.npy or - (an .npz on standard output), not '%s'",
                  pattern);
        return CLI_USAGE;
    }
    for (int run = 0; run < n_runs && code == CLI_OK; run++) {
        if (!shard_has(args, s, run)) {
            continue;
        }
        char *path = cli_results_path(pattern, run);
        code = cli_check_writable(path, cli_has(args, "--force"));
        free(path);
    }
    return code;
}

bool cli_results_are_printed(const cli_args *args)
{
    const char *pattern = cli_value(args, "--output");

    return pattern == NULL || !is_stdout(pattern);
}

typedef struct parts { /* what is stored: outputs, or the elements of those that are lists */
    char **names;
    TF_Tensor **tensors;
    bool *is_ours;
    int n;
} parts;

static void add_part(parts *p, const char *name, TF_Tensor *tensor, bool is_ours)
{
    p->names = cli_grow(p->names, (size_t)p->n + 1, sizeof *p->names);
    p->tensors = cli_grow(p->tensors, (size_t)p->n + 1, sizeof *p->tensors);
    p->is_ours = cli_grow(p->is_ours, (size_t)p->n + 1, sizeof *p->is_ours);
    p->names[p->n] = cli_copy_text(name, strlen(name));
    p->tensors[p->n] = tensor;
    p->is_ours[p->n++] = is_ours;
}

static void add_element(void *arg, const char *name, TF_Tensor *element)
{
    add_part(arg, name, element, true);
}

static parts parts_of(const oribi_model *model, TF_Tensor *const *outputs, int n)
{
    parts p = {0};

    for (int i = 0; i < n; i++) {
        const char *name = oribi_model_output_name(model, i);
        if (TF_TensorType(outputs[i]) == TF_VARIANT) {
            cli_list_each(name, outputs[i], add_element, &p);
        } else {
            add_part(&p, name, outputs[i], false);
        }
    }
    return p;
}

static void free_parts(parts *p)
{
    for (int i = 0; i < p->n; i++) {
        free(p->names[i]);
        if (p->is_ours[i]) {
            TF_DeleteTensor(p->tensors[i]);
        }
    }
    free(p->names);
    free(p->tensors);
    free(p->is_ours);
}

/* The file's bytes; NULL after a message. */
static uint8_t *format_parts(const parts *p, bool is_npy, size_t *bytes)
{
    if (!is_npy) {
        return cli_npz_format((const char *const *)p->names, p->tensors, p->n, bytes);
    }
    if (p->n == 0) {
        cli_error("run: the outputs are empty lists: there is no first array for an .npy");
        return NULL;
    }
    return cli_npy_format(p->tensors[0], bytes);
}

int cli_results_save(const cli_args *args, int run, const oribi_model *model,
                     TF_Tensor *const *outputs, int n)
{
    const char *pattern = cli_value(args, "--output");
    size_t bytes;

    if (pattern == NULL) {
        return CLI_OK;
    }
    parts p = parts_of(model, outputs, n);
    uint8_t *data = format_parts(&p, ends_with(pattern, ".npy"), &bytes);
    free_parts(&p);
    int code = data == NULL ? CLI_BAD_INPUT : CLI_OK;
    if (data != NULL && is_stdout(pattern)) {
        fwrite(data, 1, bytes, stdout); /* main tells when that failed */
    } else if (data != NULL) {
        char *path = cli_results_path(pattern, run);
        code = cli_write_file(path, data, bytes, cli_has(args, "--force"));
        free(path);
    }
    free(data);
    return code;
}
