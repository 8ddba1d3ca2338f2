/* SPDX-License-Identifier: Apache-2.0 */
/* Reads a packed file into a graph; see packed.h. Nothing in it is trusted: offsets and lengths are
 * checked against the file, shapes are inferred by the ops as for any model, a kernel takes packed
 * bytes only if they are as many as it works out itself, and what the file has packed only shows
 * as zeros where somebody looks for it elsewhere.
 */
#include "import/packed/packed.h"

#include <inttypes.h>
#include <string.h>

#include "base/alloc.h"
#include "base/digest.h"
#include "import/emit.h"
#include "import/graphdef/graphdef_read.h"
#include "import/packed/packed_parts.h"
#include "op/op_proto.h"
#include "oribi/oribi.h"

#define TEXT_(x)        #x
#define DOTTED(a, b, c) TEXT_(a) "." TEXT_(b) "." TEXT_(c)

const char *oribi_packed_version(void)
{
    return DOTTED(ORIBI_VERSION_MAJOR, ORIBI_VERSION_MINOR, ORIBI_VERSION_PATCH);
}

/* What kernels of one name have in common on all processors that they run on. */
const char *oribi_packed_machine(void)
{
#if defined(__x86_64__)
    return "x86_64";
#elif defined(__aarch64__)
    return "aarch64";
#elif __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    return sizeof(void *) == 4 ? "32 bits, big endian" : "64 bits, big endian";
#else
    return sizeof(void *) == 4 ? "32 bits, little endian" : "64 bits, little endian";
#endif
}

bool oribi_is_packed(const uint8_t *data, size_t bytes)
{
    const size_t n = sizeof ORIBI_PACKED_MAGIC - 1;
    return bytes >= n && memcmp(data, ORIBI_PACKED_MAGIC, n) == 0;
}

/* --- Head ------------------------------------------------------------------------------------ */

static uint64_t number_at(const uint8_t *from, int bytes)
{
    uint64_t number = 0;
    for (int i = 0; i < bytes; i++) {
        number |= (uint64_t)from[i] << (8 * i);
    }
    return number;
}

static bool fail_bytes(TF_Status *status, size_t bytes, uint64_t wanted)
{
    return oribi_fail(status, TF_DATA_LOSS,
                      "the packed file has %zu bytes and should have %" PRIu64
                      ": it was cut or is damaged; pack the model again",
                      bytes, wanted);
}

/* The header, its digest checked, and where the data begin. */
static bool read_head(oribi_packed_reader *self, TF_Status *status)
{
    enum { FORMAT = 8, HEADER = 16, FILE_BYTES = 24, DIGEST = 32 };
    const uint8_t *file = self->file;
    if (self->bytes < ORIBI_PACKED_HEAD_BYTES) {
        return fail_bytes(status, self->bytes, ORIBI_PACKED_HEAD_BYTES);
    }
    const uint64_t format = number_at(file + FORMAT, 8);
    if (format != ORIBI_PACKED_FORMAT) {
        return oribi_fail(status, TF_FAILED_PRECONDITION,
                          "the packed file has format %" PRIu64 "; this is Oribi %s, which reads "
                          "format %d: pack the model again with it: oribi pack MODEL -o FILE",
                          format, oribi_packed_version(), ORIBI_PACKED_FORMAT);
    }
    const uint64_t header = number_at(file + HEADER, 8);
    const uint64_t whole = number_at(file + FILE_BYTES, 8);
    size_t data = 0;
    if (whole != self->bytes) {
        return fail_bytes(status, self->bytes, whole);
    }
    if (header > self->bytes - ORIBI_PACKED_HEAD_BYTES ||
        !oribi_size_round_up(ORIBI_PACKED_HEAD_BYTES + (size_t)header, ORIBI_PACKED_DATA_ALIGNMENT,
                             &data)) {
        return oribi_fail(status, TF_DATA_LOSS,
                          "byte %d: the header has %" PRIu64 " bytes, more "
                          "than the packed file",
                          HEADER, header);
    }
    oribi_digest digest = {0};
    oribi_digest_add(&digest, file + ORIBI_PACKED_HEAD_BYTES, (size_t)header);
    if (digest.at[0] != number_at(file + DIGEST, 8) ||
        digest.at[1] != number_at(file + DIGEST + 8, 8)) {
        return oribi_fail(status, TF_DATA_LOSS,
                          "the header of the packed file is damaged; pack the model again");
    }
    self->header = oribi_wire_over(file + ORIBI_PACKED_HEAD_BYTES, (size_t)header);
    self->header.file = file;
    self->data = data <= self->bytes ? file + data : file + self->bytes;
    self->data_bytes = data <= self->bytes ? self->bytes - data : 0;
    return true;
}

static bool read_key(oribi_packed_reader *self, TF_Status *status)
{
    oribi_wire wire = self->header;
    oribi_wire_field field;
    const char *version = "", *machine = "";
    oribi_graph *graph = self->graph;
    graph->packed_from = "MODEL";
    while (oribi_wire_next(&wire, &field, status)) {
        ORIBI_TRY(field.number != ORIBI_PACKED_VERSION ||
                  oribi_packed_text(self, &field, &version, status));
        ORIBI_TRY(field.number != ORIBI_PACKED_MACHINE ||
                  oribi_packed_text(self, &field, &machine, status));
        ORIBI_TRY(field.number != ORIBI_PACKED_SOURCE ||
                  oribi_packed_text(self, &field, &graph->packed_from, status));
        ORIBI_TRY(field.number != ORIBI_PACKED_PRODUCER ||
                  oribi_packed_text(self, &field, &graph->producer, status));
    }
    ORIBI_TRY(oribi_ok(status));
    return (strcmp(version, oribi_packed_version()) == 0 &&
            strcmp(machine, oribi_packed_machine()) == 0) ||
           oribi_fail(status, TF_FAILED_PRECONDITION,
                      "the packed file was made by Oribi %s for %s; this is Oribi %s for %s: pack "
                      "the model again here: oribi pack %s -o FILE",
                      version, machine, oribi_packed_version(), oribi_packed_machine(),
                      graph->packed_from);
}

/* --- The graph ------------------------------------------------------------------------------- */

/* Counts, and finds the GraphDef. */
static bool read_counts(oribi_packed_reader *self, oribi_wire *out_graph, TF_Status *status)
{
    oribi_wire wire = self->header;
    oribi_wire_field field;
    *out_graph = oribi_wire_over(self->file, 0);
    while (oribi_wire_next(&wire, &field, status)) {
        self->n_states += field.number == ORIBI_PACKED_STATE;
        self->n_inputs += field.number == ORIBI_PACKED_INPUT;
        self->n_outputs += field.number == ORIBI_PACKED_OUTPUT;
        ORIBI_TRY(field.number != ORIBI_PACKED_N_NODES ||
                  oribi_wire_int(&field, "the number of nodes", &self->n_nodes, status));
        ORIBI_TRY(field.number != ORIBI_PACKED_GRAPH ||
                  oribi_wire_enter(&self->header, &field, out_graph, status));
    }
    ORIBI_TRY(oribi_ok(status));
    return (self->n_states <= self->n_inputs && self->n_states <= self->n_outputs) ||
           oribi_fail(status, TF_INVALID_ARGUMENT, "%d states are more than inputs or outputs",
                      (int)self->n_states);
}

typedef struct port {
    const char *name, *value;
    oribi_wire units;
} port;

static bool read_port(oribi_packed_reader *self, const oribi_wire *wire,
                      const oribi_wire_field *field, port *out, TF_Status *status)
{
    oribi_wire inside;
    oribi_wire_field part;
    *out = (port){"", "", oribi_wire_over(self->file, 0)};
    ORIBI_TRY(oribi_wire_enter(wire, field, &inside, status));
    while (oribi_wire_next(&inside, &part, status)) {
        ORIBI_TRY(part.number != ORIBI_PORT_NAME ||
                  oribi_packed_text(self, &part, &out->name, status));
        ORIBI_TRY(part.number != ORIBI_PORT_VALUE ||
                  oribi_packed_text(self, &part, &out->value, status));
        ORIBI_TRY(part.number != ORIBI_PORT_UNITS ||
                  oribi_wire_enter(&inside, &part, &out->units, status));
    }
    return oribi_ok(status);
}

static bool add_input(oribi_packed_reader *self, oribi_graphdef *def, const port *from, int32_t i,
                      TF_Status *status)
{
    oribi_graph *graph = self->graph;
    const oribi_packed_value *known = oribi_map_get(&self->values, from->value);
    if (known == NULL) {
        return oribi_fail(status, TF_INVALID_ARGUMENT, "input '%s' has no type", from->name);
    }
    const oribi_value_id id =
        oribi_graph_add_value(graph, from->value, known->dtype, &known->shape, status);
    ORIBI_TRY(id >= 0 &&
              oribi_packed_units(self, known->units, graph->values[id],
                                 &graph->values[id]->quantisation, status) &&
              oribi_graphdef_feed(def, from->value, id, status));
    self->inputs[i] = id;
    self->input_names[i] = from->name;
    if (i >= self->n_inputs - self->n_states) {
        return true; /* oribi_graph_add_state makes it one */
    }
    ORIBI_TRY(oribi_graph_add_input(graph, id, from->name, status));
    return oribi_packed_units(self, from->units, graph->values[id], &graph->input_quantisation[i],
                              status);
}

static bool add_output(oribi_packed_reader *self, oribi_graphdef *def, const port *from, int32_t i,
                       TF_Status *status)
{
    oribi_graph *graph = self->graph;
    const int32_t n_plain = self->n_outputs - self->n_states;
    oribi_value_id id = -1;
    ORIBI_TRY(oribi_graphdef_fetch(def, from->value, &id, status));
    if (i < n_plain) {
        ORIBI_TRY(oribi_graph_add_output(graph, id, from->name, status));
        return oribi_packed_units(self, from->units, graph->values[id],
                                  &graph->output_quantisation[i], status);
    }
    const int32_t read = self->n_inputs - self->n_states + i - n_plain;
    TF_Tensor *initial = self->states[i - n_plain];
    self->states[i - n_plain] = NULL; /* goes to the graph, also when that fails */
    return oribi_graph_add_state(graph, self->inputs[read], id, self->input_names[read], initial,
                                 status);
}

static bool add_ports(oribi_packed_reader *self, oribi_graphdef *def, uint32_t number,
                      TF_Status *status)
{
    oribi_wire wire = self->header;
    oribi_wire_field field;
    int32_t i = 0;
    while (oribi_wire_next(&wire, &field, status)) {
        port from;
        if (field.number == number) {
            ORIBI_TRY(read_port(self, &wire, &field, &from, status) &&
                      (number == ORIBI_PACKED_INPUT ? add_input(self, def, &from, i, status)
                                                    : add_output(self, def, &from, i, status)));
            i++;
        }
    }
    return oribi_ok(status);
}

/* A node was read: what the file says of it and of its outputs besides. */
static bool recall(void *arg, oribi_node *made, TF_Status *status)
{
    oribi_packed_reader *self = arg;
    oribi_graph *graph = self->graph;
    const char *origin = oribi_map_get(&self->origins, made->name);
    ORIBI_TRY(oribi_packed_is_name(made->name, strlen(made->name)) ||
              oribi_fail(status, TF_INVALID_ARGUMENT, "a node's name has control characters"));
    made->origin = origin != NULL ? origin : made->origin;
    made->device = ""; /* the CPU */
    for (int32_t k = 0; k < made->n_outputs; k++) {
        oribi_value *value = graph->values[made->outputs[k]];
        const char *name =
            k == 0 ? made->name : oribi_arena_printf(&self->scratch, "%s:%d", made->name, (int)k);
        ORIBI_TRY(name != NULL || oribi_fail_memory(status));
        const oribi_packed_value *known = oribi_map_get(&self->values, name);
        if (known != NULL && known->dtype == value->dtype) {
            ORIBI_TRY(oribi_graph_merge_shape(graph, &known->shape, &value->shape) ||
                      oribi_fail_memory(status));
            ORIBI_TRY(oribi_packed_units(self, known->units, value, &value->quantisation, status));
        }
    }
    return true;
}

static bool read_graph(oribi_packed_reader *self, const oribi_wire *message, TF_Status *status)
{
    const oribi_graphdef_known known = {.arg = self, .made = recall};
    oribi_graphdef *def = oribi_graphdef_open(self->graph, message->at,
                                              (size_t)(message->end - message->at), &known, status);
    const bool ok = def != NULL && oribi_packed_constants(self, def, status) &&
                    add_ports(self, def, ORIBI_PACKED_INPUT, status) &&
                    add_ports(self, def, ORIBI_PACKED_OUTPUT, status) &&
                    oribi_graph_sort(self->graph, status);
    oribi_graphdef_close(def);
    return ok && (self->graph->n_order == self->n_nodes ||
                  oribi_fail(status, TF_INVALID_ARGUMENT,
                             "%d nodes lead to outputs, and there are %" PRId64,
                             (int)self->graph->n_order, self->n_nodes));
}

static bool reserve(oribi_packed_reader *self, TF_Status *status)
{
    self->inputs =
        oribi_arena_array(&self->scratch, (size_t)self->n_inputs + 1, sizeof *self->inputs);
    self->input_names =
        oribi_arena_array(&self->scratch, (size_t)self->n_inputs + 1, sizeof *self->input_names);
    self->states =
        oribi_arena_array(&self->scratch, (size_t)self->n_states + 1, sizeof *self->states);
    return (self->inputs != NULL && self->input_names != NULL && self->states != NULL) ||
           oribi_fail_memory(status);
}

static bool read_all(oribi_packed_reader *self, TF_Status *status)
{
    oribi_wire message;
    return read_head(self, status) && read_key(self, status) &&
           read_counts(self, &message, status) && reserve(self, status) &&
           oribi_packed_tables(self, status) && read_graph(self, &message, status);
}

/* Fixed shapes were fixed when the model was packed. */
static bool refuse_options(const oribi_import_options *options, TF_Status *status)
{
    if (!options->may_be_packed) {
        return oribi_fail(
            status, TF_UNIMPLEMENTED,
            "a packed file is for running on this machine; give the model that it was "
            "made of");
    }
    return options->shapes == NULL ||
           oribi_fail(status, TF_UNIMPLEMENTED,
                      "shapes of a packed file are those it was packed with: oribi pack MODEL "
                      "--shape '%s=...' -o FILE",
                      options->shapes->input);
}

oribi_graph *oribi_import_packed(const uint8_t *data, size_t bytes, oribi_source *source,
                                 const char *source_name, const oribi_import_options *options,
                                 TF_Status *status)
{
    oribi_packed_reader self = {.file = data, .bytes = bytes, .source = source};
    self.graph = oribi_import_begin(source_name, "packed", options, status);
    bool ok = self.graph != NULL && refuse_options(options, status);
    if (ok) {
        self.graph->is_packed = true;
        oribi_source_retain(source);
        self.graph->packed_source = source;
        ok = read_all(&self, status);
    }
    for (int32_t i = 0; self.states != NULL && i < self.n_states; i++) {
        TF_DeleteTensor(self.states[i]);
    }
    oribi_map_destroy(&self.values);
    oribi_map_destroy(&self.origins);
    oribi_source_release(self.zeros_source);
    oribi_arena_destroy(&self.scratch);
    oribi_source_release(source);
    return oribi_import_end(self.graph, ok, source_name, status);
}
