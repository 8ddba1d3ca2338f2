/* SPDX-License-Identifier: Apache-2.0 */
/* See shard.h. Shards know nothing of one another: MPI and SLURM tell a process its number by its
 * environment, and files say what is done.
 */
#include "shard/shard.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <zlib.h>

/* --- Which runs ------------------------------------------------------------------------------ */

/* In this order: inside a job of SLURM, mpirun's own variables are those that count. */
static const struct {
    const char *index, *count;
} launchers[] = {
    {"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"}, /* Open MPI */
    {"PMI_RANK", "PMI_SIZE"},                         /* MPICH, Intel MPI, srun --mpi=pmi2 */
    {"SLURM_PROCID", "SLURM_NTASKS"},                 /* srun */
};

/* Two whole numbers, the first one smaller. */
static bool parse(const char *index, const char *count, char end_of_index, shard *out)
{
    char *index_end, *count_end;

    errno = 0;
    out->index = strtoll(index, &index_end, 10);
    out->count = strtoll(count, &count_end, 10);
    return errno == 0 && index_end != index && *index_end == end_of_index && count_end != count &&
           *count_end == 0 && out->index >= 0 && out->index < out->count;
}

static bool read_environment(shard *out)
{
    for (size_t i = 0; i < sizeof launchers / sizeof launchers[0]; i++) {
        const char *index = getenv(launchers[i].index), *count = getenv(launchers[i].count);
        if (index == NULL || count == NULL) {
            continue;
        }
        if (!parse(index, count, 0, out)) {
            cli_error("run: --shard auto: %s is '%s' and %s '%s'; they must be a number from 0 on "
                      "and how many there are",
                      launchers[i].index, index, launchers[i].count, count);
            return false;
        }
        cli_note("run: shard %lld/%lld, by %s and %s", (long long)out->index, (long long)out->count,
                 launchers[i].index, launchers[i].count);
        return true;
    }
    cli_error("run: --shard auto finds no rank in the environment (OMPI_COMM_WORLD_RANK, PMI_RANK, "
              "SLURM_PROCID, each with its size); start it by mpirun or srun, or say --shard I/N");
    return false;
}

bool shard_read(const cli_args *args, shard *out)
{
    const char *text = cli_value(args, "--shard");

    *out = (shard){0, 1, text != NULL || cli_has(args, "--resume"), cli_has(args, "--resume")};
    if (text == NULL) {
        return true;
    }
    if (strcmp(text, "auto") == 0) {
        return read_environment(out);
    }
    const char *slash = strchr(text, '/');
    if (slash == NULL || !parse(text, slash + 1, '/', out)) {
        cli_error("run: --shard wants I/N with I from 0 to N-1, or auto, not '%s'", text);
        return false;
    }
    return true;
}

static bool is_there(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0;
}

bool shard_has(const cli_args *args, const shard *s, int run)
{
    if (run % s->count != s->index) {
        return false;
    }
    char *path = s->resumes ? cli_results_path(cli_value(args, "--output"), run) : NULL;
    const bool is_done = path != NULL && is_there(path);
    free(path);
    return !is_done;
}

/* --- The record ------------------------------------------------------------------------------ */

/* Options of which the numbers do not depend. */
static bool is_beside(const char *option)
{
    static const char *const names[] = {"--input", "--output",      "--shard",     "--resume",
                                        "--force", "--threads",     "--max-bytes", "--time-limit",
                                        "--json",  "--top-k",       "--labels",    "--show",
                                        "--read",  "--follow-links"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (strcmp(names[i], option) == 0) {
            return true;
        }
    }
    return false;
}

static uint32_t add_word(uint32_t crc, const char *word)
{
    return (uint32_t)crc32_z(crc, (const Bytef *)word, strlen(word) + 1);
}

/* A line each of the model, the inputs and the options. False after a message. */
static bool describe(const cli_args *args, int n_runs, oribi_text *out)
{
    uint32_t inputs = 0, options = 0;
    size_t bytes;
    uint8_t *model = cli_read_file(args->positional[0], &bytes);

    if (model == NULL) {
        return false;
    }
    for (int i = 0; i < args->n_given; i++) {
        const char *name = args->given[i].option->name, *value = args->given[i].value;
        if (strcmp(name, "--input") == 0) {
            inputs = add_word(inputs, value);
        } else if (!is_beside(name)) {
            options = add_word(add_word(options, name), value == NULL ? "" : value);
        }
    }
    oribi_text_printf(out, "model %08lx of %zu bytes\n", (unsigned long)crc32_z(0, model, bytes),
                      bytes);
    oribi_text_printf(out, "inputs %08lx for %d runs\n", (unsigned long)inputs, n_runs);
    oribi_text_printf(out, "options %08lx\n", (unsigned long)options);
    free(model);
    return true;
}

/* Another record than this one: which line of it? */
static int refuse(const char *path, const char *there, const char *here)
{
    while (*there != 0 && *there == *here) {
        there++;
        here++;
    }
    while (here[-1] != '\n') { /* both begin with the same line */
        here--;
    }
    cli_error("run: %s is of other %.*s than these, so --resume would mix results; --force without "
              "--resume begins anew",
              path, (int)strcspn(here, " \n"), *here == 0 ? "contents" : here);
    return CLI_BAD_INPUT;
}

static bool has_results(const cli_args *args, const shard *s, int n_runs)
{
    bool found = false;

    for (int run = 0; run < n_runs && !found; run++) {
        found = run % s->count == s->index && !shard_has(args, s, run);
    }
    return found;
}

static int compare_or_write(const cli_args *args, const shard *s, int n_runs, const char *path,
                            const oribi_text *text)
{
    size_t bytes = 0;
    char *there = is_there(path) ? cli_read_text(path, &bytes) : NULL;
    int code = CLI_OK;

    if (there != NULL && strcmp(there, oribi_text_string(text)) == 0) {
        code = CLI_OK;
    } else if (there == NULL && s->resumes && has_results(args, s, n_runs)) {
        cli_error("run: there are results, but no %s that says of what; --force without --resume "
                  "begins anew",
                  path);
        code = CLI_BAD_INPUT;
    } else if (there != NULL && !cli_has(args, "--force")) {
        code = refuse(path, there, oribi_text_string(text));
    } else { /* others may write the same one now */
        code = cli_write_file(path, text->data, text->length, true);
    }
    free(there);
    return code;
}

int shard_begin(const cli_args *args, const shard *s, int n_runs)
{
    oribi_text text = {0};
    int mine = 0, left = 0;

    if (!s->is_asked) {
        return CLI_OK;
    }
    char *path = cli_results_record(cli_value(args, "--output"));
    oribi_text_append(&text, "oribi run: parts of one output, and of what they are\n");
    int code = describe(args, n_runs, &text) ? CLI_OK : CLI_BAD_INPUT;
    if (text.failed) {
        cli_no_memory(text.length);
    }
    code = code == CLI_OK ? compare_or_write(args, s, n_runs, path, &text) : code;
    for (int run = 0; run < n_runs; run++) {
        mine += run % s->count == s->index;
        left += shard_has(args, s, run);
    }
    if (code == CLI_OK) {
        cli_note("run: %d of %d runs are this shard's, %d of them still to be done", mine, n_runs,
                 left);
    }
    oribi_text_destroy(&text);
    free(path);
    return code;
}
