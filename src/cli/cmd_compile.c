/* SPDX-License-Identifier: Apache-2.0 */
/* `oribi compile`: a model in, a folder of C out. `oribi verify`: cmd_verify.c. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <cjson/cJSON.h>

#include "cli.h"

const cli_option cmd_compile_options[] = {
    {"--output", 'o', "DIR", "folder for the files; made when it is missing"},
    {"--name", 0, "NAME", "name in symbols, tvmgen_NAME (default: the file's name)"},
    {"--max-ram", 0, "N", "refuse a model that needs more bytes of RAM (exit 5); k, m allowed"},
    {"--max-flash", 0, "N", "refuse a model whose constants take more bytes (exit 5)"},
    {"--io", 0, "caller|pool", "where inputs and outputs lie (default: caller)"},
    {"--report", 0, "FILE.json", "a copy of report.json"},
    {"--json", 0, NULL, "print report.json instead of a summary"},
    {"--force", 'f', NULL, "overwrite files"},
    {NULL, 0, NULL, NULL},
};

/* With its parents. */
static bool make_folder(const char *path)
{
    char *copy = cli_alloc(strlen(path) + 1);
    strcpy(copy, path);
    for (char *at = copy + 1; copy[0] != 0 && *at != 0; at++) {
        if (*at == '/') {
            *at = 0;
            (void)mkdir(copy, 0777);
            *at = '/';
        }
    }
    bool good = mkdir(copy, 0777) == 0 || errno == EEXIST;
    if (!good) {
        cli_error("%s: %s", path, strerror(errno));
    }
    free(copy);
    return good;
}

/* "DIR/name"; the caller frees it. */
static char *join(const char *folder, const char *name)
{
    size_t size = strlen(folder) + strlen(name) + 2;
    char *path = cli_alloc(size);
    snprintf(path, size, "%s/%s", folder, name);
    return path;
}

bool cli_compile_write(const oribi_compile *compile, const char *folder, bool force)
{
    char *micro = join(folder, "micro");
    bool good = make_folder(folder) && make_folder(micro);

    free(micro);
    for (int i = 0; good && !force && i < oribi_compile_num_files(compile); i++) {
        char *path = join(folder, oribi_compile_file_name(compile, i));
        struct stat info;
        if (stat(path, &info) == 0) {
            cli_error("%s exists; --force overwrites it", path);
            good = false;
        }
        free(path);
    }
    for (int i = 0; good && i < oribi_compile_num_files(compile); i++) {
        size_t bytes;
        const void *data = oribi_compile_file_data(compile, i, &bytes);
        char *path = join(folder, oribi_compile_file_name(compile, i));
        good = cli_write_file(path, data, bytes, true);
        free(path);
    }
    return good;
}

const char *cli_compile_file(const oribi_compile *compile, const char *name, size_t *bytes)
{
    for (int i = 0; i < oribi_compile_num_files(compile); i++) {
        if (strcmp(oribi_compile_file_name(compile, i), name) == 0) {
            return oribi_compile_file_data(compile, i, bytes);
        }
    }
    *bytes = 0;
    return NULL;
}

static long long number(const cJSON *report, const char *key)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(report, key);
    return cJSON_IsNumber(item) ? (long long)item->valuedouble : 0;
}

static void print_summary(const oribi_compile *compile, const char *folder)
{
    size_t bytes;
    const char *text = cli_compile_file(compile, "report.json", &bytes);
    cJSON *report = text == NULL ? NULL : cJSON_ParseWithLength(text, bytes);
    const cJSON *name = cJSON_GetObjectItemCaseSensitive(report, "name");

    printf("%s/tvmgen_%s.h\n", folder, cJSON_IsString(name) ? name->valuestring : "?");
    printf("  workspace  %lld bytes (no plan is below %lld; %lld without sharing)\n",
           number(report, "workspace_bytes"), number(report, "bound_bytes"),
           number(report, "floor_no_alias_bytes"));
    printf("  in and out %lld bytes\n", number(report, "io_bytes"));
    printf("  constants  %lld bytes\n", number(report, "constants_bytes"));
    printf("  MACs       %lld\n", number(report, "macs"));
    cJSON_Delete(report);
}

int cli_compile_model(const cli_args *args, oribi_compile *compile)
{
    TF_Status *status = TF_NewStatus();
    bool bad = false;
    const char *name = cli_value(args, "--name"), *io = cli_value(args, "--io");
    int64_t ram = cli_number(args, "--max-ram", 0, 1, INT64_MAX, &bad);
    int64_t flash = cli_number(args, "--max-flash", 0, 1, INT64_MAX, &bad);
    int code = CLI_USAGE;

    if (io != NULL && strcmp(io, "caller") != 0 && strcmp(io, "pool") != 0) {
        cli_error("%s: --io wants caller or pool, not '%s'", args->command->name, io);
        bad = true;
    }
    if (bad) {
        goto done;
    }
    if (name != NULL) {
        oribi_compile_set_name(compile, name, status);
        if (TF_GetCode(status) != TF_OK) {
            cli_fail(status);
            goto done;
        }
    }
    oribi_compile_set_budget(compile, (uint64_t)ram, (uint64_t)flash);
    oribi_compile_set_io_in_workspace(compile, io != NULL && strcmp(io, "pool") == 0);
    oribi_compile_model(compile, args->positional[0], status);
    code = TF_GetCode(status) == TF_OK ? CLI_OK : cli_fail(status);
done:
    TF_DeleteStatus(status);
    return code;
}

static int write_all(const cli_args *args, const oribi_compile *compile)
{
    const char *folder = cli_value(args, "--output"), *copy = cli_value(args, "--report");
    bool force = cli_has(args, "--force");
    size_t bytes;
    const char *report = cli_compile_file(compile, "report.json", &bytes);

    if (!cli_compile_write(compile, folder, force) ||
        (copy != NULL && !cli_write_file(copy, report, bytes, force))) {
        return CLI_BAD_INPUT;
    }
    if (cli_has(args, "--json")) {
        fwrite(report, 1, bytes, stdout);
    } else {
        print_summary(compile, folder);
    }
    return CLI_OK;
}

int cmd_compile(const cli_args *args)
{
    TF_Status *status = TF_NewStatus();
    int code = CLI_USAGE;
    oribi_compile *compile = NULL;

    if (args->n_positional != 1 || cli_value(args, "--output") == NULL) {
        cli_error("compile: wants one model file and -o DIR; see `oribi help compile`");
        goto done;
    }
    compile = oribi_compile_create(status);
    code = compile == NULL ? cli_fail(status) : cli_compile_model(args, compile);
    if (code == CLI_OK) {
        code = write_all(args, compile);
    }
done:
    oribi_compile_destroy(compile);
    TF_DeleteStatus(status);
    return code;
}
