/* SPDX-License-Identifier: Apache-2.0 */
/* `oribi serve` of a command that was built without libmicrohttpd. */
#include "cli.h"

const cli_option cmd_serve_options[] = {{NULL, 0, NULL, NULL}};

int cmd_serve(const cli_args *args)
{
    (void)args;
    cli_error("serve: this command was built without libmicrohttpd (Debian: libmicrohttpd-dev)");
    return CLI_UNSUPPORTED;
}
