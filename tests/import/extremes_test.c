/* SPDX-License-Identifier: Apache-2.0 */
/* Does any number of a file break the importers? Takes the models of all operators (vectors of
 * TFLite's, ONNX's backend tests), replaces one number at a time by extreme ones and imports,
 * shapes included: a graph that holds its invariants, or an error with a message. Run it in the
 * preset asan: overflows and reads past an array show there.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <dirent.h>
#include <unistd.h>

#include <cmocka.h>

#include "support/onnx_import.h"
#include "support/graph_check.h"

enum { MAX_MODEL = 8192, MAX_PATH = 1024 };

static const int64_t INTEGERS[] = {INT64_MIN,        INT64_MAX,       -1, 0, 17,
                                   INT64_C(1) << 31, INT64_C(1) << 32};
/* NaN, infinities, 0, -1, the largest: as bits */
static const uint32_t FLOATS[] = {0x7fc00000, 0x7f800000, 0xff800000, 0, 0xbf800000, 0x7f7fffff};
/* Also as integers of 32 bits: the smallest, the largest, -1, 2^30. */
static const uint32_t WORDS[] = {0x7fc00000, 0x7f800000, 0xff800000, 0,          17,
                                 0x80000000, 0x7fffffff, 0xffffffff, 0x40000000, 0x01000001};
enum { N_INTEGERS = 7, N_FLOATS = 6, N_WORDS = 10 };

static long n_imports, n_models, n_changes;

/* ORIBI_TEST_STRIDE=7 takes one change of seven, the same ones each time, spread over places and
 * values: counting would keep to the same values where their number and the stride share one. */
static bool is_skipped(void)
{
    const char *given = getenv("ORIBI_TEST_STRIDE");
    const long stride = given != NULL ? strtol(given, NULL, 10) : 1;
    const uint64_t mixed = (uint64_t)n_changes++ * UINT64_C(0x9e3779b97f4a7c15);
    return stride > 1 && (mixed >> 33) % (uint64_t)stride != 0;
}

static void import_once(const void *data, size_t n, const char *name)
{
    if (is_skipped()) {
        return;
    }
    const oribi_import_options options = {.max_bytes = 64 << 20};
    TF_Status *status = TF_NewStatus();
    oribi_graph *graph = import_bytes(data, n, &options, status);
    if (graph == NULL && (TF_GetCode(status) == TF_OK || TF_Message(status)[0] == '\0')) {
        fail_msg("%s: refused without a message", name);
    }
    if (graph != NULL && !oribi_graph_check(graph, status)) {
        fail_msg("%s: %s", name, TF_Message(status));
    }
    oribi_graph_destroy(graph);
    TF_DeleteStatus(status);
    n_imports++;
}

/* --- TFLite: numbers have a fixed width ------------------------------------------------------- */

static void sweep_words(const uint8_t *model, size_t n, const char *name)
{
    uint8_t *copy = malloc(n);
    assert_non_null(copy);
    for (size_t at = 8; at + 4 <= n; at += 4) {
        for (int i = 0; i < N_WORDS; i++) {
            memcpy(copy, model, n);
            memcpy(copy + at, &WORDS[i], 4);
            import_once(copy, n, name);
        }
    }
    free(copy);
}

/* --- ONNX: written anew, with one number replaced ------------------------------------------------
 */

enum { MODEL, GRAPH, NODE, ATTR, TENSOR, VALUE, TYPE, TENSOR_TYPE, SHAPE, DIM, OPSET, OTHER };

static int child_of(int kind, uint32_t field)
{
    static const struct {
        int kind;
        uint32_t field;
        int child;
    } children[] = {{MODEL, 7, GRAPH},  {GRAPH, 1, NODE},       {GRAPH, 5, TENSOR},
                    {GRAPH, 11, VALUE}, {NODE, 5, ATTR},        {ATTR, 5, TENSOR},
                    {VALUE, 2, TYPE},   {TYPE, 1, TENSOR_TYPE}, {TENSOR_TYPE, 2, SHAPE},
                    {SHAPE, 1, DIM},    {MODEL, 8, OPSET}};
    for (size_t i = 0; i < sizeof children / sizeof children[0]; i++) {
        if (children[i].kind == kind && children[i].field == field) {
            return children[i].child;
        }
    }
    return OTHER;
}

/* Width of the numbers that a field holds: 0 none, 1 varint, 4, 8. */
static int width_of(int kind, uint32_t field, size_t n)
{
    if (kind == ATTR) {
        return field == 3 || field == 8 ? 1 : field == 2 || field == 7 ? 4 : 0;
    }
    if (kind == TENSOR) {
        return field == 1 || field == 5 || field == 7 ? 1
               : field == 4                           ? 4
               : field == 9 && n % 8 == 0             ? 8
               : field == 9 && n % 4 == 0             ? 4
                                                      : 0;
    }
    return kind == DIM && field == 1 ? 1 : 0;
}

typedef struct change { /* number `place` of the file becomes extreme number `value` */
    long place, value;
    long seen;
} change;

static bool is_it(change *c)
{
    return c->seen++ == c->place;
}

static uint64_t take_varint(const uint8_t **at, const uint8_t *end)
{
    uint64_t value = 0;
    for (unsigned shift = 0; *at < end && shift < 64; shift += 7) {
        const uint8_t byte = *(*at)++;
        value |= (uint64_t)(byte & 127) << shift;
        if (byte < 128) {
            break;
        }
    }
    return value;
}

static uint32_t extreme_float(const change *c)
{
    return FLOATS[c->value % N_FLOATS];
}

static int64_t extreme_int(const change *c)
{
    return INTEGERS[c->value % N_INTEGERS];
}

/* Numbers one behind the other; of long lists the first ones. */
static void put_packed(bytes *to, const uint8_t *at, const uint8_t *end, int width, change *c)
{
    enum { MOST = 12 };
    for (int i = 0; at < end; i++) {
        const bool hit = i < MOST && is_it(c);
        if (width == 1) {
            const uint64_t value = take_varint(&at, end);
            put_varint(to, hit ? (uint64_t)extreme_int(c) : value);
            continue;
        }
        const uint32_t real = extreme_float(c);
        const int64_t whole = extreme_int(c);
        const void *number = !hit ? at : width == 4 ? (const void *)&real : (const void *)&whole;
        put_raw(to, number, (size_t)width);
        at += width;
    }
}

static void rewrite(bytes *to, const uint8_t *at, const uint8_t *end, int kind, change *c)
{
    while (at < end) {
        const uint64_t tag = take_varint(&at, end);
        const uint32_t field = (uint32_t)(tag >> 3), type = (uint32_t)(tag & 7);
        put_varint(to, tag);
        if (type == 0) {
            const uint64_t value = take_varint(&at, end);
            const bool hit = width_of(kind, field, 0) == 1 && is_it(c);
            put_varint(to, hit ? (uint64_t)extreme_int(c) : value);
        } else if (type == 5 || type == 1) {
            const size_t width = type == 5 ? 4 : 8;
            const uint32_t real = extreme_float(c);
            const bool hit = type == 5 && width_of(kind, field, 0) == 4 && is_it(c);
            put_raw(to, hit ? (const void *)&real : at, width);
            at += width;
        } else {
            const size_t n = (size_t)take_varint(&at, end);
            const int child = child_of(kind, field), width = width_of(kind, field, n);
            bytes inner = {0};
            if (child != OTHER) {
                rewrite(&inner, at, at + n, child, c);
            } else if (width > 0) {
                put_packed(&inner, at, at + n, width, c);
            } else {
                put_raw(&inner, at, n);
            }
            put_varint(to, inner.n);
            put_raw(to, inner.data, inner.n);
            free(inner.data);
            at += n;
        }
    }
}

static void sweep_numbers(const uint8_t *model, size_t n, const char *name)
{
    change c = {.place = -1};
    bytes made = {0};
    rewrite(&made, model, model + n, MODEL, &c);
    assert_int_equal(made.n, n); /* nothing changed yet: the walk understands the file */
    const long places = c.seen;
    for (long place = 0; place < places; place++) {
        for (long value = 0; value < N_INTEGERS; value++) {
            c = (change){place, value, 0};
            made.n = 0;
            rewrite(&made, model, model + n, MODEL, &c);
            import_once(made.data, made.n, name);
        }
    }
    free(made.data);
}

/* --- Models --------------------------------------------------------------------------------------
 */

static void sweep(const uint8_t *model, size_t n, const char *name)
{
    if (n < 16 || n > MAX_MODEL) {
        return;
    }
    n_models++;
    (memcmp(model + 4, "TFL3", 4) == 0 ? sweep_words : sweep_numbers)(model, n, name);
}

static bytes read_from(FILE *file)
{
    uint8_t chunk[4096];
    bytes all = {0};
    size_t n;
    while (file != NULL && (n = fread(chunk, 1, sizeof chunk, file)) > 0) {
        put_raw(&all, chunk, n);
    }
    return all;
}

/* The first model of a file of vectors: a header of JSON, then what it points to. */
static void sweep_vectors(const char *path)
{
    char command[2 * MAX_PATH + 16];
    uint32_t head = 0;
    size_t at = 0, n = 0;
    snprintf(command, sizeof command, "xz -dc '%s'", path);
    FILE *pipe = popen(command, "r");
    bytes all = read_from(pipe);
    assert_int_equal(pipe == NULL ? -1 : pclose(pipe), 0);
    assert_true(all.n > 12);
    memcpy(&head, all.data + 8, sizeof head);
    assert_true(12 + (size_t)head < all.n);
    all.data[11 + head] = '\0';
    const char *key = strstr((const char *)all.data + 12, "\"model\":[");
    assert_non_null(key);
    assert_int_equal(sscanf(key, "\"model\":[%zu,%zu]", &at, &n), 2);
    assert_true(12 + head + at + n <= all.n);
    sweep(all.data + 12 + head + at, n, path);
    free(all.data);
}

static void sweep_file(const char *path)
{
    FILE *file = fopen(path, "rb");
    bytes all = read_from(file);
    if (file != NULL) {
        fclose(file);
    }
    sweep(all.data, all.n, path);
    free(all.data);
}

/* FOLDER/NAME for each entry that has the ending, FOLDER/NAME/suffix where there is a suffix. */
static void each(const char *folder, const char *ending, const char *suffix,
                 void (*f)(const char *path))
{
    DIR *opened = opendir(folder);
    const struct dirent *entry;
    while (opened != NULL && (entry = readdir(opened)) != NULL) {
        const size_t length = strlen(entry->d_name), tail = strlen(ending);
        char path[2 * MAX_PATH];
        if (entry->d_name[0] != '.' && length >= tail &&
            strcmp(entry->d_name + length - tail, ending) == 0) {
            snprintf(path, sizeof path, "%s/%s%s", folder, entry->d_name, suffix);
            f(path);
        }
    }
    if (opened != NULL) {
        closedir(opened);
    }
}

static void no_number_of_a_vector_breaks_the_import(void **state)
{
    (void)state;
    each(TEST_SOURCE "/tests/vectors", ".bin.xz", "", sweep_vectors);
    print_message("%ld imports of %ld models\n", n_imports, n_models);
    assert_true(n_models > 100);
}

static void no_number_of_an_onnx_test_breaks_the_import(void **state)
{
    (void)state;
    const char *archive = TEST_SHARED "/onnx-backend-tests/data.tar.xz";
    char root[] = "/tmp/oribi-extremes-XXXXXX", command[MAX_PATH], folder[MAX_PATH];
    if (access(archive, R_OK) != 0) {
        print_message("skipped: no %s\n", archive);
        skip();
    }
    assert_non_null(mkdtemp(root));
    snprintf(command, sizeof command, "tar -xJf '%s' -C %s --wildcards '*/model.onnx'", archive,
             root);
    assert_int_equal(system(command), 0);
    n_imports = n_models = 0;
    snprintf(folder, sizeof folder, "%s/node", root);
    each(folder, "", "/model.onnx", sweep_file);
    snprintf(command, sizeof command, "rm -rf %s", root);
    assert_int_equal(system(command), 0);
    print_message("%ld imports of %ld models\n", n_imports, n_models);
    assert_true(n_models > 500);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_number_of_a_vector_breaks_the_import),
        cmocka_unit_test(no_number_of_an_onnx_test_breaks_the_import),
    };
    return cmocka_run_group_tests(tests, load_built_ins, NULL);
}
