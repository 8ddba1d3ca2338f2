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

#include "support/onnx_case.h"

enum { MAX_CASES = 4096 };

static const char *const folders[] = {"node", "simple", "pytorch-converted", "pytorch-operator"};

typedef struct result {
    char *name;
    int code;
} result;

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
            children[k] = start_case(path, NULL, 0, true);
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
        int code = finish_case(start_case(path, NULL, 0, false));
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
