/* SPDX-License-Identifier: Apache-2.0 */
/* `oribi pack`: a model as a file that is mapped and runs at once. */
#include <stdio.h>

#include "cli.h"

const cli_option cmd_pack_options[] = {
    {"--output", 'o', "FILE", "where it goes (needed)"},
    {"--force", 0, NULL, "overwrite FILE"},
    CLI_TIME_LIMIT_OPTION("give up so many milliseconds after opening the model began (exit 5)"),
    CLI_SESSION_OPTIONS,
    {NULL, 0, NULL, NULL},
};

int cmd_pack(const cli_args *args)
{
    const char *path = cli_value(args, "--output");
    TF_Buffer *file = NULL;
    cli_session s;

    if (path == NULL) {
        cli_error("pack: where to? -o FILE");
        return CLI_USAGE;
    }
    int code = cli_check_writable(path, cli_has(args, "--force"));
    code = code != CLI_OK ? code : cli_model_open(args, &s);
    if (code != CLI_OK) {
        return code;
    }
    TF_Status *status = TF_NewStatus();
    file = TF_NewBuffer();
    oribi_model_pack(s.model, s.options, file, status);
    code = TF_GetCode(status) != TF_OK
               ? cli_fail(status)
               : cli_write_file(path, file->data, file->length, cli_has(args, "--force"));
    if (code == CLI_OK) {
        cli_note("%s: %.1f MB, for this version and kernels such as this machine's", path,
                 (double)file->length * 1e-6);
    }
    TF_DeleteBuffer(file);
    TF_DeleteStatus(status);
    cli_session_close(&s);
    return code;
}
