/* SPDX-License-Identifier: Apache-2.0 */
/* What an ONNX file says of a value: name, type, shape. Of inputs and outputs that is the contract
 * with the caller; of values inside it is a claim that inference goes before.
 */
#include "import/onnx/onnx_emit.h"

#include <inttypes.h>

static bool read_dim(const oribi_wire *shape, const oribi_wire_field *field, oribi_onnx_info *info,
                     TF_Status *status)
{
    oribi_wire body;
    oribi_wire_field f;
    int64_t dim = -1;
    ORIBI_TRY(oribi_wire_enter(shape, field, &body, status));
    while (oribi_wire_next(&body, &f, status)) {
        if (f.number == 1) {
            ORIBI_TRY(oribi_wire_int(&f, "a dimension", &dim, status));
            dim = dim < 0 ? -1 : dim;
        }
    }
    ORIBI_TRY(oribi_ok(status));
    info->rank++;
    (void)oribi_dims_add(&info->dims, dim); /* info->rank is checked when all is read */
    return true;
}

static bool read_tensor_type(const oribi_wire *type, const oribi_wire_field *field,
                             oribi_onnx_info *info, TF_Status *status)
{
    oribi_wire body, shape;
    oribi_wire_field f, d;
    int64_t onnx_type = 0;
    ORIBI_TRY(oribi_wire_enter(type, field, &body, status));
    while (oribi_wire_next(&body, &f, status)) {
        if (f.number == 1) {
            ORIBI_TRY(oribi_wire_int(&f, "an element type", &onnx_type, status));
            info->dtype = oribi_onnx_dtype(onnx_type);
            if (info->dtype == 0 && onnx_type > 20) {
                return oribi_fail(status, TF_UNIMPLEMENTED,
                                  "byte %zu: '%.*s' has element type %" PRId64
                                  ", which is not supported",
                                  f.offset, (int)info->name.length, info->name.data, onnx_type);
            }
        } else if (f.number == 2) {
            ORIBI_TRY(oribi_wire_enter(&body, &f, &shape, status));
            info->has_shape = true;
            info->rank = info->dims.n = 0;
            while (oribi_wire_next(&shape, &d, status)) {
                ORIBI_TRY(d.number != 1 || read_dim(&shape, &d, info, status));
            }
        }
    }
    return oribi_ok(status);
}

/* The type inside a sequence or optional. */
static bool read_inner(const oribi_wire *type, const oribi_wire_field *field, oribi_onnx_info *info,
                       TF_Status *status)
{
    oribi_wire body;
    oribi_wire_field f;
    ORIBI_TRY(oribi_wire_enter(type, field, &body, status));
    while (oribi_wire_next(&body, &f, status)) {
        ORIBI_TRY(f.number != 1 || oribi_onnx_type_read(&body, &f, info, status));
    }
    return oribi_ok(status);
}

/* A sequence has one axis; an optional tensor has none; an optional sequence has one or, where it
 * has no value, none. */
static bool read_list_type(const oribi_wire *type, const oribi_wire_field *field,
                           oribi_onnx_info *info, TF_Status *status)
{
    const bool is_sequence = field->number == 4;
    oribi_onnx_info inner = {.name = info->name};
    ORIBI_TRY(read_inner(type, field, &inner, status));
    if (inner.dtype == TF_VARIANT && (is_sequence || inner.dims.n != 1)) {
        return oribi_fail(status, TF_UNIMPLEMENTED,
                          "byte %zu: '%.*s' is a %s of %s; sequences hold tensors, and optionals "
                          "tensors or sequences",
                          field->offset, (int)info->name.length, info->name.data,
                          is_sequence ? "sequence" : "optional",
                          inner.has_shape && inner.dims.n == 1 ? "sequences" : "optionals");
    }
    info->element = inner.dtype == TF_VARIANT ? inner.element : inner.dtype;
    info->dtype = TF_VARIANT;
    info->has_shape = is_sequence || inner.dtype != TF_VARIANT;
    info->dims = (oribi_dims){.n = is_sequence, .at = {-1}};
    info->rank = info->dims.n;
    return true;
}

bool oribi_onnx_type_read(const oribi_wire *around, const oribi_wire_field *field,
                          oribi_onnx_info *info, TF_Status *status)
{
    oribi_wire type;
    oribi_wire_field t;
    ORIBI_TRY(oribi_wire_enter(around, field, &type, status));
    while (oribi_wire_next(&type, &t, status)) {
        if (t.number == 1) {
            ORIBI_TRY(read_tensor_type(&type, &t, info, status));
        } else if (t.number == 4 || t.number == 9) {
            ORIBI_TRY(read_list_type(&type, &t, info, status));
        } else if (t.number != 6) {
            return oribi_fail(status, TF_UNIMPLEMENTED,
                              "byte %zu: '%.*s' is neither a dense tensor nor a sequence or "
                              "optional of such (but a map or a sparse tensor)",
                              t.offset, (int)info->name.length, info->name.data);
        }
    }
    return oribi_ok(status);
}

bool oribi_onnx_set_list(oribi_graph *graph, oribi_value_id value, TF_DataType element,
                         TF_Status *status)
{
    oribi_value *to = graph->values[value];
    if (to->dtype != TF_VARIANT || element == 0) {
        return true;
    }
    oribi_handle_part *part = oribi_claim_array(&graph->arena, 1, sizeof *part, status);
    ORIBI_TRY(part != NULL);
    *part = (oribi_handle_part){.shape = {.rank = -1}, .dtype = element};
    to->handle = (oribi_handle_data){.parts = part, .count = 1};
    return true;
}

TF_DataType oribi_onnx_list_type(const oribi_graph *graph, oribi_value_id value)
{
    const oribi_value *of = graph->values[value];
    return of->dtype == TF_VARIANT && of->handle.count == 1 ? of->handle.parts[0].dtype
                                                            : (TF_DataType)0;
}

bool oribi_onnx_info_read(const oribi_wire *graph, const oribi_wire_field *field,
                          oribi_onnx_info *info, TF_Status *status)
{
    oribi_wire body;
    oribi_wire_field f;
    *info = (oribi_onnx_info){.name = {"", 0}};
    ORIBI_TRY(oribi_wire_enter(graph, field, &body, status));
    while (oribi_wire_next(&body, &f, status)) {
        if (f.number == 1) {
            ORIBI_TRY(oribi_wire_string(&f, "a value's name", &info->name, status));
        } else if (f.number == 2) {
            ORIBI_TRY(oribi_onnx_type_read(&body, &f, info, status));
        }
    }
    ORIBI_TRY(oribi_ok(status));
    return info->rank <= ORIBI_MAX_RANK ||
           oribi_fail(status, TF_UNIMPLEMENTED,
                      "byte %zu: '%.*s' has rank %" PRId64 "; at most %d is supported",
                      field->offset, (int)info->name.length, info->name.data, info->rank,
                      ORIBI_MAX_RANK);
}

bool oribi_onnx_claims_read(oribi_onnx *onnx, oribi_wire graph, TF_Status *status)
{
    oribi_wire_field f;
    const oribi_wire all = graph;
    while (oribi_wire_next(&graph, &f, status)) {
        oribi_string name;
        if (f.number != 13) {
            continue;
        }
        ORIBI_TRY(oribi_onnx_port_name(&all, &f, &name, status));
        oribi_wire_field *kept = oribi_arena_memdup(&onnx->kept, &f, sizeof f);
        if (kept == NULL || !oribi_map_put_n(&onnx->claims, name.data, name.length, kept)) {
            return oribi_fail_memory(status);
        }
    }
    onnx->claims_in = all;
    return oribi_ok(status);
}

oribi_value_id oribi_onnx_claimed(oribi_onnx_node *n, const oribi_string *name,
                                  oribi_value_id value)
{
    oribi_onnx_info info;
    const oribi_wire_field *field = oribi_map_get_n(&n->onnx->claims, name->data, name->length);
    TF_Status *status = TF_NewStatus();
    const bool is_claimed = field != NULL &&
                            oribi_onnx_info_read(&n->onnx->claims_in, field, &info, status) &&
                            info.has_shape && info.rank > 0 && info.dtype != TF_VARIANT;
    TF_DeleteStatus(status); /* a claim that cannot be read is none */
    if (!is_claimed || oribi_import_may_be_open(n->graph, n->onnx->options)) {
        return value;
    }
    /* To the first `rank` sizes that it has: fewer end the run, and so do more, but for ones. */
    const int64_t none = 0, rank = info.rank;
    oribi_value_id sizes = oribi_emit3(n, "Slice", oribi_emit_shape_of(n, value, TF_INT64),
                                       oribi_emit_vector_as(n, TF_INT64, &none, 1),
                                       oribi_emit_vector_as(n, TF_INT64, &rank, 1));
    return oribi_emit2(n, "Reshape", value, sizes);
}

bool oribi_onnx_leave_open(oribi_onnx *onnx, oribi_wire graph, TF_Status *status)
{
    oribi_wire_field f;
    oribi_onnx_info info;
    oribi_wire outputs = graph;
    while (oribi_wire_next(&outputs, &f, status)) {
        ORIBI_TRY(f.number != 12 || oribi_onnx_info_read(&graph, &f, &info, status));
        ORIBI_TRY(f.number != 12 || info.dtype != 0);
    }
    ORIBI_TRY(oribi_ok(status));
    oribi_import_leave_open(onnx->graph);
    while (oribi_wire_next(&graph, &f, status)) {
        if (f.number == 12) {
            ORIBI_TRY(oribi_onnx_info_read(&graph, &f, &info, status));
            const char *name = oribi_import_text(&onnx->scratch, &info.name);
            const oribi_shape shape = {info.has_shape ? info.dims.n : -1, info.dims.at};
            ORIBI_TRY(name != NULL || oribi_fail_memory(status));
            const oribi_value_id value =
                oribi_graph_add_value(onnx->graph, name, info.dtype, &shape, status);
            ORIBI_TRY(value >= 0 && oribi_graph_add_output(onnx->graph, value, name, status));
        }
    }
    return oribi_ok(status) &&
           (onnx->graph->n_outputs > 0 ||
            oribi_fail(status, TF_INVALID_ARGUMENT, "the graph has no outputs"));
}
