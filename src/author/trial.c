/* SPDX-License-Identifier: Apache-2.0 */
/* oribi_plugin_test: sends the cases of a kernel to a helper process and adds up what they found;
 * where they found something, each to a process of its own. Read next: trial_case.c, which runs in
 * the helper.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "oribi/oribi.h"
#include "author/trial.h"

enum { CASES = 6, MAX_CASES = 18, ROUNDS = 3, ENOUGH_COMPUTES = 20, TIMEOUT_MS = 20000 };
enum { FIRST_GIVEN = 1000, MAX_REQUEST_BYTES = 60000 };

typedef struct trials {
    const char *path;
    const oribi_plugin_options *options;
    oribi_plugin_test_settings settings;
    oribi_arena arena;
    const oribi_json_value *cases; /* first of the file, or NULL */
    oribi_json json;
    int64_t n_failures;
    int n_run;
    int part, n_parts; /* subjects part, part + n_parts, ... alone; n_parts 1: all */
} trials;

/* One kernel, or the shape function of an op that has none. */
typedef struct subject {
    const char *op, *name, *constraints;
    int64_t kernel; /* -1: the shape function */
    int n_cases, n_computes, n_given_computes, n_done, n_findings;
    uint32_t traits, tried; /* of the op: declared, and those that a case could try */
    bool is_lost;           /* it crashed or hung: enough seen */
    char names[24][24];     /* of findings so far: each is told once */
    char refusal[300];
    oribi_text model; /* of a case, in hex; "": none */
} subject;

static void add_finding(trials *all, subject *s, const char *name, const char *message, int number)
{
    for (int i = 0; i < s->n_findings; i++) {
        if (strcmp(s->names[i], name) == 0) {
            return;
        }
    }
    if (s->n_findings == 24) {
        return;
    }
    snprintf(s->names[s->n_findings++], sizeof(s->names[0]), "%s", name);
    oribi_json_open(&all->json, '{');
    oribi_json_put_string(&all->json, "check", name);
    oribi_json_put_string(&all->json, "message", message);
    oribi_json_key(&all->json, "case");
    oribi_json_int(&all->json, number);
    oribi_json_close(&all->json, '}');
}

static void read_answer(trials *all, subject *s, const oribi_json_value *answer, int number)
{
    const oribi_json_value *computes = oribi_json_find(answer, "computes");
    const oribi_json_value *done = oribi_json_find(answer, "done");
    const oribi_json_value *refusal = oribi_json_find(answer, "refusal");
    const oribi_json_value *findings = oribi_json_find(answer, "findings");
    const oribi_json_value *traits = oribi_json_find(answer, "traits");
    const oribi_json_value *tried = oribi_json_find(answer, "tried");
    s->n_cases++;
    s->traits |= traits ? (uint32_t)traits->integer : 0;
    s->tried |= tried ? (uint32_t)tried->integer : 0;
    s->n_computes += computes ? (int)computes->integer : 0;
    s->n_given_computes += computes && number >= FIRST_GIVEN ? (int)computes->integer : 0;
    s->n_done += done && done->number != 0;
    const oribi_json_value *model = oribi_json_find(answer, "model");
    if (model && model->text && s->model.length == 0) {
        oribi_text_append(&s->model, model->text);
    }
    if (refusal && refusal->length > 0) {
        snprintf(s->refusal, sizeof(s->refusal), "%s", refusal->text);
    }
    for (const oribi_json_value *f = findings ? findings->child : NULL; f; f = f->next) {
        const oribi_json_value *name = oribi_json_find(f, "check");
        const oribi_json_value *message = oribi_json_find(f, "message");
        if (name && message) {
            add_finding(all, s, name->text, message->text, number);
        }
    }
}

static void put_request(oribi_json *json, const trials *all, const subject *s, int number,
                        const oribi_json_value *given)
{
    oribi_json_open(json, '{');
    oribi_json_key(json, "seed");
    oribi_json_int(json, (int64_t)(all->settings.seed & INT64_MAX));
    oribi_json_key(json, "case");
    oribi_json_int(json, number);
    if (s->kernel >= 0) {
        oribi_json_key(json, "kernel");
        oribi_json_int(json, s->kernel);
    }
    oribi_json_put_string(json, "op", s->op);
    if (given) {
        oribi_json_key(json, "given");
        oribi_json_raw(json, given->begin, (size_t)(given->end - given->begin));
    }
    oribi_json_close(json, '}');
}

/* The answer, whose texts are in the arena; NULL with a status. */
static const oribi_json_value *ask(const trials *all, const oribi_text *request, int timeout_ms,
                                   oribi_arena *arena, TF_Status *status)
{
    oribi_text answer = {0};
    oribi_text error = {0};
    const oribi_json_value *root = NULL;
    const oribi_helper_request call = {.path = all->path,
                                       .options = all->options ? all->options->text : "",
                                       .mode = "case",
                                       .argument = oribi_text_string(request),
                                       .timeout_ms = (uint64_t)timeout_ms};
    if (oribi__helper_run(&call, &answer, status)) {
        root = oribi_json_read(oribi_text_string(&answer), answer.length, arena, &error);
        if (!root) {
            oribi_fail(status, TF_INTERNAL, "%s", oribi_text_string(&error));
        }
    }
    oribi_text_destroy(&answer);
    oribi_text_destroy(&error);
    return root;
}

static int timeout_of(const trials *all)
{
    return all->settings.timeout_ms > 0 ? all->settings.timeout_ms : TIMEOUT_MS;
}

/* False: the helper cannot work at all. */
static bool run_case(trials *all, subject *s, int number, const oribi_json_value *given,
                     TF_Status *status)
{
    oribi_arena arena = {0};
    oribi_text request = {0};
    oribi_json json = {.text = &request};
    put_request(&json, all, s, number, given);
    const oribi_json_value *answer = ask(all, &request, timeout_of(all), &arena, status);
    const TF_Code code = TF_GetCode(status);
    bool ok = answer != NULL;
    if (ok) {
        read_answer(all, s, answer, number);
    } else if (code == TF_DEADLINE_EXCEEDED || code == TF_ABORTED) {
        s->n_cases++;
        add_finding(all, s, code == TF_ABORTED ? "crash" : "hang", TF_Message(status), number);
        s->is_lost = code == TF_DEADLINE_EXCEEDED;
        TF_SetStatus(status, TF_OK, "");
        ok = true;
    }
    oribi_text_destroy(&request);
    oribi_arena_destroy(&arena);
    return ok;
}

/* "op" is a name or a list of names. */
static bool is_case_of(const oribi_json_value *given, const char *name)
{
    const oribi_json_value *op = oribi_json_find(given, "op");
    const oribi_json_value *one = op && op->kind == ORIBI_JSON_ARRAY ? op->child : op;
    for (; one; one = op->kind == ORIBI_JSON_ARRAY ? one->next : NULL) {
        if (one->text && strcmp(one->text, name) == 0) {
            return true;
        }
    }
    return false;
}

static bool run_given(trials *all, subject *s, bool is_begun, TF_Status *status)
{
    int number = FIRST_GIVEN;
    for (int round = 0; round < ROUNDS && s->n_given_computes < ENOUGH_COMPUTES; round++) {
        for (const oribi_json_value *c = all->cases; c && !s->is_lost; c = c->next, number++) {
            if (is_case_of(c, s->op) && (round > 0 || !is_begun)) {
                ORIBI_TRY(run_case(all, s, number, c, status));
            }
        }
    }
    return true;
}

/* Are all given cases of the op ones that must fail? Then a kernel that computes nothing is right.
 */
static bool must_refuse(const trials *all, const subject *s)
{
    bool found = false;
    for (const oribi_json_value *c = all->cases; c; c = c->next) {
        if (is_case_of(c, s->op)) {
            if (oribi_json_find(c, "error") == NULL) {
                return false;
            }
            found = true;
        }
    }
    return found;
}

/* A process for all the cases that a kernel has in any event. False: one of them found something,
 * or none of them is told apart from the others that way; nothing is taken from it. */
static bool run_together(trials *all, subject *s, int n_random)
{
    oribi_arena arena = {0};
    oribi_text request = {0};
    oribi_json json = {.text = &request};
    TF_Status *status = TF_NewStatus();
    int numbers[256], n = 0, number = FIRST_GIVEN;
    oribi_json_open(&json, '[');
    for (const oribi_json_value *c = all->cases; c && n < 128; c = c->next, number++) {
        if (is_case_of(c, s->op)) {
            put_request(&json, all, s, number, c);
            numbers[n++] = number;
        }
    }
    bool ok = status && n < 128 && n_random <= 128;
    for (int i = 0; ok && i < n_random; i++) {
        put_request(&json, all, s, i, NULL);
        numbers[n++] = i;
    }
    oribi_json_close(&json, ']');
    ok = ok && !request.failed && request.length <= MAX_REQUEST_BYTES;
    /* Less time: what hangs is to hang alone, for which there is all of it. */
    const oribi_json_value *answers =
        ok ? ask(all, &request, timeout_of(all) / 4 + 1, &arena, status) : NULL;
    ok = answers && answers->kind == ORIBI_JSON_ARRAY && answers->count == n;
    for (const oribi_json_value *a = ok ? answers->child : NULL; a && ok; a = a->next) {
        const oribi_json_value *findings = oribi_json_find(a, "findings");
        ok = findings && findings->count == 0;
    }
    n = 0;
    for (const oribi_json_value *a = ok ? answers->child : NULL; a; a = a->next) {
        read_answer(all, s, a, numbers[n++]);
    }
    oribi_text_destroy(&request);
    oribi_arena_destroy(&arena);
    TF_DeleteStatus(status);
    return ok;
}

static bool run_subject(trials *all, subject *s, TF_Status *status)
{
    const int n = all->settings.n_cases > 0 ? all->settings.n_cases : CASES;
    oribi_json_open(&all->json, '{');
    oribi_json_put_string(&all->json, "op", s->op);
    oribi_json_put_string(&all->json, "kernel", s->name);
    oribi_json_put_string(&all->json, "constraints", s->constraints);
    oribi_json_key(&all->json, "findings");
    oribi_json_open(&all->json, '[');
    const bool is_begun = run_together(all, s, n);
    bool ok = run_given(all, s, is_begun, status);
    for (int i = is_begun ? n : 0; ok && !s->is_lost && i < MAX_CASES; i++) {
        const bool wants_more = s->n_done > 0 && s->n_computes < ENOUGH_COMPUTES;
        if (i >= n && !wants_more) {
            break;
        }
        ok = run_case(all, s, i, NULL, status);
    }
    const bool is_exercised = s->n_computes >= ENOUGH_COMPUTES;
    const bool has_no_values = /* of a plugin's own objects nobody but the plugin can make one */
        s->n_computes == 0 && strstr(s->refusal, "no test values of type variant") != NULL;
    if (ok && !is_exercised && !has_no_values && (s->n_computes > 0 || !must_refuse(all, s))) {
        char message[400];
        snprintf(message, sizeof(message), "%d %s of at least %d; last refusal: %s", s->n_computes,
                 s->kernel < 0 ? "shapes inferred" : "computes", ENOUGH_COMPUTES,
                 s->refusal[0] ? s->refusal : "none");
        add_finding(all, s, "not-exercised", message, s->n_cases);
    }
    all->n_failures += s->n_findings > 0;
    oribi_json_close(&all->json, ']');
    oribi_json_key(&all->json, "cases");
    oribi_json_int(&all->json, s->n_cases);
    oribi_json_key(&all->json, "computes");
    oribi_json_int(&all->json, s->n_computes);
    oribi_json_put_bool(&all->json, "left_out", has_no_values);
    oribi__traits_put(&all->json, "traits", s->traits & s->tried);
    oribi__traits_put(&all->json, "untried_traits", s->traits & ~s->tried);
    if (s->model.length > 0 && !s->model.failed) {
        oribi_json_put_string(&all->json, "model", oribi_text_string(&s->model));
    }
    oribi_text_destroy(&s->model);
    oribi_json_close(&all->json, '}');
    return ok;
}

static const char *text_of(const oribi_json_value *object, const char *key)
{
    const oribi_json_value *value = oribi_json_find(object, key);
    return value && value->text ? value->text : "";
}

static bool is_of_host(const oribi_json_value *kernel)
{
    const char *device = text_of(kernel, "device");
    return strcmp(device, "CPU") == 0 || strcmp(device, "DEFAULT") == 0;
}

/* A kernel of a device is told and left out: its memory is not the host's. */
static void tell_skipped(trials *all, const oribi_json_value *kernel)
{
    oribi_json_open(&all->json, '{');
    oribi_json_put_string(&all->json, "op", text_of(kernel, "op"));
    oribi_json_put_string(&all->json, "kernel", text_of(kernel, "name"));
    oribi_json_put_string(&all->json, "constraints", text_of(kernel, "constraints"));
    oribi_json_put_string(&all->json, "device", text_of(kernel, "device"));
    oribi_json_close(&all->json, '}');
    all->n_run++;
}

/* One that is tested here. */
static bool has_kernel(const oribi_json_value *kernels, const char *op)
{
    for (const oribi_json_value *k = kernels ? kernels->child : NULL; k; k = k->next) {
        if (strcmp(text_of(k, "op"), op) == 0 && is_of_host(k)) {
            return true;
        }
    }
    return false;
}

/* Every subject is counted; those of this part and of this op, and not run as a kernel's, are run.
 */
static bool run_one(trials *all, subject *s, bool is_wanted, int number, int total,
                    TF_Status *status)
{
    const oribi_plugin_test_settings *settings = &all->settings;
    bool ok = true;
    if (is_wanted && number % all->n_parts == all->part &&
        (!settings->only || strcmp(settings->only, s->op) == 0)) {
        all->n_run++;
        ok = run_subject(all, s, status);
    }
    if (settings->progress) {
        settings->progress(settings->arg, s->op, number + 1, total);
    }
    return ok;
}

/* "#K/N" of settings.only. */
static bool read_part(trials *all, TF_Status *status)
{
    const char *text = all->settings.only;
    char *end = NULL;
    all->n_parts = 1;
    if (!text || text[0] != '#') {
        return true;
    }
    const long part = strtol(text + 1, &end, 10);
    const long n = *end == '/' ? strtol(end + 1, &end, 10) : 0;
    if (*end != '\0' || part < 1 || part > n || n > 10000) {
        return oribi_fail(status, TF_INVALID_ARGUMENT,
                          "part '%s' of the kernels: write K/N with K from 1 to N", text + 1);
    }
    all->part = (int)part - 1;
    all->n_parts = (int)n;
    all->settings.only = NULL;
    return true;
}

static bool run_all(trials *all, const oribi_json_value *registered, TF_Status *status)
{
    const oribi_json_value *kernels = oribi_json_find(registered, "kernels");
    const oribi_json_value *ops = oribi_json_find(registered, "ops");
    int64_t index = 0;
    int number = 0;
    const int total = (kernels ? kernels->count : 0) + (ops ? ops->count : 0);
    for (const oribi_json_value *k = kernels ? kernels->child : NULL; k; k = k->next) {
        subject s = {.op = text_of(k, "op"),
                     .name = text_of(k, "name"),
                     .constraints = text_of(k, "constraints"),
                     .kernel = index++};
        const char *only = all->settings.only;
        if (!is_of_host(k) && (!only || strcmp(only, s.op) == 0)) {
            tell_skipped(all, k);
        }
        ORIBI_TRY(run_one(all, &s, is_of_host(k), number++, total, status));
    }
    for (const oribi_json_value *o = ops ? ops->child : NULL; o; o = o->next) {
        subject s = {.op = text_of(o, "name"), .name = "", .constraints = "", .kernel = -1};
        ORIBI_TRY(run_one(all, &s, !has_kernel(kernels, s.op), number++, total, status));
    }
    if (all->n_run == 0 && all->n_parts == 1) { /* a part may be empty */
        const char *only = all->settings.only;
        return oribi_fail(
            status, TF_NOT_FOUND,
            "plugin '%s': there is nothing to test: it registers no kernel and no op%s%s%s",
            all->path, only ? " '" : "", only ? only : "", only ? "'" : "");
    }
    return true;
}

/* FOLDER/STEM.cases.json; NULL when it is not there. */
static char *read_case_file(const char *folder, const char *stem, size_t length)
{
    oribi_text name = {0};
    void *data = NULL;
    size_t bytes = 0;
    char *text = NULL;
    oribi_text_printf(&name, "%s%s", folder, folder[0] ? "/" : "");
    oribi_text_append_n(&name, stem, length);
    oribi_text_append(&name, ".cases.json");
    if (!name.failed && oribi_file_read(name.data, 1 << 24, &data, &bytes) == 0) {
        text = oribi_strndup(data, bytes);
    }
    oribi_free(data);
    oribi_text_destroy(&name);
    return text;
}

/* Beside FILE.so; of the built-in plugins with what belongs to the library. */
static char *find_cases(const char *path)
{
    static const char name[] = "built_in";
    if (!oribi_plugin_is_built_in(path)) {
        const char *end = strstr(oribi_path_name(path), ".so");
        return read_case_file("", path, end ? (size_t)(end - path) : strlen(path));
    }
    char *folder = oribi__own_find("cases");
    char *text = folder ? read_case_file(folder, name, strlen(name)) : NULL;
    oribi_free(folder);
    return text;
}

static bool read_cases(trials *all, const char *text, TF_Status *status)
{
    oribi_text error = {0};
    const oribi_json_value *root = oribi_json_read(text, strlen(text), &all->arena, &error);
    const oribi_json_value *cases =
        root && root->kind == ORIBI_JSON_OBJECT ? oribi_json_find(root, "cases") : root;
    bool ok = cases && cases->kind == ORIBI_JSON_ARRAY;
    if (ok) {
        all->cases = cases->child;
    } else {
        oribi_fail(status, TF_INVALID_ARGUMENT, "test cases: %s",
                   error.length ? error.data : "want {\"cases\": [{\"op\": ..}, ..]}");
    }
    oribi_text_destroy(&error);
    return ok;
}

static bool test(trials *all, TF_Status *status)
{
    oribi_elf elf = {0};
    oribi_text described = {0};
    oribi_text error = {0};
    char *beside = all->settings.cases ? NULL : find_cases(all->path);
    const char *cases = all->settings.cases ? all->settings.cases : beside;
    const oribi_helper_request request = {
        .path = all->path, .options = all->options ? all->options->text : "", .mode = "describe"};
    const oribi_json_value *registered = NULL;
    bool ok = oribi_plugin_is_built_in(all->path) ||
              oribi__elf_read(all->path, &all->arena, &elf, status);
    ok = ok && read_part(all, status);
    cases = cases ? cases : elf.cases;
    ok = ok && (!cases || read_cases(all, cases, status)) &&
         oribi__helper_run(&request, &described, status);
    if (ok) {
        registered =
            oribi_json_read(oribi_text_string(&described), described.length, &all->arena, &error);
        ok = registered || oribi_fail(status, TF_INTERNAL, "%s", oribi_text_string(&error));
    }
    if (ok) {
        oribi_json_open(&all->json, '{');
        oribi_json_put_string(&all->json, "path", all->path);
        oribi_json_key(&all->json, "seed");
        oribi_json_uint(&all->json, all->settings.seed);
        oribi_json_key(&all->json, "kernels");
        oribi_json_open(&all->json, '[');
        ok = run_all(all, registered, status);
        oribi_json_close(&all->json, ']');
        oribi_json_key(&all->json, "failures");
        oribi_json_int(&all->json, all->n_failures);
        oribi_json_close(&all->json, '}');
    }
    oribi_text_destroy(&error);
    oribi_text_destroy(&described);
    oribi_free(beside);
    return ok;
}

void oribi_plugin_test(const char *spec, const oribi_plugin_test_settings *settings,
                       TF_Buffer *buffer, TF_Status *status)
{
    oribi_text text = {0};
    trials all = {.json = {.text = &text}};
    char *path = NULL;
    if (!ORIBI_GIVEN(status, spec, buffer)) {
        return;
    }
    if (buffer->data) {
        oribi_fail(status, TF_INVALID_ARGUMENT, "oribi_plugin_test: the buffer is not empty");
        return;
    }
    if (settings) { /* of an older caller: shorter */
        memcpy(&all.settings, settings,
               settings->struct_size < sizeof(all.settings) ? settings->struct_size
                                                            : sizeof(all.settings));
    }
    const bool is_built_in = oribi_plugin_is_built_in(spec);
    path = is_built_in ? oribi_strdup(spec) : NULL;
    if (is_built_in && !path) {
        oribi_fail_memory(status);
    } else if (is_built_in || oribi__plugin_spec_parse(spec, &path, &all.options, status)) {
        all.path = path;
        if (test(&all, status)) {
            oribi__json_give(&text, buffer, status);
            text = (oribi_text){0};
        }
    }
    oribi_text_destroy(&text);
    oribi_arena_destroy(&all.arena);
    oribi_free(path);
}
