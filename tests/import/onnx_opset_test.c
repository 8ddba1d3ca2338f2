/* SPDX-License-Identifier: Apache-2.0 */
/* Each operator at each opset, 7 to 21, at which its definition changed: a backend test of the ONNX
 * project that passes is run again with the model's opset set to that number, where the form of the
 * node (attributes or inputs) is that opset's. onnx_since.txt has the opsets, from ONNX's schemas.
 * Prints which pairs no case covers; onnx_old_form_test.c has forms that the cases lack.
 */
#include <sys/stat.h>

#include "support/onnx_case.h"

enum { MAX_PASSES = 4096, MAX_INNER = 32, FIRST = 7, LAST = 21, TRIES = 4 };

/* Where inputs took the place of attributes or the other way round, or a default changed: the
 * opsets from which on nodes look alike. */
static const struct {
    const char *op;
    int since[4]; /* 0 ends */
} forms[] = {
    {"AveragePool", {7, 19}},
    {"BatchNormalization", {7, 14}},
    {"Clip", {7, 11}},
    {"Dropout", {7, 12}},
    {"GroupNormalization", {18, 21}},
    {"Hardmax", {7, 13}},
    {"LogSoftmax", {7, 13}},
    {"Loop", {7, 11, 13}}, /* of the nodes in its body */
    {"DFT", {17, 20}},
    {"Pad", {7, 11}},
    {"PRelu", {1, 7}}, /* before 7 slopes are those of channels */
    {"ReduceL1", {7, 18}},
    {"ReduceL2", {7, 18}},
    {"ReduceLogSum", {7, 18}},
    {"ReduceLogSumExp", {7, 18}},
    {"ReduceMax", {7, 18}},
    {"ReduceMean", {7, 18}},
    {"ReduceMin", {7, 18}},
    {"ReduceProd", {7, 18}},
    {"ReduceSum", {7, 13}},
    {"ReduceSumSquare", {7, 18}},
    {"Resize", {10, 11}},
    {"RoiAlign", {10, 16}},
    {"Scan", {8, 9}},
    {"Scatter", {9}},
    {"Slice", {7, 10}},
    {"Softmax", {7, 13}},
    {"Split", {7, 13, 18}},
    {"Squeeze", {7, 13}},
    {"TopK", {7, 10}},
    {"Unsqueeze", {7, 13}},
    {"Upsample", {7, 9}},
};

typedef struct model {
    char *name;
    oribi_string op;               /* of its only kind of node; length 0: several */
    oribi_string inner[MAX_INNER]; /* ops of graphs that belong to its nodes */
    int n_inner, opset;
    uint8_t *bytes;
    size_t n, opset_at; /* of the one byte of the version */
} model;

static model models[MAX_PASSES];
static int n_models;

static int form_of(const char *op, int opset)
{
    int found = FIRST;
    for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
        for (int k = 0; strcmp(forms[i].op, op) == 0 && k < 4; k++) {
            int since = forms[i].since[k];
            found = since != 0 && since <= opset ? since : found;
        }
    }
    return found;
}

/* The ops of a node's graphs, which must be older than what the model is read as, too. */
static void read_inner(model *m, oribi_wire attribute, TF_Status *status)
{
    oribi_wire graph, node;
    oribi_wire_field f, g, h;
    while (oribi_wire_next(&attribute, &f, status)) {
        if (f.number != 6 || !oribi_wire_enter(&attribute, &f, &graph, status)) {
            continue;
        }
        while (oribi_wire_next(&graph, &g, status)) {
            if (g.number != 1 || !oribi_wire_enter(&graph, &g, &node, status)) {
                continue;
            }
            while (oribi_wire_next(&node, &h, status)) {
                if (h.number == 4 && m->n_inner < MAX_INNER) {
                    m->inner[m->n_inner++] = (oribi_string){(const char *)h.data, h.bytes};
                }
            }
        }
    }
}

static bool knows_inner(const model *m, int opset)
{
    bool knows = true;
    for (int i = 0; i < m->n_inner; i++) {
        knows = knows && oribi_onnx_find_row(&m->inner[i], opset) != NULL;
    }
    return knows;
}

static void read_graph(model *m, oribi_wire graph, TF_Status *status)
{
    oribi_wire node, attribute;
    oribi_wire_field f, g;
    bool mixed = false;
    while (oribi_wire_next(&graph, &f, status)) {
        if (f.number != 1 || !oribi_wire_enter(&graph, &f, &node, status)) {
            continue;
        }
        while (oribi_wire_next(&node, &g, status)) {
            oribi_string op = {(const char *)g.data, g.bytes};
            bool is_constant = g.bytes == 8 && g.number == 4 && memcmp(g.data, "Constant", 8) == 0;
            if (g.number == 4 && !is_constant) {
                mixed =
                    mixed || (m->op.length > 0 && (m->op.length != op.length ||
                                                   memcmp(m->op.data, op.data, op.length) != 0));
                m->op = op;
            } else if (g.number == 5 && oribi_wire_enter(&node, &g, &attribute, status)) {
                read_inner(m, attribute, status);
            }
        }
    }
    m->op.length = mixed ? 0 : m->op.length;
}

/* Finds the opset and the kind of node. */
static bool read_model(model *m)
{
    TF_Status *status = TF_NewStatus();
    oribi_wire wire = oribi_wire_over(m->bytes, m->n), inner;
    oribi_wire_field f, g;
    while (oribi_wire_next(&wire, &f, status)) {
        if (f.number == 7 && oribi_wire_enter(&wire, &f, &inner, status)) {
            read_graph(m, inner, status);
        } else if (f.number == 8 && oribi_wire_enter(&wire, &f, &inner, status)) {
            while (oribi_wire_next(&inner, &g, status)) {
                if (g.number == 2) {
                    m->opset_at = g.offset + 1;
                    m->opset = (int)g.value;
                }
            }
        }
    }
    TF_DeleteStatus(status);
    return m->op.length > 0 && m->opset > 0 && m->opset < 128;
}

static bool load_models(const char *root)
{
    FILE *file = fopen(TEST_SOURCE "/tests/import/onnx_backend_passes.txt", "r");
    char line[600], path[2048];
    while (file != NULL && n_models < MAX_PASSES && fgets(line, sizeof(line), file) != NULL) {
        model m = {0};
        void *data = NULL;
        line[strcspn(line, "\n")] = '\0';
        snprintf(path, sizeof(path), "%s/%s/model.onnx", root, line);
        if (oribi_file_read(path, SIZE_MAX, &data, &m.n) != 0) {
            continue;
        }
        m.bytes = data;
        if (read_model(&m)) {
            m.name = strdup(line);
            models[n_models++] = m;
        } else {
            oribi_free(data);
        }
    }
    if (file != NULL) {
        fclose(file);
    }
    return n_models > 0;
}

/* Runs one fitting case at the opset: PASSED, FAILED, or UNSUPPORTED when none fits. A case may use
 * a type that the older definition lacks and we take, so the first ones that fit stand for all. */
static int try_opset(const char *root, const char *op, int opset)
{
    char path[2048];
    int tries = 0;
    for (int i = 0; i < n_models && tries < TRIES; i++) {
        model *m = &models[i];
        if (m->op.length != strlen(op) || memcmp(m->op.data, op, m->op.length) != 0 ||
            form_of(op, m->opset) != form_of(op, opset) || !knows_inner(m, opset)) {
            continue;
        }
        tries++;
        snprintf(path, sizeof(path), "%s/%s", root, m->name);
        m->bytes[m->opset_at] = (uint8_t)opset;
        int code = finish_case(start_case(path, m->bytes, m->n, true));
        m->bytes[m->opset_at] = (uint8_t)m->opset;
        if (code != PASSED) {
            printf("FAILED %s at opset %d (%s)\n", op, opset, m->name);
            return FAILED;
        }
    }
    return tries > 0 ? PASSED : UNSUPPORTED;
}

static int run_all(const char *root)
{
    FILE *file = fopen(TEST_SOURCE "/tests/import/onnx_since.txt", "r");
    char line[256];
    int passed = 0, failed = 0, uncovered = 0;
    while (file != NULL && fgets(line, sizeof(line), file) != NULL) {
        char *rest = NULL;
        const char *op = strtok_r(line, " \n", &rest), *number;
        oribi_string name = {op, op == NULL ? 0 : strlen(op)};
        while (op != NULL && (number = strtok_r(NULL, " \n", &rest)) != NULL) {
            int opset = atoi(number);
            if (oribi_onnx_find_row(&name, opset) == NULL) {
                continue;
            }
            int code = try_opset(root, op, opset);
            passed += code == PASSED;
            failed += code == FAILED;
            uncovered += code == UNSUPPORTED;
            if (code == UNSUPPORTED) {
                printf("no case for %s at opset %d\n", op, opset);
            }
        }
    }
    if (file != NULL) {
        fclose(file);
    }
    printf("%d operators at opsets passed, %d failed, %d without a case\n", passed, failed,
           uncovered);
    return failed == 0 && passed > 270 ? PASSED : FAILED;
}

int main(void)
{
    const char *archive = TEST_SHARED "/onnx-backend-tests/data.tar.xz";
    char root[] = "/tmp/oribi-onnx-opset-XXXXXX", command[4096];
    int code = FAILED;
    if (access(archive, R_OK) != 0) {
        printf("skipped: %s is not here\n", archive);
        return SKIP;
    }
    if (mkdtemp(root) == NULL) {
        return FAILED;
    }
    snprintf(command, sizeof(command), "tar -xJf '%s' -C %s", archive, root);
    TF_Status *status = TF_NewStatus();
    if (system(command) == 0 && oribi_plugin_load_built_ins(status) && load_models(root)) {
        code = run_all(root);
    }
    TF_DeleteStatus(status);
    snprintf(command, sizeof(command), "rm -rf %s", root);
    return system(command) == 0 ? code : FAILED;
}
