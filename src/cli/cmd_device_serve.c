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

#include "far_end.h"

const cli_option cmd_device_serve_options[] = {
    {"--socket", 0, "PATH", "listen on this socket; one board after the other"},
    {"--connect", 0, "PATH", "connect to the socket of an emulator instead"},
    {"--pty", 0, NULL, "make a terminal, and print its name"},
    {"--port", 0, "TTY", "a serial line that is set up already (stty)"},
    {"--window", 0, "FILE[@OFFSET[:BYTES]]",
     "a device with a memory of its own, shared in FILE; the line is its doorbell and interrupt"},
    {"--once", 0, NULL, "with --socket: end when the first board is gone"},
    CLI_DESK_OPTIONS,
    {"--no-fuse", 0, NULL, "as the board's model was compiled"},
    {"--tflite-variant", 0, "tflm|tflite", "whose rounding quantised TFLite operators have"},
    {"--plugin", 'p', "FILE[:K=V,..]", "load a plugin first; may be given several times"},
    {NULL, 0, NULL, NULL},
};

static void note_end(const far_end *end)
{
    cli_note("%llu requests, %llu broken", (unsigned long long)end->requests,
             (unsigned long long)end->broken);
}

static void say(const char *where)
{
    printf("serving on %s\n", where);
    fflush(stdout);
}

static int serve_socket(far_end *end, const char *path, bool is_once)
{
    const int listener = far_end_listen(path);
    if (listener < 0) {
        return CLI_BAD_INPUT;
    }
    say(path);
    while (!far_end_is_stopped()) {
        struct pollfd p = {.fd = listener, .events = POLLIN};
        if (poll(&p, 1, -1) <= 0) {
            continue;
        }
        end->fd = accept(listener, NULL, NULL);
        if (end->fd >= 0) {
            far_end_serve(end);
            (void)close(end->fd);
            if (is_once) {
                break;
            }
        }
    }
    (void)close(listener);
    (void)unlink(path);
    return CLI_OK;
}

static int serve_fd(far_end *end, int fd, const char *where)
{
    if (fd < 0) {
        return CLI_BAD_INPUT;
    }
    end->fd = fd;
    say(where);
    far_end_serve(end);
    (void)close(fd);
    return CLI_OK;
}

/* The other side is held open, too: who comes and goes there does not end the line. */
static int serve_pty(far_end *end)
{
    struct termios raw;
    const int fd = posix_openpt(O_RDWR | O_NOCTTY);
    const char *name = fd >= 0 && grantpt(fd) == 0 && unlockpt(fd) == 0 ? ptsname(fd) : NULL;
    const int other = name != NULL ? open(name, O_RDWR | O_NOCTTY) : -1;
    if (other < 0 || tcgetattr(other, &raw) != 0) {
        cli_error("device-serve: no terminal can be made: %s", strerror(errno));
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

int cmd_device_serve(const cli_args *args)
{
    const char *window = cli_value(args, "--window");
    const int n_lines = cli_has(args, "--socket") + cli_has(args, "--connect") +
                        cli_has(args, "--pty") + cli_has(args, "--port");
    cli_desk desk;
    if (args->n_positional != 1 || n_lines != 1 || !cli_has(args, "--target-device")) {
        cli_error("device-serve: wants a model, --target-device KIND, and one of --socket, "
                  "--connect, --pty and --port; see `oribi help device-serve`");
        return CLI_USAGE;
    }
    int code = cli_load_plugins(args, NULL);
    code = code == CLI_OK ? cli_desk_open(args, &desk) : code;
    if (code != CLI_OK) {
        return code;
    }
    far_end end = {.desk = desk.desk};
    far_end_catch_signals();
    code = window == NULL || far_end_map(&end, window) ? serve(args, &end) : CLI_BAD_INPUT;
    note_end(&end);
    far_end_unmap(&end);
    cli_desk_close(&desk);
    return code;
}
