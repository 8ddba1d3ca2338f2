/* SPDX-License-Identifier: Apache-2.0 */
/* `oribi compare`: two sides that give values by name, and a judgement of each pair. Read next:
 * cmd_compare.c.
 */
#ifndef ORIBI_CLI_COMPARE_COMPARE_H_
#define ORIBI_CLI_COMPARE_COMPARE_H_

#include "cli.h"

/* compare_judge.c. An element agrees when it is the same (NaN is NaN), or within one of these. */
typedef struct compare_limits {
    double rtol, atol; /* |a - b| <= atol + rtol * |b|; -1: the type's own, 0 but for floats */
    int64_t ulp;       /* units in the last place between two floats; -1: does not count */
} compare_limits;
#define CLI_LIMIT_OPTIONS                                                                          \
    {"--rtol", 0, "R", "tolerance relative to the second value (floats: default 0.001)"},          \
        {"--atol", 0, "A", "and one added to it (floats: default 0.00001)"},                       \
    {                                                                                              \
        "--ulp", 0, "N", "or so many units in the last place, of floats"                           \
    }
/* Of the options above; false after a message. *has_some: is one of them given? */
bool compare_limits_read(const cli_args *args, compare_limits *out, bool *has_some);

typedef struct compare_verdict {
    const char *unlike;      /* "type" or "shape": they cannot be compared; or NULL */
    int64_t n, n_bad, worst; /* elements; the worst of them, in row-major order, -1: all the same */
    double max_abs, max_rel;
    int64_t max_ulp;   /* -1: not floats */
    char a[64], b[64]; /* the worst element of each */
} compare_verdict;
/* True: all agree. */
bool compare_judge(const TF_Tensor *a, const TF_Tensor *b, const compare_limits *limits,
                   compare_verdict *out);
/* "differs in 2 of 10 elements, most at 7: 0.5 for 0.25 (absolute 0.25, relative 1, 8388608 ulp)"
 */
void compare_verdict_print(const compare_verdict *verdict, char *out, size_t size);

/* compare_side.c */
typedef struct compare_value {
    char *name, *node; /* node: NULL where a side has none */
    TF_Tensor *tensor;
} compare_value;
typedef struct compare_values {
    compare_value *at;
    int n;
} compare_values;
void compare_values_add(compare_values *values, const char *name, const char *node,
                        TF_Tensor *tensor); /* takes the tensor */
/* All members of an .npz; false after a message. */
bool compare_values_read(compare_values *values, const char *path);
void compare_values_free(compare_values *values);
const compare_value *compare_values_find(const compare_values *values, const char *name);

typedef struct compare_side {
    const char *path;
    bool is_model, is_python; /* neither: a file of values */
    cli_args *args;           /* of a model: the options of its session, */
    char *text;               /* and the words of those that are its own */
    cli_session session;
    oribi_run *run;
    compare_values outputs, nodes; /* of the last run; outputs: of a file all it has */
} compare_side;
/* Side `which` ('a' or 'b') of the command: opens it. An exit code. */
int compare_side_open(const cli_args *args, char which, const char *path, compare_side *out);
void compare_side_close(compare_side *side);
/* Runs a model on inputs by name: those it does not find are taken by index. An exit code. */
int compare_side_run(compare_side *side, const compare_values *inputs, bool per_node);

/* compare_python.c: the same by ONNX Runtime in the user's Python. */
int compare_python_run(const cli_args *args, const char *model, const compare_values *inputs,
                       bool per_node, compare_side *out);

#endif
