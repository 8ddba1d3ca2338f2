/* SPDX-License-Identifier: Apache-2.0 */
/* Which option has no effect beside, or without, which? An option that would be ignored is a usage
 * error. Read next: args.c; the rows are checked by tests/cli/needs_test.py, which knows every
 * option of every command.
 */
#include <stdio.h>
#include <string.h>

#include "cli.h"

/* Words are divided by '|'. A word is an option, "--weights=obj" one with that value, "test" the
 * first argument of the command, "@" an input that is a picture, "=" a --device with a driver. */
typedef struct rule {
    const char *commands, *options;
    const char *needs;   /* one of these, or NULL */
    const char *against; /* none of these, or NULL */
} rule;

#define PLACEMENT "--strict-placement|--keep-islands|--device-max-bytes|--unified-memory"
#define VIEWS     "--steps|--passes|--memory|--copies|--parallel"

static const rule rules[] = {
    {"run", "--labels", "--top-k", NULL},
    {"run", "--node", "--record", NULL},
    {"run", "--check", NULL, "--check-all"},
    {"run", "--shard|--resume", "--output", NULL},
    {"run", "--shard|--resume", NULL, "--trace|--record"},
    {"run", "--resume", NULL, "--force"},
    {"run", "--rows", "--input", NULL},
    {"run", "--rows", NULL, "--text|="},
    {"run", "--force", "--output|--trace|--record", NULL},
    {"run", "--layout|--mean|--scale|--show|--crop", "@", NULL},
    {"run", "--text", "--vocabulary", NULL},
    {"run", "--vocabulary", "--text", NULL},
    {"run", "--target-device|--assign|--device-schedule|--cpu-mhz", "=", NULL},
    {"run",
     "--check|--check-all|--record|--trace|--time-limit|--shape|--bound|--kernels|--isa|--disable-"
     "pass|"
     "--threads|--place-node|" PLACEMENT,
     NULL, "="},
    {"run|bench|compare|profile", PLACEMENT, "--device|--place-node|--plugin", NULL},
    {"inspect", PLACEMENT, "--device|--place-node|--plugin", NULL},
    {"inspect", "--assign|--no-fuse", "--target-device", NULL},
    {"inspect",
     VIEWS "|--device|--place-node|--kernels|--isa|--disable-pass|--shape|--bound|" PLACEMENT, NULL,
     "--target-device"},
    {"inspect", VIEWS "|--html", NULL, "--explain"},
    {"inspect", VIEWS "|--json", NULL, "--html"},
    {"inspect", "--html", NULL, "--target-device"},
    {"inspect", "--force", "--html", NULL},
    {"compile", "--weights-machine", "--weights=obj", NULL},
    {"compile|verify", "--assign|--device-schedule|--cpu-mhz", "--target-device", NULL},
    {"compile|verify", "--rings", NULL, "--no-fuse"},
    {"compile|verify", "--device-platform", "--target-device|--device", NULL},
    {"verify", "--weights-machine", "--weights=obj", NULL},
    {"verify", "--driver", "--target-device", NULL},
    {"verify", "--failing-hooks", "--target-device", "--io=workspace"},
    {"verify", "--top-k", "--input", NULL},
    {"verify", "--rtol|--atol|--ulp", "--against", NULL},
    {"compare", "--runs", NULL, "--input"},
    {"profile", "--force", "--csv|--html|--trace|--save", NULL},
    {"profile", "--tolerance", "--baseline", NULL},
    {"verify", "--baud", "--port", NULL},
    {"verify", "--cc|--cflags|--keep", NULL, "--port"},
    {"verify", "--runs|--input|--against|--json|--timeout", NULL, "--image"},
    {"verify", "--keep|--port", NULL, "--image"},
    {"verify", "--emulator-flags", "--target", "--port|--image|--target=host"},
    {"verify", "--profile", "--target|--port", "--image|--target=host|--target-device|--device"},
    {"verify", "--layout|--table", NULL, "verify"},
    {"device-serve", "--once", "--socket", NULL},
    {"device-serve", "--assign", "--target-device", NULL},
    {"ops", "--map", NULL, "--kernels"},
    {"plugin", "--json", "list|info|describe|check|rules|test|replay", NULL},
    {"plugin", "--plugin", "list|info|replay", NULL},
    {"plugin", "--seed|--cases|--op|--part|--random|--timeout-ms|--driver", "test", NULL},
    {"plugin", "--cases|--part|--timeout-ms|--json", NULL, "--driver"},
    {"plugin", "--cxx|--micro|--device|--target", "new", NULL},
};

/* The next of the words; NULL after the last. */
static const char *next_word(const char *at, size_t *length)
{
    at += *length;
    at += *at == '|';
    *length = strcspn(at, "|");
    return *length > 0 ? at : NULL;
}

static bool has_word(const char *words, const char *wanted)
{
    size_t length = 0;
    for (const char *at = words; (at = next_word(at, &length)) != NULL;) {
        if (strlen(wanted) == length && strncmp(at, wanted, length) == 0) {
            return true;
        }
    }
    return false;
}

/* Files of numbers are known by their ends; every other file is a picture. */
static bool has_picture(const cli_args *args)
{
    static const char *const numbers[] = {".npy", ".npz", ".pb", ".bin", ".csv", ".wav", ".txt"};
    const char *text;
    for (int k = 0; (text = cli_value_at(args, "--input", k)) != NULL; k++) {
        if (strstr(text, "=[@") != NULL) { /* a batch is of pictures most of the time */
            return true;
        }
        const char *file = text[0] == '@' ? text : strstr(text, "=@");
        bool is_picture = file != NULL && strstr(file, ".npz:") == NULL;
        for (size_t i = 0; is_picture && i < sizeof numbers / sizeof numbers[0]; i++) {
            const size_t length = strlen(file), end = strlen(numbers[i]);
            is_picture = length < end || strcmp(file + length - end, numbers[i]) != 0;
        }
        if (is_picture) {
            return true;
        }
    }
    return false;
}

static bool is_given(const cli_args *args, const char *word, size_t length)
{
    const size_t name = strcspn(word, "=|");
    if (word[0] == '@') {
        return has_picture(args);
    }
    if (word[0] == '=') {
        return cli_has_drivers(args);
    }
    if (word[0] != '-') {
        const char *first = args->n_positional > 0 ? args->positional[0] : "";
        return (strlen(first) == length && strncmp(first, word, length) == 0) ||
               (strlen(args->command->name) == length &&
                strncmp(args->command->name, word, length) == 0);
    }
    for (int i = 0; i < args->n_given; i++) {
        const struct cli_given *g = &args->given[i];
        if (strlen(g->option->name) == name && strncmp(g->option->name, word, name) == 0) {
            return name == length || (strlen(g->value) == length - name - 1 &&
                                      strncmp(g->value, word + name + 1, length - name - 1) == 0);
        }
    }
    return false;
}

/* The first of the words that is given, or NULL. */
static const char *find_given(const cli_args *args, const char *words, size_t *length)
{
    *length = 0;
    for (const char *at = words; (at = next_word(at, length)) != NULL;) {
        if (is_given(args, at, *length)) {
            return at;
        }
    }
    return NULL;
}

/* Words for people: "--weights=obj" as "--weights obj", several with "or". */
static void print_words(const char *words, char *out, size_t size)
{
    size_t length = 0, used = 0;
    out[0] = 0;
    for (const char *at = words; (at = next_word(at, &length)) != NULL && used < size - 1;) {
        const char *before = used > 0 ? " or " : "";
        const size_t name = strcspn(at, "=|");
        const int n = (int)length, n_name = (int)(name < length ? name : length);
        int more;
        if (at[0] == '@') {
            more = snprintf(out + used, size - used, "%san input that is a picture (-i NAME=@FILE)",
                            before);
        } else if (at[0] == '=') {
            more = snprintf(out + used, size - used, "%s--device NAME=DRIVER.so", before);
        } else if (at[0] != '-') {
            more = snprintf(out + used, size - used, "%s`%.*s`", before, n, at);
        } else {
            more =
                snprintf(out + used, size - used, "%s%.*s%s%.*s", before, n_name, at,
                         n_name < n ? " " : "", n_name < n ? n - n_name - 1 : 0, at + n_name + 1);
        }
        used += (size_t)more;
    }
}

static bool follows(const cli_args *args, const rule *r, const char *option)
{
    char words[400];
    size_t length = 0;
    if (r->needs != NULL && find_given(args, r->needs, &length) == NULL) {
        print_words(r->needs, words, sizeof words);
        cli_error("%s: %s has no effect without %s", args->command->name, option, words);
        return false;
    }
    const char *against = r->against != NULL ? find_given(args, r->against, &length) : NULL;
    if (against != NULL) {
        char one[64];
        snprintf(one, sizeof one, "%.*s", (int)length, against);
        print_words(one, words, sizeof words);
        cli_error("%s: %s does not go with %s", args->command->name, option, words);
        return false;
    }
    return true;
}

/* "MODEL" is one argument, "[NAME]" at most one, "A B" two, "MODEL..." any number. */
static bool check_arguments(const cli_args *args)
{
    const char *wanted = args->command->arguments;
    const bool is_any = strstr(wanted, "...") != NULL || strchr(wanted, '|') != NULL;
    int most = wanted[0] == 0 ? 0 : 1;
    for (const char *at = wanted; (at = strchr(at, ' ')) != NULL; at++) {
        most++;
    }
    if (!is_any && args->n_positional > most) {
        cli_error("%s: %s '%s'; see `oribi help %s`", args->command->name,
                  most == 0   ? "takes no argument, not"
                  : most == 1 ? "takes one argument; what is"
                              : "takes two arguments; what is",
                  args->positional[most], args->command->name);
        return false;
    }
    return true;
}

bool cli_needs_check(const cli_args *args)
{
    for (size_t k = 0; k < sizeof rules / sizeof rules[0]; k++) {
        if (!has_word(rules[k].commands, args->command->name)) {
            continue;
        }
        for (int i = 0; i < args->n_given; i++) {
            const char *option = args->given[i].option->name;
            if (has_word(rules[k].options, option) && !follows(args, &rules[k], option)) {
                return false;
            }
        }
    }
    if (strcmp(args->command->name, "ops") == 0 && args->n_positional > 0 &&
        (cli_has(args, "--map") || cli_has(args, "--kernels"))) {
        cli_error("ops: --map and --kernels list everything; they do not go with '%s'",
                  args->positional[0]);
        return false;
    }
    return check_arguments(args);
}
