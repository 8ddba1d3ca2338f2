/* SPDX-License-Identifier: Apache-2.0 */
/* Probe of a plugin: its init runs in a helper process first, which may crash, hang or exit in our
 * place. Not here: the helper itself (probe/main.c), remembered verdicts (verdict.c).
 *
 * The helper's stdout carries its report alone (what the plugin prints goes to stderr there):
 *   "oribi-probe 1"           it started
 *   "at TEXT"                 what it does next
 *   "json TEXT"               the answer to what was asked beyond a probe
 *   "verdict CODE MESSAGE"    the end; nothing after it counts
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/alloc.h"
#include "base/log.h"
#include "base/process.h"
#include "plugin/plugin_internal.h"

enum { TIMEOUT_MS = 10000, MAX_OUTPUT = 64 * 1024, MAX_ANSWER = 1 << 24, MAX_QUOTE = 160 };

/* Newly allocated, or NULL: not found. *out_is_off: the user switched probing off. */
static char *find_helper(bool *out_is_off)
{
    static const char *const beside[] = {"oribi-plugin-probe",
                                         "../libexec/oribi/oribi-plugin-probe",
                                         "../../libexec/oribi/oribi-plugin-probe"};
    const char *named = secure_getenv("ORIBI_PLUGIN_PROBE");
    *out_is_off = named && !named[0];
    if (named) {
        return named[0] && oribi_file_exists(named) ? oribi_strdup(named) : NULL;
    }
    char *folder = oribi__own_folder();
    char *found = NULL;
    for (size_t i = 0; folder && !found && i < sizeof(beside) / sizeof(beside[0]); i++) {
        found = oribi_path_join(folder, beside[i]);
        if (found && !oribi_file_exists(found)) {
            oribi_free(found);
            found = NULL;
        }
    }
    oribi_free(folder);
#ifdef ORIBI_PROBE_INSTALLED
    if (!found && oribi_file_exists(ORIBI_PROBE_INSTALLED)) {
        found = oribi_strdup(ORIBI_PROBE_INSTALLED);
    }
#endif
    return found;
}

static uint64_t timeout_ms(void)
{
    const char *text = secure_getenv("ORIBI_PLUGIN_PROBE_TIMEOUT_MS");
    char *end = NULL;
    unsigned long long value = text ? strtoull(text, &end, 10) : 0;
    return text && end != text && !*end && value > 0 && value < 86400000 ? value : TIMEOUT_MS;
}

/* Appends a line, made harmless: at most MAX_QUOTE printable bytes. */
static size_t put_line(char *quote, size_t at, const char *line, size_t length)
{
    for (size_t i = 0; i < length && i < MAX_QUOTE; i++) {
        const bool is_fine = line[i] >= ' ' && line[i] != 0x7f;
        quote[at++] = is_fine ? line[i] : '?';
    }
    return at;
}

static bool says(const char *line, size_t length, const char *word)
{
    const size_t n = strlen(word);
    for (size_t i = 0; i + n <= length; i++) {
        if (strncasecmp(line + i, word, n) == 0) {
            return true;
        }
    }
    return false;
}

/* Does a line look like the cause? What follows a cause is often only its consequence. */
static bool is_error(const char *line, size_t length)
{
    static const char *const words[] = {
        "error", "undefined symbol", "cannot", "failed", "not found", "fatal", "terminate"};
    bool is = false;
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
        is = is || says(line, length, words[i]);
    }
    return is;
}

enum { LAST_LINES = 3, QUOTE_BYTES = (LAST_LINES + 1) * (MAX_QUOTE + 3) + 64 };

/* The first line of what the plugin said on stderr that looks like an error, and the last ones. */
static void quote_lines(const oribi_text *said, char quote[QUOTE_BYTES])
{
    struct {
        const char *text;
        size_t length;
    } first = {0}, last[LAST_LINES];
    size_t n = 0;
    const char *end = said->length > 0 ? said->data + said->length : NULL;
    for (const char *at = said->data; end != NULL && at < end;) {
        const char *stop = memchr(at, '\n', (size_t)(end - at));
        size_t length = (size_t)((stop != NULL ? stop : end) - at);
        if (length > 0) {
            if (first.text == NULL && is_error(at, length)) {
                first.text = at;
                first.length = length;
            }
            last[n % LAST_LINES].text = at;
            last[n++ % LAST_LINES].length = length;
        }
        at += length + 1;
    }
    size_t at = 0;
    const size_t from = n > LAST_LINES ? n - LAST_LINES : 0;
    if (first.text != NULL && n > LAST_LINES && first.text < last[from % LAST_LINES].text) {
        at = (size_t)snprintf(quote, QUOTE_BYTES, "; it said: \"");
        at = put_line(quote, at, first.text, first.length);
        quote[at++] = '"';
    }
    if (n > 0) {
        at += (size_t)snprintf(quote + at, QUOTE_BYTES - at, "%s \"",
                               at > 0 ? ", and last:" : "; it said last:");
    }
    for (size_t i = from; i < n; i++) {
        at = put_line(quote, at, last[i % LAST_LINES].text, last[i % LAST_LINES].length);
        at += i + 1 < n ? (size_t)snprintf(quote + at, 4, " | ") : 0;
    }
    if (n > 0) {
        quote[at++] = '"';
    }
    quote[at] = '\0';
}

typedef struct report {
    bool is_started, has_verdict;
    TF_Code code;
    char *at, *json, *message; /* into the text; NULL when absent */
} report;

static report read_report(char *text)
{
    report r = {0};
    for (char *line = text; line && *line && !r.has_verdict;) {
        char *end = strchr(line, '\n');
        if (!end) {
            break; /* cut short */
        }
        *end = '\0';
        if (strcmp(line, "oribi-probe 1") == 0) {
            r.is_started = true;
        } else if (strncmp(line, "at ", 3) == 0) {
            r.at = line + 3;
        } else if (strncmp(line, "json ", 5) == 0) {
            r.json = line + 5;
        } else if (strncmp(line, "verdict ", 8) == 0) {
            r.has_verdict = true;
            r.code = (TF_Code)strtol(line + 8, &r.message, 10);
            r.message += *r.message == ' ';
        }
        line = end + 1;
    }
    return r;
}

static bool judge(const char *path, uint64_t limit_ms, oribi_process_result *result,
                  oribi_text *json, TF_Status *status)
{
    char quote[QUOTE_BYTES];
    report r = read_report(result->out.data);
    const char *at = r.at ? r.at : "before the probe had begun";
    quote_lines(&result->err, quote);
    if (result->timed_out) {
        return oribi_fail(status, TF_DEADLINE_EXCEEDED,
                          "plugin '%s': hung in the probe (%s) and was ended after %llu ms%s", path,
                          at, (unsigned long long)limit_ms, quote);
    }
    if (result->signal) {
        return oribi_fail(status, TF_ABORTED,
                          "plugin '%s': crashed in the probe (%s) with signal %d, %s%s", path, at,
                          result->signal, strsignal(result->signal), quote);
    }
    if (!r.has_verdict) {
        return oribi_fail(status, TF_ABORTED,
                          "plugin '%s': ended the probe (%s) with exit code %d%s", path, at,
                          result->exit_code, quote);
    }
    if (r.code != TF_OK) {
        return oribi_fail(status, r.code, "%s", r.message);
    }
    if (json) {
        oribi_text_append(json, r.json ? r.json : "null");
        return !json->failed || oribi_fail_memory(status);
    }
    return true;
}

/* False with *out_error 0: refused, status says why; else the helper could not be run. */
static bool run_helper(const char *helper, const oribi_helper_request *request, int *out_error,
                       oribi_text *json, TF_Status *status)
{
    oribi_process_result result;
    const char *argv[] = {
        helper,        request->path,     request->options ? request->options : "",
        request->mode, request->argument, NULL};
    const uint64_t limit_ms = request->timeout_ms ? request->timeout_ms : timeout_ms();
    *out_error =
        oribi_process_run(argv, request->mode ? MAX_ANSWER : MAX_OUTPUT, limit_ms, &result);
    if (*out_error != 0) {
        return false;
    }
    bool ok = judge(request->path, limit_ms, &result, json, status);
    oribi_process_result_destroy(&result);
    return ok;
}

bool oribi__helper_run(const oribi_helper_request *request, oribi_text *json, TF_Status *status)
{
    bool is_off;
    int error = 0;
    char *helper = find_helper(&is_off);
    if (!helper) {
        return oribi_fail(
            status, TF_UNAVAILABLE,
            "the program oribi-plugin-probe, which runs plugins in a process of their "
            "own, was not found%s; install it beside the library or name it in "
            "ORIBI_PLUGIN_PROBE",
            is_off ? " (ORIBI_PLUGIN_PROBE is empty)" : "");
    }
    bool ok = run_helper(helper, request, &error, json, status);
    if (error != 0) {
        oribi_fail(status, error == ENOMEM ? TF_RESOURCE_EXHAUSTED : TF_UNAVAILABLE,
                   "'%s' does not run: %s", helper, strerror(error));
    }
    oribi_free(helper);
    return ok;
}

bool oribi__plugin_probe(const char *path, const oribi_plugin_options *options,
                         const oribi_file_id *id, bool is_named, TF_Status *status)
{
    bool is_off;
    oribi_verdict_key key = {.plugin = *id};
    char *helper = find_helper(&is_off);
    if (!helper || oribi_file_identify(helper, &key.probe) != 0) {
        oribi_log(ORIBI_LOG_INFO, "plugin '%s': loaded without a probe (%s)", path,
                  is_off ? "ORIBI_PLUGIN_PROBE is empty" : "no oribi-plugin-probe was found");
        oribi_free(helper);
        return true;
    }
    if (options) {
        key.options_hash = oribi__verdict_hash(options->text, strlen(options->text));
    }
    TF_Status *verdict = TF_NewStatus();
    bool ok = verdict || oribi_fail_memory(status);
    int error = 0;
    if (ok && !oribi__verdict_find(&key, is_named, verdict)) {
        const oribi_helper_request request = {.path = path,
                                              .options = options ? options->text : ""};
        run_helper(helper, &request, &error, NULL, verdict);
        if (error == 0 && TF_GetCode(verdict) != TF_UNAVAILABLE) { /* a driver may come any time */
            oribi__verdict_keep(&key, verdict);
        }
    }
    if (ok && error == ENOMEM) {
        ok = oribi_fail_memory(status);
    } else if (ok && error != 0) {
        oribi_log(ORIBI_LOG_WARNING, "plugin '%s': loaded without a probe: '%s' does not run: %s",
                  path, helper, strerror(error));
    } else if (ok && !oribi_ok(verdict)) {
        oribi_status_copy(status, verdict);
        ok = false;
    }
    TF_DeleteStatus(verdict);
    oribi_free(helper);
    return ok;
}
