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

static uint8_t *format_all(const oribi_model *model, TF_Tensor *const *outputs, int n,
                           size_t *bytes)
{
    const char **names = cli_alloc((size_t)n * sizeof *names);

    for (int i = 0; i < n; i++) {
        names[i] = oribi_model_output_name(model, i);
    }
    uint8_t *npz = cli_npz_format(names, outputs, n, bytes);
    free(names);
    return npz;
}

int cli_results_save(const cli_args *args, int run, const oribi_model *model,
                     TF_Tensor *const *outputs, int n)
{
    const char *pattern = cli_value(args, "--output");
    size_t bytes;

    if (pattern == NULL) {
        return CLI_OK;
    }
    uint8_t *data = ends_with(pattern, ".npy") ? cli_npy_format(outputs[0], &bytes)
                                               : format_all(model, outputs, n, &bytes);
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
