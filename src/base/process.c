/* SPDX-License-Identifier: Apache-2.0 */
/* Child processes with posix_spawn, which is safe in a program with threads. */
#include "base/process.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/process_output.h"
#include "base/thread.h"

enum { POLL_MS = 5, N_PIPES = 2, READ_END = 0, WRITE_END = 1 };

typedef struct child {
    pid_t pid;
    int pipes[N_PIPES][2]; /* of stdout and stderr; -1: closed */
    size_t max_bytes;
    oribi_process_result result;
} child;

static void close_end(int *fd)
{
    if (*fd >= 0) {
        (void)close(*fd);
        *fd = -1;
    }
}

static int open_pipes(child *c)
{
    for (int i = 0; i < N_PIPES; i++) {
        if (pipe2(c->pipes[i], O_CLOEXEC) != 0) {
            c->pipes[i][READ_END] = c->pipes[i][WRITE_END] = -1;
            return errno;
        }
        if (fcntl(c->pipes[i][READ_END], F_SETFL, O_NONBLOCK) != 0) {
            return errno;
        }
    }
    return 0;
}

static int prepare(child *c, posix_spawn_file_actions_t *actions, posix_spawnattr_t *attributes)
{
    sigset_t none, all;
    (void)sigemptyset(&none);
    (void)sigfillset(&all);
    int error = posix_spawn_file_actions_addopen(actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    for (int i = 0; i < N_PIPES && error == 0; i++) {
        error = posix_spawn_file_actions_adddup2(actions, c->pipes[i][WRITE_END],
                                                 i == 0 ? STDOUT_FILENO : STDERR_FILENO);
    }
    if (error == 0) {
        error = posix_spawnattr_setpgroup(attributes, 0);
    }
    if (error == 0) {
        error = posix_spawnattr_setsigmask(attributes, &none);
    }
    if (error == 0) {
        error = posix_spawnattr_setsigdefault(attributes, &all);
    }
    if (error == 0) {
        error = posix_spawnattr_setflags(
            attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    }
    return error;
}

static int spawn(child *c, const char *const *argv)
{
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    int error = posix_spawn_file_actions_init(&actions);
    if (error != 0) {
        return error;
    }
    error = posix_spawnattr_init(&attributes);
    if (error == 0) {
        error = prepare(c, &actions, &attributes);
        if (error == 0) {
            error = posix_spawn(&c->pid, argv[0], &actions, &attributes,
                                (char *const *)(uintptr_t)argv, environ);
        }
        (void)posix_spawnattr_destroy(&attributes);
    }
    (void)posix_spawn_file_actions_destroy(&actions);
    return error;
}

/* Reads what is there now; closes at the end of the stream. */
static void read_available(child *c, int i)
{
    oribi_text *text = i == 0 ? &c->result.out : &c->result.err;
    char bytes[4096];
    for (;;) {
        ssize_t n = read(c->pipes[i][READ_END], bytes, sizeof(bytes));
        if (n > 0) {
            const bool is_cut = oribi_process_keep(text, bytes, (size_t)n, c->max_bytes, i == 1);
            c->result.truncated = c->result.truncated || is_cut;
        } else if (n == 0 || (errno != EINTR && errno != EAGAIN)) {
            close_end(&c->pipes[i][READ_END]);
            return;
        } else if (errno == EAGAIN) {
            return;
        }
    }
}

/* Waits a moment for output, and takes it. */
static void listen_a_moment(child *c)
{
    struct pollfd polled[N_PIPES];
    for (int i = 0; i < N_PIPES; i++) { /* a negative descriptor is skipped */
        polled[i] = (struct pollfd){.fd = c->pipes[i][READ_END], .events = POLLIN};
    }
    if (poll(polled, N_PIPES, POLL_MS) <= 0) {
        return;
    }
    for (int i = 0; i < N_PIPES; i++) {
        if (polled[i].fd >= 0 && polled[i].revents != 0) {
            read_available(c, i);
        }
    }
}

static void note_end(oribi_process_result *result, int wait_status)
{
    if (WIFEXITED(wait_status)) {
        result->exit_code = WEXITSTATUS(wait_status);
    } else if (WIFSIGNALED(wait_status)) {
        result->signal = WTERMSIG(wait_status);
    }
}

/* Has the child ended? It stays unreaped, so that its group's number cannot be given away. */
static bool has_ended(const child *c)
{
    siginfo_t info = {0};
    int result = waitid(P_PID, (id_t)c->pid, &info, WEXITED | WNOHANG | WNOWAIT);
    return result == 0 ? info.si_pid == c->pid : errno != EINTR;
}

static int follow(child *c, uint64_t timeout_ms)
{
    uint64_t limit = timeout_ms > UINT64_MAX / 2000000 ? UINT64_MAX / 2 : timeout_ms * 1000000;
    uint64_t start = oribi_now_ns();
    int wait_status = 0;
    while (!has_ended(c) && !c->result.timed_out) {
        listen_a_moment(c);
        c->result.timed_out = oribi_now_ns() - start >= limit;
    }
    (void)kill(-c->pid, SIGKILL); /* the child past its time, or grandchildren left behind */
    pid_t reaped;
    do {
        reaped = waitpid(c->pid, &wait_status, 0);
    } while (reaped < 0 && errno == EINTR);
    if (reaped == c->pid) { /* else the application ignores SIGCHLD, and the code is lost */
        note_end(&c->result, wait_status);
    }
    for (int i = 0; i < N_PIPES; i++) {
        if (c->pipes[i][READ_END] >= 0) {
            read_available(c, i);
        }
    }
    return c->result.out.failed || c->result.err.failed ? ENOMEM : 0;
}

int oribi_process_run(const char *const *argv, size_t max_bytes, uint64_t timeout_ms,
                      oribi_process_result *out_result)
{
    child c = {.pipes = {{-1, -1}, {-1, -1}}, .max_bytes = max_bytes, .result.exit_code = -1};
    int error = open_pipes(&c);
    if (error == 0) {
        error = spawn(&c, argv);
    }
    for (int i = 0; i < N_PIPES; i++) {
        close_end(&c.pipes[i][WRITE_END]);
    }
    if (error == 0) {
        error = follow(&c, timeout_ms);
    }
    for (int i = 0; i < N_PIPES; i++) {
        close_end(&c.pipes[i][READ_END]);
    }
    if (error != 0) {
        oribi_process_result_destroy(&c.result);
        return error;
    }
    *out_result = c.result;
    return 0;
}
