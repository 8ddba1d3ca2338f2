/* SPDX-License-Identifier: Apache-2.0 */
/* One case of one kernel, in the helper process: draws inputs that the shape function accepts,
 * computes them in different ways and compares. Names of findings are listed in
 * docs/reference/author-tools.md. Read next: trial_run.c.
 */
#include <float.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/log.h"
#include "op/quantisation.h"
#include "oribi/oribi.h"
#include "author/trial.h"

enum {
    MAX_SAMPLES = 600,
    MAX_REFUSALS = 60,
    GIVEN_SAMPLES = 20,
    INFERENCES = 8,        /* accepted ones of a case that has no kernel */
    HOSTILE_REFUSALS = 12, /* runs of a kernel on inputs that it may refuse */
    CASE_SECONDS = 4
};

void oribi__trial_say(oribi_trial_case *c, const char *name, const char *format, ...)
{
    oribi_text message = {0};
    va_list args;
    va_start(args, format);
    oribi_text_vprintf(&message, format, args);
    va_end(args);
    oribi_text_append(&message, "; ");
    oribi__trial_print(&c->trial, &message);
    oribi_json_open(c->json, '{');
    oribi_json_put_string(c->json, "check", name);
    oribi_json_put_string(c->json, "message", oribi_text_string(&message));
    oribi_json_close(c->json, '}');
    oribi_text_destroy(&message);
}

void oribi__trial_at(const oribi_trial_case *c, const char *what)
{
    oribi_log(ORIBI_LOG_INFO, "plugin '%s': %s", c->path, what);
}

/* Integers of a trial stand for real numbers, as in a quantised model; an op may look or not. */
static const TF_Quantisation *units_of(TF_DataType dtype)
{
    static const float half = 0.5F;
    static const int32_t one = 1;
    static const TF_Quantisation units = {TF_QUANTISATION_STRUCT_SIZE, &half, &one, 1, 0};
    static const TF_Quantisation none = {.struct_size = TF_QUANTISATION_STRUCT_SIZE};
    return dtype == TF_INT8 || dtype == TF_UINT8 || dtype == TF_INT16 || dtype == TF_UINT16 ? &units
                                                                                            : &none;
}

bool oribi__trial_infer(oribi_trial_case *c, const oribi_shape *inputs, TF_Tensor *const *constants,
                        oribi_shape *out, TF_Status *status)
{
    oribi_trial *t = &c->trial;
    TF_Tensor *known[ORIBI_TRIAL_MAX_INPUTS];
    oribi_handle_data handles[ORIBI_TRIAL_MAX_INPUTS] = {{0}};
    for (int32_t i = 0; i < t->signature.n_inputs; i++) {
        known[i] = !constants || t->variables[i] ? NULL : constants[i];
        handles[i].quantisation = units_of(t->signature.input_types[i]);
    }
    return oribi_op_infer_handles(t->op, "trial", &t->attrs, &t->signature, inputs, handles,
                                  constants ? known : NULL, NULL, &t->arena, out, NULL, status);
}

bool oribi__trial_is_constant(const oribi_trial *t, int32_t input)
{
    const oribi_json_value *inputs = oribi_json_find(t->given, "inputs");
    const oribi_json_value *one = inputs ? inputs->child : NULL;
    for (int32_t i = 0; one && i < input; i++) {
        one = one->next;
    }
    const oribi_json_value *says = oribi_json_find(one, "constant");
    if (input < 64 && (t->constants >> input & 1) != 0) {
        return true;
    }
    if (t->variables[input] || says) {
        return !t->variables[input] && says->number != 0;
    }
    return !t->given && input > 0 &&
           (t->kind == ORIBI_TRIAL_PLAIN_AGAIN || t->kind == ORIBI_TRIAL_PLAIN_LAST);
}

static bool view_constant(void *arg, int32_t input, oribi_constant_view *out_view)
{
    const oribi_trial *t = arg;
    const TF_Tensor *tensor = t->inputs[input];
    *out_view = (oribi_constant_view){0};
    if (tensor && oribi__trial_is_constant(t, input)) {
        *out_view = (oribi_constant_view){.dtype = tensor->dtype,
                                          .rank = tensor->rank,
                                          .dims = tensor->dims,
                                          .data = tensor->data};
    }
    return out_view->data != NULL;
}

static TF_Tensor *give_constant(void *arg, int32_t input, TF_Status *status)
{
    const oribi_trial *t = arg;
    TF_Tensor *shared = t->inputs[input] && oribi__trial_is_constant(t, input)
                            ? oribi_tensor_share(t->inputs[input])
                            : NULL;
    if (!shared) {
        oribi_fail(status, TF_INVALID_ARGUMENT, "input %d is not constant, or there is no memory",
                   input);
    }
    return shared;
}

static bool is_of_type(TF_DataType dtype, int64_t value)
{
    switch (dtype) {
    case TF_INT8:
        return value >= INT8_MIN && value <= INT8_MAX;
    case TF_UINT8:
        return value >= 0 && value <= UINT8_MAX;
    case TF_INT16:
        return value >= INT16_MIN && value <= INT16_MAX;
    case TF_UINT16:
        return value >= 0 && value <= UINT16_MAX;
    default:
        return value >= INT32_MIN && value <= INT32_MAX;
    }
}

/* "scales", "zero_points" and "axis" of a port; one without them has none. */
static bool read_unit(oribi_trial *t, const oribi_json_value *port, TF_DataType dtype,
                      const oribi_shape *shape, TF_Quantisation *out)
{
    const oribi_json_value *scales = oribi_json_find(port, "scales");
    const oribi_json_value *points = oribi_json_find(port, "zero_points");
    const oribi_json_value *axis = oribi_json_find(port, "axis");
    *out = (TF_Quantisation){.struct_size = TF_QUANTISATION_STRUCT_SIZE};
    const int64_t of_axis = axis ? axis->integer : 0;
    const bool is_one = scales && scales->count == 1;
    const bool fits = is_one || (scales && shape && of_axis >= 0 && of_axis < shape->rank &&
                                 shape->dims[of_axis] == scales->count);
    if (!points || !fits || points->count != scales->count) {
        return true;
    }
    const size_t n = (size_t)scales->count;
    float *scale = oribi_arena_array(&t->arena, n, sizeof *scale);
    int32_t *point = oribi_arena_array(&t->arena, n, sizeof *point);
    if (!scale || !point) {
        return false;
    }
    const oribi_json_value *s = scales->child, *p = points->child;
    for (size_t i = 0; i < n; i++, s = s->next, p = p->next) {
        scale[i] = (float)oribi__trial_number(s);
        point[i] = (int32_t)p->integer;
        if (!(scale[i] > 0 && scale[i] <= FLT_MAX) || !is_of_type(dtype, p->integer)) {
            return true; /* what no model may say either */
        }
    }
    *out = (TF_Quantisation){TF_QUANTISATION_STRUCT_SIZE, scale, point, scales->count,
                             is_one ? 0 : (int32_t)of_axis};
    return true;
}

/* Of inputs, then outputs. */
static bool read_units(oribi_trial *t, TF_Quantisation *units)
{
    static const char *const ports[] = {"inputs", "outputs"};
    bool ok = true;
    for (int k = 0; k < 2; k++) {
        const oribi_json_value *list = oribi_json_find(t->given, ports[k]);
        const oribi_json_value *port = list ? list->child : NULL;
        const int32_t n = k == 0 ? t->signature.n_inputs : t->signature.n_outputs;
        for (int32_t i = 0; i < n && ok; i++) {
            ok =
                k == 0
                    ? read_unit(t, port, t->signature.input_types[i], &t->input_shapes[i], units)
                    : read_unit(t, port, t->signature.output_types[i], &t->output_shapes[i], units);
            units++;
            port = port ? port->next : NULL;
        }
    }
    return ok;
}

bool oribi__trial_infer_recorded(oribi_trial_case *c, TF_Status *status)
{
    oribi_trial *t = &c->trial;
    const size_t n = (size_t)t->signature.n_inputs, n_out = (size_t)t->signature.n_outputs;
    TF_Quantisation *units = oribi_arena_array(&t->arena, n + n_out + 1, sizeof *units);
    oribi_handle_data *handles = oribi_arena_array(&t->arena, n + 1, sizeof *handles);
    for (size_t i = 0; i < n_out; i++) {
        t->output_shapes[i] = (oribi_shape){-1, NULL};
    }
    if (!units || !handles || !read_units(t, units)) {
        return oribi_fail_memory(status);
    }
    for (size_t i = 0; i < n; i++) {
        handles[i] = (oribi_handle_data){.quantisation = &units[i]};
    }
    return oribi_op_infer_handles(t->op, t->name, &t->attrs, &t->signature, t->input_shapes,
                                  handles, t->inputs, NULL, &t->arena, t->output_shapes, NULL,
                                  status);
}

bool oribi__trial_create(oribi_trial_case *c, void (*release)(void *arg, int32_t input),
                         TF_Status *status)
{
    oribi_trial *t = &c->trial;
    const oribi_signature *s = &t->signature;
    TF_Quantisation *units = oribi_claim_array(&t->arena, (size_t)(s->n_inputs + s->n_outputs) + 1,
                                               sizeof *units, status);
    ORIBI_TRY(units != NULL);
    for (int32_t i = 0; i < s->n_inputs + s->n_outputs && !t->is_recorded; i++) {
        units[i] =
            *units_of(i < s->n_inputs ? s->input_types[i] : s->output_types[i - s->n_inputs]);
    }
    if (t->is_recorded && !read_units(t, units)) {
        return oribi_fail_memory(status);
    }
    c->view = (oribi_node_view){.name = t->name ? t->name : "trial",
                                .op = t->op,
                                .attrs = &t->attrs,
                                .signature = &t->signature,
                                .input_shapes = t->input_shapes,
                                .output_shapes = t->output_shapes,
                                .quantisation = units,
                                .constant_input = view_constant,
                                .dense_constant = give_constant,
                                .release_constant = release,
                                .arg = t};
    return oribi_kernel_create(t->def, &c->view, &c->kernel, status);
}

/* The second computation is what others are compared with: caches exist by then. */
static bool run_again_and_compare(oribi_trial_case *c)
{
    const oribi_trial_setting plain = {.pattern = ORIBI_TRIAL_PATTERN};
    oribi_trial_outcome warm = c->first;
    const bool is_done = oribi__trial_compute(c, &plain, &c->first);
    if (is_done && !c->trial.op->is_stateful && !oribi__trial_same(&warm, &c->first)) {
        char difference[200];
        oribi__trial_describe_difference(c, &warm, difference);
        oribi__trial_say(c, "nondeterministic", "running it a second time: %s", difference);
    }
    oribi__trial_outcome_clear(&warm);
    if (is_done) {
        oribi__trial_check_expected(c);
        oribi__trial_check_all(c);
        oribi__trial_check_traits(c);
    }
    return is_done;
}

/* The kernel exists. True: the case is done. */
static bool run_sample(oribi_trial_case *c, bool is_accepted, bool is_first, TF_Status *status)
{
    const oribi_trial_setting plain = {.pattern = ORIBI_TRIAL_PATTERN};
    const bool is_hostile = c->trial.kind == ORIBI_TRIAL_HOSTILE;
    bool is_done = false;
    oribi__trial_at(c, c->trial.kind == ORIBI_TRIAL_EMPTY
                           ? "running it on tensors that may be empty"
                       : is_accepted ? "running it"
                                     : "running it on inputs that its shape function refuses");
    if (!oribi__trial_compute(c, &plain, &c->first)) {
        oribi_fail(status, TF_RESOURCE_EXHAUSTED, "there is no memory for its inputs");
        return false;
    }
    if (c->first.is_ok && !is_hostile) {
        is_done = run_again_and_compare(c);
    } else if (!c->first.is_ok) {
        oribi_status_copy(status, c->first.status);
        if (is_hostile && is_first) {
            oribi__trial_check_failure(c);
        }
    }
    oribi__trial_outcome_clear(&c->first);
    return is_done;
}

/* One sample. True: the case is done. *refused counts those that the kernel did not want. */
static bool try_sample(oribi_trial_case *c, int *refused, TF_Status *status)
{
    oribi_trial *t = &c->trial;
    const bool is_hostile = t->kind == ORIBI_TRIAL_HOSTILE;
    ORIBI_TRY(oribi__trial_make(t, status));
    oribi__trial_at(c, "asking its shape function");
    const bool is_accepted =
        oribi__trial_infer(c, t->input_shapes, t->inputs, t->output_shapes, status);
    if (!is_accepted && !is_hostile) {
        return false;
    }
    if (!t->def) {
        c->n_computes += is_accepted && !is_hostile;
        if (is_accepted && !is_hostile) {
            oribi__trial_check_inference(c);
        }
        return c->n_computes >= INFERENCES;
    }
    TF_SetStatus(status, TF_OK, "");
    ++*refused;
    oribi__trial_at(c, "creating it");
    ORIBI_TRY(oribi__trial_create(c, NULL, status));
    const bool is_done = run_sample(c, is_accepted, *refused == 1, status);
    oribi__trial_at(c, "deleting it");
    oribi_kernel_destroy(&c->kernel);
    return is_done || (is_hostile && *refused >= HOSTILE_REFUSALS);
}

/* Did a given case end as it says? */
static void judge_given(oribi_trial_case *c, bool is_done, const char *refusal)
{
    const oribi_json_value *error = oribi_json_find(c->trial.given, "error");
    if (!c->trial.given || c->trial.is_other || (error && !c->trial.def)) {
        return;
    }
    if (error && error->text && is_done) {
        oribi__trial_say(c, "expected-error", "the case expects an error with '%s', it completed",
                         error->text);
    } else if (error && error->text && !strstr(refusal, error->text)) {
        oribi__trial_say(c, "expected-error", "the case expects an error with '%s', not: %s",
                         error->text, refusal);
    } else if (!error && !is_done) {
        oribi__trial_say(c, "case-refused", "a given case did not complete: %s", refusal);
    }
}

static void run_case(oribi_trial_case *c, TF_Status *status)
{
    int refused = 0;
    bool is_done = false;
    const uint64_t until = oribi_now_ns() + (uint64_t)CASE_SECONDS * 1000000000u;
    const int samples = c->trial.given ? GIVEN_SAMPLES : MAX_SAMPLES;
    oribi_json_open(c->json, '{');
    oribi_json_key(c->json, "findings");
    oribi_json_open(c->json, '[');
    for (int i = 0; i < samples && refused < MAX_REFUSALS && !is_done && !c->trial.is_other; i++) {
        is_done = try_sample(c, &refused, status);
        if (is_done && c->trial.kind != ORIBI_TRIAL_HOSTILE) {
            oribi__trial_model(&c->trial, &c->model);
        }
        oribi__trial_clear(&c->trial);
        if (oribi_now_ns() > until) {
            break;
        }
    }
    judge_given(c, is_done, TF_Message(status));
    oribi_json_close(c->json, ']');
    oribi_json_key(c->json, "computes");
    oribi_json_int(c->json, c->n_computes);
    oribi_json_put_uint(c->json, "traits", oribi__traits_declared(c->trial.op));
    oribi_json_put_uint(c->json, "tried", c->tried);
    if (c->model.length > 0 && !c->model.failed) {
        oribi_json_put_string(c->json, "model", oribi_text_string(&c->model));
    }
    oribi_text_destroy(&c->model);
    oribi_json_key(c->json, "done");
    oribi_json_bool(c->json, is_done);
    oribi_json_put_string(c->json, "refusal",
                          is_done || c->trial.is_other ? "" : TF_Message(status));
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

static bool read_request(oribi_trial_case *c, const oribi_json_value *request, TF_Status *status)
{
    const oribi_json_value *kernel = oribi_json_find(request, "kernel");
    const oribi_json_value *op = oribi_json_find(request, "op");
    const oribi_json_value *seed = oribi_json_find(request, "seed");
    const oribi_json_value *number = oribi_json_find(request, "case");
    if (!seed || !number || (!kernel && !op)) {
        return oribi_fail(status, TF_INVALID_ARGUMENT,
                          "a request must have a kernel, a seed and a case");
    }
    c->trial.given = oribi_json_find(request, "given");
    c->trial.random = (uint64_t)seed->integer * 1000003u + (uint64_t)number->integer;
    c->trial.kind = c->trial.given ? ORIBI_TRIAL_PLAIN
                                   : (oribi_trial_kind)(number->integer % ORIBI_TRIAL_KINDS);
    if (kernel) {
        kernel_search s = {oribi_plugin_is_built_in(c->path) ? "built-in" : c->path,
                           kernel->integer, NULL};
        oribi_kernel_call_reserve();
        oribi_kernel_each(match_kernel, &s);
        c->trial.def = s.found;
    }
    c->trial.op = oribi_op_find(c->trial.def     ? c->trial.def->op_name
                                : op && op->text ? op->text
                                                 : "");
    if ((kernel && !c->trial.def) || !c->trial.op) {
        return oribi_fail(status, TF_NOT_FOUND,
                          "there is no such kernel or op; the op of a kernel must be registered");
    }
    return true;
}

/* One request, or each of an array's into an array. */
static bool answer(const char *path, const oribi_json_value *request, oribi_json *json,
                   TF_Status *status)
{
    oribi_trial_case c = {.json = json, .path = path};
    if (request->kind != ORIBI_JSON_ARRAY) {
        ORIBI_TRY(read_request(&c, request, status));
        run_case(&c, status);
        return true;
    }
    bool ok = true;
    oribi_json_open(json, '[');
    for (const oribi_json_value *one = request->child; one && ok; one = one->next) {
        ok = one->kind == ORIBI_JSON_OBJECT
                 ? answer(path, one, json, status)
                 : oribi_fail(status, TF_INVALID_ARGUMENT, "a request must be an object");
    }
    oribi_json_close(json, ']');
    return ok;
}

void oribi_plugin_test_case(const char *path, const char *request, TF_Buffer *buffer,
                            TF_Status *status)
{
    oribi_arena arena = {0};
    oribi_text error = {0};
    oribi_text text = {0};
    oribi_json json = {.text = &text};
    if (!ORIBI_GIVEN(status, path, request, buffer)) {
        return;
    }
    const bool is_built_in = oribi_plugin_is_built_in(path);
    char *real = is_built_in ? oribi_strdup(path) : oribi_path_real(path);
    const oribi_json_value *parsed = oribi_json_read(request, strlen(request), &arena, &error);
    const oribi_json_value *replay = oribi_json_find(parsed, "replay");
    if (real && replay && replay->text) {
        oribi__replay_here(real, replay->text, buffer, status);
    } else if (!parsed) {
        oribi_fail(status, TF_INVALID_ARGUMENT, "%s", oribi_text_string(&error));
    } else if (!real) {
        oribi_fail(status, TF_NOT_FOUND, "plugin '%s' is not loaded", path);
    } else if (answer(real, parsed, &json, status)) {
        oribi__json_give(&text, buffer, status);
        text = (oribi_text){0};
    }
    oribi_text_destroy(&text);
    oribi_text_destroy(&error);
    oribi_arena_destroy(&arena);
    oribi_free(real);
}
