/* SPDX-License-Identifier: Apache-2.0 */
/* `oribi compile`: a model in, a folder of C out. `oribi verify`: cmd_verify.c. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"

static const cli_option own_options[] = {
    {"--output", 'o', "DIR", "folder for the files; made when it is missing"},
    {"--report", 0, "FILE", "a report: FILE.html to look at, FILE.json to read by program"},
    {"--json", 0, NULL, "print report.json instead of a summary"},
    {"--force", 'f', NULL, "overwrite files"},
    {"--plugin", 'p', "FILE[:K=V,..]", "load a plugin first, for ops or targets; several times"},
    {NULL, 0, NULL, NULL},
};
cli_option cmd_compile_options[CLI_COMPILE_OPTIONS]; /* made at start, as cmd_verify_options */

enum { LARGE_BYTES = 32 * 1000 * 1000 };

/* "c|bin" is a choice, "N" and "NODE:SECTION" are not. */
static bool is_choice(const char *values)
{
    return values != NULL && strchr(values, '|') != NULL;
}

/* The options of the library follow: their names and help live as long as the process. */
void cli_compile_options_make(cli_option *out, const cli_option *own)
{
    int n = 0;
    for (; own[n].name != NULL; n++) {
        out[n] = own[n];
    }
    const int n_own = n;
    for (int i = 0; oribi_compile_option_key(i) != NULL && n < CLI_COMPILE_OPTIONS - 1; i++) {
        const char *key = oribi_compile_option_key(i), *values = oribi_compile_option_values(i);
        const char *text = oribi_compile_option_help(i);
        size_t size = strlen(text) + (values != NULL ? strlen(values) : 0) + 16;
        char *name = cli_alloc(strlen(key) + 3), *help = cli_alloc(size);
        sprintf(name, "--%s", key);
        bool is_known = false; /* sessions have it, too */
        for (int k = 0; k < n_own; k++) {
            is_known = is_known || strcmp(own[k].name, name) == 0;
        }
        if (is_known) {
            free(name);
            free(help);
            continue;
        }
        snprintf(help, size, "%s", text);
        if (is_choice(values)) {
            snprintf(help, size, "%s (default: %.*s)", text, (int)strcspn(values, "|"), values);
        }
        out[n++] = (cli_option){name, 0, values, help};
    }
    out[n] = (cli_option){NULL, 0, NULL, NULL};
}

void cmd_compile_prepare(void)
{
    cli_compile_options_make(cmd_compile_options, own_options);
}

int cli_compile_write(const oribi_compile *compile, const char *folder, bool force)
{
    cli_files *files = cli_files_begin(force);
    bool good = cli_files_add_folder(files, folder);

    for (int i = 0; good && i < oribi_compile_num_files(compile); i++) {
        size_t bytes;
        const void *data = oribi_compile_file_data(compile, i, &bytes);
        char *path = cli_path_in(folder, oribi_compile_file_name(compile, i)),
             *slash = strrchr(path, '/');
        *slash = 0;
        good = cli_files_add_folder(files, path);
        *slash = '/';
        good = good && cli_files_add(files, path, data, bytes);
        free(path);
    }
    return cli_files_end(files, CLI_OK);
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

/* "report.json", or one "report_NAME.json" for each of several models. */
static bool is_report(const char *name)
{
    size_t length = strlen(name);
    return strncmp(name, "report", 6) == 0 && length > 5 && strcmp(name + length - 5, ".json") == 0;
}

static void print_summary(const oribi_compile *compile, int file, const char *folder)
{
    size_t bytes;
    const char *text = oribi_compile_file_data(compile, file, &bytes);
    cli_json json = cli_json_parse(text, bytes, oribi_compile_file_name(compile, file));
    const oribi_json_value *report = json.root;
    const char *name = cli_json_text(report, "name");

    printf("%s/tvmgen_%s\n", folder, name == NULL ? "?" : name);
    printf("  workspace  %lld bytes (no plan is below %lld; %lld without sharing)\n",
           (long long)cli_json_number(report, "workspace_bytes"),
           (long long)cli_json_number(report, "bound_bytes"),
           (long long)cli_json_number(report, "floor_no_alias_bytes"));
    printf("  in and out %lld bytes\n", (long long)cli_json_number(report, "io_bytes"));
    if (cli_json_number(report, "state_bytes") > 0) {
        printf("  state      %lld bytes\n", (long long)cli_json_number(report, "state_bytes"));
    }
    printf("  constants  %lld bytes\n", (long long)cli_json_number(report, "constants_bytes"));
    printf("  MACs       %lld\n", (long long)cli_json_number(report, "macs"));
    for (const oribi_json_value *r = cli_json_first(report, "rings"); r != NULL; r = r->next) {
        printf("  %-10s %d operators, %lld stripes: %lld MACs and about %lld instructions more\n",
               cli_json_text(r, "call"), cli_json_count(oribi_json_find(r, "nodes")),
               (long long)cli_json_number(r, "stripes"),
               (long long)cli_json_number(r, "macs_added"),
               (long long)cli_json_number(r, "instructions_added"));
    }
    cli_json_free(&json);
}

/* Every option that the library knows, as given. */
static bool set_options(const cli_args *args, oribi_compile *compile, TF_Status *status)
{
    for (int i = 0; i < args->n_given; i++) {
        const char *key = args->given[i].option->name + 2;
        for (int k = 0; oribi_compile_option_key(k) != NULL; k++) {
            if (strcmp(oribi_compile_option_key(k), key) == 0) {
                oribi_compile_set_option(compile, key, args->given[i].value, status);
            }
        }
        if (TF_GetCode(status) != TF_OK) {
            cli_error("%s: %s", args->command->name, TF_Message(status));
            return false;
        }
    }
    return true;
}

static bool load_plugins(const cli_args *args, TF_Status *status)
{
    const char *spec;
    for (int k = 0; (spec = cli_value_at(args, "--plugin", k)) != NULL; k++) {
        oribi_plugin_load_file(spec, status);
        if (TF_GetCode(status) != TF_OK) {
            cli_error("%s", TF_Message(status));
            return false;
        }
    }
    return true;
}

int cli_compile_model(const cli_args *args, oribi_compile *compile)
{
    TF_Status *status = TF_NewStatus();
    int code = CLI_USAGE;

    if (!load_plugins(args, status)) {
        code = CLI_BAD_INPUT;
    } else if (set_options(args, compile, status)) {
        if (strcmp(args->command->name, "verify") == 0) { /* its harness knows flat folders */
            oribi_compile_set_option(compile, "layout", "plain", status);
        }
        oribi_compile_models(compile, args->positional, args->n_positional, status);
        code = TF_GetCode(status) == TF_OK ? CLI_OK : cli_fail(status);
    }
    TF_DeleteStatus(status);
    return code;
}

/* "html" of "x.html"; NULL: neither that nor json. */
static const char *report_format(const char *path)
{
    const char *dot = strrchr(path, '.');
    return dot == NULL                 ? NULL
           : strcmp(dot, ".html") == 0 ? "html"
           : strcmp(dot, ".json") == 0 ? "json"
                                       : NULL;
}

/* To a file, or (path NULL) to standard output. */
static int write_report(oribi_compile *compile, const char *format, const char *path, bool force)
{
    TF_Status *status = TF_NewStatus();
    size_t bytes;
    const char *report = oribi_compile_report(compile, format, &bytes, status);
    int code = report == NULL ? cli_fail(status) : CLI_OK;

    if (report != NULL && path != NULL) {
        code = cli_write_file(path, report, bytes, force);
    } else if (report != NULL) {
        fwrite(report, 1, bytes, stdout);
    }
    TF_DeleteStatus(status);
    return code;
}

/* C of large weights takes compilers minutes. */
static void note_size(const cli_args *args, const oribi_compile *compile)
{
    const char *weights = cli_value(args, "--weights");
    size_t all = 0;

    for (int i = 0; i < oribi_compile_num_files(compile); i++) {
        size_t bytes;
        (void)oribi_compile_file_data(compile, i, &bytes);
        all += bytes;
    }
    if (all > LARGE_BYTES && (weights == NULL || strcmp(weights, "c") == 0)) {
        cli_note("the files take %zu MB, nearly all of it weights as C text; --weights obj writes "
                 "them as an object file, --weights bin as a file to load",
                 all / 1000000);
    }
}

static int write_all(const cli_args *args, oribi_compile *compile)
{
    const char *folder = cli_value(args, "--output"), *report = cli_value(args, "--report");
    bool force = cli_has(args, "--force");
    int code = cli_compile_write(compile, folder, force);

    note_size(args, compile);
    if (code == CLI_OK && report != NULL) {
        code = write_report(compile, report_format(report), report, force);
    }
    if (code == CLI_OK && cli_has(args, "--json")) {
        return write_report(compile, "json", NULL, force);
    }
    for (int i = 0; code == CLI_OK && i < oribi_compile_num_files(compile); i++) {
        if (is_report(oribi_compile_file_name(compile, i))) {
            print_summary(compile, i, folder);
        }
    }
    return code;
}

int cmd_compile(const cli_args *args)
{
    TF_Status *status = TF_NewStatus();
    int code = CLI_USAGE;
    oribi_compile *compile = NULL;

    if (args->n_positional < 1 || cli_value(args, "--output") == NULL) {
        cli_error("compile: wants model files and -o DIR; see `oribi help compile`");
        goto done;
    }
    if (cli_value(args, "--report") != NULL && report_format(cli_value(args, "--report")) == NULL) {
        cli_error("compile: --report wants FILE.html or FILE.json, not '%s'",
                  cli_value(args, "--report"));
        goto done;
    }
    const char *report = cli_value(args, "--report");
    code = cli_check_folder(cli_value(args, "--output"));
    if (code == CLI_OK && report != NULL) {
        code = cli_check_writable(report, cli_has(args, "--force"));
    }
    if (code != CLI_OK) {
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
