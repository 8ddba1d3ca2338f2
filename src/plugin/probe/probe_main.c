/* SPDX-License-Identifier: Apache-2.0 */
/* oribi-plugin-probe FILE [OPTIONS [describe | case REQUEST]]: runs a plugin's init in this
 * process, so that it does not crash, hang or exit in the one that wants it, and reports on stdout;
 * see ../probe.c. Not for people: `oribi plugin check FILE` is.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "oribi/oribi.h"

static FILE *report;
static pid_t own_pid;

/* The library says what it is about to do: "plugin 'NAME': calling TF_InitKernel". */
static void note(void *arg, int level, const char *message)
{
    const char *what = strstr(message, "': ");
    (void)arg;
    if (level == 0 && strncmp(message, "plugin '", 8) == 0 && what && getpid() == own_pid) {
        fprintf(report, "at %.200s\n", what + 3);
        fflush(report);
    }
}

static void write_verdict(const TF_Status *status)
{
    char message[2000];
    snprintf(message, sizeof(message), "%s", TF_Message(status));
    for (char *c = message; *c; c++) {
        *c = (unsigned char)*c < ' ' ? ' ' : *c;
    }
    fprintf(report, "verdict %d %s\n", (int)TF_GetCode(status), message);
    fflush(report);
}

/* Answers what was asked for beyond the load; JSON without line ends. */
static void answer(const char *path, const char *mode, const char *argument, TF_Status *status)
{
    TF_Buffer *json = TF_NewBuffer();
    if (strcmp(mode, "describe") == 0) {
        char what[5000];
        /* A name without a folder is a built-in's. */
        char *real = strchr(path, '/') ? realpath(path, NULL) : NULL;
        snprintf(what, sizeof(what), "plugin:%s", real ? real : path);
        oribi_describe(what, json, status);
    } else {
        oribi_plugin_test_case(path, argument, json, status);
    }
    if (TF_GetCode(status) == TF_OK && getpid() == own_pid) {
        fprintf(report, "json %.*s\n", (int)json->length, (const char *)json->data);
        fflush(report);
    }
    TF_DeleteBuffer(json);
}

/* Devices are opened by the first session, and crash there as well as anywhere. */
static void try_devices(TF_Status *status)
{
    TF_Buffer *json = TF_NewBuffer();
    oribi_describe("devices:try", json, status);
    TF_DeleteBuffer(json);
}

/* What the plugin prints goes to stderr; the report keeps the real stdout, out of children. */
static int take_stdout(void)
{
    int fd = dup(STDOUT_FILENO);
    if (fd < 0 || dup2(STDERR_FILENO, STDOUT_FILENO) < 0) {
        return -1;
    }
    report = fdopen(fd, "w");
    return report ? 0 : -1;
}

int main(int argc, char **argv)
{
    const struct rlimit no_core = {0, 0};
    TF_Status *status = TF_NewStatus();
    const char *options = argc > 2 ? argv[2] : "";
    if (argc < 2 || !status || take_stdout() != 0) {
        fputs("usage: oribi-plugin-probe FILE [OPTIONS]\n", stderr);
        return 2;
    }
    static char spec[16384];
    int length = snprintf(spec, sizeof(spec), "%s%s%s", argv[1], options[0] ? ":" : "", options);
    if (length < 0 || (size_t)length >= sizeof(spec)) {
        fputs("path and options are too long\n", stderr);
        return 2;
    }
    own_pid = getpid();
    setenv("ORIBI_PLUGIN_PROBE", "", 1); /* this is the probe */
    setrlimit(RLIMIT_CORE, &no_core);
    fputs("oribi-probe 1\n", report);
    fflush(report);
    oribi_set_log(note, NULL);
    oribi_plugin_load_file(spec, status);
    if (TF_GetCode(status) == TF_OK) {
        try_devices(status);
    }
    if (TF_GetCode(status) == TF_OK && argc > 3) {
        answer(argv[1], argv[3], argc > 4 ? argv[4] : "", status);
    }
    if (getpid() == own_pid) { /* a plugin that forks comes here twice */
        write_verdict(status);
    }
    _exit(0); /* without exit handlers of the plugin's: they are not what was asked */
}
