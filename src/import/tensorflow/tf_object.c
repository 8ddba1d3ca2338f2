/* SPDX-License-Identifier: Apache-2.0 */
/* Variables that the restore function does not name: which of the model's objects a function is
 * bound to is said by the SavedModel, which tensor of the checkpoint an object has by the
 * checkpoint; both number objects alike. Source   saved_object_graph.proto,
 * trackable_object_graph.proto.
 */
#include <string.h>

#include "import/tensorflow/tensorflow.h"

/* The checkpoint's own description of objects: a string, of which length and a checksum come
 * first. */
static bool open_objects(oribi_tf *tf, oribi_wire *out, TF_Status *status)
{
    enum { CHECKSUM_BYTES = 4 };
    oribi_source *source;
    const oribi_tf_entry *entry =
        oribi_tf_bundle_find(&tf->bundle, "_CHECKPOINTABLE_OBJECT_GRAPH", status);
    const uint8_t *data =
        entry != NULL ? oribi_tf_bundle_data(&tf->bundle, entry, &source, status) : NULL;
    ORIBI_TRY(data != NULL);
    const uint8_t *end = data + entry->bytes;
    while (data < end && *data >= 0x80) {
        data++;
    }
    data += data < end ? 1 : 0;
    if (entry->dtype != TF_STRING || end - data < CHECKSUM_BYTES) {
        return oribi_fail(status, TF_DATA_LOSS, "the checkpoint's objects are spoiled");
    }
    *out = oribi_wire_over(data + CHECKSUM_BYTES, (size_t)(end - data - CHECKSUM_BYTES));
    return true;
}

/* The name in the checkpoint of an object's value; empty: it has none. */
static bool key_of_object(oribi_wire object, oribi_string *out, TF_Status *status)
{
    oribi_wire attribute;
    oribi_wire_field field, part;
    *out = (oribi_string){"", 0};
    while (oribi_wire_next(&object, &field, status)) {
        if (field.number != 2) {
            continue;
        }
        ORIBI_TRY(oribi_wire_enter(&object, &field, &attribute, status));
        while (oribi_wire_next(&attribute, &part, status)) {
            ORIBI_TRY(part.number != 3 || oribi_wire_string(&part, "a key", out, status));
        }
    }
    return oribi_ok(status);
}

static bool read_objects(oribi_tf *tf, TF_Status *status)
{
    oribi_wire objects, wire, object;
    oribi_wire_field field;
    size_t n = 0;
    ORIBI_TRY(open_objects(tf, &objects, status));
    wire = objects;
    while (oribi_wire_next(&wire, &field, status)) {
        n += field.number == 1;
    }
    ORIBI_TRY(oribi_ok(status));
    tf->object_keys = oribi_arena_array(&tf->kept, n + 1, sizeof *tf->object_keys);
    ORIBI_TRY(tf->object_keys != NULL || oribi_fail_memory(status));
    wire = objects;
    while (oribi_wire_next(&wire, &field, status)) {
        ORIBI_TRY(field.number != 1 ||
                  (oribi_wire_enter(&wire, &field, &object, status) &&
                   key_of_object(object, &tf->object_keys[tf->n_objects++], status)));
    }
    return oribi_ok(status);
}

/* The variable that an input of a call is gets what its object has. */
static bool bind(oribi_tf *tf, oribi_string input, int64_t object, TF_Status *status)
{
    oribi_graphdef_seen variable;
    int32_t port;
    if (object < 0 || object >= tf->n_objects || tf->object_keys[object].length == 0 ||
        !oribi_graphdef_look(tf->reader, input, &variable, &port)) {
        return true;
    }
    const oribi_string shared = oribi_tf_shared_name(variable.message, variable.name);
    if (oribi_map_get_n(&tf->keys, shared.data, shared.length) != NULL) {
        return true;
    }
    const oribi_string *key = &tf->object_keys[object];
    char *text = oribi_arena_strndup(&tf->kept, key->data, key->length);
    return (text != NULL && oribi_map_put_n(&tf->keys, shared.data, shared.length, text)) ||
           oribi_fail_memory(status);
}

/* The objects that a function is bound to are the last inputs of its calls. */
static bool bind_call(oribi_tf *tf, oribi_wire function, const oribi_graphdef_seen *call,
                      TF_Status *status)
{
    oribi_wire wire = function;
    oribi_wire_field field;
    size_t n = 0, i = 0, count = 0;
    int32_t n_inputs = 0;
    while (n_inputs < call->n_inputs &&
           (call->inputs[n_inputs].length == 0 || call->inputs[n_inputs].data[0] != '^')) {
        n_inputs++;
    }
    while (oribi_wire_next(&wire, &field, status)) {
        ORIBI_TRY(field.number != 2 ||
                  oribi_wire_count(&wire, &field, ORIBI_WIRE_VARINT, &count, status));
        n += field.number == 2 ? count : 0;
    }
    ORIBI_TRY(oribi_ok(status));
    wire = function;
    while (n <= (size_t)n_inputs && oribi_wire_next(&wire, &field, status)) {
        size_t position = 0;
        uint64_t object;
        while (field.number == 2 &&
               oribi_wire_element(&wire, &field, ORIBI_WIRE_VARINT, &position, &object, status)) {
            ORIBI_TRY(bind(tf, call->inputs[(size_t)n_inputs - n + i++], (int64_t)object, status));
        }
    }
    return oribi_ok(status);
}

/* Which objects each function is bound to. */
static bool read_bound(oribi_tf *tf, TF_Status *status)
{
    oribi_wire wire = tf->objects, entry;
    oribi_wire_field field, part;
    while (oribi_wire_next(&wire, &field, status)) {
        oribi_string name = {"", 0};
        oribi_wire bound = oribi_wire_over(wire.at, 0);
        if (field.number != 2) {
            continue;
        }
        ORIBI_TRY(oribi_wire_enter(&wire, &field, &entry, status));
        while (oribi_wire_next(&entry, &part, status)) {
            ORIBI_TRY(part.number != 1 || oribi_wire_string(&part, "a name", &name, status));
            ORIBI_TRY(part.number != 2 || oribi_wire_enter(&entry, &part, &bound, status));
        }
        oribi_wire *kept = oribi_arena_memdup(&tf->kept, &bound, sizeof bound);
        ORIBI_TRY(oribi_ok(status));
        ORIBI_TRY((kept != NULL && oribi_map_put_n(&tf->bound, name.data, name.length, kept)) ||
                  oribi_fail_memory(status));
    }
    return oribi_ok(status);
}

static bool visit(oribi_tf *tf, const oribi_graphdef *reader, const oribi_tf_function *function,
                  const oribi_graphdef_seen *call, TF_Status *status)
{
    (void)reader;
    const oribi_wire *bound = call != NULL ? oribi_map_get(&tf->bound, function->name) : NULL;
    return bound == NULL || bind_call(tf, *bound, call, status);
}

bool oribi_tf_bind_objects(oribi_tf *tf, TF_Status *status)
{
    return tf->objects.at == tf->objects.end ||
           (read_objects(tf, status) && read_bound(tf, status) &&
            oribi_tf_visit_calls(tf, visit, status));
}
