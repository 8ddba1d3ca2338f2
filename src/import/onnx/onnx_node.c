/* SPDX-License-Identifier: Apache-2.0 */
/* Reading one NodeProto and its attributes. Attributes are found by scanning the node when they are
 * asked for: nodes have few, and nothing is copied.
 */
#include "import/onnx/onnx.h"

#include <inttypes.h>
#include <string.h>

const oribi_emit_from *oribi_onnx_from(oribi_onnx_node *n)
{
    n->from = (oribi_emit_from){n->graph,   n->label,         n->origin, n->status,
                                &n->failed, &n->wants_shapes, NULL};
    return &n->from;
}

static bool count_ends(oribi_onnx_node *n, TF_Status *status)
{
    oribi_wire body = n->body;
    oribi_wire_field f;
    while (oribi_wire_next(&body, &f, status)) {
        if ((f.number == 1 && n->n_inputs == INT32_MAX) ||
            (f.number == 2 && n->n_outputs == INT32_MAX)) {
            return oribi_fail(status, TF_INVALID_ARGUMENT,
                              "byte %zu: there are too many inputs or outputs", n->offset);
        }
        n->n_inputs += f.number == 1;
        n->n_outputs += f.number == 2;
    }
    return oribi_ok(status);
}

static bool read_fields(oribi_onnx_node *n, oribi_string *inputs, TF_Status *status)
{
    oribi_wire body = n->body;
    oribi_wire_field f;
    int32_t n_inputs = 0, n_outputs = 0;
    while (oribi_wire_next(&body, &f, status)) {
        switch (f.number) {
        case 1:
            ORIBI_TRY(oribi_wire_string(&f, "an input name", &inputs[n_inputs++], status));
            break;
        case 2:
            ORIBI_TRY(oribi_wire_string(&f, "an output name", &n->outputs[n_outputs++], status));
            break;
        case 3:
            ORIBI_TRY(oribi_wire_string(&f, "a node's name", &n->name, status));
            break;
        case 4:
            ORIBI_TRY(oribi_wire_string(&f, "op_type", &n->op_type, status));
            break;
        case 7:
            ORIBI_TRY(oribi_wire_string(&f, "a node's domain", &n->domain, status));
            break;
        case 8:
            ORIBI_TRY(oribi_wire_string(&f, "a node's overload", &n->overload, status));
            break;
        default:
            break;
        }
    }
    return oribi_ok(status);
}

static bool make_label(oribi_onnx_node *n, TF_Status *status)
{
    oribi_string label = n->name;
    for (int32_t i = 0; label.length == 0 && i < n->n_outputs; i++) {
        label = n->outputs[i];
    }
    label = label.length == 0 ? n->op_type : label;
    const char *op_type = oribi_import_text(&n->onnx->scratch, &n->op_type);
    n->label = oribi_import_text(&n->onnx->scratch, &label);
    if (n->label != NULL && n->onnx->path[0] != '\0') {
        n->label = oribi_arena_printf(&n->onnx->scratch, "%s%s", n->onnx->path, n->label);
    }
    if (op_type == NULL || n->label == NULL) {
        return oribi_fail_memory(status);
    }
    n->origin = oribi_arena_printf(&n->graph->arena, "node '%s' (%s) at byte %zu", n->label,
                                   op_type, n->offset);
    return n->origin != NULL || oribi_fail_memory(status);
}

bool oribi_onnx_node_read(oribi_onnx *onnx, const oribi_wire *wire, const oribi_wire_field *field,
                          oribi_onnx_node *out, oribi_string **out_input_names, TF_Status *status)
{
    oribi_onnx_node n = {.onnx = onnx, .graph = onnx->graph, .status = status};
    n.offset = field->offset;
    n.name = n.op_type = n.domain = n.overload = (oribi_string){"", 0};
    n.first_node = onnx->graph->n_nodes;
    ORIBI_TRY(oribi_wire_enter(wire, field, &n.body, status));
    ORIBI_TRY(count_ends(&n, status));
    oribi_string *names = oribi_claim_array(
        &onnx->scratch, (size_t)n.n_inputs + (size_t)n.n_outputs + 1, sizeof(*names), status);
    n.inputs = oribi_claim_array(&onnx->scratch, (size_t)n.n_inputs + 1, sizeof(*n.inputs), status);
    ORIBI_TRY(names != NULL && n.inputs != NULL);
    n.outputs = names + n.n_inputs;
    ORIBI_TRY(read_fields(&n, names, status));
    if (n.domain.length == 7 && memcmp(n.domain.data, "ai.onnx", 7) == 0) {
        n.domain.length = 0;
    }
    const oribi_onnx *opsets = onnx->opsets;
    const int64_t *version = oribi_map_get_n(&opsets->domains, n.domain.data, n.domain.length);
    n.opset = n.domain.length == 0 ? opsets->opset : version != NULL ? *version : 1;
    ORIBI_TRY(make_label(&n, status));
    if (n.op_type.length == 0) {
        return oribi_fail(status, TF_INVALID_ARGUMENT, "byte %zu: a node has no op_type", n.offset);
    }
    *out = n;
    *out_input_names = names;
    return true;
}

/* --- Attributes ------------------------------------------------------------------------------ */

/* Files of the first IR versions leave the type out: it follows from the field that is there. */
static int64_t type_of_content(uint32_t number)
{
    static const int64_t types[] = {0,
                                    0,
                                    ORIBI_ONNX_ATTR_FLOAT,
                                    ORIBI_ONNX_ATTR_INT,
                                    ORIBI_ONNX_ATTR_STRING,
                                    ORIBI_ONNX_ATTR_TENSOR,
                                    ORIBI_ONNX_ATTR_GRAPH,
                                    ORIBI_ONNX_ATTR_FLOATS,
                                    ORIBI_ONNX_ATTR_INTS,
                                    ORIBI_ONNX_ATTR_STRINGS};
    return number < sizeof(types) / sizeof(types[0]) ? types[number] : 0;
}

static bool scan_attr(const oribi_wire *node, const oribi_wire_field *field, oribi_onnx_attr *out,
                      oribi_string *out_reference, TF_Status *status)
{
    oribi_onnx_attr attr = {.name = {"", 0}, .offset = field->offset};
    oribi_wire_field f;
    int64_t content = 0;
    ORIBI_TRY(oribi_wire_enter(node, field, &attr.body, status));
    oribi_wire body = attr.body;
    while (oribi_wire_next(&body, &f, status)) {
        if (f.number == 1) {
            ORIBI_TRY(oribi_wire_string(&f, "an attribute's name", &attr.name, status));
        } else if (f.number == 20) {
            ORIBI_TRY(oribi_wire_int(&f, "an attribute's type", &attr.type, status));
        } else if (f.number == 21) {
            ORIBI_TRY(oribi_wire_string(&f, "ref_attr_name", out_reference, status));
        }
        content = content != 0 ? content : type_of_content(f.number);
    }
    attr.type = attr.type != 0 ? attr.type : content;
    *out = attr;
    return oribi_ok(status);
}

static bool is_named(const oribi_string *name, const oribi_string *wanted)
{
    return name->length == wanted->length && memcmp(name->data, wanted->data, name->length) == 0;
}

static bool find_attr(oribi_onnx_node *n, const oribi_string *name, oribi_onnx_attr *out);

/* What the caller of the function gave for an attribute, or the function's default. */
static bool find_passed(oribi_onnx_node *n, const oribi_string *name, oribi_onnx_attr *out)
{
    if (n->onnx->call == NULL) {
        return oribi_onnx_fail(n, TF_INVALID_ARGUMENT,
                               "an attribute refers to '%.*s' of a function, but is in none",
                               (int)name->length, name->data);
    }
    oribi_onnx_node call = *n->onnx->call; /* its own failure is that of the node that asks */
    const bool found = find_attr(&call, name, out);
    n->failed = n->failed || call.failed;
    if (found || n->failed) {
        return found;
    }
    oribi_wire function = *n->onnx->function;
    oribi_wire_field f;
    oribi_string ignored = {"", 0};
    while (oribi_wire_next(&function, &f, n->status)) {
        if (f.number == 11 && scan_attr(&function, &f, out, &ignored, n->status) &&
            is_named(&out->name, name)) {
            return true;
        }
    }
    n->failed = !oribi_ok(n->status);
    return false;
}

bool oribi_onnx_attr_next(oribi_onnx_node *n, oribi_wire *position, oribi_onnx_attr *out)
{
    oribi_wire_field f;
    while (!n->failed && oribi_wire_next(position, &f, n->status)) {
        oribi_string reference = {"", 0};
        if (f.number != 5) {
            continue;
        }
        if (!scan_attr(position, &f, out, &reference, n->status)) {
            n->failed = true;
            oribi_status_prefix(n->status, "%s: ", n->origin);
            return false;
        }
        if (reference.length > 0) {
            const oribi_string name = out->name;
            if (!find_passed(n, &reference, out)) {
                continue; /* the operator's own default counts */
            }
            out->name = name;
            out->is_passed = true;
        }
        return true;
    }
    return false;
}

static bool find_attr(oribi_onnx_node *n, const oribi_string *name, oribi_onnx_attr *out)
{
    oribi_wire position = n->body;
    oribi_onnx_attr attr;
    while (oribi_onnx_attr_next(n, &position, &attr)) {
        if (is_named(&attr.name, name)) {
            *out = attr;
            return true;
        }
    }
    return false;
}

bool oribi_onnx_find_attr(oribi_onnx_node *n, const char *name, oribi_onnx_attr *out)
{
    const oribi_string text = {name, strlen(name)};
    return find_attr(n, &text, out);
}

bool oribi_onnx_has_attr(oribi_onnx_node *n, const char *name)
{
    oribi_onnx_attr attr;
    return oribi_onnx_find_attr(n, name, &attr);
}

static bool want_type(oribi_onnx_node *n, const oribi_onnx_attr *attr, int64_t type,
                      const char *what)
{
    return attr->type == type ||
           oribi_onnx_fail(n, TF_INVALID_ARGUMENT, "attribute '%.*s' at byte %zu is not of type %s",
                           (int)attr->name.length, attr->name.data, attr->offset, what);
}

/* Last field `number` of the attribute, as protobuf wants it; absent ones have the default. */
static bool last_field(oribi_onnx_node *n, const oribi_onnx_attr *attr, uint32_t number,
                       oribi_wire_field *out)
{
    oribi_wire body = attr->body;
    oribi_wire_field f;
    bool found = false;
    while (oribi_wire_next(&body, &f, n->status)) {
        if (f.number == number) {
            *out = f;
            found = true;
        }
    }
    return found;
}

/* Turns what the wire reader reports into this node's failure. */
static bool adopt(oribi_onnx_node *n, bool ok)
{
    if (!ok && !n->failed) {
        n->failed = true;
        oribi_status_prefix(n->status, "%s: ", n->origin);
    }
    return ok;
}

bool oribi_onnx_read_int(oribi_onnx_node *n, const oribi_onnx_attr *attr, int64_t *out)
{
    oribi_wire_field f;
    ORIBI_TRY(want_type(n, attr, ORIBI_ONNX_ATTR_INT, "integer"));
    if (!last_field(n, attr, 3, &f)) {
        *out = 0;
        return true;
    }
    return adopt(n, oribi_wire_int(&f, "an integer attribute", out, n->status));
}

bool oribi_onnx_read_float(oribi_onnx_node *n, const oribi_onnx_attr *attr, float *out)
{
    oribi_wire_field f;
    ORIBI_TRY(want_type(n, attr, ORIBI_ONNX_ATTR_FLOAT, "float"));
    if (!last_field(n, attr, 2, &f)) {
        *out = 0.0f;
        return true;
    }
    return adopt(n, oribi_wire_float(&f, "a float attribute", out, n->status));
}

bool oribi_onnx_read_string(oribi_onnx_node *n, const oribi_onnx_attr *attr, oribi_string *out)
{
    oribi_wire_field f;
    ORIBI_TRY(want_type(n, attr, ORIBI_ONNX_ATTR_STRING, "string"));
    if (!last_field(n, attr, 4, &f)) {
        *out = (oribi_string){"", 0};
        return true;
    }
    return adopt(n, oribi_wire_string(&f, "a string attribute", out, n->status));
}

/* Number of elements of the repeated field, checked against what the rest of the house counts in.
 */
static bool count_elements(oribi_onnx_node *n, const oribi_onnx_attr *attr, uint32_t number,
                           uint8_t type, int32_t *out_count)
{
    oribi_wire body = attr->body;
    oribi_wire_field f;
    size_t total = 0, count = 0;
    while (oribi_wire_next(&body, &f, n->status)) {
        if (f.number == number) {
            if (type == ORIBI_WIRE_BYTES) {
                count = 1;
            } else if (!oribi_wire_count(&body, &f, type, &count, n->status)) {
                return adopt(n, false);
            }
            total += count;
        }
    }
    if (total > INT32_MAX) {
        return oribi_onnx_fail(n, TF_INVALID_ARGUMENT, "attribute '%.*s' has too many elements",
                               (int)attr->name.length, attr->name.data);
    }
    *out_count = (int32_t)total;
    return true;
}

static bool fill_numbers(oribi_onnx_node *n, const oribi_onnx_attr *attr, uint32_t number,
                         uint8_t type, void *out, int32_t max)
{
    oribi_wire body = attr->body;
    oribi_wire_field f;
    int32_t count = 0;
    while (oribi_wire_next(&body, &f, n->status)) {
        size_t position = 0;
        uint64_t value = 0;
        while (f.number == number && count < max &&
               oribi_wire_element(&body, &f, type, &position, &value, n->status)) {
            uint32_t bits = (uint32_t)value;
            if (type == ORIBI_WIRE_32) {
                memcpy((float *)out + count, &bits, sizeof(bits));
            } else {
                ((int64_t *)out)[count] = (int64_t)value;
            }
            count++;
        }
    }
    return adopt(n, oribi_ok(n->status));
}

static bool read_numbers(oribi_onnx_node *n, const oribi_onnx_attr *attr, uint32_t number,
                         uint8_t type, size_t size, void **out, int32_t *out_count)
{
    int32_t count = 0;
    ORIBI_TRY(count_elements(n, attr, number, type, &count));
    void *array = oribi_arena_array(&n->onnx->scratch, (size_t)count + 1, size);
    ORIBI_TRY(array != NULL || oribi_onnx_no_memory(n));
    *out = array;
    *out_count = count;
    return fill_numbers(n, attr, number, type, array, count);
}

bool oribi_onnx_read_ints(oribi_onnx_node *n, const oribi_onnx_attr *attr, int64_t **out,
                          int32_t *out_count)
{
    void *array = NULL;
    ORIBI_TRY(want_type(n, attr, ORIBI_ONNX_ATTR_INTS, "list of integers") &&
              read_numbers(n, attr, 8, ORIBI_WIRE_VARINT, sizeof(**out), &array, out_count));
    *out = array;
    return true;
}

bool oribi_onnx_read_floats(oribi_onnx_node *n, const oribi_onnx_attr *attr, float **out,
                            int32_t *out_count)
{
    void *array = NULL;
    ORIBI_TRY(want_type(n, attr, ORIBI_ONNX_ATTR_FLOATS, "list of floats") &&
              read_numbers(n, attr, 7, ORIBI_WIRE_32, sizeof(**out), &array, out_count));
    *out = array;
    return true;
}

bool oribi_onnx_read_strings(oribi_onnx_node *n, const oribi_onnx_attr *attr, oribi_string **out,
                             int32_t *out_count)
{
    int32_t count = 0, filled = 0;
    oribi_wire body = attr->body;
    oribi_wire_field f;
    ORIBI_TRY(want_type(n, attr, ORIBI_ONNX_ATTR_STRINGS, "list of strings") &&
              count_elements(n, attr, 9, ORIBI_WIRE_BYTES, &count));
    oribi_string *array = oribi_arena_array(&n->onnx->scratch, (size_t)count + 1, sizeof(*array));
    ORIBI_TRY(array != NULL || oribi_onnx_no_memory(n));
    while (oribi_wire_next(&body, &f, n->status)) {
        if (f.number == 9 &&
            !adopt(n, oribi_wire_string(&f, "a string", &array[filled++], n->status))) {
            return false;
        }
    }
    *out = array;
    *out_count = count;
    return true;
}

bool oribi_onnx_read_tensor_body(oribi_onnx_node *n, const oribi_onnx_attr *attr, oribi_wire *out)
{
    oribi_wire_field f;
    ORIBI_TRY(want_type(n, attr, ORIBI_ONNX_ATTR_TENSOR, "tensor"));
    if (!last_field(n, attr, 5, &f)) {
        return oribi_onnx_fail(n, TF_INVALID_ARGUMENT,
                               "attribute '%.*s' at byte %zu holds no tensor",
                               (int)attr->name.length, attr->name.data, attr->offset);
    }
    return adopt(n, oribi_wire_enter(&attr->body, &f, out, n->status));
}

oribi_value_id oribi_onnx_read_tensor(oribi_onnx_node *n, const oribi_onnx_attr *attr)
{
    oribi_wire tensor;
    oribi_value_id value = -1;
    if (oribi_onnx_read_tensor_body(n, attr, &tensor)) {
        value = oribi_onnx_tensor_read(n->onnx, &tensor, n->label, n->status);
        adopt(n, value >= 0);
    }
    return value;
}

bool oribi_onnx_read_graph(oribi_onnx_node *n, const char *name, oribi_wire *out)
{
    oribi_onnx_attr attr;
    oribi_wire_field f;
    if (!oribi_onnx_find_attr(n, name, &attr)) {
        return n->failed ? false
                         : oribi_onnx_fail(n, TF_INVALID_ARGUMENT, "there is no '%s'", name);
    }
    if (attr.is_passed) {
        return oribi_onnx_fail(n, TF_UNIMPLEMENTED,
                               "'%s' is a graph that the caller of a function gives", name);
    }
    ORIBI_TRY(want_type(n, &attr, ORIBI_ONNX_ATTR_GRAPH, "graph"));
    if (!last_field(n, &attr, 6, &f)) {
        return oribi_onnx_fail(n, TF_INVALID_ARGUMENT, "'%s' holds no graph", name);
    }
    return adopt(n, oribi_wire_enter(&attr.body, &f, out, n->status));
}

/* --- Attributes by name ---------------------------------------------------------------------- */

int64_t oribi_onnx_int(oribi_onnx_node *n, const char *name, int64_t fallback)
{
    oribi_onnx_attr attr;
    int64_t value = fallback;
    if (oribi_onnx_find_attr(n, name, &attr)) {
        oribi_onnx_read_int(n, &attr, &value);
    }
    return value;
}

bool oribi_onnx_flag(oribi_onnx_node *n, const char *name, bool fallback)
{
    return oribi_onnx_int(n, name, fallback ? 1 : 0) != 0;
}

float oribi_onnx_float(oribi_onnx_node *n, const char *name, float fallback)
{
    oribi_onnx_attr attr;
    float value = fallback;
    if (oribi_onnx_find_attr(n, name, &attr)) {
        oribi_onnx_read_float(n, &attr, &value);
    }
    return value;
}

bool oribi_onnx_string_is(oribi_onnx_node *n, const char *name, const char *fallback,
                          const char *wanted)
{
    oribi_onnx_attr attr;
    oribi_string value = {fallback, strlen(fallback)};
    if (oribi_onnx_find_attr(n, name, &attr)) {
        oribi_onnx_read_string(n, &attr, &value);
    }
    return oribi_string_is(value, wanted);
}

bool oribi_onnx_dims(oribi_onnx_node *n, const char *name, oribi_dims *out)
{
    oribi_onnx_attr attr;
    int64_t *values = NULL;
    int32_t count = 0;
    ORIBI_TRY(oribi_onnx_find_attr(n, name, &attr) &&
              oribi_onnx_read_ints(n, &attr, &values, &count));
    return oribi_dims_set(out, values, count) ||
           oribi_onnx_fail(n, TF_INVALID_ARGUMENT, "%s has %d elements; at most %d are possible",
                           name, (int)count, ORIBI_MAX_RANK);
}
