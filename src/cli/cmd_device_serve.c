/* SPDX-License-Identifier: Apache-2.0 */
/* `oribi device-serve`: plays an accelerator for a board or an emulator, with this machine's
 * kernels. Read next: far_end.h. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <termios.h>
#include <unistd.h>

#include "verify/far_end.h"
#include "verify/verify.h"

const cli_option cmd_device_serve_options[] = {
    {"--driver", 0, "DIR", "the folder of the accelerator's driver: its far end is played"},
    {"--socket", 0, "PATH", "listen on this socket; one board after the other"},
    {"--connect", 0, "PATH", "connect to the socket of an emulator instead"},
    {"--pty", 0, NULL, "make a terminal, and print its name"},
    {"--port", 0, "TTY", "a serial line that is set up already (stty)"},
    {"--window", 0, "FILE[@OFFSET[:BYTES]]",
     "the window of memory that board and accelerator share is in FILE"},
    {"--once", 0, NULL, "with --socket: end when the first board is gone"},
    CLI_DESK_OPTIONS,
    {"--no-fuse", 0, NULL, "as the board's model was compiled"},
    {"--shape", 0, "NAME=1x3x224x224", "as the board's model was compiled"},
    {"--tflite-variant", 0, "tflm|tflite|litert", "whose rounding quantised TFLite operators have"},
    {"--plugin", 'p', "FILE[:K=V,..]", "load a plugin first; may be given several times"},
    {NULL, 0, NULL, NULL},
};

static void note_end(const far_end *end)
{
    cli_note("%llu requests, %llu broken", (unsigned long long)end->end.requests,
             (unsigned long long)end->end.broken);
}

static void say(const char *where)
{
    printf("serving on %s\n", where);
    fflush(stdout);
}

static int serve_socket(far_end *end, const char *path, bool is_once)
{
    const int listener = far_end_listen(path);
    int code = CLI_OK;
    if (listener < 0) {
        return CLI_BAD_INPUT;
    }
    say(path);
    while (code == CLI_OK && !far_end_is_stopped()) {
        struct pollfd p = {.fd = listener, .events = POLLIN};
        if (poll(&p, 1, -1) <= 0) {
            continue;
        }
        end->fd = accept(listener, NULL, NULL);
        if (end->fd >= 0) {
            code = far_end_serve(end) ? CLI_OK : CLI_BAD_INPUT;
            (void)close(end->fd);
            if (is_once) {
                break;
            }
        }
    }
    (void)close(listener);
    (void)unlink(path);
    return code;
}

static int serve_fd(far_end *end, int fd, const char *where)
{
    if (fd < 0) {
        return CLI_BAD_INPUT;
    }
    end->fd = fd;
    say(where);
    const bool good = far_end_serve(end);
    (void)close(fd);
    return good ? CLI_OK : CLI_BAD_INPUT;
}

/* The other side is held open, too: who comes and goes there does not end the line. */
static int serve_pty(far_end *end)
{
    struct termios raw;
    const int fd = posix_openpt(O_RDWR | O_NOCTTY);
    const char *name = fd >= 0 && grantpt(fd) == 0 && unlockpt(fd) == 0 ? ptsname(fd) : NULL;
    const int other = name != NULL ? open(name, O_RDWR | O_NOCTTY) : -1;
    if (other < 0 || tcgetattr(other, &raw) != 0) {
        cli_error("device-serve: cannot create a terminal: %s", strerror(errno));
        if (fd >= 0) {
            (void)close(fd);
        }
        return CLI_BAD_INPUT;
    }
    cfmakeraw(&raw);
    (void)tcsetattr(other, TCSANOW, &raw);
    const int code = serve_fd(end, fd, name);
    (void)close(other);
    return code;
}

static int serve_port(far_end *end, const char *path)
{
    const int fd = open(path, O_RDWR | O_NOCTTY);
    if (fd < 0) {
        cli_error("%s: %s", path, strerror(errno));
    }
    return serve_fd(end, fd, path);
}

static int serve(const cli_args *args, far_end *end)
{
    const char *socket_path = cli_value(args, "--socket"), *other = cli_value(args, "--connect");
    const char *port = cli_value(args, "--port");
    if (cli_has(args, "--pty")) {
        return serve_pty(end);
    }
    if (port != NULL) {
        return serve_port(end, port);
    }
    return socket_path != NULL ? serve_socket(end, socket_path, cli_has(args, "--once"))
                               : serve_fd(end, far_end_connect(other), other);
}

/* --- The accelerator -------------------------------------------------------------------------- */

/* The kind of --target-device whose driver is given: one, whatever else the model has. */
static const driver_kind *find_kind(const cli_args *args, const driver_set *drivers)
{
    const driver_kind *found = NULL;
    const char *spec;
    for (int i = 0; (spec = cli_value_at(args, "--target-device", i)) != NULL; i++) {
        const char *equals = strchr(spec, '=');
        const char *name = equals != NULL ? equals + 1 : spec;
        if (!driver_has(drivers, name)) {
            continue;
        }
        const driver_kind *kind = driver_find(drivers, "device-serve", name);
        if (kind == NULL) {
            return NULL;
        }
        if (found != NULL && kind != found) {
            cli_error("device-serve: it plays one accelerator, but --driver has '%s' as well",
                      name);
            return NULL;
        }
        found = kind;
    }
    if (found == NULL) {
        cli_error("device-serve: --driver has no kind of --target-device; it has %s",
                  driver_kinds(drivers));
    } else if (found->far_end.serve == NULL) {
        cli_error("%s/driver.json: kinds.%s has no far_end, and that is the part to be played",
                  found->folder, found->name);
        return NULL;
    }
    return found;
}

/* Built in a folder that goes when it is loaded. */
static int load(far_end *end, const driver_kind *kind)
{
    const char *base = getenv("TMPDIR");
    char folder[256];
    snprintf(folder, sizeof folder, "%.200s/oribi-serve-XXXXXX",
             base == NULL || base[0] == 0 ? "/tmp" : base);
    if (mkdtemp(folder) == NULL) {
        cli_error("%s: %s", folder, strerror(errno));
        return CLI_BAD_INPUT;
    }
    int code = verify_write_platform(folder);
    code = code == CLI_OK ? far_end_build(kind, folder) : code;
    code = code == CLI_OK && !far_end_load(end, kind, folder) ? CLI_BAD_INPUT : code;
    verify_remove_folder(folder);
    return code;
}

static int play(const cli_args *args, far_end *end)
{
    const char *window = cli_value(args, "--window");
    far_end_catch_signals();
    int code = CLI_BAD_INPUT;
    if ((window == NULL || far_end_map(end, window)) && far_end_prepare(end)) {
        code = serve(args, end);
        note_end(end);
    }
    far_end_unmap(end);
    return code;
}

int cmd_device_serve(const cli_args *args)
{
    const int n_lines = cli_has(args, "--socket") + cli_has(args, "--connect") +
                        cli_has(args, "--pty") + cli_has(args, "--port");
    if (args->n_positional != 1 || n_lines != 1 || !cli_has(args, "--target-device") ||
        !cli_has(args, "--driver")) {
        cli_error("device-serve: wants a model, --target-device KIND, --driver DIR, and one of "
                  "--socket, --connect, --pty and --port; see `oribi help device-serve`");
        return CLI_USAGE;
    }
    cli_desk desk = {NULL, NULL};
    driver_set drivers;
    const driver_kind *kind = driver_set_read(args, &drivers) ? find_kind(args, &drivers) : NULL;
    far_end end = {.fd = -1};
    int code = kind != NULL ? cli_load_plugins(args, NULL) : CLI_BAD_INPUT;
    code = code == CLI_OK ? cli_desk_open(args, &desk) : code;
    code = code == CLI_OK ? load(&end, kind) : code;
    if (code == CLI_OK) {
        end.desk = desk.desk;
        code = play(args, &end);
    }
    far_end_unload(&end);
    cli_desk_close(&desk);
    driver_set_free(&drivers);
    return code;
}
