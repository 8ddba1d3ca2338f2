/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of `oribi serve` share: models by name and version, a request, its answer.
 * Read next: cmd_serve.c (start and end), serve_http.c (connections and routes). */
#ifndef ORIBI_CLI_SERVE_SERVE_H_
#define ORIBI_CLI_SERVE_SERVE_H_

#include <pthread.h>
#include <stdatomic.h>
#include <sys/stat.h>

#include "cli.h"

enum {
    SERVE_JSON_BYTES = 8 << 20, /* of a request's JSON: its tree takes about forty times as much */
    SERVE_ID_BYTES = 128
};

/* serve_models.c. A model lives until the last request that found it is over. */
typedef struct serve_model {
    atomic_int references;
    char *name, *path;
    int64_t version;
    struct timespec changed; /* of the file, with its size: has it changed since? */
    int64_t bytes;
    cli_session s;
    pthread_mutex_t lock; /* of the runs that are free */
    oribi_run **runs;
    int n_runs, run_capacity;
    atomic_uint_fast64_t n_done, n_failed, nanoseconds;
} serve_model;

typedef struct serve_store {
    const cli_args *args;
    const char *path; /* a model, or a folder of them */
    pthread_mutex_t lock;
    serve_model **models; /* sorted by name, then version */
    int n_models;
} serve_store;

/* Opens what is new or changed and drops what is gone; a model that cannot be opened stays as it
 * was, after a message. An exit code: that of the last failure. */
int serve_store_load(serve_store *store);
void serve_store_close(serve_store *store);
/* version 0: the highest one. NULL: there is none. */
serve_model *serve_store_find(serve_store *store, const char *name, int64_t version);
/* All of them, each with a reference; the caller frees the array. */
serve_model **serve_store_all(serve_store *store, int *out_n);
void serve_model_release(serve_model *model); /* NULL ok */
oribi_run *serve_model_take_run(serve_model *model, TF_Status *status);
void serve_model_give_run(serve_model *model, oribi_run *run, bool is_good);

/* serve_infer.c: the Open Inference Protocol's tensors. */
typedef struct serve_body {
    const char *json;
    size_t json_bytes;
    const uint8_t *binary;
    size_t binary_bytes;
} serve_body;
typedef struct serve_answer {
    int code; /* of HTTP */
    oribi_text body;
    size_t json_bytes; /* with tensors in binary behind it; else 0 */
} serve_answer;
/* Fills the answer, also when it fails. time_limit_ns 0: none but the request's own. */
void serve_infer(serve_model *model, const serve_body *body, uint64_t time_limit_ns,
                 serve_answer *answer);
void serve_describe_model(serve_store *store, const serve_model *model, serve_answer *answer);
/* {"error": ...}. */
void serve_fail(serve_answer *answer, int code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* serve_bytes.c: tensors of strings. False: the bytes are not as many as the strings say. */
bool serve_bytes_read(const uint8_t *from, size_t bytes, TF_Tensor *tensor);
size_t serve_bytes_write(const TF_Tensor *tensor, oribi_text *out); /* how many bytes it appended */
/* The element as a string of JSON; false: it is no UTF-8. */
bool serve_bytes_put(oribi_json *json, const TF_Tensor *tensor, int64_t index);

/* serve_http.c */
typedef struct serve_limits {
    int64_t body_bytes;
    int requests, connections; /* at the same time */
    int idle_seconds;          /* a client that neither reads nor writes so long is dropped */
    uint64_t time_limit_ns;
} serve_limits;
typedef struct serve_http serve_http;
/* Before anything else here. false after a message: there is no libmicrohttpd. */
bool serve_http_find_library(void);
/* Listens; ready is false. NULL after a message. */
serve_http *serve_http_start(serve_store *store, const serve_limits *limits, const char *host,
                             int port);
int serve_http_port(const serve_http *http);
void serve_http_set_ready(serve_http *http, bool ready);
/* No connection comes any more; returns when the last request was answered or dropped. */
void serve_http_drain(serve_http *http);
void serve_http_stop(serve_http *http);

#endif
