/* SPDX-License-Identifier: Apache-2.0 */
/* oribi_plugin_replay: a recorded call of a kernel once more, in a helper process. The file is one
 * that a stranger may have sent: it is read as strictly as a model, and names no plugin that would
 * be loaded for that reason alone. Format: docs/reference/checked-runs.md; written by
 * src/check/call_record.c.
 */
#include <stdio.h>
#include <string.h>

#include "author/trial.h"
#include "base/alloc.h"
#include "check/checked_call.h"
#include "oribi/oribi.h"

enum { MOST_BYTES = 1 << 30, TIMEOUT_MS = 20000 };

typedef struct recording {
    oribi_arena arena;
    void *data;
    const oribi_json_value *call, *origin; /* the one case; "recorded" */
} recording;

static const char *text_of(const oribi_json_value *object, const char *key)
{
    const oribi_json_value *value = oribi_json_find(object, key);
    return value != NULL && value->text != NULL ? value->text : "";
}

static void close_recording(recording *r)
{
    oribi_free(r->data);
    oribi_arena_destroy(&r->arena);
}

static bool open_recording(recording *r, const char *file, TF_Status *status)
{
    size_t bytes = 0;
    oribi_text error = {0};
    const int failed = oribi_file_read(file, MOST_BYTES, &r->data, &bytes);
    if (failed != 0) {
        return oribi_fail(status, TF_NOT_FOUND, "'%s': %s", file, strerror(failed));
    }
    const oribi_json_value *root = oribi_json_read(r->data, bytes, &r->arena, &error);
    const oribi_json_value *cases = oribi_json_find(root, "cases");
    r->origin = oribi_json_find(root, "recorded");
    r->call = cases != NULL && cases->count == 1 ? cases->child : NULL;
    const bool ok = r->origin != NULL && r->call != NULL && text_of(r->call, "op")[0] != '\0';
    if (!ok) {
        oribi_fail(status, TF_INVALID_ARGUMENT, "'%s' is no recorded call: %s", file,
                   error.length > 0 ? error.data : "it lacks \"recorded\", or one case with an op");
    }
    oribi_text_destroy(&error);
    return ok;
}

/* Has the call ended, or did the process end with it? */
static bool has_end(const recording *r)
{
    const oribi_json_value *outputs = oribi_json_find(r->call, "outputs");
    return oribi_json_find(r->call, "error") != NULL ||
           (outputs != NULL &&
            (outputs->count == 0 || oribi_json_find(outputs->child, "bytes") != NULL));
}

/* --- In the helper process ------------------------------------------------------------------- */

typedef struct replay {
    recording recording;
    oribi_trial_case trial;
    TF_Tensor **outputs;
} replay;

/* As many as the file has, so that an attribute cannot ask for a million inputs. */
static bool check_counts(const oribi_trial *t, const oribi_arg_def *args, int32_t n_args,
                         const char *ports, TF_Status *status)
{
    const oribi_json_value *list = oribi_json_find(t->given, ports);
    const int32_t n = list != NULL ? list->count : 0;
    const oribi_json_value *attrs = oribi_json_find(t->given, "attrs");
    for (int32_t i = 0; i < n_args; i++) {
        const oribi_json_value *count =
            args[i].number_attr != NULL ? oribi_json_find(attrs, args[i].number_attr) : NULL;
        if (count != NULL && (count->integer < 0 || count->integer > n)) {
            return oribi_fail(status, TF_INVALID_ARGUMENT, "%s is %lld, but the file has %d %s",
                              args[i].number_attr, (long long)count->integer, (int)n, ports);
        }
    }
    return true;
}

static bool check_ports(const oribi_trial *t, const char *ports, int32_t n, TF_Status *status)
{
    const oribi_json_value *list = oribi_json_find(t->given, ports);
    return (list != NULL && list->kind == ORIBI_JSON_ARRAY && list->count == n) ||
           oribi_fail(status, TF_INVALID_ARGUMENT, "the op has %d %s, the file another number",
                      (int)n, ports);
}

static bool make_node(replay *r, TF_Status *status)
{
    oribi_trial *t = &r->trial.trial;
    const char *label = text_of(r->recording.origin, "label");
    t->given = r->recording.call;
    t->is_recorded = true;
    t->name = text_of(r->recording.origin, "node");
    t->op = oribi_op_find(text_of(t->given, "op"));
    if (t->op == NULL) {
        return oribi_fail(status, TF_NOT_FOUND,
                          "there is no op '%s'; name the plugin that brings it with --plugin",
                          text_of(t->given, "op"));
    }
    ORIBI_TRY(check_counts(t, t->op->inputs, t->op->n_inputs, "inputs", status) &&
              check_counts(t, t->op->outputs, t->op->n_outputs, "outputs", status) &&
              oribi__trial_make(t, status) &&
              check_ports(t, "inputs", t->signature.n_inputs, status) &&
              check_ports(t, "outputs", t->signature.n_outputs, status));
    if (label[0] != '\0' && !oribi_attrs_set_string(&t->attrs, &t->arena, "_kernel", label)) {
        return oribi_fail_memory(status);
    }
    oribi__trial_at(&r->trial, "asking its shape function");
    return oribi__trial_infer_recorded(&r->trial, status);
}

static bool choose_kernel(replay *r, TF_Status *status)
{
    oribi_trial *t = &r->trial.trial;
    const char *path = r->trial.path;
    const oribi_node_view view = {.name = t->name,
                                  .op = t->op,
                                  .attrs = &t->attrs,
                                  .signature = &t->signature,
                                  .input_shapes = t->input_shapes,
                                  .output_shapes = t->output_shapes};
    t->def = oribi_kernel_select(&view, "CPU", NULL, status);
    ORIBI_TRY(t->def != NULL);
    const char *provider = oribi_plugin_is_built_in(path) ? "built-in" : path;
    return strcmp(t->def->provider, provider) == 0 ||
           oribi_fail(status, TF_NOT_FOUND,
                      "op %s is computed by kernel '%s' of %s; '%s' has none for this call",
                      t->op->name, t->def->kernel_name, t->def->provider, path);
}

/* Where an output is not what was recorded; false: nowhere. */
static bool find_difference(const replay *r, oribi_text *out)
{
    const oribi_json_value *port = oribi_json_find(r->recording.call, "outputs")->child;
    for (int32_t i = 0; i < r->trial.trial.signature.n_outputs; i++, port = port->next) {
        const TF_Tensor *now = r->outputs[i];
        const oribi_json_value *bytes = oribi_json_find(port, "bytes");
        const oribi_json_value *shape = oribi_json_find(port, "shape");
        if (bytes == NULL || now->dtype == TF_VARIANT || now->dtype == TF_RESOURCE) {
            continue;
        }
        bool fits = shape != NULL && shape->count == now->rank &&
                    oribi__trial_bytes_fit(bytes, now->dtype, now->bytes);
        const oribi_json_value *v = shape != NULL ? shape->child : NULL;
        for (int k = 0; fits && v != NULL; k++, v = v->next) {
            fits = v->integer == now->dims[k];
        }
        TF_Tensor *then =
            fits ? TF_AllocateTensor(now->dtype, now->dims, now->rank, now->bytes) : NULL;
        if (then == NULL) {
            oribi_text_printf(out, "output %d has another shape than it had", (int)i);
            return true;
        }
        if (now->dtype == TF_STRING) {
            memset(then->data, 0, then->bytes);
        }
        oribi__trial_fill_bytes(then, bytes);
        const size_t at = oribi_check_difference(then, now);
        TF_DeleteTensor(then);
        if (at < now->bytes) {
            const size_t element = oribi_dtype_bytes(now->dtype);
            oribi_text_printf(out, "output %d differs from element %zu (byte %zu) on", (int)i,
                              at / element, at);
            return true;
        }
    }
    return false;
}

static bool compute(replay *r, TF_Status *status)
{
    oribi_trial *t = &r->trial.trial;
    r->outputs = oribi_claim_array(&t->arena, (size_t)t->signature.n_outputs + 1,
                                   sizeof *r->outputs, status);
    ORIBI_TRY(r->outputs != NULL);
    oribi__trial_at(&r->trial, "creating the kernel");
    ORIBI_TRY(oribi__trial_create(&r->trial, NULL, status));
    oribi_pool *pool = oribi_pool_create(0, status);
    oribi__trial_at(&r->trial, "computing the recorded call");
    const bool ok = pool != NULL &&
                    oribi_checked_call(&r->trial.kernel, NULL, pool, t->inputs, r->outputs, status);
    oribi_pool_release(pool);
    return ok;
}

/* How it ended, and whether that is how it ended then. */
static void put_end(replay *r, bool ok, const TF_Status *end, oribi_json *json)
{
    const char *then = text_of(r->recording.call, "error");
    oribi_text difference = {0};
    bool same = ok ? then[0] == '\0' : strcmp(then, TF_Message(end)) == 0;
    if (ok && same && has_end(&r->recording)) {
        same = !find_difference(r, &difference);
    } else if (ok && same) {
        same = false;
    }
    oribi_json_put_string(json, "op", r->trial.trial.op->name);
    oribi_json_put_string(json, "kernel", r->trial.trial.def->kernel_name);
    oribi_json_put_string(json, "provider", r->trial.trial.def->provider);
    oribi_json_put_string(json, "error", ok ? "" : TF_Message(end));
    oribi_json_put_string(json, "recorded_error", then);
    oribi_json_put_string(json, "difference", oribi_text_string(&difference));
    oribi_json_put_bool(json, "same", same);
    oribi_text_destroy(&difference);
}

void oribi__replay_here(const char *path, const char *file, TF_Buffer *buffer, TF_Status *status)
{
    oribi_text text = {0};
    oribi_json json = {.text = &text};
    replay r = {.trial = {.path = path, .json = &json}};
    TF_Status *end = TF_NewStatus();
    if (open_recording(&r.recording, file, status) && make_node(&r, status) &&
        choose_kernel(&r, status)) {
        const bool ok = compute(&r, end);
        oribi_json_open(&json, '{');
        put_end(&r, ok, end, &json);
        oribi_json_close(&json, '}');
        for (int32_t i = 0; r.outputs != NULL && i < r.trial.trial.signature.n_outputs; i++) {
            TF_DeleteTensor(r.outputs[i]);
        }
        oribi_kernel_destroy(&r.trial.kernel);
        oribi__json_give(&text, buffer, status);
        text = (oribi_text){0};
    }
    oribi__trial_clear(&r.trial.trial);
    oribi_text_destroy(&text);
    close_recording(&r.recording);
    TF_DeleteStatus(end);
}

/* --- Outside --------------------------------------------------------------------------------- */

/* What the file says of itself, then what the helper found. */
static void put_report(const recording *r, const char *said, size_t length, bool is_crash,
                       const TF_Status *end, oribi_json *json)
{
    oribi_json_open(json, '{');
    oribi_json_put_string(json, "node", text_of(r->origin, "node"));
    oribi_json_put_string(json, "recorded_plugin", text_of(r->origin, "plugin"));
    oribi_json_put_bool(json, "has_end", has_end(r));
    oribi_json_put_bool(json, "crash", is_crash);
    oribi_json_key(json, "call");
    if (!is_crash) {
        oribi_json_raw(json, said, length);
    } else {
        oribi_json_open(json, '{');
        oribi_json_put_string(json, "op", text_of(r->call, "op"));
        oribi_json_put_string(json, "kernel", text_of(r->origin, "kernel"));
        oribi_json_put_string(json, "error", TF_Message(end));
        oribi_json_put_string(json, "recorded_error", text_of(r->call, "error"));
        oribi_json_put_bool(json, "same", !has_end(r));
        oribi_json_close(json, '}');
    }
    oribi_json_close(json, '}');
}

static bool run_helper(const char *path, const oribi_plugin_options *options, const char *file,
                       const recording *r, oribi_text *text, TF_Status *status)
{
    oribi_text request = {0}, answer = {0};
    oribi_json json = {.text = &request}, out = {.text = text};
    oribi_json_open(&json, '{');
    oribi_json_put_string(&json, "replay", file);
    oribi_json_close(&json, '}');
    const oribi_helper_request call = {.path = path,
                                       .options = options != NULL ? options->text : "",
                                       .mode = "case",
                                       .argument = oribi_text_string(&request),
                                       .timeout_ms = TIMEOUT_MS};
    const bool ok = oribi__helper_run(&call, &answer, status);
    const TF_Code code = TF_GetCode(status);
    const bool is_crash = !ok && (code == TF_ABORTED || code == TF_DEADLINE_EXCEEDED);
    if (ok || is_crash) {
        put_report(r, oribi_text_string(&answer), answer.length, is_crash, status, &out);
        TF_SetStatus(status, TF_OK, "");
    }
    oribi_text_destroy(&request);
    oribi_text_destroy(&answer);
    return ok || is_crash;
}

void oribi_plugin_replay(const char *spec, const char *file, TF_Buffer *buffer, TF_Status *status)
{
    const oribi_plugin_options *options = NULL;
    oribi_text text = {0};
    recording r = {0};
    char *path = NULL, *real = NULL;
    if (!ORIBI_GIVEN(status, file, buffer)) {
        return;
    }
    if (buffer->data) {
        oribi_fail(status, TF_INVALID_ARGUMENT, "oribi_plugin_replay: the buffer is not empty");
        return;
    }
    bool ok = open_recording(&r, file, status);
    real = ok ? oribi_path_real(file) : NULL;
    if (ok && spec == NULL && strcmp(text_of(r.origin, "plugin"), "built-in") != 0) {
        ok = oribi_fail(status, TF_FAILED_PRECONDITION,
                        "the call is one of plugin '%s', which is not loaded because a file says "
                        "so; name it, or a newer one: --plugin FILE",
                        text_of(r.origin, "plugin"));
    } else if (ok && (spec == NULL || oribi_plugin_is_built_in(spec))) {
        path = oribi_strdup(spec == NULL ? "cpu" : spec);
        ok = path != NULL || oribi_fail_memory(status);
    } else if (ok) {
        ok = oribi__plugin_spec_parse(spec, &path, &options, status);
    }
    ok = ok && (real != NULL || oribi_fail_memory(status)) &&
         run_helper(path, options, real, &r, &text, status);
    if (ok) {
        oribi__json_give(&text, buffer, status);
    } else {
        oribi_text_destroy(&text);
    }
    oribi_free(real);
    oribi_free(path);
    close_recording(&r);
}
