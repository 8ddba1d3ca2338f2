/* SPDX-License-Identifier: Apache-2.0 */
/* Far ends of `oribi verify`: a process of ours for each device with a line, started before the
 * image and ended after it. Read next: far_end.h. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "far_end.h"
#include "verify.h"

enum { SHARED_BYTES = 16 << 20 }; /* the board's memory whose beginning has the windows: link.ld */

int verify_far_ends_build(const verify *v)
{
    int code = CLI_OK;
    for (int i = 0; i < v->n_devices && code == CLI_OK; i++) {
        bool is_built = false;
        for (int k = 0; k < i; k++) {
            is_built = is_built || v->devices[k].kind == v->devices[i].kind;
        }
        if (!is_built && v->devices[i].platform->has_line) {
            code = far_end_build(v->devices[i].kind, v->folder);
        }
    }
    return code;
}

void verify_device_machine(const verify *v, verify_words *words)
{
    char text[96];
    verify_words_split(words, v->target->device_machine);
    verify_words_add(words, "-object");
    snprintf(text, sizeof text, "memory-backend-file,id=shared,size=%d,mem-path=memory,share=on",
             (int)SHARED_BYTES);
    verify_words_add(words, text);
    for (int i = 0; i < v->n_devices; i++) {
        if (v->devices[i].platform->has_line) {
            snprintf(text, sizeof text, "socket,id=device%d,path=device_%d,server=off", i, i);
            verify_words_add(words, "-chardev");
            verify_words_add(words, text);
            snprintf(text, sizeof text, "chardev:device%d", i);
        } else {
            snprintf(text, sizeof text, "null");
        }
        verify_words_add(words, "-serial");
        verify_words_add(words, text);
    }
}

/* --- Processes -------------------------------------------------------------------------------- */

/* Gets ready, says so with a byte, and serves one client. */
static bool serve(const verify *v, int index, int listener, int ready, const char *memory)
{
    const verify_device *d = &v->devices[index];
    TF_Status *status = TF_NewStatus();
    far_end end = {.desk = oribi_desk_create(v->compile, status)};
    char *window = NULL;
    if (end.desk == NULL) {
        cli_error("the far end of '%s': %s", d->kind->name, TF_Message(status));
        return false;
    }
    if (d->platform->window_bytes > 0) {
        const size_t size = strlen(memory) + 64;
        window = cli_alloc(size);
        snprintf(window, size, "%s@%u:%u", memory, (unsigned)d->window_at,
                 (unsigned)d->platform->window_bytes);
    }
    if (!far_end_load(&end, d->kind, v->folder) || (window != NULL && !far_end_map(&end, window)) ||
        !far_end_prepare(&end) || write(ready, "r", 1) != 1) {
        return false;
    }
    end.fd = accept(listener, NULL, NULL);
    return end.fd >= 0 && far_end_serve(&end);
}

static bool make_memory(const char *path)
{
    const int fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0666);
    const bool good = fd >= 0 && ftruncate(fd, SHARED_BYTES) == 0;
    if (!good) {
        cli_error("%s: %s", path, strerror(errno));
    }
    if (fd >= 0) {
        (void)close(fd);
    }
    return good;
}

static pid_t fork_far_end(const verify *v, int index, int listener, const int ready[2],
                          const char *memory)
{
    const pid_t parent = getpid();
    fflush(NULL);
    const pid_t id = fork();
    if (id == 0) {
        (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
        (void)signal(SIGPIPE, SIG_IGN);
        (void)close(ready[0]);
        _exit(getppid() == parent && serve(v, index, listener, ready[1], memory) ? 0 : 1);
    }
    return id;
}

/* It waits until the far end is ready; what is wrong, the far end has said. */
static bool start(const verify *v, int index, const char *memory, verify_far_ends *ends)
{
    char name[32], byte;
    int ready[2];
    snprintf(name, sizeof name, "device_%d", index);
    char *path = verify_path(v, name);
    const int listener = far_end_listen(path);
    free(path);
    if (listener < 0) {
        return false;
    }
    if (pipe(ready) != 0) {
        cli_error("verify: cannot make a pipe to the far end: %s", strerror(errno));
        (void)close(listener);
        return false;
    }
    const pid_t id = fork_far_end(v, index, listener, ready, memory);
    (void)close(listener);
    (void)close(ready[1]);
    ends->ids[ends->n] = id;
    ends->n += id > 0 ? 1 : 0;
    const bool good = id > 0 && read(ready[0], &byte, 1) == 1;
    (void)close(ready[0]);
    if (!good) {
        cli_error("verify: the far end of device %d (%s) did not start", index,
                  v->devices[index].kind->name);
    }
    return good;
}

bool verify_far_ends_start(const verify *v, verify_far_ends *out)
{
    *out = (verify_far_ends){.n = 0};
    if (v->n_devices == 0) {
        return true;
    }
    char *memory = verify_path(v, "memory");
    bool good = make_memory(memory);
    for (int i = 0; good && i < v->n_devices; i++) {
        good = !v->devices[i].platform->has_line || start(v, i, memory, out);
    }
    free(memory);
    if (!good) {
        verify_far_ends_stop(out);
    }
    return good;
}

/* One that has crashed is told: the driver has only seen that nobody answered. */
void verify_far_ends_stop(verify_far_ends *ends)
{
    for (int i = 0; i < ends->n; i++) {
        int state = 0;
        if (waitpid(ends->ids[i], &state, WNOHANG) == ends->ids[i]) {
            if (WIFSIGNALED(state)) {
                cli_error("verify: a far end crashed: %s", strsignal(WTERMSIG(state)));
            }
            continue;
        }
        (void)kill(ends->ids[i], SIGKILL);
        (void)waitpid(ends->ids[i], NULL, 0);
    }
    ends->n = 0;
}
