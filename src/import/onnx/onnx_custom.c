/* SPDX-License-Identifier: Apache-2.0 */
/* Operators without a row: of other domains, and standard ones that have an op of their own
 * (ONNX>Name). Inputs by position, attributes by name, kinds as the op's definition wants them.
 */
#include <inttypes.h>
#include <string.h>

#include "import/onnx/onnx_emit.h"
#include "op/op_serves.h"
#include "target/target.h"

static bool is_tensorflow(const oribi_string *domain)
{
    static const char name[] = "org.tensorflow";
    return domain->length == sizeof name - 1 && memcmp(domain->data, name, domain->length) == 0;
}

/* "com.acme" -> "Com>Acme>"; characters that no op name may hold become '_'. Operators of the
 * domain org.tensorflow are ops under their own name. */
const char *oribi_onnx_custom_name(oribi_onnx *onnx, const oribi_string *domain,
                                   const oribi_string *op_type)
{
    if (is_tensorflow(domain)) {
        return oribi_arena_strndup(&onnx->scratch, op_type->data, op_type->length);
    }
    oribi_string prefix = domain->length == 0 ? (oribi_string){"ONNX", 4} : *domain;
    size_t length = prefix.length + 1 + op_type->length;
    char *name = oribi_arena_alloc(&onnx->scratch, length + 1);
    if (name == NULL) {
        return NULL;
    }
    memcpy(name, prefix.data, prefix.length);
    name[prefix.length] = '>';
    memcpy(name + prefix.length + 1, op_type->data, op_type->length);
    name[length] = '\0';
    bool at_start = true;
    for (size_t i = 0; i < length; i++) {
        bool in_domain = i < prefix.length;
        char c = name[i];
        bool is_lower = c >= 'a' && c <= 'z';
        bool is_other = (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '>';
        if (in_domain && c == '.') {
            name[i] = '>';
        } else if (!is_lower && !is_other) {
            name[i] = '_';
        } else if (in_domain && at_start && is_lower) {
            name[i] = (char)(c - 'a' + 'A');
        }
        at_start = name[i] == '>';
    }
    return name;
}

/* An op that says that it serves the operator goes first, then one of the domain, then one that a
 * plugin calls by the operator's plain name, so that whoever writes a plugin is free in the domain
 * that the models use. */
const oribi_op_def *oribi_onnx_custom_op(const oribi_onnx_node *n, oribi_text *out_served)
{
    const oribi_op_def *op = oribi_op_serving(&n->domain, &n->op_type, n->opset, out_served);
    if (op != NULL || oribi_text_string(out_served)[0] != '\0') {
        return op;
    }
    const char *name = oribi_onnx_custom_name(n->onnx, &n->domain, &n->op_type);
    const char *plain = oribi_arena_strndup(&n->onnx->scratch, n->op_type.data, n->op_type.length);
    op = name != NULL ? oribi_op_find(name) : NULL;
    if (op != NULL || plain == NULL || n->domain.length == 0) {
        return op;
    }
    op = oribi_op_find(plain);
    return op != NULL && strcmp(op->provider, "built-in") != 0 ? op : NULL;
}

typedef struct custom { /* the op node in the making */
    const oribi_op_def *op;
    oribi_attrs attrs;
} custom;

static bool set(oribi_onnx_node *n, custom *c, const oribi_attr *attr)
{
    ORIBI_TRY(oribi_attrs_set(&c->attrs, &n->graph->arena, attr) || oribi_onnx_no_memory(n));
    return true;
}

static bool kind_mismatch(oribi_onnx_node *n, const oribi_onnx_attr *from,
                          const oribi_attr_def *def)
{
    return oribi_onnx_fail(n, TF_INVALID_ARGUMENT,
                           "attribute '%s' at byte %zu has ONNX type %" PRId64 "; op '%s' needs %s",
                           def->name, from->offset, from->type, n->label,
                           oribi_attr_kind_name(def->kind, def->is_list));
}

/* Integers as the definition's kind: numbers, truth values, element types. */
static bool set_integers(oribi_onnx_node *n, custom *c, const oribi_attr_def *def,
                         const int64_t *values, int32_t count)
{
    oribi_attr attr = {
        .name = def->name, .kind = def->kind, .is_list = def->is_list, .count = count};
    size_t room = (size_t)count + 1;
    TF_DataType *types = oribi_arena_array(&n->onnx->scratch, room, sizeof(*types));
    uint8_t *flags = oribi_arena_array(&n->onnx->scratch, room, sizeof(*flags));
    ORIBI_TRY((types != NULL && flags != NULL) || oribi_onnx_no_memory(n));
    for (int32_t i = 0; i < count; i++) {
        types[i] = oribi_onnx_dtype(values[i]);
        flags[i] = values[i] != 0;
        if (def->kind == TF_ATTR_TYPE && types[i] == 0) {
            return oribi_onnx_fail(n, TF_INVALID_ARGUMENT,
                                   "attribute '%s': %" PRId64 " is not an element type", def->name,
                                   values[i]);
        }
    }
    bool is_shape = count <= ORIBI_MAX_TENSOR_RANK;
    for (int32_t i = 0; i < count; i++) {
        is_shape = is_shape && values[i] >= -1;
    }
    if (def->kind == TF_ATTR_SHAPE && !is_shape) {
        return oribi_onnx_fail(
            n, TF_INVALID_ARGUMENT,
            "attribute '%s' is not a shape: it has a size below -1, or more than %d sizes",
            def->name, ORIBI_MAX_TENSOR_RANK);
    }
    oribi_shape shape = {count, (int64_t *)values};
    if (def->kind == TF_ATTR_SHAPE) {
        attr.count = 1;
        attr.u.shape = &shape;
    } else if (def->kind == TF_ATTR_TYPE) {
        attr.u.type = types;
    } else if (def->kind == TF_ATTR_BOOL) {
        attr.u.b = flags;
    } else {
        attr.u.i = values;
    }
    return set(n, c, &attr);
}

static bool set_integer_attr(oribi_onnx_node *n, custom *c, const oribi_onnx_attr *from,
                             const oribi_attr_def *def)
{
    int64_t one = 0;
    int64_t *many = &one;
    int32_t count = 1;
    bool wants_list = def->is_list || def->kind == TF_ATTR_SHAPE;
    if (from->type == ORIBI_ONNX_ATTR_INT && !wants_list) {
        return oribi_onnx_read_int(n, from, &one) && set_integers(n, c, def, &one, 1);
    }
    if (from->type != ORIBI_ONNX_ATTR_INTS || !wants_list) {
        return kind_mismatch(n, from, def);
    }
    return oribi_onnx_read_ints(n, from, &many, &count) && set_integers(n, c, def, many, count);
}

/* Floats or strings; the attribute is one of them or a list, as the op has it. */
static bool set_values_attr(oribi_onnx_node *n, custom *c, const oribi_onnx_attr *from,
                            const oribi_attr_def *def)
{
    float number = 0.0f, *numbers = &number;
    oribi_string text = {"", 0}, *texts = &text;
    const bool is_text = def->kind == TF_ATTR_STRING;
    oribi_attr attr = {.name = def->name, .kind = def->kind, .is_list = def->is_list, .count = 1};
    const int one = is_text ? ORIBI_ONNX_ATTR_STRING : ORIBI_ONNX_ATTR_FLOAT;
    const int many = is_text ? ORIBI_ONNX_ATTR_STRINGS : ORIBI_ONNX_ATTR_FLOATS;
    if ((int)from->type != (def->is_list ? many : one)) {
        return kind_mismatch(n, from, def);
    }
    if (is_text) {
        ORIBI_TRY(def->is_list ? oribi_onnx_read_strings(n, from, &texts, &attr.count)
                               : oribi_onnx_read_string(n, from, &text));
        attr.u.s = texts;
    } else {
        ORIBI_TRY(def->is_list ? oribi_onnx_read_floats(n, from, &numbers, &attr.count)
                               : oribi_onnx_read_float(n, from, &number));
        attr.u.f = numbers;
    }
    return set(n, c, &attr);
}

static bool set_tensor_attr(oribi_onnx_node *n, custom *c, const oribi_onnx_attr *from,
                            const oribi_attr_def *def)
{
    if (from->type != ORIBI_ONNX_ATTR_TENSOR || def->is_list) {
        return kind_mismatch(n, from, def);
    }
    oribi_value_id value = oribi_onnx_read_tensor(n, from);
    TF_Tensor *tensor = value < 0 ? NULL : oribi_graph_constant_tensor(n->graph, value, n->status);
    if (tensor == NULL || !oribi_graph_keep_tensor(n->graph, tensor, n->status)) {
        n->failed = true;
        return false;
    }
    oribi_attr attr = {.name = def->name, .kind = TF_ATTR_TENSOR, .count = 1, .u.tensor = &tensor};
    return set(n, c, &attr);
}

static bool set_attr(oribi_onnx_node *n, custom *c, const oribi_onnx_attr *from)
{
    const char *name = oribi_import_text(&n->onnx->scratch, &from->name);
    ORIBI_TRY(name != NULL || oribi_onnx_no_memory(n));
    const oribi_attr_def *def = oribi_op_find_attr(c->op, name);
    if (def == NULL) {
        return oribi_onnx_fail(n, TF_INVALID_ARGUMENT, "op '%s' of %s has no attribute '%s'",
                               c->op->name, c->op->provider, name);
    }
    switch (def->kind) {
    case TF_ATTR_INT:
    case TF_ATTR_BOOL:
    case TF_ATTR_TYPE:
    case TF_ATTR_SHAPE:
        return set_integer_attr(n, c, from, def);
    case TF_ATTR_FLOAT:
    case TF_ATTR_STRING:
        return set_values_attr(n, c, from, def);
    case TF_ATTR_TENSOR:
        return set_tensor_attr(n, c, from, def);
    default:
        return kind_mismatch(n, from, def);
    }
}

/* Attributes that our own ONNX> ops have beside the operator's: which optional inputs are there,
 * the opset, the element type. */
static bool set_hidden_attrs(oribi_onnx_node *n, custom *c)
{
    oribi_arena *arena = &n->graph->arena;
    bool ok = true;
    if (oribi_op_find_attr(c->op, "present") != NULL) {
        size_t count = (size_t)n->n_inputs;
        uint8_t *present = oribi_arena_array(&n->onnx->scratch, count + 1, sizeof(*present));
        for (size_t i = 0; present != NULL && i < count; i++) {
            present[i] = n->inputs[i] >= 0;
        }
        oribi_attr attr = {.name = "present",
                           .kind = TF_ATTR_BOOL,
                           .is_list = true,
                           .count = n->n_inputs,
                           .u.b = present};
        ok = present != NULL && oribi_attrs_set(&c->attrs, arena, &attr);
    }
    if (ok && oribi_op_find_attr(c->op, "since_version") != NULL) {
        ok = oribi_attrs_set_int(&c->attrs, arena, "since_version", n->opset);
    }
    if (ok && n->domain.length == 0 && oribi_op_find_attr(c->op, "T") != NULL &&
        oribi_emit_input(n, 0) >= 0) {
        ok = oribi_attrs_set_type(&c->attrs, arena, "T", oribi_emit_dtype(n, n->inputs[0]));
    }
    n->failed = !ok;
    return ok || oribi_fail_memory(n->status);
}

static bool collect_attrs(oribi_onnx_node *n, custom *c)
{
    oribi_wire position = n->body;
    oribi_onnx_attr attr;
    const bool is_open = oribi_onnx_is_open(c->op);
    while (oribi_onnx_attr_next(n, &position, &attr)) {
        ORIBI_TRY(is_open || set_attr(n, c, &attr));
    }
    return !n->failed && (!is_open || oribi_onnx_set_open(n, c->op, &c->attrs)) &&
           set_hidden_attrs(n, c);
}

/* The op's state where the model connects none. */
static int32_t add_states(oribi_onnx_node *n, const custom *c, oribi_value_id *out, int32_t count)
{
    const int32_t n_states = oribi_target_kernel_states(c->op->name);
    if (n_states == 0 || count != c->op->n_inputs - n_states) {
        return count;
    }
    for (; count < c->op->n_inputs; count++) {
        out[count] = oribi_target_state_value(n->graph, c->op, n->label, out, count, n->status);
        if (out[count] < 0) {
            n->failed = true;
            return -1;
        }
    }
    return count;
}

/* Inputs that are there; a gap is fine only for an op that is told of it. */
static int32_t collect_inputs(oribi_onnx_node *n, const custom *c, oribi_value_id *out)
{
    int32_t count = 0;
    bool may_have_gaps = oribi_op_find_attr(c->op, "present") != NULL || oribi_onnx_is_open(c->op);
    for (int32_t i = 0; i < n->n_inputs; i++) {
        if (n->inputs[i] >= 0) {
            if (!may_have_gaps && count != i) {
                oribi_onnx_fail(n, TF_INVALID_ARGUMENT,
                                "input %d is absent and a later one is not; op '%s' takes its "
                                "inputs by position",
                                (int)count, c->op->name);
                return -1;
            }
            out[count++] = n->inputs[i];
        }
    }
    return add_states(n, c, out, count);
}

/* Outputs that the definition has, which may be more than the model names. */
static int32_t count_outputs(oribi_onnx_node *n, const custom *c, const oribi_value_id *inputs,
                             int32_t n_inputs)
{
    oribi_signature signature;
    oribi_attrs attrs = c->attrs;
    TF_DataType *types = oribi_arena_array(&n->onnx->scratch, (size_t)n_inputs + 1, sizeof(*types));
    if (types == NULL) {
        (void)oribi_onnx_no_memory(n);
        return -1;
    }
    for (int32_t i = 0; i < n_inputs; i++) {
        types[i] = oribi_emit_dtype(n, inputs[i]);
    }
    if (!oribi_op_resolve(c->op, n->label, &attrs, types, n_inputs, &n->graph->arena, &signature,
                          n->status)) {
        n->failed = true;
        oribi_status_prefix(n->status, "%s: ", n->origin);
        return -1;
    }
    if (n->n_outputs > signature.n_outputs && !oribi_onnx_is_open(c->op)) {
        oribi_onnx_fail(n, TF_INVALID_ARGUMENT, "the node has %d outputs; op '%s' has %d",
                        (int)n->n_outputs, c->op->name, (int)signature.n_outputs);
        return -1;
    }
    return signature.n_outputs;
}

/* Says why a node has no op: false. */
static bool fail_no_op(oribi_onnx_node *n, const char *served)
{
    if (served[0] != '\0') {
        return oribi_onnx_fail(n, TF_UNIMPLEMENTED,
                               "the model has version %" PRId64
                               " of its domain; plugins serve the versions %s",
                               n->opset, served);
    }
    if (n->domain.length == 0 && n->opset > ORIBI_ONNX_MAX_OPSET) {
        return oribi_onnx_fail(n, TF_UNIMPLEMENTED,
                               "the model asks for opset %" PRId64
                               ", but operators are read up to opset %d; convert the model with "
                               "onnx.version_converter",
                               n->opset, (int)ORIBI_ONNX_MAX_OPSET);
    }
    if (n->domain.length == 0 && oribi_onnx_first_opset(&n->op_type) > 0) {
        return oribi_onnx_fail(n, TF_UNIMPLEMENTED,
                               "this operator is not read as opset %" PRId64 " has it", n->opset);
    }
    return oribi_onnx_fail(n, TF_UNIMPLEMENTED, "there is no registered op with this name");
}

bool oribi_onnx_translate_custom(oribi_onnx_node *n)
{
    oribi_text served = {0};
    custom c = {.op = oribi_onnx_custom_op(n, &served)};
    const int32_t n_states = c.op != NULL ? oribi_target_kernel_states(c.op->name) : 0;
    oribi_value_id *inputs = oribi_arena_array(
        &n->onnx->scratch, (size_t)n->n_inputs + (size_t)n_states + 1, sizeof(*inputs));
    if (inputs == NULL) {
        (void)oribi_onnx_no_memory(n);
    } else if (c.op == NULL) {
        fail_no_op(n, oribi_text_string(&served));
    }
    oribi_text_destroy(&served);
    if (n->failed) {
        return false;
    }
    ORIBI_TRY(collect_attrs(n, &c));
    int32_t n_inputs = collect_inputs(n, &c, inputs);
    int32_t n_outputs = n->failed ? -1 : count_outputs(n, &c, inputs, n_inputs);
    if (n->failed) {
        return false;
    }
    oribi_node *node = oribi_graph_add_node(n->graph, c.op->name, n->label, inputs, n_inputs,
                                            n_outputs, n->status);
    if (node == NULL) {
        n->failed = true;
        return false;
    }
    node->attrs = c.attrs;
    node->origin = n->origin;
    if (!oribi_graph_resolve(n->graph, node, n->status)) {
        n->failed = true;
        oribi_status_prefix(n->status, "%s: ", n->origin);
        return false;
    }
    ORIBI_TRY(n->domain.length > 0 || oribi_emit_check_ranks(oribi_onnx_from(n), node));
    if (oribi_onnx_is_open(c.op)) {
        return oribi_onnx_bind_open(n, c.op, node);
    }
    for (int32_t i = 0; i < n->n_outputs; i++) {
        ORIBI_TRY(oribi_emit_bind(n, i, node->outputs[i]));
    }
    return true;
}
