/* SPDX-License-Identifier: Apache-2.0 */
/* Where do the outputs of `oribi run` go? To FILE.npz or FILE.npy, one for each run ("{}" in the
 * name is the run's number, from 0), or as an .npz to standard output. What cannot work is found
 * before the first run.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli.h"

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

/* The name with the run's number in it; the caller frees it. */
static char *path_of(const char *pattern, int run)
{
    size_t room = strlen(pattern) + 1, n = 0;

    for (const char *at = pattern; (at = strstr(at, "{}")) != NULL; at += 2) {
        room += 12;
    }
    char *path = cli_alloc(room);
    for (const char *at = pattern; *at != 0;) {
        if (strncmp(at, "{}", 2) == 0) {
            n += (size_t)snprintf(path + n, room - n, "%d", run);
            at += 2;
        } else {
            path[n++] = *at++;
        }
    }
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

int cli_results_check(const cli_args *args, int n_runs)
{
    const char *pattern = cli_value(args, "--output");
    int code = CLI_OK;

    if (pattern == NULL) {
        return CLI_OK;
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
        char *path = path_of(pattern, run);
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
        char *path = path_of(pattern, run);
        code = cli_write_file(path, data, bytes, cli_has(args, "--force"));
        free(path);
    }
    free(data);
    return code;
}
