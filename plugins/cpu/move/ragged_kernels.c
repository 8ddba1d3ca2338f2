/* SPDX-License-Identifier: Apache-2.0 */
/* RaggedTensorToTensor: rows of any length become rows of one length, cut or filled up. Level by
 * level each row learns where in the output it begins; what is cut begins at -1.
 */
#include "cpu/base/families.h"
#include "cpu/base/moved.h"

#include <string.h>

enum { FIRST = 3, MOST_PARTS = ORIBI_KIT_MAX_INPUTS - FIRST };

typedef enum part_kind { FIRST_DIM_SIZE, VALUE_ROWIDS, ROW_SPLITS } part_kind;

typedef struct ragged_state {
    part_kind kinds[MOST_PARTS];
    int n;
} ragged_state;

static void ragged_read(oribi_kit_setup *setup, ragged_state *state)
{
    static const char *const names[] = {"FIRST_DIM_SIZE", "VALUE_ROWIDS", "ROW_SPLITS"};
    char *words[MOST_PARTS] = {NULL}, storage[MOST_PARTS * 32];
    size_t lengths[MOST_PARTS] = {0};
    int32_t n = 0, total = 0;
    TF_OpKernelConstruction_GetAttrSize(setup->construction, "row_partition_types", &n, &total,
                                        setup->status);
    if (oribi_kit_setup_is_ok(setup) && (n < 1 || n > MOST_PARTS)) {
        (void)oribi_kit_setup_fail(setup, TF_UNIMPLEMENTED,
                                   "there are %d row partitions; they must be 1 to %d", (int)n,
                                   (int)MOST_PARTS);
        return;
    }
    TF_OpKernelConstruction_GetAttrStringList(setup->construction, "row_partition_types", words,
                                              lengths, n, storage, sizeof storage, setup->status);
    for (state->n = 0; oribi_kit_setup_is_ok(setup) && state->n < n; state->n++) {
        int kind = FIRST_DIM_SIZE;
        while (kind <= ROW_SPLITS && (strlen(names[kind]) != lengths[state->n] ||
                                      memcmp(names[kind], words[state->n], lengths[state->n]))) {
            kind++;
        }
        if (kind > ROW_SPLITS ||
            (kind == FIRST_DIM_SIZE) != (state->n == 0 && kind != ROW_SPLITS)) {
            (void)oribi_kit_setup_fail(setup, TF_INVALID_ARGUMENT,
                                       "row partition %d cannot be '%.*s'", state->n,
                                       (int)lengths[state->n], words[state->n]);
            return;
        }
        state->kinds[state->n] = (part_kind)kind;
    }
}
ORIBI_KIT_CREATE(ragged, ragged_state)

typedef struct ragged_level {
    const TF_Tensor *part;
    part_kind kind;
    int64_t rows, children, longest; /* longest: children of a row */
} ragged_level;

typedef struct ragged_places { /* where in the output each row begins, in elements; -1: it is cut */
    int64_t *of_rows, *of_children;
    int64_t room; /* of each */
} ragged_places;

static int64_t part_at(const TF_Tensor *part, int64_t i)
{
    return oribi_kit_int_at(TF_TensorData(part), TF_TensorType(part), i);
}

/* How many children a level has and, of splits, the longest row: without counting what they
 * promise. Fails where the partition is none of so many rows. */
static bool open_level(oribi_kit_run *run, ragged_level *level)
{
    const int64_t n = TF_TensorElementCount(level->part);
    int64_t patience = 0;
    level->children = n;
    if (TF_NumDims(level->part) != 1) {
        return oribi_kit_fail(run, TF_INVALID_ARGUMENT, "a row partition must be a vector");
    }
    if (level->kind == VALUE_ROWIDS) {
        return true;
    }
    if (n < 1 || n - 1 != level->rows || part_at(level->part, 0) != 0) {
        return oribi_kit_fail(run, TF_INVALID_ARGUMENT,
                              "row splits must begin with 0 and be one more than the %lld rows",
                              (long long)level->rows);
    }
    for (int64_t i = 1; i < n; i++) {
        if (oribi_kit_stops(run, &patience, 5)) {
            return false;
        }
        const int64_t before = part_at(level->part, i - 1), at = part_at(level->part, i);
        if (at < before || before < 0) {
            return oribi_kit_fail(run, TF_INVALID_ARGUMENT, "row split %lld falls", (long long)i);
        }
        level->longest = at - before > level->longest ? at - before : level->longest;
    }
    level->children = part_at(level->part, n - 1);
    return true;
}

/* The row of child i, which is not before the last one's. */
static int64_t row_of(const ragged_level *level, int64_t i, int64_t last)
{
    if (level->kind == VALUE_ROWIDS) {
        return part_at(level->part, i);
    }
    while (last < level->rows && i >= part_at(level->part, last + 1)) {
        last++;
    }
    return last;
}

/* Finds the longest row and, with places, where each child begins: `step` elements behind the one
 * before it, of which a row has `size`. */
static bool walk_level(oribi_kit_run *run, ragged_level *level, const ragged_places *places,
                       int64_t size, int64_t step)
{
    int64_t row = 0, k = 0, patience = 0;
    level->longest = 0;
    for (int64_t i = 0; i < level->children; i++, k++) {
        if (oribi_kit_stops(run, &patience, 10)) {
            return false;
        }
        const int64_t now = row_of(level, i, row);
        if (now < row || now >= level->rows) {
            return oribi_kit_fail(run, TF_INVALID_ARGUMENT,
                                  "value %lld has row %lld; rows must not fall and must be below "
                                  "%lld",
                                  (long long)i, (long long)now, (long long)level->rows);
        }
        k = now == row ? k : 0;
        row = now;
        level->longest = k + 1 > level->longest ? k + 1 : level->longest;
        if (places != NULL) {
            const int64_t from = places->of_rows[row];
            places->of_children[i] = from < 0 || k >= size ? -1 : from + k * step;
        }
    }
    return true;
}

/* Reads the partitions; *out_rows: of the outermost level. */
static bool open_levels(const ragged_state *s, oribi_kit_run *run, ragged_level levels[MOST_PARTS],
                        int *out_n, int64_t *out_rows)
{
    const TF_Tensor *parts[MOST_PARTS];
    if (TF_NumInputs(run->context) != FIRST + s->n) {
        return oribi_kit_fail(run, TF_INVALID_ARGUMENT,
                              "there are %d row partitions and %d types of them",
                              TF_NumInputs(run->context) - FIRST, s->n);
    }
    for (int i = 0; i < s->n; i++) {
        parts[i] = oribi_kit_input(run, FIRST + i);
        if (parts[i] == NULL) {
            return false;
        }
    }
    const bool has_size = s->kinds[0] == FIRST_DIM_SIZE;
    const int64_t n = TF_TensorElementCount(parts[0]);
    *out_rows = !has_size ? n - 1 : n == 1 ? part_at(parts[0], 0) : -1;
    if (*out_rows < 0 || *out_rows > INT64_MAX / 16) {
        return oribi_kit_fail(run, TF_INVALID_ARGUMENT, "the first row partition says %lld rows",
                              (long long)*out_rows);
    }
    int64_t rows = *out_rows;
    *out_n = 0;
    for (int i = has_size ? 1 : 0; i < s->n; i++) {
        ragged_level *at = &levels[(*out_n)++];
        *at = (ragged_level){.part = parts[i], .kind = s->kinds[i], .rows = rows};
        if (!open_level(run, at) ||
            (at->kind == VALUE_ROWIDS && !walk_level(run, at, NULL, 0, 0))) {
            return false;
        }
        rows = at->children;
    }
    return true;
}

/* The output's shape: what `shape` says, and where it says -1 the longest row. */
static bool read_output(oribi_kit_run *run, const ragged_level *levels, int n, int64_t rows,
                        const oribi_cpu_shape *values, oribi_cpu_shape *out)
{
    oribi_dims wanted;
    if (!oribi_cpu_read_dims(run, 0, "shape", &wanted)) {
        return false;
    }
    const int rank = 1 + n + values->n - 1;
    const bool is_free = TF_NumDims(run->in[0]) == 0 && wanted.at[0] == -1;
    if (values->n < 1 || rank > ORIBI_MAX_RANK || (!is_free && wanted.n != rank) ||
        values->at[0] != (n > 0 ? levels[n - 1].children : rows)) {
        return oribi_kit_fail(run, TF_INVALID_ARGUMENT,
                              "values %s do not fit row partitions of %d levels, or a shape of %d "
                              "dimensions",
                              oribi_cpu_shape_text(values).chars, n, (int)wanted.n);
    }
    out->n = (int8_t)rank;
    for (int i = 0; i < rank; i++) {
        const int64_t own = i == 0 ? rows : i <= n ? levels[i - 1].longest : values->at[i - n];
        const int64_t asked = is_free ? -1 : wanted.at[i];
        out->at[i] = asked == -1 ? own : asked;
        if (asked < -1 || (i > n && out->at[i] != own)) {
            return oribi_kit_fail(run, TF_INVALID_ARGUMENT,
                                  "dimension %d of shape is %lld; of the values it is %lld", i,
                                  (long long)asked, (long long)own);
        }
    }
    return true;
}

/* The default everywhere; it is one element, or the last dimensions of a value. */
static bool fill(oribi_kit_run *run, char *y, int64_t count, const oribi_cpu_shape *out, int n,
                 size_t width)
{
    oribi_cpu_shape given;
    int64_t patience = 0;
    if (!oribi_cpu_tensor_shape(run, run->in[2], &given)) {
        return false;
    }
    const int64_t period = oribi_cpu_product(given.at, given.n);
    bool fits = given.n <= out->n - 1 - n;
    for (int i = 1; fits && i <= given.n; i++) {
        fits = given.at[given.n - i] == out->at[out->n - i];
    }
    if (!fits && period != 1) {
        return oribi_kit_fail(run, TF_UNIMPLEMENTED,
                              "default_value must be one element, or the last dimensions of the "
                              "values; it is %s",
                              oribi_cpu_shape_text(&given).chars);
    }
    const char *from = TF_TensorData(run->in[2]);
    for (int64_t i = 0; i < count; i++) {
        if (oribi_kit_stops(run, &patience, 5)) {
            return false;
        }
        memcpy(y + (size_t)i * width, from + (size_t)(i % period) * width, width);
    }
    return true;
}

/* Follows the rows through all levels and copies the values to where they belong. */
static bool place_values(oribi_kit_run *run, ragged_level *levels, int n,
                         const oribi_cpu_shape *out, ragged_places *places, char *y, size_t width)
{
    int64_t patience = 0, step = oribi_cpu_product(out->at + 1, out->n - 1);
    const int64_t rows = n > 0 ? levels[0].rows : 0;
    for (int64_t i = 0; i < rows; i++) {
        places->of_rows[i] = i < out->at[0] ? i * step : -1;
    }
    for (int i = 0; i < n; i++) {
        step = oribi_cpu_product(out->at + i + 2, out->n - i - 2);
        if (!walk_level(run, &levels[i], places, out->at[i + 1], step)) {
            return false;
        }
        int64_t *swap = places->of_rows;
        places->of_rows = places->of_children;
        places->of_children = swap;
    }
    const size_t bytes = (size_t)step * width;
    const char *from = TF_TensorData(run->in[1]);
    for (int64_t i = 0; n > 0 && i < levels[n - 1].children; i++, from += bytes) {
        if (places->of_rows[i] >= 0 && bytes > 0) {
            memcpy(y + (size_t)places->of_rows[i] * width, from, bytes);
        }
        if (oribi_kit_stops(run, &patience, 20 + (int64_t)bytes / 8)) {
            return false;
        }
    }
    return true;
}

static bool ragged_run(const void *state, oribi_kit_run *run)
{
    ragged_level levels[MOST_PARTS];
    oribi_cpu_shape values, out;
    ragged_places places = {.room = 1};
    int64_t rows = 0;
    int n = 0;
    TF_Tensor *memory = NULL;
    const size_t width = oribi_cpu_moved_width(run, TF_TensorType(run->in[1]));
    if (width == 0 || !oribi_cpu_input_shape(run, 1, &values) ||
        !open_levels(state, run, levels, &n, &rows) ||
        !read_output(run, levels, n, rows, &values, &out)) {
        return false;
    }
    if (n == 0) {
        return oribi_kit_fail(run, TF_INVALID_ARGUMENT, "no partition says where rows end");
    }
    for (int i = 0; i < n; i++) {
        const int64_t most =
            levels[i].rows > levels[i].children ? levels[i].rows : levels[i].children;
        places.room = most > places.room ? most : places.room;
    }
    char *y = oribi_cpu_moved_output(run, 0, out.at, out.n);
    places.of_rows =
        y == NULL || places.room > INT64_MAX / 16
            ? NULL
            : oribi_kit_scratch(run, places.room * 2 * (int64_t)sizeof(int64_t), &memory);
    places.of_children = places.of_rows != NULL ? places.of_rows + places.room : NULL;
    const bool ok = places.of_rows != NULL &&
                    fill(run, y, oribi_cpu_product(out.at, out.n), &out, n, width) &&
                    place_values(run, levels, n, &out, &places, y, width);
    TF_DeleteTensor(memory);
    return ok;
}
ORIBI_CPU_MOVE_COMPUTE(ragged, FIRST)

const oribi_cpu_kernel oribi_cpu_ragged_kernels[] = {
    ORIBI_CPU_STATE_ROW("RaggedTensorToTensor", ragged, ragged, "level by level"),
    {.op_name = NULL},
};
