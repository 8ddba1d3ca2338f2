/* SPDX-License-Identifier: Apache-2.0 */
/* Control flow as graphs had it before functions did it, and as freezing still writes it. A loop is
 * a frame: values enter it, a Merge takes what enters or what the iteration before left, a Switch
 * goes on or leaves by an Exit. It becomes a loop when its first Exit is met: its nodes are read
 * once more, between Switch and NextIteration for the body, from Merge to LoopCond for the
 * condition. Switch and Merge alone are a condition: tf_switch.c.
 */
#include <string.h>

#include "import/tensorflow/tensorflow.h"

bool oribi_tf_is_whole(void *scope, const oribi_graphdef_seen *node)
{
    (void)scope;
    return oribi_string_is(node->op, "Exit") || oribi_string_is(node->op, "Merge");
}

/* --- Frames --------------------------------------------------------------------------------- */

/* One input of a loop: of what is constant only the Enter is there. */
typedef struct variable {
    oribi_graphdef_seen enter, merge, leave, next; /* `leave`: the Switch */
    bool is_carried;
} variable;

typedef struct oribi_tf_frame {
    oribi_string name;
    variable *variables;
    int32_t n;
    oribi_map by_name;      /* of variables, by their Enter and their Merge */
    oribi_string condition; /* the input of LoopCond */
    oribi_value_id *results;
    oribi_tf_scope *scope;
    bool is_made;
    int64_t number; /* of the scope */
    struct oribi_tf_frame *next;
} frame;

static oribi_string frame_name(const oribi_graphdef_seen *enter)
{
    oribi_wire_field field;
    return oribi_graphdef_attr_field(enter->message, "frame_name", 2, &field) &&
                   field.type == ORIBI_WIRE_BYTES
               ? (oribi_string){(const char *)field.data, field.bytes}
               : (oribi_string){"", 0};
}

/* The node that an input is, of this op. */
static bool look_for(const oribi_graphdef *reader, const oribi_graphdef_seen *node, int32_t i,
                     const char *op, oribi_graphdef_seen *out)
{
    int32_t port;
    return i < node->n_inputs && oribi_graphdef_look(reader, node->inputs[i], out, &port) &&
           oribi_string_is(out->op, op);
}

/* The Merge of a variable, and what it takes. */
static bool read_merge(const oribi_graphdef *reader, const oribi_graphdef_seen *merge,
                       variable *out)
{
    for (int32_t i = 0; i < 2; i++) {
        if (look_for(reader, merge, i, "Enter", &out->enter) &&
            look_for(reader, merge, 1 - i, "NextIteration", &out->next)) {
            out->merge = *merge;
            out->is_carried = true;
            return true;
        }
    }
    return false;
}

static bool count_enters(const oribi_graphdef *reader, oribi_string name, size_t *out,
                         TF_Status *status)
{
    oribi_graphdef_seen node;
    *out = 0;
    for (int32_t i = 0; i < oribi_graphdef_count(reader); i++) {
        oribi_graphdef_at(reader, i, &node);
        *out += oribi_string_is(node.op, "Enter") && oribi_string_same(frame_name(&node), name);
    }
    return oribi_ok(status);
}

/* What the frame has: variables first, then what is constant in it. */
static bool read_frame(frame *f, TF_Status *status)
{
    const oribi_graphdef *reader = f->scope->reader;
    oribi_graphdef_seen node, merge, condition;
    size_t n = 0;
    ORIBI_TRY(count_enters(reader, f->name, &n, status));
    f->variables = oribi_arena_array(&f->scope->tf->kept, n + 1, sizeof *f->variables);
    ORIBI_TRY(f->variables != NULL || oribi_fail_memory(status));
    for (int32_t i = 0; i < oribi_graphdef_count(reader) && f->n < (int32_t)n; i++) {
        variable *v = &f->variables[f->n];
        oribi_graphdef_at(reader, i, &node);
        f->n += oribi_string_is(node.op, "Merge") && read_merge(reader, &node, v) &&
                oribi_string_same(frame_name(&v->enter), f->name);
    }
    for (int32_t k = 0; k < f->n; k++) {
        variable *v = &f->variables[k];
        ORIBI_TRY(v->next.n_inputs > 0 ||
                  oribi_fail(status, TF_INVALID_ARGUMENT, "a NextIteration has no input"));
        ORIBI_TRY((oribi_map_put_n(&f->by_name, v->enter.name.data, v->enter.name.length, v) &&
                   oribi_map_put_n(&f->by_name, v->merge.name.data, v->merge.name.length, v)) ||
                  oribi_fail_memory(status));
    }
    for (int32_t i = 0; i < oribi_graphdef_count(reader); i++) {
        oribi_graphdef_at(reader, i, &node);
        if (oribi_string_is(node.op, "Switch") && look_for(reader, &node, 0, "Merge", &merge) &&
            look_for(reader, &node, 1, "LoopCond", &condition) && condition.n_inputs > 0) {
            variable *v = oribi_map_get_n(&f->by_name, merge.name.data, merge.name.length);
            if (v != NULL) {
                v->leave = node;
                f->condition = condition.inputs[0];
            }
        } else if (oribi_string_is(node.op, "Enter") && f->n < (int32_t)n &&
                   oribi_map_get_n(&f->by_name, node.name.data, node.name.length) == NULL &&
                   oribi_string_same(frame_name(&node), f->name)) {
            f->variables[f->n++] = (variable){.enter = node};
        }
    }
    return oribi_ok(status) && (f->condition.length > 0 || oribi_fail(status, TF_INVALID_ARGUMENT,
                                                                      "its loop has no condition"));
}

/* A second reader of the frame's nodes, in tf->graph, for which these values stand at the Merge
 * nodes and behind what is constant. */
static oribi_graphdef *open_inside(frame *f, oribi_tf_scope *scope, const char *step,
                                   const oribi_value_id *inputs, TF_Status *status)
{
    oribi_tf *tf = f->scope->tf;
    const oribi_wire *message = &f->scope->message;
    *scope = (oribi_tf_scope){.tf = tf, .message = *message, .number = tf->calls_left};
    scope->prefix = oribi_arena_printf(&tf->kept, "%s%.*s/%s/", f->scope->prefix,
                                       (int)(f->name.length & 0xff), f->name.data, step);
    const oribi_graphdef_known known = {.arg = scope,
                                        .prefix = scope->prefix,
                                        .skips_controls = true,
                                        .is_whole = oribi_tf_is_whole,
                                        .make = oribi_tf_make,
                                        .spelling = oribi_tf_spelling,
                                        .argument = oribi_tf_argument};
    if (scope->prefix == NULL) {
        oribi_fail_memory(status);
        return NULL;
    }
    if (!oribi_tf_spend(tf, oribi_graphdef_count(f->scope->reader), status)) {
        return NULL;
    }
    scope->reader = oribi_graphdef_open(tf->graph, message->at,
                                        (size_t)(message->end - message->at), &known, status);
    for (int32_t i = 0; scope->reader != NULL && i < f->n; i++) {
        const variable *v = &f->variables[i];
        const oribi_value_id two[] = {inputs[i], inputs[i]};
        if (!oribi_graphdef_feed_node(scope->reader, v->is_carried ? v->merge.name : v->enter.name,
                                      two, v->is_carried ? 2 : 1, status) ||
            (v->is_carried && v->leave.name.length > 0 &&
             !oribi_graphdef_feed_node(scope->reader, v->leave.name, two, 2, status))) {
            oribi_graphdef_close(scope->reader);
            scope->reader = NULL;
        }
    }
    return scope->reader;
}

static bool fetch_text(oribi_tf_scope *scope, oribi_string text, oribi_value_id *out,
                       TF_Status *status)
{
    const char *name = oribi_tf_text(scope->tf, text, status);
    return name != NULL && oribi_graphdef_fetch(scope->reader, name, out, status);
}

static bool iterate(oribi_tf_loop *self, const oribi_value_id *inputs, oribi_value_id *out,
                    TF_Status *status)
{
    frame *f = self->arg;
    oribi_tf_scope scope;
    bool ok = open_inside(f, &scope, "body", inputs, status) != NULL;
    self->tf->depth++;
    for (int32_t i = 0; ok && i < f->n; i++) {
        out[i] = inputs[i];
        ok = !f->variables[i].is_carried ||
             fetch_text(&scope, f->variables[i].next.inputs[0], &out[i], status);
    }
    self->tf->depth--;
    oribi_graphdef_close(scope.reader);
    return ok;
}

static bool ask(oribi_tf_loop *self, const oribi_value_id *inputs, oribi_value_id *out,
                TF_Status *status)
{
    frame *f = self->arg;
    oribi_tf_scope scope;
    self->tf->depth++;
    const bool ok = open_inside(f, &scope, "cond", inputs, status) != NULL &&
                    fetch_text(&scope, f->condition, out, status);
    self->tf->depth--;
    oribi_graphdef_close(scope.reader);
    return ok;
}

static bool make_frame(frame *f, const char *label, TF_Status *status)
{
    enum { MAX_DEPTH = 24 };
    oribi_tf *tf = f->scope->tf;
    ORIBI_TRY(oribi_tf_spend(tf, 3 * (int64_t)oribi_graphdef_count(f->scope->reader), status) &&
              read_frame(f, status));
    oribi_value_id *inputs = oribi_arena_array(&tf->kept, (size_t)f->n + 1, sizeof *inputs);
    f->results = oribi_arena_array(&tf->kept, (size_t)f->n + 1, sizeof *f->results);
    oribi_tf_loop loop = {.tf = tf,
                          .label = label,
                          .inputs = inputs,
                          .n = f->n,
                          .body = iterate,
                          .condition = ask,
                          .arg = f,
                          .is_carried =
                              oribi_arena_array(&tf->kept, (size_t)f->n + 1, sizeof(bool))};
    ORIBI_TRY((inputs != NULL && f->results != NULL && loop.is_carried != NULL) ||
              oribi_fail_memory(status));
    ORIBI_TRY(tf->depth < MAX_DEPTH ||
              oribi_fail(status, TF_RESOURCE_EXHAUSTED, "loops nest deeper than %d", MAX_DEPTH));
    for (int32_t i = 0; i < f->n; i++) {
        const variable *v = &f->variables[i];
        ORIBI_TRY(v->enter.n_inputs > 0 ||
                  oribi_fail(status, TF_INVALID_ARGUMENT, "an Enter has no input"));
        ORIBI_TRY(fetch_text(f->scope, v->enter.inputs[0], &inputs[i], status));
        loop.is_carried[i] = v->is_carried;
    }
    return oribi_tf_make_loop(&loop, f->results, status) >= 0;
}

static frame *frame_of(oribi_tf_scope *scope, const oribi_graphdef_node *node, oribi_string name,
                       TF_Status *status)
{
    for (frame *f = scope->tf->frames; f != NULL; f = f->next) {
        if (f->is_made && f->number == scope->number && oribi_string_same(f->name, name)) {
            return f;
        }
    }
    frame *made = oribi_arena_array(&scope->tf->kept, 1, sizeof *made);
    if (made == NULL) {
        oribi_fail_memory(status);
        return NULL;
    }
    *made = (frame){.name = name, .scope = scope, .number = scope->number, .condition = {"", 0}};
    made->next = scope->tf->frames; /* for oribi_tf_frames_destroy, whatever comes */
    scope->tf->frames = made;
    if (!make_frame(made, node->name, status)) {
        return NULL;
    }
    made->is_made = true;
    return made;
}

void oribi_tf_frames_destroy(oribi_tf *tf)
{
    for (frame *f = tf != NULL ? tf->frames : NULL; f != NULL; f = f->next) {
        oribi_map_destroy(&f->by_name);
    }
}

int32_t oribi_tf_make_exit(oribi_tf_scope *scope, const oribi_graphdef_node *node,
                           oribi_value_id *out, int32_t max, TF_Status *status)
{
    oribi_graphdef_seen exit, leave, merge;
    variable first;
    int32_t port;
    (void)max;
    if (scope->reader == NULL ||
        !oribi_graphdef_look(scope->reader, node->short_name, &exit, &port) ||
        !look_for(scope->reader, &exit, 0, "Switch", &leave) ||
        !look_for(scope->reader, &leave, 0, "Merge", &merge) ||
        !read_merge(scope->reader, &merge, &first)) {
        oribi_fail(status, TF_UNIMPLEMENTED, "it ends no loop that is known");
        return -1;
    }
    const frame *f = frame_of(scope, node, frame_name(&first.enter), status);
    const variable *found =
        f != NULL ? oribi_map_get_n(&f->by_name, merge.name.data, merge.name.length) : NULL;
    if (found != NULL) {
        out[0] = f->results[found - f->variables];
        return 1;
    }
    (void)(!oribi_ok(status) ||
           oribi_fail(status, TF_INVALID_ARGUMENT, "it is of another loop than its value"));
    return -1;
}
