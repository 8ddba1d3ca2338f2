/* SPDX-License-Identifier: Apache-2.0 */
/* What a kernel's computation must agree with: itself on other memory, with other threads, with
 * inputs taken over or shared, without memory; and what it may leave behind. Names of findings are
 * listed in docs/reference/author-tools.md. Not here: what a case expects (trial_expect.c).
 */
#include <malloc.h>
#include <stdio.h>
#include <string.h>

#include "oribi/oribi.h"
#include "author/trial.h"
#include "tensor/handle.h"

enum { REPEATS = 20, WINDOWS = 12, MAX_REQUESTS = 64 };

/* --- What one computation tells by itself ------------------------------------------------------
 */

static void judge_outcome(oribi_trial_case *c, const oribi_trial_outcome *o)
{
    if (o->damage.length) {
        oribi__trial_say(c, "out-of-bounds", "%s", o->damage.data);
    }
    if (o->modified.length) {
        oribi__trial_say(c, "input-modified", "changed %s", o->modified.data);
    }
    if (o->n_open != 0) {
        c->has_open = true;
        oribi__trial_say(c, "tensor-leak", "left %lld tensors of the run undeleted",
                         (long long)o->n_open);
    }
}

bool oribi__trial_compute(oribi_trial_case *c, const oribi_trial_setting *setting,
                          oribi_trial_outcome *o)
{
    if (!oribi__trial_run(&c->trial, &c->kernel, setting, o)) {
        oribi__trial_outcome_clear(o);
        return false;
    }
    c->n_computes += o->is_ok;
    judge_outcome(c, o);
    return true;
}

/* Where both know something, do they say the same? */
static bool shapes_agree(const oribi_shape *a, const oribi_shape *b)
{
    if (a->rank < 0 || b->rank < 0) {
        return true;
    }
    for (int32_t k = 0; a->rank == b->rank && k < a->rank && k < ORIBI_INLINE_RANK; k++) {
        if (a->dims[k] >= 0 && b->dims[k] >= 0 && a->dims[k] != b->dims[k]) {
            return false;
        }
    }
    return a->rank == b->rank;
}

static void check_shape(oribi_trial_case *c, int32_t i, const oribi_shape *inferred,
                        const char *from, const oribi_shape *real, const char *by)
{
    if (!shapes_agree(inferred, real)) {
        oribi_text text = {0};
        oribi_shape_print(inferred, &text);
        oribi_text_printf(&text, " from %s, and %s ", from, by);
        oribi_shape_print(real, &text);
        oribi__trial_say(c, "shape-function", "output %d: the shape function said %s", i,
                         oribi_text_string(&text));
        oribi_text_destroy(&text);
    }
}

/* Against the real outputs, or before there are any against what all shapes together say. */
static void check_shapes(oribi_trial_case *c, const oribi_shape *inferred, const char *from)
{
    for (int32_t i = 0; i < c->trial.signature.n_outputs; i++) {
        const oribi_trial_output *o = c->first.is_ok ? &c->first.outputs[i] : NULL;
        const oribi_shape real = {o ? o->rank : -1, o ? (int64_t *)o->dims : NULL};
        check_shape(c, i, inferred ? &inferred[i] : &c->trial.output_shapes[i], from,
                    o ? &real : &c->trial.output_shapes[i],
                    o ? "the kernel made" : "from full shapes");
    }
}

/* A call accepted when all is known must be accepted when less is, and may only say less then. */
static void check_blinder(oribi_trial_case *c, const oribi_shape *inputs, const char *from)
{
    oribi_shape *out =
        oribi_arena_array(&c->trial.arena, (size_t)c->trial.signature.n_outputs + 1, sizeof(*out));
    TF_Status *status = TF_NewStatus();
    if (out && status) {
        if (oribi__trial_infer(c, inputs, NULL, out, status)) {
            check_shapes(c, out, from);
        } else {
            oribi__trial_say(c, "shape-function", "it accepts the full shapes and refuses %s: %s",
                             from, TF_Message(status));
        }
    }
    TF_DeleteStatus(status);
}

void oribi__trial_check_inference(oribi_trial_case *c)
{
    oribi_trial *t = &c->trial;
    const size_t n = (size_t)t->signature.n_inputs;
    oribi_shape less[ORIBI_TRIAL_MAX_INPUTS];
    oribi__trial_at(c, "asking its shape function about unknown shapes");
    for (size_t i = 0; i < n; i++) {
        less[i] = (oribi_shape){-1, NULL};
    }
    check_blinder(c, less, "unknown shapes");
    check_blinder(c, t->input_shapes, "unknown values");
    for (size_t i = 0; i < n; i++) {
        const oribi_shape *full = &t->input_shapes[i];
        if (!oribi_shape_copy(&t->arena, full->dims, full->rank, &less[i])) {
            return;
        }
        for (int32_t k = 0; k < full->rank; k++) {
            less[i].dims[k] = oribi__trial_chance(t, 50) ? -1 : full->dims[k];
        }
    }
    check_blinder(c, less, "partly unknown shapes");
}

/* --- Comparison with the first outcome ---------------------------------------------------------
 */

static bool same_text(const oribi_text *a, const oribi_text *b)
{
    return a->length == b->length && (a->length == 0 || memcmp(a->data, b->data, a->length) == 0);
}

bool oribi__trial_same(const oribi_trial_outcome *a, const oribi_trial_outcome *b)
{
    return a->is_ok == b->is_ok && same_text(&a->bytes, &b->bytes) &&
           same_text(&a->variables, &b->variables);
}

void oribi__trial_describe_difference(const oribi_trial_case *c, const oribi_trial_outcome *o,
                                      char out[200])
{
    if (!o->is_ok || !c->first.is_ok) {
        snprintf(out, 200, "one failed: %.150s",
                 TF_Message(o->is_ok ? c->first.status : o->status));
        return;
    }
    if (same_text(&o->bytes, &c->first.bytes)) {
        snprintf(out, 200, "what a variable holds afterwards");
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

static void compare(oribi_trial_case *c, const oribi_trial_setting *setting, const char *name,
                    const char *what)
{
    oribi_trial_outcome o;
    char difference[200];
    oribi__trial_at(c, what);
    if (oribi__trial_compute(c, setting, &o)) {
        if (!oribi__trial_same(&c->first, &o)) {
            oribi__trial_describe_difference(c, &o, difference);
            oribi__trial_say(c, name, "%s: %s", what, difference);
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
            ((uint8_t)a->bytes.data[i] != ORIBI_TRIAL_PATTERN ||
             (uint8_t)b->bytes.data[i] != ORIBI_TRIAL_OTHER_PATTERN)) {
            return false;
        }
    }
    return true;
}

static void check_patterns(oribi_trial_case *c)
{
    const oribi_trial_setting other = {.pattern = ORIBI_TRIAL_OTHER_PATTERN};
    oribi_trial_outcome o;
    char difference[200];
    oribi__trial_at(c, "running it on memory with another pattern");
    for (int pass = 0; pass < 2; pass++) { /* once, so that freed blocks have the pattern too */
        if (!oribi__trial_compute(c, &other, &o)) {
            return;
        }
        if (pass == 1 && !oribi__trial_same(&c->first, &o)) {
            oribi__trial_describe_difference(c, &o, difference);
            const bool unwritten = is_unwritten(&c->first, &o);
            oribi__trial_say(c, unwritten ? "unwritten-output" : "uninitialised-read",
                             "the outcome depends on what was in the memory before: %s",
                             difference);
        }
        oribi__trial_outcome_clear(&o);
    }
}

static void check_threads(oribi_trial_case *c)
{
    static const int counts[] = {2, 4};
    for (int i = 0; i < 2; i++) {
        oribi_pool *pool = oribi_pool_create(counts[i], c->first.status);
        const oribi_trial_setting setting = {.pattern = ORIBI_TRIAL_PATTERN, .pool = pool};
        compare(c, &setting, "threads", i ? "running it on 4 threads" : "running it on 2 threads");
        oribi_pool_release(pool);
    }
}

static bool has_equal_inputs(const oribi_trial *t)
{
    for (int32_t i = 1; i < t->signature.n_inputs; i++) {
        for (int32_t k = 0; k < i; k++) {
            if (t->inputs[i]->dtype == t->inputs[k]->dtype && t->inputs[i]->bytes > 0 &&
                t->inputs[i]->dtype != TF_STRING && t->inputs[i]->dtype != TF_RESOURCE &&
                t->inputs[i]->bytes == t->inputs[k]->bytes &&
                t->inputs[i]->rank == t->inputs[k]->rank) {
                return true;
            }
        }
    }
    return false;
}

/* Equal inputs as one tensor, which must not be taken over, against the same as copies. */
static void check_aliases(oribi_trial_case *c)
{
    const oribi_trial_setting apart = {.pattern = ORIBI_TRIAL_PATTERN};
    const oribi_trial_setting together = {.pattern = ORIBI_TRIAL_PATTERN, .aliases = true};
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
    oribi__trial_at(c, "running it with one tensor for equal inputs");
    if (oribi__trial_compute(c, &apart, &copies)) {
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

static void check_refusals(oribi_trial_case *c)
{
    for (int n = 1; n <= c->first.n_requests && n <= MAX_REQUESTS; n++) {
        const oribi_trial_setting setting = {.pattern = ORIBI_TRIAL_PATTERN, .fail_at = n};
        oribi_trial_outcome o;
        const int computes = c->n_computes;
        oribi__trial_at(c, "refusing it memory");
        if (oribi__trial_compute(c, &setting, &o)) {
            const bool is_reported = !o.is_ok && !o.is_silent;
            if (!is_reported && !oribi__trial_same(&c->first, &o)) {
                oribi__trial_say(c, "ignores-failure",
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

typedef enum repeated { REPEAT_RUN, REPEAT_REFUSED, REPEAT_CREATE, N_REPEATED } repeated;

static void repeat(oribi_trial_case *c, repeated what)
{
    const oribi_trial_setting setting = {.pattern = ORIBI_TRIAL_PATTERN,
                                         .fail_at = what == REPEAT_REFUSED};
    oribi_trial_outcome o;
    if (what != REPEAT_CREATE) {
        (void)oribi__trial_run(&c->trial, &c->kernel, &setting, &o);
        oribi__trial_outcome_clear(&o);
        return;
    }
    oribi_kernel again = {0};
    TF_Status *status = TF_NewStatus();
    if (oribi_kernel_create(c->trial.def, &c->view, &again, status)) {
        oribi_kernel_destroy(&again);
    }
    TF_DeleteStatus(status);
}

/* Bytes of the heap that REPEATS times leave behind. */
static size_t measure_growth(oribi_trial_case *c, repeated what)
{
    oribi_handle_trim();
    const size_t heap = heap_bytes();
    for (int i = 0; i < REPEATS; i++) {
        repeat(c, what);
    }
    oribi_handle_trim();
    const size_t now = heap_bytes();
    return now > heap ? now - heap : 0;
}

static void check_leaks(oribi_trial_case *c, repeated what)
{
    static const char *const doing[N_REPEATED] = {"running it again and again",
                                                  "refusing it memory again and again",
                                                  "creating and deleting it again and again"};
    const size_t statuses = oribi_handle_count_live(ORIBI_HANDLE_STATUS);
    const size_t tensors = oribi_handle_count_live(ORIBI_HANDLE_TENSOR);
    size_t least = SIZE_MAX;
    oribi__trial_at(c, doing[what]);
    /* The C library's caches of freed blocks count as used until they are full: a leak is what
     * grows in each window. */
    for (int window = 0; window < WINDOWS && least > 0; window++) {
        const size_t grown = measure_growth(c, what);
        least = window > 0 && grown < least ? grown : least;
    }
    const size_t now_statuses = oribi_handle_count_live(ORIBI_HANDLE_STATUS);
    const size_t now_tensors = oribi_handle_count_live(ORIBI_HANDLE_TENSOR);
    if (now_statuses >= statuses + REPEATS) {
        oribi__trial_say(c, "status-leak", "%s: %zu statuses more", doing[what],
                         now_statuses - statuses);
    } else if (now_tensors >= tensors + REPEATS) {
        oribi__trial_say(c, "tensor-leak", "%s: %zu tensors more", doing[what],
                         now_tensors - tensors);
    } else if (least >= (size_t)REPEATS * 16) {
        oribi__trial_say(c, "memory-leak", "%s: %zu bytes more after each %d times", doing[what],
                         least, REPEATS);
    }
}

void oribi__trial_check_failure(oribi_trial_case *c)
{
    if (!c->has_open) {
        check_leaks(c, REPEAT_RUN);
    }
}

/* Are all runs alike? A kernel with state of its own may differ from run to run; one whose state
 * is in variables gets fresh ones. */
static bool is_repeatable(const oribi_trial *t)
{
    bool has_variable = false;
    for (int32_t i = 0; i < t->signature.n_inputs; i++) {
        has_variable = has_variable || t->variables[i];
    }
    return !t->op->is_stateful || has_variable;
}

void oribi__trial_check_all(oribi_trial_case *c)
{
    const oribi_trial_setting plain = {.pattern = ORIBI_TRIAL_PATTERN};
    const oribi_trial_setting forward = {.pattern = ORIBI_TRIAL_PATTERN, .forwards = true};
    check_shapes(c, NULL, "full shapes");
    oribi__trial_check_inference(c);
    if (is_repeatable(&c->trial)) {
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
    for (int what = 0; what < N_REPEATED && !c->has_open; what++) {
        check_leaks(c, (repeated)what);
    }
}
