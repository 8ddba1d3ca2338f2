/* SPDX-License-Identifier: Apache-2.0 */
/* What the command says when a mapped file goes away under it. A file that another process
 * truncates ends its readers with SIGBUS; the library leaves signals to the application, which this
 * command is. --read avoids it: then nothing is mapped.
 */
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "cli.h"

/* Only calls that POSIX allows in a handler; nothing that was under way can be trusted. */
static void tell(int signal_number, siginfo_t *info, void *context)
{
    static const char text[] =
        "oribi: a file of the model changed while it was in use (it was truncated, or its disk "
        "failed); --read reads the model's files into memory first\n";

    (void)context;
    if (info->si_code != BUS_ADRERR) { /* another fault, or kill: as without this handler */
        (void)signal(signal_number, SIG_DFL);
        (void)raise(signal_number);
        return;
    }
    if (write(STDERR_FILENO, text, sizeof text - 1) < 0) {
        _exit(CLI_BAD_INPUT); /* nobody to tell */
    }
    _exit(CLI_BAD_INPUT);
}

void cli_guard_files(void)
{
    struct sigaction action;

    memset(&action, 0, sizeof action);
    action.sa_sigaction = tell;
    action.sa_flags = SA_SIGINFO;
    (void)sigemptyset(&action.sa_mask);
    (void)sigaction(SIGBUS, &action, NULL); /* without it the message is the shell's */
}
