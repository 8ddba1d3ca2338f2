/* SPDX-License-Identifier: Apache-2.0 */
/* Where is libmicrohttpd? It brings ten libraries along, of TLS that `oribi serve` leaves to a
 * proxy, and half of the time that the command takes to begin: it is opened by the one who wants
 * it.
 */
#ifndef ORIBI_CLI_SERVE_LIBRARY_H_
#define ORIBI_CLI_SERVE_LIBRARY_H_

#include <microhttpd.h>
#include <stdbool.h>

#define SERVE_LIBRARY_FUNCTIONS(X)                                                                 \
    X(add_response_header)                                                                         \
    X(create_response_from_buffer)                                                                 \
    X(destroy_response)                                                                            \
    X(get_daemon_info)                                                                             \
    X(lookup_connection_value)                                                                     \
    X(queue_response)                                                                              \
    X(quiesce_daemon)                                                                              \
    X(start_daemon)                                                                                \
    X(stop_daemon)

/* mhd.start_daemon is MHD_start_daemon, and so on. */
typedef struct serve_library {
#define SERVE_LIBRARY_MEMBER(name) __typeof__(&MHD_##name) name;
    SERVE_LIBRARY_FUNCTIONS(SERVE_LIBRARY_MEMBER)
#undef SERVE_LIBRARY_MEMBER
} serve_library;

/* Of a thread that has no others beside it. false: cli_error has said what is missing. */
bool serve_library_open(serve_library *out);

#endif
