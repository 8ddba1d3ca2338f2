/* SPDX-License-Identifier: Apache-2.0 */
/* Devices of `oribi verify`: the kinds whose drivers it carries, what is written, built and started
 * for them. The far ends are processes of ours that compute with the host's kernels; a woofles on a
 * hosted machine is a thread of the image. Read next: platform/harness/device_line.h. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "far_end.h"
#include "verify.h"

/* Of the board's memory that is shared: as in platform/harness/device_woofles.h and link.ld. */
enum { WINDOW_BYTES = 2 << 20, SHARED_BYTES = 16 << 20 };

struct verify_device_kind {
    const char *name, *macro;
    const char *const *host, *const *bare; /* of platform/ */
    bool has_line_on_host, has_window;
};

static const char *const woofles_host[] = {"common/woofles.c", "common/woofles_device.c",
                                           "common/woofles_ops.c", "posix/woofles.c", NULL};
static const char *const woofles_bare[] = {"common/woofles.c", "baremetal/woofles.c", NULL};
static const char *const uart_host[] = {"common/uart_accel.c", "posix/uart_accel.c", NULL};
static const char *const uart_bare[] = {"common/uart_accel.c", "baremetal/uart_accel.c", NULL};
static const verify_device_kind kinds[] = {
    {"woofles", "WOOFLES", woofles_host, woofles_bare, false, true},
    {"uart_accel", "UART_ACCEL", uart_host, uart_bare, true, false},
};
enum { N_KINDS = sizeof kinds / sizeof kinds[0] };

static bool is_hosted(const verify *v)
{
    return v->target->emulator == NULL;
}

/* --- Which ------------------------------------------------------------------------------------ */

static const verify_device_kind *find_kind(const char *spec)
{
    const char *equals = strchr(spec, '=');
    const char *name = equals != NULL ? equals + 1 : spec;
    for (size_t i = 0; i < N_KINDS; i++) {
        if (strcmp(kinds[i].name, name) == 0) {
            return &kinds[i];
        }
    }
    cli_error("verify: it carries drivers of woofles and uart_accel, not of '%s'; `oribi run "
              "--device %s=driver.so` runs a driver of yours",
              name, name);
    return NULL;
}

/* Options that the harness has no answer to, with devices. */
static bool check_options(const verify *v)
{
    static const char *const others[] = {"--device", "--image", "--port"};
    const char *schedule = cli_value(v->args, "--device-schedule");
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        if (cli_has(v->args, others[i])) {
            cli_error("verify: %s does not go with --target-device", others[i]);
            return false;
        }
    }
    if (cli_has(v->args, "--per-node") && schedule != NULL && strcmp(schedule, "hold") == 0) {
        cli_error("verify: --per-node does not go with --device-schedule hold: a device that is "
                  "held open is done later than with its operator");
        return false;
    }
    if (!is_hosted(v) && strcmp(v->target->name, "cortex-m4") != 0) {
        cli_error("verify: devices run on host and cortex-m4, not on %s", v->target->name);
        return false;
    }
    return true;
}

bool verify_devices_read(verify *v)
{
    const char *spec;
    v->n_devices = 0;
    for (int i = 0; (spec = cli_value_at(v->args, "--target-device", i)) != NULL; i++) {
        if (i == VERIFY_MAX_DEVICES) {
            cli_error("verify: at most %d devices", VERIFY_MAX_DEVICES);
            return false;
        }
        v->devices[i] = find_kind(spec);
        if (v->devices[i] == NULL) {
            return false;
        }
        v->n_devices++;
    }
    return v->n_devices == 0 || check_options(v);
}

/* The first device of the kind? What a kind needs once is made for that. */
static bool is_first(const verify *v, int index)
{
    for (int i = 0; i < index; i++) {
        if (v->devices[i] == v->devices[index]) {
            return false;
        }
    }
    return true;
}

/* --- What is written and built ---------------------------------------------------------------- */

void verify_put_devices(const verify *v, FILE *file)
{
    for (int i = 0; i < v->n_devices; i++) {
        if (is_first(v, i)) {
            fprintf(file, "#include \"harness/device_%s.h\"\n", v->devices[i]->name);
        }
    }
    for (int i = 0; i < v->n_devices; i++) {
        fprintf(file, "ORIBI_HARNESS_%s(%d)\n", v->devices[i]->macro, i);
    }
    if (v->n_devices > 0) {
        fprintf(file,
                "static int32_t device_code;\nstatic struct tvm_device_error device_error;\n"
                "static const struct tvmgen_%s_devices devices = {",
                v->name);
        for (int i = 0; i < v->n_devices; i++) {
            fprintf(file, "&device_%d, ", i);
        }
        fprintf(file, "&device_error};\n");
    }
}

void verify_put_device_start(const verify *v, FILE *file)
{
    for (int i = 0; i < v->n_devices; i++) {
        fprintf(file, "    device_code = device_code != 0 ? device_code : make_%d();\n", i);
    }
}

void verify_device_flags(const verify *v, void (*add)(void *arg, const char *word), void *arg)
{
    char text[128];
    if (v->n_devices > 0) {
        add(arg, "-Iplatform/device");
        add(arg, is_hosted(v) ? "-pthread" : "-fno-common");
    }
    for (int i = 0; i < v->n_devices; i++) {
        snprintf(text, sizeof text, "-DTVM_DEVICE_%s_HEADER=\"tvm/device/%s/%s.h\"",
                 v->devices[i]->macro, v->devices[i]->name, is_hosted(v) ? "posix" : "baremetal");
        if (is_first(v, i)) {
            add(arg, text);
        }
    }
}

int verify_device_sources(const verify *v, int (*compile)(void *arg, const char *source), void *arg)
{
    char line[64];
    int code = CLI_OK;
    for (int i = 0; i < v->n_devices; i++) {
        const char *const *source = is_hosted(v) ? v->devices[i]->host : v->devices[i]->bare;
        for (; is_first(v, i) && code == CLI_OK && *source != NULL; source++) {
            code = compile(arg, *source);
        }
    }
    snprintf(line, sizeof line, "%s/device_line.c", v->target->folder);
    return code == CLI_OK && v->n_devices > 0 ? compile(arg, line) : code;
}

void verify_device_machine(const verify *v, void (*add)(void *arg, const char *word), void *arg)
{
    char text[96];
    add(arg, "-M");
    add(arg, "mps2-an386,memory-backend=shared");
    add(arg, "-object");
    snprintf(text, sizeof text, "memory-backend-file,id=shared,size=%d,mem-path=memory,share=on",
             (int)SHARED_BYTES);
    add(arg, text);
    for (int i = 0; i < v->n_devices; i++) {
        add(arg, "-chardev");
        snprintf(text, sizeof text, "socket,id=device%d,path=device_%d,server=off", i, i);
        add(arg, text);
        add(arg, "-serial");
        snprintf(text, sizeof text, "chardev:device%d", i);
        add(arg, text);
    }
}

/* --- Far ends --------------------------------------------------------------------------------- */

static bool has_far_end(const verify *v, int index)
{
    return !is_hosted(v) || v->devices[index]->has_line_on_host;
}

/* Windows lie one after the other in the shared memory. */
static int window_offset(const verify *v, int index)
{
    int n = 0;
    for (int i = 0; i < index; i++) {
        n += v->devices[i]->has_window ? 1 : 0;
    }
    return n * (int)WINDOW_BYTES;
}

/* One client, then the end. */
static void serve(const verify *v, int index, int listener, const char *memory, pid_t parent)
{
    TF_Status *status = TF_NewStatus();
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) {
        _exit(1);
    }
    (void)signal(SIGPIPE, SIG_IGN);
    far_end end = {.desk = oribi_desk_create(v->compile, status)};
    char window[256];
    snprintf(window, sizeof window, "%.200s@%d:%d", memory, window_offset(v, index),
             (int)WINDOW_BYTES);
    if (end.desk == NULL || (v->devices[index]->has_window && !far_end_map(&end, window))) {
        _exit(1);
    }
    end.fd = accept(listener, NULL, NULL);
    if (end.fd >= 0) {
        far_end_serve(&end);
    }
    _exit(0);
}

static bool make_memory(const char *path)
{
    const int fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0666);
    const bool good = fd >= 0 && ftruncate(fd, SHARED_BYTES) == 0;
    if (!good) {
        cli_error("%s: %s", path, strerror(errno));
    }
    if (fd >= 0) {
        (void)close(fd);
    }
    return good;
}

static bool start(const verify *v, int index, const char *memory, pid_t *out)
{
    char name[32];
    snprintf(name, sizeof name, "device_%d", index);
    char *path = verify_path(v, name);
    const int listener = far_end_listen(path);
    free(path);
    if (listener < 0) {
        return false;
    }
    const pid_t parent = getpid();
    fflush(NULL);
    *out = fork();
    if (*out == 0) {
        serve(v, index, listener, memory, parent);
    }
    (void)close(listener);
    return *out > 0;
}

bool verify_devices_start(const verify *v, verify_far_ends *out)
{
    bool good = true;
    *out = (verify_far_ends){.n = 0};
    if (v->n_devices == 0) {
        return true;
    }
    char *memory = verify_path(v, "memory");
    good = is_hosted(v) || make_memory(memory);
    for (int i = 0; good && i < v->n_devices; i++) {
        if (has_far_end(v, i)) {
            good = start(v, i, memory, &out->ids[out->n]);
            out->n += good ? 1 : 0;
        }
    }
    free(memory);
    if (!good) {
        verify_devices_stop(out);
    }
    return good;
}

void verify_devices_stop(verify_far_ends *ends)
{
    for (int i = 0; i < ends->n; i++) {
        (void)kill(ends->ids[i], SIGKILL);
        (void)waitpid(ends->ids[i], NULL, 0);
    }
    ends->n = 0;
}
