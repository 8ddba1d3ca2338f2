/* SPDX-License-Identifier: Apache-2.0 */
/* Connections, limits, routes and metrics, over libmicrohttpd: a thread for each connection, and a
 * request takes a place from its headers on until it is answered. */
#include "serve/serve.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "serve/serve_library.h"

static serve_library mhd;

struct serve_http {
    struct MHD_Daemon *daemon;
    serve_store *store;
    serve_limits limits;
    atomic_bool is_ready;
    pthread_mutex_t lock; /* of what follows */
    pthread_cond_t is_idle;
    int n_requests; /* of any kind, begun and not answered */
    int n_infers;   /* of those that count against the limit */
    int n_connections;
    uint64_t n_codes[600], n_dropped, next_id;
};

typedef struct request {
    serve_http *http;
    bool takes_place, is_too_large, is_answered;
    oribi_text body;
    char id[SERVE_ID_BYTES + 1];
} request;

/* --- Answers --------------------------------------------------------------------------------- */

static enum MHD_Result send_answer(struct MHD_Connection *connection, request *r, const char *type,
                                   serve_answer *answer)
{
    char number[24];
    if (answer->body.failed) {
        serve_fail(answer, 503, "no memory for the answer");
    }
    struct MHD_Response *response = mhd.create_response_from_buffer(
        answer->body.length, (void *)(uintptr_t)oribi_text_string(&answer->body),
        MHD_RESPMEM_MUST_COPY);
    oribi_text_destroy(&answer->body);
    if (response == NULL) {
        return MHD_NO;
    }
    if (answer->json_bytes > 0) {
        snprintf(number, sizeof number, "%zu", answer->json_bytes);
        mhd.add_response_header(response, "Inference-Header-Content-Length", number);
        type = "application/octet-stream";
    }
    mhd.add_response_header(response, "Content-Type", type);
    mhd.add_response_header(response, "X-Request-Id", r->id);
    if (answer->code == 503) {
        mhd.add_response_header(response, "Retry-After", "1");
    }
    pthread_mutex_lock(&r->http->lock);
    r->http->n_codes[answer->code]++;
    pthread_mutex_unlock(&r->http->lock);
    r->is_answered = true;
    const enum MHD_Result queued = mhd.queue_response(connection, (unsigned)answer->code, response);
    mhd.destroy_response(response);
    return queued;
}

static enum MHD_Result refuse(struct MHD_Connection *connection, request *r, int code,
                              const char *message)
{
    serve_answer answer = {0};
    serve_fail(&answer, code, "%s", message);
    return send_answer(connection, r, "application/json", &answer);
}

/* --- Metrics --------------------------------------------------------------------------------- */

static void put_label(oribi_text *text, const char *name)
{
    for (; *name != '\0'; name++) {
        if (*name == '"' || *name == '\\') {
            oribi_text_append(text, "\\");
        }
        if (*name == '\n') {
            oribi_text_append(text, "\\n");
        } else {
            oribi_text_append_n(text, name, 1);
        }
    }
}

static void put_of_models(oribi_text *text, serve_store *store)
{
    static const char *const series[] = {"oribi_inferences_total", "oribi_inference_failures_total",
                                         "oribi_inference_seconds_total"};
    int n;
    serve_model **all = serve_store_all(store, &n);
    for (int k = 0; k < 3; k++) {
        oribi_text_printf(text, "# TYPE %s counter\n", series[k]);
        for (int i = 0; i < n; i++) {
            oribi_text_printf(text, "%s{model=\"", series[k]);
            put_label(text, all[i]->name);
            oribi_text_printf(text, "\",version=\"%lld\"} ", (long long)all[i]->version);
            if (k == 2) {
                const uint64_t ns = atomic_load(&all[i]->nanoseconds);
                oribi_text_printf(text, "%.9f\n", (double)ns * 1e-9);
            } else {
                oribi_text_printf(
                    text, "%llu\n",
                    (unsigned long long)atomic_load(k == 0 ? &all[i]->n_done : &all[i]->n_failed));
            }
        }
    }
    for (int i = 0; i < n; i++) {
        serve_model_release(all[i]);
    }
    free(all);
}

static void put_metrics(serve_http *http, oribi_text *text)
{
    pthread_mutex_lock(&http->lock);
    oribi_text_printf(text, "# TYPE oribi_ready gauge\noribi_ready %d\n",
                      (int)atomic_load(&http->is_ready));
    oribi_text_printf(text, "# TYPE oribi_connections gauge\noribi_connections %d\n",
                      http->n_connections);
    oribi_text_printf(text, "# TYPE oribi_requests_in_flight gauge\noribi_requests_in_flight %d\n",
                      http->n_infers);
    oribi_text_printf(text,
                      "# TYPE oribi_requests_dropped_total counter\noribi_requests_dropped_total "
                      "%llu\n# TYPE oribi_requests_total counter\n",
                      (unsigned long long)http->n_dropped);
    for (int code = 0; code < 600; code++) {
        if (http->n_codes[code] > 0) {
            oribi_text_printf(text, "oribi_requests_total{code=\"%d\"} %llu\n", code,
                              (unsigned long long)http->n_codes[code]);
        }
    }
    pthread_mutex_unlock(&http->lock);
    put_of_models(text, http->store);
}

/* --- Routes ---------------------------------------------------------------------------------- */

static void put_server(oribi_text *text)
{
    oribi_json json = {.text = text};
    oribi_json_open(&json, '{');
    oribi_json_put_string(&json, "name", "oribi");
    oribi_json_put_string(&json, "version", oribi_version());
    oribi_json_key(&json, "extensions");
    oribi_json_raw(&json, "[\"binary_tensor_data\"]", 22);
    oribi_json_close(&json, '}');
}

/* The model of /v2/models/NAME[/versions/N][/infer|/ready]; NULL: there is none. *out_rest is what
 * is left of the path. */
static serve_model *find_model(serve_http *http, const char *path, const char **out_rest)
{
    const size_t length = strcspn(path, "/");
    int64_t version = 0;
    char *name = cli_copy_text(path, length);
    *out_rest = path + length;
    bool is_good = true;
    if (strncmp(*out_rest, "/versions/", 10) == 0) {
        char *end;
        const char *number = *out_rest + 10;
        version = number[0] >= '1' && number[0] <= '9' ? strtoll(number, &end, 10) : 0;
        is_good = version > 0 && (*end == '\0' || *end == '/');
        *out_rest = is_good ? end : *out_rest;
    }
    serve_model *model = is_good ? serve_store_find(http->store, name, version) : NULL;
    free(name);
    return model;
}

/* What the header says of how much of the body is JSON; the rest is binary. */
static bool cut_body(struct MHD_Connection *connection, const request *r, serve_body *out,
                     serve_answer *answer)
{
    const char *header =
        mhd.lookup_connection_value(connection, MHD_HEADER_KIND, "Inference-Header-Content-Length");
    char *end = NULL;
    const unsigned long long json = header != NULL && header[0] >= '0' && header[0] <= '9'
                                        ? strtoull(header, &end, 10)
                                        : r->body.length;
    if (header != NULL && (end == NULL || *end != '\0' || json > r->body.length)) {
        serve_fail(answer, 400, "Inference-Header-Content-Length is not within the body");
        return false;
    }
    if (json > SERVE_JSON_BYTES) {
        serve_fail(answer, 413, "%llu bytes of JSON are more than %d: send tensors as binary", json,
                   (int)SERVE_JSON_BYTES);
        return false;
    }
    const char *bytes = oribi_text_string(&r->body);
    *out = (serve_body){bytes, (size_t)json, (const uint8_t *)bytes + json,
                        r->body.length - (size_t)json};
    return true;
}

static void route_model(struct MHD_Connection *connection, request *r, const char *path,
                        bool is_post, serve_answer *answer)
{
    const char *rest;
    serve_body body;
    serve_http *http = r->http;
    serve_model *model = find_model(http, path, &rest);

    if (model == NULL) {
        serve_fail(answer, 404, "no such model, or no such version of it");
    } else if (is_post != (strcmp(rest, "/infer") == 0)) {
        serve_fail(answer, 405, "infer is a POST, everything else a GET");
    } else if (is_post) {
        if (cut_body(connection, r, &body, answer)) {
            serve_infer(model, &body, http->limits.time_limit_ns, answer);
        }
    } else if (strcmp(rest, "/ready") == 0) {
        answer->code = atomic_load(&http->is_ready) ? 200 : 503;
    } else if (rest[0] == '\0') {
        serve_describe_model(http->store, model, answer);
    } else {
        serve_fail(answer, 404, "there is nothing at this path");
    }
    serve_model_release(model);
}

static enum MHD_Result route(struct MHD_Connection *connection, request *r, const char *url,
                             const char *method)
{
    serve_answer answer = {.code = 200};
    const char *type = "application/json";
    const bool is_post = strcmp(method, "POST") == 0;

    if (!is_post && strcmp(method, "GET") != 0 && strcmp(method, "HEAD") != 0) {
        serve_fail(&answer, 405, "GET and POST are served");
    } else if (strncmp(url, "/v2/models/", 11) == 0) {
        route_model(connection, r, url + 11, is_post, &answer);
    } else if (is_post) {
        serve_fail(&answer, 404, "there is nothing to POST to at this path");
    } else if (strcmp(url, "/v2/health/live") == 0) {
        answer.code = 200;
    } else if (strcmp(url, "/v2/health/ready") == 0) {
        answer.code = atomic_load(&r->http->is_ready) ? 200 : 503;
    } else if (strcmp(url, "/metrics") == 0) {
        type = "text/plain; version=0.0.4";
        put_metrics(r->http, &answer.body);
    } else if (strcmp(url, "/v2") == 0 || strcmp(url, "/v2/") == 0) {
        put_server(&answer.body);
    } else {
        serve_fail(&answer, 404, "there is nothing at this path");
    }
    return send_answer(connection, r, type, &answer);
}

/* --- Requests -------------------------------------------------------------------------------- */

/* The caller's id, if it is a word that a header and a log can hold, else a number of ours. */
static void choose_id(struct MHD_Connection *connection, request *r)
{
    const char *given = mhd.lookup_connection_value(connection, MHD_HEADER_KIND, "X-Request-Id");
    size_t n = 0;
    while (given != NULL && given[n] > ' ' && given[n] < 127 && n < SERVE_ID_BYTES) {
        n++;
    }
    if (given != NULL && n > 0 && given[n] == '\0') {
        memcpy(r->id, given, n + 1);
        return;
    }
    pthread_mutex_lock(&r->http->lock);
    snprintf(r->id, sizeof r->id, "%llu", (unsigned long long)++r->http->next_id);
    pthread_mutex_unlock(&r->http->lock);
}

/* False: all places are taken. */
static bool enter(request *r, bool takes_place)
{
    serve_http *http = r->http;
    pthread_mutex_lock(&http->lock);
    const bool is_free = !takes_place || http->n_infers < http->limits.requests;
    r->takes_place = takes_place && is_free;
    http->n_infers += r->takes_place;
    http->n_requests++;
    pthread_mutex_unlock(&http->lock);
    return is_free;
}

static enum MHD_Result begin(serve_http *http, struct MHD_Connection *connection,
                             const char *method, void **state)
{
    const char *length = mhd.lookup_connection_value(connection, MHD_HEADER_KIND, "Content-Length");
    request *r = cli_alloc(sizeof *r);

    *r = (request){.http = http};
    *state = r;
    choose_id(connection, r);
    if (!enter(r, strcmp(method, "POST") == 0)) {
        return refuse(connection, r, 503, "as many requests as are allowed are under way");
    }
    if (length != NULL && strtoll(length, NULL, 10) > http->limits.body_bytes) {
        return refuse(connection, r, 413, "the body is larger than --max-body allows");
    }
    const char *encoding =
        mhd.lookup_connection_value(connection, MHD_HEADER_KIND, "Content-Encoding");
    if (encoding != NULL && strcmp(encoding, "identity") != 0) {
        return refuse(connection, r, 415, "a body that is compressed is not read");
    }
    return MHD_YES;
}

static enum MHD_Result on_request(void *cls, struct MHD_Connection *connection, const char *url,
                                  const char *method, const char *version, const char *data,
                                  size_t *data_bytes, void **state)
{
    request *r = *state;
    (void)version;
    if (r == NULL) {
        return begin(cls, connection, method, state);
    }
    if (*data_bytes > 0) {
        r->is_too_large =
            r->is_too_large || r->body.length + *data_bytes > (size_t)r->http->limits.body_bytes;
        if (!r->is_too_large && !r->is_answered) {
            oribi_text_append_n(&r->body, data, *data_bytes);
        }
        *data_bytes = 0;
        return MHD_YES;
    }
    if (r->is_answered) {
        return MHD_YES;
    }
    if (r->is_too_large) {
        return refuse(connection, r, 413, "the body is larger than --max-body allows");
    }
    if (r->body.failed) {
        return refuse(connection, r, 503, "no memory for the body");
    }
    return route(connection, r, url, method);
}

static void on_end(void *cls, struct MHD_Connection *connection, void **state,
                   enum MHD_RequestTerminationCode why)
{
    serve_http *http = cls;
    request *r = *state;
    (void)connection;
    if (r == NULL) {
        return;
    }
    pthread_mutex_lock(&http->lock);
    http->n_infers -= r->takes_place;
    http->n_requests--;
    http->n_dropped += why != MHD_REQUEST_TERMINATED_COMPLETED_OK;
    if (http->n_requests == 0) {
        pthread_cond_broadcast(&http->is_idle);
    }
    pthread_mutex_unlock(&http->lock);
    oribi_text_destroy(&r->body);
    free(r);
    *state = NULL;
}

static void on_connection(void *cls, struct MHD_Connection *connection, void **state,
                          enum MHD_ConnectionNotificationCode what)
{
    serve_http *http = cls;
    (void)connection;
    (void)state;
    pthread_mutex_lock(&http->lock);
    http->n_connections += what == MHD_CONNECTION_NOTIFY_STARTED ? 1 : -1;
    pthread_mutex_unlock(&http->lock);
}

/* --- Start and end --------------------------------------------------------------------------- */

static bool read_address(const char *host, int port, struct sockaddr_storage *out)
{
    struct sockaddr_in *four = (struct sockaddr_in *)(void *)out;
    struct sockaddr_in6 *six = (struct sockaddr_in6 *)(void *)out;
    memset(out, 0, sizeof *out);
    four->sin_family = AF_INET;
    four->sin_port = htons((uint16_t)port);
    if (inet_pton(AF_INET, host, &four->sin_addr) == 1) {
        return true;
    }
    memset(out, 0, sizeof *out);
    six->sin6_family = AF_INET6;
    six->sin6_port = htons((uint16_t)port);
    return inet_pton(AF_INET6, host, &six->sin6_addr) == 1;
}

bool serve_http_find_library(void)
{
    return serve_library_open(&mhd);
}

serve_http *serve_http_start(serve_store *store, const serve_limits *limits, const char *host,
                             int port)
{
    struct sockaddr_storage address;
    serve_http *http = cli_alloc(sizeof *http);
    *http = (serve_http){.store = store,
                         .limits = *limits,
                         .lock = PTHREAD_MUTEX_INITIALIZER,
                         .is_idle = PTHREAD_COND_INITIALIZER};
    if (!read_address(host, port, &address)) {
        cli_error("serve: --host %s is no address, such as 127.0.0.1 or ::", host);
        free(http);
        return NULL;
    }
    const unsigned flags = MHD_USE_THREAD_PER_CONNECTION | MHD_USE_INTERNAL_POLLING_THREAD |
                           MHD_USE_POLL | MHD_USE_ITC |
                           (address.ss_family == AF_INET6 ? MHD_USE_IPv6 : 0u);
    http->daemon = mhd.start_daemon(
        flags, 0, NULL, NULL, on_request, http, MHD_OPTION_SOCK_ADDR, (struct sockaddr *)&address,
        MHD_OPTION_CONNECTION_LIMIT, (unsigned)limits->connections, MHD_OPTION_CONNECTION_TIMEOUT,
        (unsigned)limits->idle_seconds, MHD_OPTION_THREAD_STACK_SIZE, (size_t)1 << 20,
        MHD_OPTION_NOTIFY_COMPLETED, on_end, http, MHD_OPTION_NOTIFY_CONNECTION, on_connection,
        http, MHD_OPTION_END);
    if (http->daemon == NULL) {
        cli_error("serve: cannot listen on %s port %d", host, port);
        free(http);
        return NULL;
    }
    return http;
}

int serve_http_port(const serve_http *http)
{
    const union MHD_DaemonInfo *info = mhd.get_daemon_info(http->daemon, MHD_DAEMON_INFO_BIND_PORT);
    return info != NULL ? info->port : 0;
}

void serve_http_set_ready(serve_http *http, bool ready)
{
    atomic_store(&http->is_ready, ready);
}

void serve_http_drain(serve_http *http)
{
    const MHD_socket listener = mhd.quiesce_daemon(http->daemon);
    if (listener != MHD_INVALID_SOCKET) {
        close(listener);
    }
    pthread_mutex_lock(&http->lock);
    while (http->n_requests > 0) {
        pthread_cond_wait(&http->is_idle, &http->lock);
    }
    pthread_mutex_unlock(&http->lock);
}

void serve_http_stop(serve_http *http)
{
    mhd.stop_daemon(http->daemon);
    pthread_cond_destroy(&http->is_idle);
    pthread_mutex_destroy(&http->lock);
    free(http);
}
