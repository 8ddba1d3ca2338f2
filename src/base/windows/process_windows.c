/* SPDX-License-Identifier: Apache-2.0 */
/* Child processes on Windows: a job holds the child and what it starts, pipes are read by a thread
 * each.
 */
#include "base/process.h"

#include <errno.h>
#include <string.h>
#include <windows.h>

#include "base/alloc.h"
#include "base/process_output.h"
#include "base/thread.h"
#include "base/windows/windows_text.h"

typedef struct listener { /* of one stream */
    HANDLE from, to;
    oribi_text *text;
    size_t max_bytes;
    bool keeps_end, truncated;
} listener;

static void read_stream(void *arg)
{
    listener *self = arg;
    char bytes[4096];
    DWORD n = 0;
    while (ReadFile(self->from, bytes, sizeof bytes, &n, NULL) && n > 0) {
        const bool is_cut =
            oribi_process_keep(self->text, bytes, n, self->max_bytes, self->keeps_end);
        self->truncated = self->truncated || is_cut;
    }
}

/* One argument as the child's C library takes it apart again. */
static void append_argument(oribi_text *line, const char *word)
{
    oribi_text_append(line, line->length > 0 ? " \"" : "\"");
    for (const char *at = word;; at++) {
        size_t slashes = strspn(at, "\\");
        at += slashes;
        slashes *= *at == '"' || *at == '\0' ? 2 : 1;
        while (slashes-- > 0) {
            oribi_text_append_n(line, "\\", 1);
        }
        if (*at == '\0') {
            break;
        }
        oribi_text_append(line, *at == '"' ? "\\" : "");
        oribi_text_append_n(line, at, 1);
    }
    oribi_text_append(line, "\"");
}

static int start(const char *const *argv, const listener streams[2], HANDLE job,
                 PROCESS_INFORMATION *out)
{
    oribi_text line = {0};
    for (int i = 0; argv[i] != NULL; i++) {
        append_argument(&line, argv[i]);
    }
    wchar_t *wide = line.failed ? NULL : oribi_windows_wide(oribi_text_string(&line));
    wchar_t *program = oribi_windows_wide(argv[0]);
    SECURITY_ATTRIBUTES handed_on = {.nLength = sizeof handed_on, .bInheritHandle = TRUE};
    HANDLE nothing = CreateFileW(L"NUL", GENERIC_READ, FILE_SHARE_READ | FILE_SHARE_WRITE,
                                 &handed_on, OPEN_EXISTING, 0, NULL);
    STARTUPINFOW info = {.cb = sizeof info,
                         .dwFlags = STARTF_USESTDHANDLES,
                         .hStdInput = nothing,
                         .hStdOutput = streams[0].to,
                         .hStdError = streams[1].to};
    int error = wide == NULL || program == NULL ? ENOMEM : 0;
    if (error == 0 &&
        !CreateProcessW(program, wide, NULL, NULL, TRUE, CREATE_SUSPENDED | CREATE_NO_WINDOW, NULL,
                        NULL, &info, out)) {
        error = oribi_windows_errno(GetLastError());
    }
    if (error == 0) {
        (void)AssignProcessToJobObject(job, out->hProcess);
        (void)ResumeThread(out->hThread);
    }
    (void)CloseHandle(nothing);
    oribi_free(program);
    oribi_free(wide);
    oribi_text_destroy(&line);
    return error;
}

static bool open_pipe(listener *stream)
{
    SECURITY_ATTRIBUTES handed_on = {.nLength = sizeof handed_on, .bInheritHandle = TRUE};
    return CreatePipe(&stream->from, &stream->to, &handed_on, 0) &&
           SetHandleInformation(stream->from, HANDLE_FLAG_INHERIT, 0);
}

static void close_both(listener *stream)
{
    HANDLE *ends[] = {&stream->from, &stream->to};
    for (int i = 0; i < 2; i++) {
        if (*ends[i] != NULL) {
            (void)CloseHandle(*ends[i]);
            *ends[i] = NULL;
        }
    }
}

/* Waits for the child, ends what is left of its job, and takes what was said. */
static int follow(const PROCESS_INFORMATION *child, HANDLE job, listener streams[2],
                  uint64_t timeout_ms, oribi_process_result *result)
{
    const DWORD limit = timeout_ms < INFINITE ? (DWORD)timeout_ms : INFINITE - 1;
    oribi_thread *threads[2];
    DWORD code = 0;
    for (int i = 0; i < 2; i++) {
        (void)CloseHandle(streams[i].to); /* the child's alone from now on */
        streams[i].to = NULL;
        threads[i] = oribi_thread_start(read_stream, &streams[i], "output", 0);
    }
    const bool has_both = threads[0] != NULL && threads[1] != NULL;
    result->timed_out = WaitForSingleObject(child->hProcess, has_both ? limit : 0) == WAIT_TIMEOUT;
    (void)TerminateJobObject(job, 1);
    (void)WaitForSingleObject(child->hProcess, INFINITE);
    for (int i = 0; i < 2; i++) {
        oribi_thread_join(threads[i]);
    }
    if (!result->timed_out && GetExitCodeProcess(child->hProcess, &code)) {
        result->exit_code = code <= INT32_MAX ? (int)code : -1; /* above: an exception's number */
    }
    result->truncated = streams[0].truncated || streams[1].truncated;
    return !has_both || result->out.failed || result->err.failed ? ENOMEM : 0;
}

int oribi_process_run(const char *const *argv, size_t max_bytes, uint64_t timeout_ms,
                      oribi_process_result *out_result)
{
    oribi_process_result result = {.exit_code = -1};
    listener streams[2] = {{.text = &result.out, .max_bytes = max_bytes},
                           {.text = &result.err, .max_bytes = max_bytes, .keeps_end = true}};
    PROCESS_INFORMATION child = {0};
    HANDLE job = CreateJobObjectW(NULL, NULL);
    int error = job != NULL && open_pipe(&streams[0]) && open_pipe(&streams[1])
                    ? 0
                    : oribi_windows_errno(GetLastError());
    error = error == 0 ? start(argv, streams, job, &child) : error;
    if (error == 0) {
        error = follow(&child, job, streams, timeout_ms, &result);
        (void)CloseHandle(child.hThread);
        (void)CloseHandle(child.hProcess);
    }
    close_both(&streams[0]);
    close_both(&streams[1]);
    if (job != NULL) {
        (void)CloseHandle(job);
    }
    if (error != 0) {
        oribi_process_result_destroy(&result);
        return error;
    }
    *out_result = result;
    return 0;
}
