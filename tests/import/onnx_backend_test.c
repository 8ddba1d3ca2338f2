/* SPDX-License-Identifier: Apache-2.0 */
/* Runs the backend tests of the ONNX project through the public API and compares with the list of
 * those known to pass: a test that is lost is red. What is not supported is counted and never taken
 * for passed. Each case runs in a process of its own.
 *
 *     import_onnx_backend_test                  all cases, against onnx_backend_passes.txt
 *     import_onnx_backend_test NAME...          only these, with their messages
 *     import_onnx_backend_test --write FILE     writes the list of what passes now
 *
 * Source  ../shared/onnx-backend-tests (onnx/backend/test/data); rtol 1e-3, atol 1e-7 as its
 * runner.
 */
#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/file.h"
#include "import/onnx.h"
#include "oribi/oribi.h"
#include "plugin/plugin.h"

enum { PASSED = 0, FAILED = 1, UNSUPPORTED = 3, SKIP = 77, MAX_TENSORS = 64, MAX_CASES = 4096 };
enum { CASE_SECONDS = 30 };

static const char *const folders[] = {"node", "simple", "pytorch-converted", "pytorch-operator"};

typedef struct result {
    char *name;
    int code;
} result;

/* --- One case -------------------------------------------------------------------------------- */

static void keep(oribi_source *source)
{
    (void)source;
}

/* A TensorProto file as a tensor, by the importer's own reader; NULL: unsupported. */
static TF_Tensor *read_tensor(const char *path)
{
    static oribi_source source = {.release = keep};
    TF_Status *status = TF_NewStatus();
    void *data = NULL;
    size_t bytes = 0;
    if (oribi_file_read(path, SIZE_MAX, &data, &bytes) != 0) {
        return NULL;
    }
    atomic_store(&source.references, 1000);
    oribi_onnx onnx = {.graph = oribi_graph_create(status), .source = &source};
    oribi_wire wire = oribi_wire_over(data, bytes);
    oribi_value_id id = oribi_onnx_tensor_read(&onnx, &wire, "data", status);
    if (id < 0) {
        printf("%s: %s\n", path, TF_Message(status));
        return NULL;
    }
    return oribi_graph_constant_tensor(onnx.graph, id, status);
}

static double half_value(uint16_t bits)
{
    double magnitude;
    int exponent = (bits >> 10) & 31, fraction = bits & 1023;
    if (exponent == 31) {
        magnitude = fraction != 0 ? (double)NAN : (double)INFINITY;
    } else if (exponent == 0) {
        magnitude = ldexp(fraction, -24);
    } else {
        magnitude = ldexp(1024 + fraction, exponent - 25);
    }
    return (bits & 0x8000) != 0 ? -magnitude : magnitude;
}

static double bfloat16_value(uint16_t bits)
{
    uint32_t wide = (uint32_t)bits << 16;
    float value;
    memcpy(&value, &wide, sizeof(value));
    return (double)value;
}

static bool element(const TF_Tensor *tensor, int64_t i, double *out)
{
    const void *data = TF_TensorData(tensor);
    switch ((int)TF_TensorType(tensor)) {
    case TF_FLOAT:
        *out = (double)((const float *)data)[i];
        return true;
    case TF_DOUBLE:
        *out = ((const double *)data)[i];
        return true;
    case TF_HALF:
        *out = half_value(((const uint16_t *)data)[i]);
        return true;
    case TF_BFLOAT16:
        *out = bfloat16_value(((const uint16_t *)data)[i]);
        return true;
    case TF_INT64:
        *out = (double)((const int64_t *)data)[i];
        return true;
    case TF_INT32:
        *out = ((const int32_t *)data)[i];
        return true;
    case TF_INT16:
        *out = ((const int16_t *)data)[i];
        return true;
    case TF_INT8:
        *out = ((const int8_t *)data)[i];
        return true;
    case TF_UINT64:
        *out = (double)((const uint64_t *)data)[i];
        return true;
    case TF_UINT32:
        *out = ((const uint32_t *)data)[i];
        return true;
    case TF_UINT16:
        *out = ((const uint16_t *)data)[i];
        return true;
    case TF_UINT8:
    case TF_BOOL:
        *out = ((const uint8_t *)data)[i];
        return true;
    default:
        return false;
    }
}

static bool strings_equal(const TF_Tensor *found, const TF_Tensor *wanted)
{
    const TF_TString *a = TF_TensorData(found), *b = TF_TensorData(wanted);
    for (int64_t i = 0; i < TF_TensorElementCount(wanted); i++) {
        size_t length = TF_StringGetSize(&b[i]);
        if (TF_StringGetSize(&a[i]) != length ||
            memcmp(TF_StringGetDataPointer(&a[i]), TF_StringGetDataPointer(&b[i]), length) != 0) {
            return false;
        }
    }
    return true;
}

static bool same_frame(const TF_Tensor *found, const TF_Tensor *wanted)
{
    bool same =
        TF_TensorType(found) == TF_TensorType(wanted) && TF_NumDims(found) == TF_NumDims(wanted);
    for (int i = 0; same && i < TF_NumDims(wanted); i++) {
        same = TF_Dim(found, i) == TF_Dim(wanted, i);
    }
    return same;
}

static bool agree(const TF_Tensor *found, const TF_Tensor *wanted, int output)
{
    if (!same_frame(found, wanted)) {
        printf("output %d: type %d and rank %d, expected %d and %d (or other dims)\n", output,
               (int)TF_TensorType(found), TF_NumDims(found), (int)TF_TensorType(wanted),
               TF_NumDims(wanted));
        return false;
    }
    if (TF_TensorType(wanted) == TF_STRING) {
        return strings_equal(found, wanted);
    }
    for (int64_t i = 0; i < TF_TensorElementCount(wanted); i++) {
        double a = 0, b = 0;
        if (!element(found, i, &a) || !element(wanted, i, &b)) {
            size_t bytes = TF_TensorByteSize(wanted);
            return memcmp(TF_TensorData(found), TF_TensorData(wanted), bytes) == 0;
        }
        bool same = (isnan(a) && isnan(b)) || a == b || fabs(a - b) <= 1e-7 + 1e-3 * fabs(b);
        if (!same) {
            printf("output %d, element %lld: %.9g, expected %.9g\n", output, (long long)i, a, b);
            return false;
        }
    }
    return true;
}

static int verdict(const TF_Status *status, const char *where)
{
    printf("%s: %d %s\n", where, (int)TF_GetCode(status), TF_Message(status));
    return TF_GetCode(status) == TF_UNIMPLEMENTED || TF_GetCode(status) == TF_NOT_FOUND
               ? UNSUPPORTED
               : FAILED;
}

static int run_set(oribi_model *model, oribi_session *session, const char *folder)
{
    TF_Status *status = TF_NewStatus();
    char path[4096];
    oribi_run *run = oribi_run_create(session, status);
    if (run == NULL) {
        return verdict(status, "run_create");
    }
    for (int i = 0; i < oribi_model_num_inputs(model); i++) {
        snprintf(path, sizeof(path), "%s/input_%d.pb", folder, i);
        TF_Tensor *tensor = read_tensor(path);
        if (tensor == NULL) {
            printf("%s cannot be read\n", path);
            return UNSUPPORTED;
        }
        oribi_run_set_input(run, i, tensor, status);
        if (TF_GetCode(status) != TF_OK) {
            return verdict(status, "set_input");
        }
        TF_DeleteTensor(tensor);
    }
    oribi_run_execute(run, status);
    if (TF_GetCode(status) != TF_OK) {
        return verdict(status, "execute");
    }
    for (int i = 0; i < oribi_model_num_outputs(model); i++) {
        snprintf(path, sizeof(path), "%s/output_%d.pb", folder, i);
        TF_Tensor *wanted = read_tensor(path);
        TF_Tensor *found = oribi_run_output(run, i, status);
        if (wanted == NULL) {
            printf("%s cannot be read\n", path);
            return UNSUPPORTED;
        }
        if (found == NULL || !agree(found, wanted, i)) {
            return FAILED;
        }
        TF_DeleteTensor(wanted);
        TF_DeleteTensor(found);
    }
    oribi_run_destroy(run);
    TF_DeleteStatus(status);
    return PASSED;
}

static int run_case(const char *folder)
{
    TF_Status *status = TF_NewStatus();
    char path[2048];
    oribi_options *options = oribi_options_create(status);
    oribi_options_set_threads(options, 1);
    snprintf(path, sizeof(path), "%s/model.onnx", folder);
    oribi_model *model = oribi_model_open(path, options, status);
    if (model == NULL) {
        return verdict(status, "model_open");
    }
    oribi_session *session = oribi_session_create(model, options, status);
    if (session == NULL) {
        return verdict(status, "session_create");
    }
    for (int set = 0;; set++) {
        snprintf(path, sizeof(path), "%s/test_data_set_%d", folder, set);
        if (!oribi_file_exists(path)) {
            return set > 0 ? PASSED : FAILED;
        }
        int code = run_set(model, session, path);
        if (code != PASSED) {
            return code;
        }
    }
}

/* In a child, so that a crash or an endless loop is a failure of this case alone. */
static pid_t start_case(const char *folder, bool is_quiet)
{
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        if (is_quiet && (freopen("/dev/null", "w", stdout) == NULL ||
                         freopen("/dev/null", "w", stderr) == NULL)) {
            _exit(FAILED);
        }
        alarm(CASE_SECONDS);
        int code = run_case(folder);
        fflush(stdout);
        _exit(code);
    }
    return child;
}

static int finish_case(pid_t child)
{
    int state = 0;
    while (waitpid(child, &state, 0) < 0 && errno == EINTR) {
    }
    return WIFEXITED(state) ? WEXITSTATUS(state) : FAILED;
}

/* --- All cases ------------------------------------------------------------------------------- */

static result cases[MAX_CASES];
static int n_cases;

static int by_name(const void *a, const void *b)
{
    return strcmp(((const result *)a)->name, ((const result *)b)->name);
}

static void list_cases(const char *root)
{
    for (size_t i = 0; i < sizeof(folders) / sizeof(folders[0]); i++) {
        char path[1024];
        snprintf(path, sizeof(path), "%s/%s", root, folders[i]);
        DIR *folder = opendir(path);
        const struct dirent *entry;
        while (folder != NULL && (entry = readdir(folder)) != NULL && n_cases < MAX_CASES) {
            char name[600];
            if (entry->d_name[0] != '.') {
                snprintf(name, sizeof(name), "%s/%s", folders[i], entry->d_name);
                cases[n_cases++].name = strdup(name);
            }
        }
        if (folder != NULL) {
            closedir(folder);
        }
    }
    qsort(cases, (size_t)n_cases, sizeof(cases[0]), by_name);
}

static void run_all(const char *root)
{
    for (int i = 0; i < n_cases; i += 2) { /* two at a time */
        char path[2048];
        pid_t children[2] = {0, 0};
        int count = n_cases - i < 2 ? n_cases - i : 2;
        for (int k = 0; k < count; k++) {
            snprintf(path, sizeof(path), "%s/%s", root, cases[i + k].name);
            children[k] = start_case(path, true);
        }
        for (int k = 0; k < count; k++) {
            cases[i + k].code = finish_case(children[k]);
        }
    }
}

static int write_list(const char *path)
{
    FILE *file = fopen(path, "w");
    if (file == NULL) {
        return FAILED;
    }
    for (int i = 0; i < n_cases; i++) {
        if (cases[i].code == PASSED) {
            fprintf(file, "%s\n", cases[i].name);
        }
    }
    fclose(file);
    return PASSED;
}

static int compare_with_list(void)
{
    FILE *file = fopen(TEST_SOURCE "/tests/import/onnx_backend_passes.txt", "r");
    char line[600];
    int lost = 0, expected = 0;
    if (file == NULL) {
        printf("no list of expected passes\n");
        return FAILED;
    }
    while (fgets(line, sizeof(line), file) != NULL) {
        line[strcspn(line, "\n")] = '\0';
        result key = {line, 0};
        const result *found = bsearch(&key, cases, (size_t)n_cases, sizeof(cases[0]), by_name);
        expected++;
        if (found == NULL || found->code != PASSED) {
            printf("LOST %s\n", line);
            lost++;
        }
    }
    fclose(file);
    printf("%d of the %d expected passes lost\n", lost, expected);
    return lost == 0 && expected > 0 ? PASSED : FAILED;
}

static void count_up(void)
{
    int passed = 0, unsupported = 0;
    for (int i = 0; i < n_cases; i++) {
        passed += cases[i].code == PASSED;
        unsupported += cases[i].code == UNSUPPORTED;
    }
    printf("%d cases: %d passed, %d unsupported, %d failed\n", n_cases, passed, unsupported,
           n_cases - passed - unsupported);
}

static int run_named(const char *root, int count, char **names)
{
    int worst = PASSED;
    for (int i = 0; i < count; i++) {
        char path[2048];
        snprintf(path, sizeof(path), "%s/%s", root, names[i]);
        int code = finish_case(start_case(path, false));
        printf("%s %s\n",
               code == PASSED        ? "passed"
               : code == UNSUPPORTED ? "unsupported"
                                     : "FAILED",
               names[i]);
        worst = code > worst ? code : worst;
    }
    return worst;
}

int main(int argc, char **argv)
{
    const char *archive = TEST_SHARED "/onnx-backend-tests/data.tar.xz";
    char root[] = "/tmp/oribi-onnx-backend-XXXXXX", command[4096];
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
    if (system(command) == 0 && oribi_plugin_load_built_ins(status)) {
        if (argc > 1 && strcmp(argv[1], "--write") != 0) {
            code = run_named(root, argc - 1, argv + 1);
        } else {
            list_cases(root);
            run_all(root);
            count_up();
            code = argc > 2 ? write_list(argv[2]) : compare_with_list();
            for (int i = 0; argc > 2 && i < n_cases; i++) {
                if (cases[i].code != PASSED) {
                    printf("%s %s\n", cases[i].code == UNSUPPORTED ? "unsupported" : "failed",
                           cases[i].name);
                }
            }
        }
    }
    snprintf(command, sizeof(command), "rm -rf %s", root);
    return system(command) == 0 ? code : FAILED;
}
