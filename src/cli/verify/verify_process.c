/* SPDX-License-Identifier: Apache-2.0 */
/* Child programs of `oribi verify`: their words, a time limit, and none is left behind. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "verify.h"

enum { POLL_NS = 5000000, POLLS_PER_SECOND = 200 };

static void redirect(const char *path, int flags, int to)
{
    int file = path == NULL ? to : open(path, flags, 0666);
    if (file < 0 || dup2(file, to) < 0) {
        _exit(126);
    }
}

static void child(const verify_process *p, pid_t parent)
{
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) {
        _exit(126);
    }
    redirect(p->in, O_RDONLY, STDIN_FILENO);
    redirect(p->out, O_WRONLY | O_CREAT | O_TRUNC, STDOUT_FILENO);
    redirect(p->err, O_WRONLY | O_CREAT | O_TRUNC, STDERR_FILENO);
    if (p->folder != NULL && chdir(p->folder) != 0) {
        _exit(126);
    }
    execvp(p->argv[0], (char *const *)(uintptr_t)p->argv);
    _exit(127);
}

static void show_growth(const verify_process *p)
{
    struct stat info;
    if (p->watched != NULL && stat(p->watched, &info) == 0 && p->watched_bytes > 0) {
        const int64_t size = info.st_size < p->watched_bytes ? info.st_size : p->watched_bytes;
        cli_progress(p->what, size, p->watched_bytes);
    }
}

int verify_process_run(const verify_process *p)
{
    const struct timespec pause = {0, POLL_NS};
    const pid_t parent = getpid();
    int state = 0;
    fflush(NULL);
    const pid_t id = fork();
    if (id == 0) {
        child(p, parent);
    }
    if (id < 0) {
        return -1;
    }
    for (int64_t polls = 0;; polls++) {
        const pid_t ended = waitpid(id, &state, WNOHANG);
        if (ended == id || (ended < 0 && errno != EINTR)) {
            break;
        }
        if (polls / POLLS_PER_SECOND >= p->seconds) {
            kill(id, SIGKILL);
            (void)waitpid(id, &state, 0);
            cli_progress(p->what, 0, 0);
            return -2;
        }
        show_growth(p);
        nanosleep(&pause, NULL);
    }
    cli_progress(p->what, 0, 0);
    return WIFEXITED(state) ? WEXITSTATUS(state) : WIFSIGNALED(state) ? 128 + WTERMSIG(state) : -1;
}

void verify_remove_folder(const char *folder)
{
    const char *const argv[] = {"rm", "-rf", folder, NULL};
    const verify_process process = {.argv = argv, .seconds = 60};
    (void)verify_process_run(&process);
}

void verify_show(const char *path, int most)
{
    char line[512];
    FILE *file = fopen(path, "r");
    for (int i = 0; file != NULL && i < most && fgets(line, sizeof line, file) != NULL; i++) {
        fputs(line, stderr);
    }
    if (file != NULL) {
        fclose(file);
    }
}

/* --- Words ------------------------------------------------------------------------------------ */

static void add(verify_words *words, const char *word, size_t length)
{
    if (words->n == VERIFY_WORDS || sizeof words->text - words->used <= length) {
        words->is_full = true;
        return;
    }
    memcpy(words->text + words->used, word, length);
    words->text[words->used + length] = 0;
    words->argv[words->n++] = words->text + words->used;
    words->used += length + 1;
}

void verify_words_add(verify_words *words, const char *word)
{
    add(words, word, strlen(word));
}

void verify_words_split(verify_words *words, const char *text)
{
    for (const char *at = text; at != NULL && *at != 0;) {
        const size_t length = strcspn(at, " ");
        if (length > 0) {
            add(words, at, length);
        }
        at += length + (at[length] == ' ');
    }
}

int verify_tool_run(verify_words *words, const char *folder, const char *packages, const char *what)
{
    const size_t size = strlen(folder) + sizeof "/build.log";
    char *log = cli_alloc(size);
    snprintf(log, size, "%s/build.log", folder);
    words->argv[words->n] = NULL;
    const verify_process process = {
        .argv = words->argv, .folder = folder, .err = log, .out = log, .seconds = 600};
    const int ended = words->is_full ? -1 : verify_process_run(&process);
    if (ended == 127) {
        cli_error("%s is not installed (Debian: %s)", words->argv[0],
                  packages != NULL ? packages : "gcc");
    } else if (ended != 0) {
        verify_show(log, 40);
        cli_error("%s cannot build %s (see above)", words->argv[0], what);
    }
    free(log);
    return ended == 0 ? CLI_OK : ended == 127 ? CLI_UNSUPPORTED : CLI_BAD_INPUT;
}
