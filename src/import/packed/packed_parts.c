/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the tables of a packed file's header: values, constants, packed constants; see packed.h. */
#include "import/packed/packed_parts.h"

#include <inttypes.h>
#include <string.h>

#include "base/alloc.h"
#include "op/op_proto.h"

bool oribi_packed_is_name(const char *name, size_t length)
{
    bool fine = true;
    for (size_t i = 0; i < length; i++) {
        fine = fine && (unsigned char)name[i] >= 0x20 && name[i] != 0x7f;
    }
    return fine;
}

bool oribi_packed_text(oribi_packed_reader *self, const oribi_wire_field *field, const char **out,
                       TF_Status *status)
{
    oribi_string text;
    ORIBI_TRY(oribi_wire_string(field, "a name", &text, status));
    if (!oribi_packed_is_name(text.data, text.length)) {
        return oribi_fail(status, TF_INVALID_ARGUMENT, "byte %zu: a name has control characters",
                          field->offset);
    }
    *out = oribi_arena_strndup(&self->graph->arena, text.data, text.length);
    return *out != NULL || oribi_fail_memory(status);
}

static bool read_shape(const oribi_wire *wire, const oribi_wire_field *field, oribi_wide_dims *out,
                       bool *out_is_unknown, TF_Status *status)
{
    oribi_wire shape;
    return oribi_wire_enter(wire, field, &shape, status) &&
           oribi_proto_read_shape(shape, out, out_is_unknown, status);
}

static bool read_dtype(const oribi_wire_field *field, TF_DataType *out, TF_Status *status)
{
    int64_t number = 0;
    ORIBI_TRY(oribi_wire_int(field, "a type", &number, status));
    if (number < 0 || number > UINT8_MAX || oribi_dtype_bytes((TF_DataType)number) == 0) {
        return oribi_fail(status, TF_INVALID_ARGUMENT, "byte %zu: there is no type %" PRId64,
                          field->offset, number);
    }
    *out = (TF_DataType)number;
    return true;
}

/* --- Values ---------------------------------------------------------------------------------- */

static bool read_value(oribi_packed_reader *self, oribi_wire wire, TF_Status *status)
{
    oribi_wire_field part;
    const char *name = "";
    oribi_wide_dims dims = {0};
    bool is_unknown = true;
    oribi_packed_value *value = oribi_claim_array(&self->scratch, 1, sizeof *value, status);
    ORIBI_TRY(value != NULL);
    value->units = oribi_wire_over(self->file, 0);
    while (oribi_wire_next(&wire, &part, status)) {
        ORIBI_TRY(part.number != ORIBI_VALUE_NAME || oribi_packed_text(self, &part, &name, status));
        ORIBI_TRY(part.number != ORIBI_VALUE_DTYPE || read_dtype(&part, &value->dtype, status));
        ORIBI_TRY(part.number != ORIBI_VALUE_SHAPE ||
                  read_shape(&wire, &part, &dims, &is_unknown, status));
        ORIBI_TRY(part.number != ORIBI_VALUE_UNITS ||
                  oribi_wire_enter(&wire, &part, &value->units, status));
    }
    ORIBI_TRY(oribi_ok(status));
    return (oribi_shape_copy(&self->graph->arena, dims.at, is_unknown ? -1 : dims.n,
                             &value->shape) &&
            oribi_map_put(&self->values, name, value)) ||
           oribi_fail_memory(status);
}

typedef struct unit_list {
    oribi_wire wire;
    oribi_wire_field scales, zeros;
    size_t at_scale, at_zero;
    int32_t n;
} unit_list;

static float float_of(uint64_t bits)
{
    const uint32_t narrow = (uint32_t)bits;
    float value;
    memcpy(&value, &narrow, sizeof value);
    return value;
}

/* The next one of each list; as many as were counted. */
static void next_unit(const void *arg, int32_t i, double *scale, int64_t *zero)
{
    unit_list *list = (unit_list *)(uintptr_t)arg;
    uint64_t bits = 0, number = 0;
    TF_Status *ignored = NULL;
    (void)i;
    (void)oribi_wire_element(&list->wire, &list->scales, ORIBI_WIRE_32, &list->at_scale, &bits,
                             ignored);
    (void)oribi_wire_element(&list->wire, &list->zeros, ORIBI_WIRE_VARINT, &list->at_zero, &number,
                             ignored);
    *scale = (double)float_of(bits);
    *zero = (int64_t)number;
}

static bool count_units(oribi_wire units, unit_list *list, int64_t *axis, TF_Status *status)
{
    oribi_wire_field part;
    size_t n_scales = 0, n_zeros = 0;
    *list = (unit_list){.wire = units};
    while (oribi_wire_next(&units, &part, status)) {
        if (part.number == ORIBI_UNITS_AXIS) {
            ORIBI_TRY(oribi_wire_int(&part, "an axis", axis, status));
        } else if (part.number == ORIBI_UNITS_SCALES) {
            list->scales = part;
            ORIBI_TRY(oribi_wire_count(&units, &part, ORIBI_WIRE_32, &n_scales, status));
        } else if (part.number == ORIBI_UNITS_ZEROS) {
            list->zeros = part;
            ORIBI_TRY(oribi_wire_count(&units, &part, ORIBI_WIRE_VARINT, &n_zeros, status));
        }
    }
    list->n = n_scales == n_zeros && n_scales <= INT32_MAX ? (int32_t)n_scales : 0;
    return oribi_ok(status);
}

bool oribi_packed_units(oribi_packed_reader *self, oribi_wire units, const oribi_value *value,
                        oribi_quantisation *out, TF_Status *status)
{
    unit_list list;
    int64_t axis = 0;
    ORIBI_TRY(count_units(units, &list, &axis, status));
    const bool fits =
        list.n <= 1 || (axis >= 0 && axis < value->shape.rank && value->shape.dims[axis] == list.n);
    oribi_value result = {.dtype = value->dtype};
    if (list.n > 0 && fits) {
        unit_list first = list;
        double scale;
        int64_t zero;
        next_unit(&first, 0, &scale, &zero);
        const oribi_quantisation all =
            oribi_graph_quantisation(value->dtype, list.n, axis, scale, zero);
        ORIBI_TRY(oribi_graph_quantise(self->graph, &result, &all, next_unit, &list, status));
    }
    *out = result.quantisation;
    return true;
}

/* --- Origins, states, packed constants ------------------------------------------------------- */

static bool read_origin(oribi_packed_reader *self, oribi_wire wire, TF_Status *status)
{
    oribi_wire_field part;
    const char *node = "", *text = "";
    while (oribi_wire_next(&wire, &part, status)) {
        ORIBI_TRY(part.number != ORIBI_ORIGIN_NODE ||
                  oribi_packed_text(self, &part, &node, status));
        ORIBI_TRY(part.number != ORIBI_ORIGIN_TEXT ||
                  oribi_packed_text(self, &part, &text, status));
    }
    ORIBI_TRY(oribi_ok(status));
    return oribi_map_put(&self->origins, node, (void *)(uintptr_t)text) ||
           oribi_fail_memory(status);
}

/* Where `bytes` bytes from this offset on lie in the file. */
static bool find_data(const oribi_packed_reader *self, int64_t offset, uint64_t bytes,
                      const char *what, const uint8_t **out, TF_Status *status)
{
    const uint64_t most = self->data_bytes;
    if (offset < 0 || (uint64_t)offset > most || bytes > most - (uint64_t)offset) {
        return oribi_fail(status, TF_DATA_LOSS,
                          "'%s' has %" PRIu64 " bytes from %" PRId64
                          " on, but the file has %" PRIu64 " there; pack the model again",
                          what, bytes, offset, most);
    }
    *out = self->data + (size_t)offset;
    return true;
}

static bool read_blob(oribi_packed_reader *self, oribi_wire wire, TF_Status *status)
{
    oribi_graph *graph = self->graph;
    oribi_wire_field part;
    const char *node = "";
    int64_t offset = 0, bytes = 0;
    oribi_graph_packed *blob = oribi_claim_array(&graph->arena, 1, sizeof *blob, status);
    ORIBI_TRY(blob != NULL);
    *blob = (oribi_graph_packed){.kernel = "", .layout = ""};
    while (oribi_wire_next(&wire, &part, status)) {
        ORIBI_TRY(part.number != ORIBI_BLOB_NODE || oribi_packed_text(self, &part, &node, status));
        ORIBI_TRY(part.number != ORIBI_BLOB_KERNEL ||
                  oribi_packed_text(self, &part, &blob->kernel, status));
        ORIBI_TRY(part.number != ORIBI_BLOB_LAYOUT ||
                  oribi_packed_text(self, &part, &blob->layout, status));
        ORIBI_TRY(part.number != ORIBI_BLOB_OFFSET ||
                  oribi_wire_int(&part, "an offset", &offset, status));
        ORIBI_TRY(part.number != ORIBI_BLOB_BYTES ||
                  oribi_wire_int(&part, "a size", &bytes, status));
    }
    ORIBI_TRY(oribi_ok(status));
    ORIBI_TRY(find_data(self, offset, bytes < 0 ? UINT64_MAX : (uint64_t)bytes, node, &blob->data,
                        status));
    blob->bytes = (size_t)bytes;
    blob->next = oribi_map_get(&graph->packed, node);
    return oribi_map_put(&graph->packed, node, blob) || oribi_fail_memory(status);
}

bool oribi_packed_tables(oribi_packed_reader *self, TF_Status *status)
{
    oribi_wire wire = self->header;
    oribi_wire_field field;
    int32_t n_states = 0;
    while (oribi_wire_next(&wire, &field, status)) {
        oribi_wire inside;
        if (field.number < ORIBI_PACKED_VALUE || field.number > ORIBI_PACKED_STATE) {
            continue;
        }
        ORIBI_TRY(oribi_wire_enter(&self->header, &field, &inside, status));
        if (field.number == ORIBI_PACKED_VALUE) {
            ORIBI_TRY(read_value(self, inside, status));
        } else if (field.number == ORIBI_PACKED_BLOB) {
            ORIBI_TRY(read_blob(self, inside, status));
        } else if (field.number == ORIBI_PACKED_ORIGIN) {
            ORIBI_TRY(read_origin(self, inside, status));
        } else {
            self->states[n_states] =
                oribi_proto_read_tensor(inside, oribi_graph_charge_arg, self->graph, status);
            ORIBI_TRY(self->states[n_states++] != NULL);
        }
    }
    return oribi_ok(status);
}

/* --- Constants ------------------------------------------------------------------------------- */

typedef struct constant {
    const char *name;
    TF_DataType dtype;
    oribi_wide_dims dims, strides;
    bool is_absent;
    int64_t offset;
    size_t bytes; /* from the first that is read to the last */
} constant;

static bool read_strides(const oribi_wire *wire, const oribi_wire_field *field,
                         oribi_wide_dims *out, TF_Status *status)
{
    size_t position = 0;
    uint64_t number = 0;
    while (oribi_wire_element(wire, field, ORIBI_WIRE_VARINT, &position, &number, status)) {
        if (number > PTRDIFF_MAX || !oribi_wide_dims_add(out, (int64_t)number)) {
            return oribi_fail(status, TF_INVALID_ARGUMENT, "byte %zu: impossible strides",
                              field->offset);
        }
    }
    return oribi_ok(status);
}

/* How many bytes the view reads, checked: (dim - 1) * stride of each dimension, and an element. */
static bool measure(constant *c, TF_Status *status)
{
    const size_t element = oribi_dtype_bytes(c->dtype);
    bool fits = oribi_size_of_dims(c->dims.at, c->dims.n, element, &c->bytes) &&
                c->dtype != TF_STRING && c->dtype != TF_RESOURCE && c->dtype != TF_VARIANT;
    if (fits && c->strides.n > 0) {
        fits = c->is_absent && c->strides.n == c->dims.n;
        size_t all = c->bytes == 0 ? 0 : element;
        for (int32_t i = 0; fits && c->bytes > 0 && i < c->dims.n; i++) {
            size_t step = 0;
            fits = oribi_size_mul((size_t)c->dims.at[i] - 1, (size_t)c->strides.at[i], &step) &&
                   oribi_size_add(all, step, &all);
        }
        c->bytes = all;
    }
    return fits || oribi_fail(status, TF_INVALID_ARGUMENT,
                              "constant '%s' has an impossible type, shape or strides", c->name);
}

static bool read_constant(oribi_packed_reader *self, oribi_wire wire, constant *c,
                          TF_Status *status)
{
    oribi_wire_field part;
    bool is_unknown = false;
    int64_t is_absent = 0;
    *c = (constant){.name = ""};
    while (oribi_wire_next(&wire, &part, status)) {
        ORIBI_TRY(part.number != ORIBI_CONSTANT_NAME ||
                  oribi_packed_text(self, &part, &c->name, status));
        ORIBI_TRY(part.number != ORIBI_CONSTANT_DTYPE || read_dtype(&part, &c->dtype, status));
        ORIBI_TRY(part.number != ORIBI_CONSTANT_SHAPE ||
                  read_shape(&wire, &part, &c->dims, &is_unknown, status));
        ORIBI_TRY(part.number != ORIBI_CONSTANT_OFFSET ||
                  oribi_wire_int(&part, "an offset", &c->offset, status));
        ORIBI_TRY(part.number != ORIBI_CONSTANT_STRIDES ||
                  read_strides(&wire, &part, &c->strides, status));
        ORIBI_TRY(part.number != ORIBI_CONSTANT_IS_ABSENT ||
                  oribi_wire_int(&part, "a mark", &is_absent, status));
    }
    c->is_absent = is_absent != 0;
    return oribi_ok(status) && measure(c, status);
}

/* A byte other than 0 and 1 is no bool. */
static bool check_bools(const constant *c, const uint8_t *data, TF_Status *status)
{
    for (size_t i = 0; c->dtype == TF_BOOL && i < c->bytes; i++) {
        if (data[i] > 1) {
            return oribi_fail(status, TF_INVALID_ARGUMENT,
                              "constant '%s': byte %zu is %d, which is no bool", c->name, i,
                              (int)data[i]);
        }
    }
    return true;
}

static bool add_constant(oribi_packed_reader *self, oribi_graphdef *def, const constant *c,
                         TF_Status *status)
{
    const uint8_t *data = self->zeros;
    oribi_source *source = self->zeros_source;
    if (!c->is_absent) {
        ORIBI_TRY(find_data(self, c->offset, c->bytes, c->name, &data, status) &&
                  check_bools(c, data, status));
        source = self->source;
    }
    const oribi_constant_view view = {c->dtype, c->dims.n, c->dims.at,
                                      c->strides.n > 0 ? c->strides.at : NULL, data};
    oribi_source_retain(source);
    const oribi_value_id id = oribi_graph_add_constant(self->graph, c->name, &view, source, status);
    ORIBI_TRY(id >= 0);
    self->graph->values[id]->constant->is_absent = c->is_absent;
    return oribi_graphdef_feed(def, c->name, id, status);
}

/* One after the other; `def` NULL: only the largest absent one is looked for. */
static bool each_constant(oribi_packed_reader *self, oribi_graphdef *def, size_t *out_most,
                          TF_Status *status)
{
    oribi_wire wire = self->header;
    oribi_wire_field field;
    while (oribi_wire_next(&wire, &field, status)) {
        oribi_wire inside;
        constant c;
        if (field.number != ORIBI_PACKED_CONSTANT) {
            continue;
        }
        ORIBI_TRY(oribi_wire_enter(&self->header, &field, &inside, status) &&
                  read_constant(self, inside, &c, status));
        *out_most = c.is_absent && c.bytes > *out_most ? c.bytes : *out_most;
        ORIBI_TRY(def == NULL || add_constant(self, def, &c, status));
    }
    return oribi_ok(status);
}

bool oribi_packed_constants(oribi_packed_reader *self, oribi_graphdef *def, TF_Status *status)
{
    size_t most = 1;
    ORIBI_TRY(each_constant(self, NULL, &most, status));
    /* They take no memory; but a file that claims terabytes is refused as it would be elsewhere. */
    ORIBI_TRY(oribi_graph_charge(self->graph, most, status));
    self->graph->made_bytes -= most;
    self->zeros_source = oribi_source_zeros(most, &self->zeros, status);
    return self->zeros_source != NULL && each_constant(self, def, &most, status);
}
