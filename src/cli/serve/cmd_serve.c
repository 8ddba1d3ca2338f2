/* SPDX-License-Identifier: Apache-2.0 */
/* `oribi serve`: starts, warms up, waits for signals, drains. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

#include "serve/serve.h"

const cli_option cmd_serve_options[] = {
    {"--host", 0, "ADDRESS", "listen there (default 127.0.0.1: this machine alone)"},
    {"--port", 0, "N", "listen there (default 8000; 0: a free one, which is printed)"},
    {"--max-body", 0, "N", "bytes of a request; k, m, g allowed (default 64m); more is 413"},
    {"--max-requests", 0, "N", "requests at the same time (default 64); above is 503"},
    {"--max-connections", 0, "N", "connections at the same time (default 1000); others wait"},
    {"--idle", 0, "SECONDS", "a client that neither reads nor writes so long is dropped (30)"},
    {"--deadline", 0, "MS", "a run that takes longer is 504 (default: no limit)"},
    CLI_SESSION_OPTIONS,
    {NULL, 0, NULL, NULL},
};

static bool read_limits(const cli_args *args, serve_limits *out, int *out_port)
{
    bool bad = false;
    *out_port = (int)cli_number(args, "--port", 8000, 0, 65535, &bad);
    out->body_bytes = cli_number(args, "--max-body", 64 << 20, 1, INT32_MAX, &bad);
    out->requests = (int)cli_number(args, "--max-requests", 64, 1, 10000, &bad);
    out->connections = (int)cli_number(args, "--max-connections", 1000, 1, 100000, &bad);
    out->idle_seconds = (int)cli_number(args, "--idle", 30, 1, 86400, &bad);
    out->time_limit_ns =
        (uint64_t)cli_number(args, "--deadline", 0, 1, INT32_MAX, &bad) * UINT64_C(1000000);
    return !bad;
}

/* Until a signal ends it: HUP reads the folder again. */
static void wait_for_the_end(serve_http *http, serve_store *store, const sigset_t *signals)
{
    int number = 0;
    while (sigwait(signals, &number) == 0 && number == SIGHUP) {
        (void)serve_store_load(store);
        cli_note("serving %d models", store->n_models);
    }
    serve_http_set_ready(http, false);
    cli_note("draining");
    serve_http_drain(http);
}

int cmd_serve(const cli_args *args)
{
    serve_limits limits;
    serve_store store = {.args = args, .lock = PTHREAD_MUTEX_INITIALIZER};
    const char *host = cli_value(args, "--host") != NULL ? cli_value(args, "--host") : "127.0.0.1";
    sigset_t signals;
    int port;

    if (!read_limits(args, &limits, &port)) {
        return CLI_USAGE;
    }
    if (args->n_positional != 1) {
        cli_error("serve: wants a model file or a folder of them; see `oribi help serve`");
        return CLI_USAGE;
    }
    if (!serve_http_find_library()) {
        return CLI_UNSUPPORTED;
    }
    store.path = args->positional[0];
    sigemptyset(&signals);
    sigaddset(&signals, SIGTERM);
    sigaddset(&signals, SIGINT);
    sigaddset(&signals, SIGHUP);
    pthread_sigmask(SIG_BLOCK, &signals, NULL); /* of all threads: the wait below takes them */
    signal(SIGPIPE, SIG_IGN);
    serve_http *http = serve_http_start(&store, &limits, host, port);
    if (http == NULL) {
        return CLI_BAD_INPUT;
    }
    printf("serving on http://%s:%d\n", host, serve_http_port(http));
    fflush(stdout);
    const int code = serve_store_load(&store);
    if (store.n_models > 0) {
        serve_http_set_ready(http, true);
        cli_note("ready: %d models", store.n_models);
        wait_for_the_end(http, &store, &signals);
    } else if (code == CLI_OK) {
        cli_error("serve: %s has no models", store.path);
    }
    const bool has_served = store.n_models > 0;
    serve_http_stop(http);
    serve_store_close(&store);
    return has_served ? CLI_OK : code != CLI_OK ? code : CLI_BAD_INPUT;
}
