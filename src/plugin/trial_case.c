/* SPDX-License-Identifier: Apache-2.0 */
/* One case of one kernel, in the helper process: draws inputs that the shape function accepts,
 * computes them in different ways and compares. Names of findings are listed in
 * docs/author-tools.md. Read next: trial_run.c.
 */
#include <malloc.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/log.h"
#include "oribi/oribi.h"
#include "plugin/trial.h"
#include "tensor/handle.h"

enum { MAX_SAMPLES = 600, MAX_REFUSALS = 60, REPEATS = 20, PATTERN = 0xa5, OTHER_PATTERN = 0x5b };

typedef struct trial_case {
    oribi_trial trial;
    const char *path;
    oribi_kernel kernel;
    oribi_node_view view;
    oribi_json *json;
    int n_computes;
    bool has_open;             /* contexts stay then, with what is theirs: nothing can be counted */
    oribi_trial_outcome first; /* what all others must agree with */
} trial_case;

static void say(trial_case *c, const char *name, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static void say(trial_case *c, const char *name, const char *format, ...)
{
    oribi_text message = {0};
    va_list args;
    va_start(args, format);
    oribi_text_vprintf(&message, format, args);
    va_end(args);
    oribi_text_append(&message, "; ");
    oribi__trial_print(&c->trial, &message);
    oribi_json_open(c->json, '{');
    oribi__json_field(c->json, "check", name);
    oribi__json_field(c->json, "message", oribi_text_string(&message));
    oribi_json_close(c->json, '}');
    oribi_text_destroy(&message);
}

/* Where the process is, should it end here: the probe's reader quotes it. */
static void at(const trial_case *c, const char *what)
{
    oribi_log(ORIBI_LOG_INFO, "plugin '%s': %s", c->path, what);
}

/* --- What one computation tells by itself ------------------------------------------------------
 */

static void judge_outcome(trial_case *c, const oribi_trial_outcome *o)
{
    if (o->damage.length) {
        say(c, "out-of-bounds", "%s", o->damage.data);
    }
    if (o->modified.length) {
        say(c, "input-modified", "changed %s", o->modified.data);
    }
    if (o->n_open != 0) {
        c->has_open = true;
        say(c, "tensor-leak", "left %lld tensors of the run undeleted", (long long)o->n_open);
    }
}

static bool run(trial_case *c, const oribi_trial_setting *setting, oribi_trial_outcome *o)
{
    if (!oribi__trial_run(&c->trial, &c->kernel, setting, o)) {
        oribi__trial_outcome_clear(o);
        return false;
    }
    c->n_computes += o->is_ok;
    judge_outcome(c, o);
    return true;
}

static bool shape_agrees(const oribi_shape *inferred, const oribi_trial_output *real)
{
    if (inferred->rank >= 0 && inferred->rank != real->rank) {
        return false;
    }
    for (int32_t k = 0; k < inferred->rank && k < ORIBI_INLINE_RANK; k++) {
        if (inferred->dims[k] >= 0 && inferred->dims[k] != real->dims[k]) {
            return false;
        }
    }
    return true;
}

static void check_shapes(trial_case *c, const oribi_shape *inferred, const char *from)
{
    for (int32_t i = 0; i < c->first.n_outputs && c->first.is_ok; i++) {
        if (!shape_agrees(&inferred[i], &c->first.outputs[i])) {
            const oribi_trial_output *o = &c->first.outputs[i];
            const oribi_shape real = {o->rank, (int64_t *)o->dims};
            oribi_text text = {0};
            oribi_shape_print(&inferred[i], &text);
            oribi_text_append(&text, " and the kernel made ");
            oribi_shape_print(&real, &text);
            say(c, "shape-function", "output %d: the shape function said %s from %s", i,
                oribi_text_string(&text), from);
            oribi_text_destroy(&text);
        }
    }
}

/* --- Comparison with the first outcome ---------------------------------------------------------
 */

static bool same_bytes(const oribi_trial_outcome *a, const oribi_trial_outcome *b)
{
    return a->is_ok == b->is_ok && a->bytes.length == b->bytes.length &&
           (a->bytes.length == 0 || memcmp(a->bytes.data, b->bytes.data, a->bytes.length) == 0);
}

static void describe_difference(const trial_case *c, const oribi_trial_outcome *o, char out[200])
{
    if (!o->is_ok || !c->first.is_ok) {
        snprintf(out, 200, "one failed: %.150s",
                 TF_Message(o->is_ok ? c->first.status : o->status));
        return;
    }
    size_t i = 0;
    while (i < o->bytes.length && i < c->first.bytes.length &&
           o->bytes.data[i] == c->first.bytes.data[i]) {
        i++;
    }
    int32_t k = 0;
    while (k + 1 < o->n_outputs && o->outputs[k].begin + o->outputs[k].bytes <= i) {
        k++;
    }
    snprintf(out, 200, "output %d differs from byte %zu on", k, i - o->outputs[k].begin);
}

static void compare(trial_case *c, const oribi_trial_setting *setting, const char *name,
                    const char *what)
{
    oribi_trial_outcome o;
    char difference[200];
    at(c, what);
    if (run(c, setting, &o)) {
        if (!same_bytes(&c->first, &o)) {
            describe_difference(c, &o, difference);
            say(c, name, "%s: %s", what, difference);
        }
        oribi__trial_outcome_clear(&o);
    }
}

/* Are all differing bytes those of the two patterns, that is, never written? */
static bool is_unwritten(const oribi_trial_outcome *a, const oribi_trial_outcome *b)
{
    if (a->bytes.length != b->bytes.length) {
        return false;
    }
    for (size_t i = 0; i < a->bytes.length; i++) {
        if (a->bytes.data[i] != b->bytes.data[i] &&
            ((uint8_t)a->bytes.data[i] != PATTERN || (uint8_t)b->bytes.data[i] != OTHER_PATTERN)) {
            return false;
        }
    }
    return true;
}

static void check_patterns(trial_case *c)
{
    const oribi_trial_setting other = {.pattern = OTHER_PATTERN};
    oribi_trial_outcome o;
    char difference[200];
    at(c, "running it on memory with another pattern");
    for (int pass = 0; pass < 2; pass++) { /* once, so that freed blocks have the pattern too */
        if (!run(c, &other, &o)) {
            return;
        }
        if (pass == 1 && !same_bytes(&c->first, &o)) {
            describe_difference(c, &o, difference);
            const bool unwritten = is_unwritten(&c->first, &o);
            say(c, unwritten ? "unwritten-output" : "uninitialised-read",
                "the outcome depends on what was in the memory before: %s", difference);
        }
        oribi__trial_outcome_clear(&o);
    }
}

static void check_threads(trial_case *c)
{
    static const int counts[] = {2, 4};
    for (int i = 0; i < 2; i++) {
        oribi_pool *pool = oribi_pool_create(counts[i], c->first.status);
        const oribi_trial_setting setting = {.pattern = PATTERN, .pool = pool};
        compare(c, &setting, "threads", i ? "running it on 4 threads" : "running it on 2 threads");
        oribi_pool_destroy(pool);
    }
}

static bool has_equal_inputs(const oribi_trial *t)
{
    for (int32_t i = 1; i < t->signature.n_inputs; i++) {
        for (int32_t k = 0; k < i; k++) {
            if (t->inputs[i]->dtype == t->inputs[k]->dtype && t->inputs[i]->bytes > 0 &&
                t->inputs[i]->dtype != TF_STRING && t->inputs[i]->bytes == t->inputs[k]->bytes &&
                t->inputs[i]->rank == t->inputs[k]->rank) {
                return true;
            }
        }
    }
    return false;
}

/* Equal inputs as one tensor, which must not be taken over, against the same as copies. */
static void check_aliases(trial_case *c)
{
    const oribi_trial_setting apart = {.pattern = PATTERN};
    const oribi_trial_setting together = {.pattern = PATTERN, .aliases = true};
    TF_Tensor *kept[ORIBI_TRIAL_MAX_INPUTS];
    oribi_trial *t = &c->trial;
    oribi_trial_outcome copies;
    memcpy(kept, t->inputs, sizeof(kept[0]) * (size_t)t->signature.n_inputs);
    for (int32_t i = 1; i < t->signature.n_inputs; i++) {
        for (int32_t k = i - 1; k >= 0; k--) {
            const bool same =
                kept[i]->dtype == kept[k]->dtype && kept[i]->rank == kept[k]->rank &&
                memcmp(kept[i]->dims, kept[k]->dims, (size_t)kept[i]->rank * sizeof(int64_t)) == 0;
            t->inputs[i] = same ? kept[k] : t->inputs[i];
        }
    }
    at(c, "running it with one tensor for equal inputs");
    if (run(c, &apart, &copies)) {
        oribi_trial_outcome first = c->first;
        c->first = copies;
        if (copies.is_ok) {
            compare(c, &together, "aliasing", "running it with one tensor for equal inputs");
        }
        c->first = first;
        oribi__trial_outcome_clear(&copies);
    }
    memcpy(t->inputs, kept, sizeof(kept[0]) * (size_t)t->signature.n_inputs);
}

static void check_refusals(trial_case *c)
{
    for (int n = 1; n <= c->first.n_requests && n <= 4; n++) {
        const oribi_trial_setting setting = {.pattern = PATTERN, .fail_at = n};
        oribi_trial_outcome o;
        const int computes = c->n_computes;
        at(c, "refusing it memory");
        if (run(c, &setting, &o)) {
            const bool is_reported =
                !o.is_ok && strstr(TF_Message(o.status), "and no error") == NULL;
            if (!is_reported && !same_bytes(&c->first, &o)) {
                say(c, "ignores-failure",
                    "request %d for memory was refused and the kernel did not "
                    "report it",
                    n);
            }
            oribi__trial_outcome_clear(&o);
        }
        c->n_computes = computes;
    }
}

static size_t heap_bytes(void)
{
#if defined(__GLIBC__) && (__GLIBC__ > 2 || __GLIBC_MINOR__ >= 33)
    return mallinfo2().uordblks;
#else
    return 0;
#endif
}

/* Bytes of the heap that REPEATS computes leave behind. */
static size_t measure_growth(trial_case *c)
{
    const oribi_trial_setting setting = {.pattern = PATTERN};
    oribi_trial_outcome o;
    oribi_handle_trim();
    const size_t heap = heap_bytes();
    for (int i = 0; i < REPEATS; i++) {
        (void)oribi__trial_run(&c->trial, &c->kernel, &setting, &o);
        oribi__trial_outcome_clear(&o);
    }
    oribi_handle_trim();
    const size_t now = heap_bytes();
    return now > heap ? now - heap : 0;
}

static void check_leaks(trial_case *c)
{
    const size_t statuses = oribi_handle_count_live(ORIBI_HANDLE_STATUS);
    const size_t tensors = oribi_handle_count_live(ORIBI_HANDLE_TENSOR);
    size_t least = SIZE_MAX;
    at(c, "running it again and again");
    /* The C library's caches of freed blocks count as used until they are full: a leak is what
     * grows in each window. */
    for (int window = 0; window < 4; window++) {
        const size_t grown = measure_growth(c);
        least = window > 0 && grown < least ? grown : least;
    }
    const size_t now_statuses = oribi_handle_count_live(ORIBI_HANDLE_STATUS);
    const size_t now_tensors = oribi_handle_count_live(ORIBI_HANDLE_TENSOR);
    if (now_statuses >= statuses + REPEATS) {
        say(c, "status-leak", "%zu statuses more after %d computes", now_statuses - statuses,
            4 * REPEATS);
    } else if (now_tensors >= tensors + REPEATS) {
        say(c, "tensor-leak", "%zu tensors more after %d computes", now_tensors - tensors,
            4 * REPEATS);
    } else if (least >= REPEATS * 16) {
        say(c, "memory-leak", "%zu bytes more after each %d computes", least, REPEATS);
    }
}

/* Expected outputs of a given case, in order, as numbers. */
static void check_expected(trial_case *c)
{
    const oribi_json_value *expected = oribi_json_find(c->trial.given, "outputs");
    const oribi_json_value *output = expected ? expected->child : NULL;
    const oribi_json_value *tolerance = oribi_json_find(c->trial.given, "tolerance");
    for (int32_t i = 0; output && i < c->first.n_outputs; i++, output = output->next) {
        const oribi_json_value *values = oribi_json_find(output, "values");
        const char *bytes = c->first.bytes.data + c->first.outputs[i].begin;
        int64_t n = 0;
        for (const oribi_json_value *v = values ? values->child : NULL; v; v = v->next, n++) {
            float value = 0;
            if (c->first.outputs[i].dtype != TF_FLOAT ||
                (size_t)(n + 1) * sizeof(value) > c->first.outputs[i].bytes) {
                say(c, "expected-output", "output %d has another type or fewer elements", i);
                break;
            }
            memcpy(&value, bytes + (size_t)n * sizeof(value), sizeof(value));
            const double off = (double)value - v->number;
            if (!(off <= (tolerance ? tolerance->number : 1e-5) &&
                  -off <= (tolerance ? tolerance->number : 1e-5))) {
                say(c, "expected-output", "output %d, element %lld is %g, not %g", i, (long long)n,
                    (double)value, v->number);
                break;
            }
        }
    }
}

/* --- The order of things -----------------------------------------------------------------------
 */

static bool infer(trial_case *c, bool is_blind, oribi_shape *out, TF_Status *status)
{
    oribi_trial *t = &c->trial;
    oribi_shape unknown[ORIBI_TRIAL_MAX_INPUTS];
    for (int32_t i = 0; i < t->signature.n_inputs; i++) {
        unknown[i] = (oribi_shape){-1, NULL};
    }
    return oribi_op_infer_shapes(t->op, "trial", &t->attrs, &t->signature,
                                 is_blind ? unknown : t->input_shapes, is_blind ? NULL : t->inputs,
                                 NULL, &t->arena, out, status);
}

static bool create(trial_case *c, TF_Status *status)
{
    oribi_trial *t = &c->trial;
    c->view = (oribi_node_view){.name = "trial",
                                .op = t->op,
                                .attrs = &t->attrs,
                                .signature = &t->signature,
                                .input_shapes = t->input_shapes,
                                .output_shapes = t->output_shapes};
    at(c, "creating it");
    return oribi_kernel_create(t->def, &c->view, &c->kernel, status);
}

static void check_all(trial_case *c)
{
    const oribi_trial_setting plain = {.pattern = PATTERN};
    const oribi_trial_setting forward = {.pattern = PATTERN, .forwards = true};
    oribi_shape *blind = oribi_arena_array(
        &c->trial.arena, (size_t)c->trial.signature.n_outputs + 1, sizeof(*blind));
    TF_Status *status = TF_NewStatus();
    check_shapes(c, c->trial.output_shapes, "full shapes");
    at(c, "asking its shape function about unknown shapes");
    if (blind && status && infer(c, true, blind, status)) {
        check_shapes(c, blind, "unknown shapes");
    }
    TF_DeleteStatus(status);
    check_expected(c);
    if (!c->trial.op->is_stateful) {
        compare(c, &plain, "nondeterministic", "running it a second time");
        compare(c, &plain, "nondeterministic", "running it a third time");
        check_patterns(c);
        check_threads(c);
        compare(c, &forward, "forwarding", "running it with inputs that it may take over");
        if (has_equal_inputs(&c->trial)) {
            check_aliases(c);
        }
        check_refusals(c);
    }
    if (!c->has_open) {
        check_leaks(c);
    }
}

/* One sample. True: the case is done. *refused counts those that the kernel did not want. */
static bool try_sample(trial_case *c, int *refused, TF_Status *status)
{
    const oribi_trial_setting plain = {.pattern = PATTERN};
    const bool is_hostile = c->trial.kind == ORIBI_TRIAL_HOSTILE;
    bool is_done = false;
    if (!oribi__trial_make(&c->trial, status)) {
        return false;
    }
    at(c, "asking its shape function");
    const bool is_accepted = infer(c, false, c->trial.output_shapes, status);
    if (!is_accepted && !is_hostile) {
        return false;
    }
    if (!c->trial.def) {
        return !is_hostile;
    }
    TF_SetStatus(status, TF_OK, "");
    ++*refused;
    if (!create(c, status)) {
        return false;
    }
    at(c, c->trial.kind == ORIBI_TRIAL_EMPTY ? "running it on tensors that may be empty"
          : is_accepted                      ? "running it"
                        : "running it on inputs that its shape function refuses");
    if (run(c, &plain, &c->first)) {
        if (c->first.is_ok && !is_hostile) {
            oribi_trial_outcome warm = c->first; /* the second one is compared with: caches exist */
            is_done = run(c, &plain, &c->first);
            if (is_done && !same_bytes(&warm, &c->first)) {
                char difference[200];
                describe_difference(c, &warm, difference);
                say(c, "nondeterministic", "running it a second time: %s", difference);
            }
            oribi__trial_outcome_clear(&warm);
            if (is_done) {
                check_all(c);
            }
        } else if (!c->first.is_ok) {
            oribi_status_copy(status, c->first.status);
        }
        oribi__trial_outcome_clear(&c->first);
    }
    at(c, "deleting it");
    oribi_kernel_destroy(&c->kernel);
    return is_done || (is_hostile && *refused >= 12);
}

static void run_case(trial_case *c, TF_Status *status)
{
    int refused = 0;
    bool is_done = false;
    const uint64_t until = oribi_now_ns() + (uint64_t)4000000000;
    oribi_json_open(c->json, '{');
    oribi_json_key(c->json, "findings");
    oribi_json_open(c->json, '[');
    for (int i = 0; i < MAX_SAMPLES && refused < MAX_REFUSALS && !is_done; i++) {
        is_done = try_sample(c, &refused, status);
        oribi__trial_clear(&c->trial);
        if (oribi_now_ns() > until || (c->trial.given && i >= 20)) {
            break;
        }
    }
    oribi_json_close(c->json, ']');
    oribi_json_key(c->json, "computes");
    oribi_json_int(c->json, c->n_computes);
    oribi_json_key(c->json, "done");
    oribi_json_bool(c->json, is_done);
    oribi__json_field(c->json, "refusal", is_done ? "" : TF_Message(status));
    oribi_json_close(c->json, '}');
    TF_SetStatus(status, TF_OK, "");
}

typedef struct kernel_search {
    const char *provider;
    int64_t index;
    const oribi_kernel_def *found;
} kernel_search;

static bool match_kernel(void *arg, const oribi_kernel_def *kernel)
{
    kernel_search *s = arg;
    if (strcmp(kernel->provider, s->provider) == 0 && s->index-- == 0) {
        s->found = kernel;
    }
    return !s->found;
}

static bool read_request(trial_case *c, const oribi_json_value *request, TF_Status *status)
{
    const oribi_json_value *kernel = oribi_json_find(request, "kernel");
    const oribi_json_value *op = oribi_json_find(request, "op");
    const oribi_json_value *seed = oribi_json_find(request, "seed");
    const oribi_json_value *number = oribi_json_find(request, "case");
    if (!seed || !number || (!kernel && !op)) {
        return oribi_fail(status, TF_INVALID_ARGUMENT, "a request without kernel, seed and case");
    }
    c->trial.given = oribi_json_find(request, "given");
    c->trial.random = (uint64_t)seed->integer * 1000003u + (uint64_t)number->integer;
    c->trial.kind = c->trial.given ? ORIBI_TRIAL_PLAIN
                                   : (oribi_trial_kind)(number->integer % ORIBI_TRIAL_KINDS);
    if (kernel) {
        kernel_search s = {c->path, kernel->integer, NULL};
        oribi_kernel_each(match_kernel, &s);
        c->trial.def = s.found;
    }
    c->trial.op = oribi_op_find(c->trial.def     ? c->trial.def->op_name
                                : op && op->text ? op->text
                                                 : "");
    if ((kernel && !c->trial.def) || !c->trial.op) {
        return oribi_fail(status, TF_NOT_FOUND,
                          "no such kernel or op; the op of a kernel must be "
                          "registered");
    }
    return true;
}

void oribi_plugin_test_case(const char *path, const char *request, TF_Buffer *buffer,
                            TF_Status *status)
{
    oribi_arena arena = {0};
    oribi_text error = {0};
    oribi_text text = {0};
    oribi_json json = {.text = &text};
    trial_case c = {.json = &json, .path = path};
    TF_SetStatus(status, TF_OK, "");
    char *real = oribi_path_real(path);
    const oribi_json_value *parsed = oribi_json_read(request, &arena, &error);
    if (!parsed) {
        oribi_fail(status, TF_INVALID_ARGUMENT, "%s", oribi_text_string(&error));
    } else if (!real) {
        oribi_fail(status, TF_NOT_FOUND, "plugin '%s' is not there", path);
    } else {
        c.path = real;
        if (read_request(&c, parsed, status)) {
            run_case(&c, status);
            oribi__json_give(&text, buffer, status);
            text = (oribi_text){0};
        }
    }
    oribi_text_destroy(&text);
    oribi_text_destroy(&error);
    oribi_arena_destroy(&arena);
    oribi_free(real);
}
