/* SPDX-License-Identifier: Apache-2.0 */
/* `oribi quantise`: a float ONNX model becomes one of int8 in QDQ form, which `src/pass/qdq.c`
 * makes integer kernels of. The file is edited, not made anew: what is not quantised stays as its
 * bytes are. Read next: cmd_quantise.c, then quantise_graph.c.
 */
#ifndef ORIBI_CLI_QUANTISE_QUANTISE_H_
#define ORIBI_CLI_QUANTISE_QUANTISE_H_

#include "cli.h"
#include "format/proto.h"
#include "format/wire.h"

enum { QUANTISE_BINS = 2048 };

/* A value with a name in the graph. Values that only move (a Reshape's two sides, all sides of a
 * Concat) are one group, which has one scale: moving bytes then needs no arithmetic. */
typedef struct quantise_value {
    char *name;
    int producer;          /* -1: an input, an initializer, or nobody */
    int n_readers, reader; /* how many read it, and the last of them */
    bool is_constant, is_input, is_output;
    bool is_taken; /* is quantised where it is made, and dequantised for all who read it */
    int group;     /* another value of its group, or itself: the one that has what follows */
    bool is_seen;
    double low, high; /* of what calibration saw, then of what 8 bits span */
    uint64_t *bins;
    float scale;
    int zero;
    TF_Tensor *constant; /* a weight, evaluated */
    TF_Tensor *real;     /* of the float model, while one sample is compared */
    char *bytes_name;    /* in the quantised model, of the int8 value */
    bool is_compared;
    double signal, noise, worst; /* sums of squares, and the largest difference */
} quantise_value;

typedef struct quantise_node {
    char *name, *op;                            /* op "": of another domain than ONNX's */
    int *inputs, *outputs, n_inputs, n_outputs; /* values; -1: left out */
    const uint8_t *data;                        /* of its message */
    size_t bytes;
    bool is_constant;      /* reads constants alone */
    bool is_core;          /* computes on bytes */
    bool is_gone;          /* its factor and term went into the layer before */
    int weight, axis;      /* of a layer: the input, and along which dimension each channel lies */
    int result;            /* of a layer: what its first output is, with all that it took along */
    double *factor, *term; /* of what it took along, `channels` each; NULL: nothing */
    int64_t channels;
} quantise_node;

typedef struct quantise {
    const char *path;
    uint8_t *file;
    size_t bytes;
    quantise_value *values;
    quantise_node *nodes;
    int n_values, n_nodes;
    int *index;  /* values by the hash of their names, -1: free; twice as many places at least */
    int n_index; /* a power of two */
    int64_t ir, opset;
    bool has_microsoft, has_graphs; /* an import of that domain; nodes with graphs of their own */
    bool is_broken;                 /* a value was not finite */
} quantise;

/* quantise_graph.c: exit codes. */
int quantise_read(quantise *q, const char *path);
int quantise_find(const quantise *q, const char *name); /* -1: none */
/* The only node that reads the value; NULL: several do, or the world outside. */
quantise_node *quantise_sole_reader(const quantise *q, int value);
int quantise_group(const quantise *q, int value); /* the value that has its group's numbers */
void quantise_free(quantise *q);
/* quantise_choose.c: which nodes compute on bytes, and which values are bytes. */
void quantise_choose(quantise *q);
int64_t quantise_attr_int(const quantise_node *node, const char *name, int64_t fallback);
float quantise_attr_float(const quantise_node *node, const char *name, float fallback);

/* quantise_weights.c: evaluates the constants that layers read; takes what follows a convolution
 * into its weights. An exit code. */
int quantise_evaluate(quantise *q);
void quantise_absorb(quantise *q);

/* quantise_data.c: the files of a folder, one sample each. */
typedef struct quantise_data {
    char **files; /* "@path" */
    int n;
} quantise_data;
bool quantise_data_read(const char *folder, quantise_data *out); /* false after a message */
void quantise_data_free(quantise_data *data);

typedef struct quantise_runner {
    quantise *q;
    cli_args *args;
    cli_session session;
    oribi_run *run;
    oribi_text text; /* of the model; empty: it is the file */
} quantise_runner;
/* The model of a file, or, `with_values`, one that gives the values that are taken as outputs, too,
 * behind its own. An exit code. */
int quantise_runner_open(quantise *q, const cli_args *args, const char *path, bool with_values,
                         quantise_runner *out);
void quantise_runner_close(quantise_runner *runner);
/* The hook, which may be NULL, sees the inputs and outputs that are taken. An exit code. */
typedef void quantise_hook(quantise *q, int value, const TF_Tensor *tensor);
int quantise_runner_run(quantise_runner *runner, const char *file, quantise_hook *hook);

/* quantise_calibrate.c */
/* Sets low, high, scale and zero of each group. An exit code. */
typedef enum quantise_method {
    QUANTISE_MIN_MAX,
    QUANTISE_PERCENTILE,
    QUANTISE_MSE
} quantise_method;
int quantise_calibrate(quantise *q, quantise_runner *runner, const quantise_data *data,
                       int n_samples, quantise_method method, double percentile);

/* quantise_write.c: the edited file; a model's bytes with the values that are taken as outputs. */
void quantise_write(quantise *q, oribi_text *out);
void quantise_add_outputs(quantise *q, const uint8_t *file, size_t bytes, oribi_text *out);
void quantise_put_output(oribi_text *graph, const char *name);

/* quantise_check.c: both models over the data. */
typedef struct quantise_output {
    const char *name;
    int64_t rows, agreeing; /* top-1 over the last dimension that is longer than one */
    double signal, noise, worst;
} quantise_output;
int quantise_check(quantise *q, const cli_args *args, quantise_runner *real, const char *path,
                   const quantise_data *data, quantise_output **outputs, int *n_outputs);
double quantise_decibels(double signal, double noise); /* 120 at most */

#endif
