/* SPDX-License-Identifier: Apache-2.0 */
/* Runs the application of docs/reference/design-example.md: the far ends of both accelerators, and
 * a main that reads pictures and writes scores. The USART refuses what a real one would not do. */
#include <stdio.h>
#include <string.h>

#include "examples/accelerators/woofles/common/woofles_device.h"
#include "tvmgen_mynetwork.h"

int32_t recognise(TVMGEN_MYNETWORK_PICTURE_TYPE *pixels, TVMGEN_MYNETWORK_IDENTITY_TYPE *scores,
                  struct tvm_device_error *error);

/* --- woofles ---------------------------------------------------------------------------------- */

static int n_invoked;
static const struct device woofles0 = {"WOOFLES0"};

const struct device *device_get_binding(const char *name)
{
    return strcmp(name, woofles0.name) == 0 ? &woofles0 : NULL;
}

int32_t my_accelerator_invoke(const struct device *dev, const struct tvm_device_call *call);
int32_t my_accelerator_invoke(const struct device *dev, const struct tvm_device_call *call)
{
    const struct woofles_span in = {call->tensors[0].data, call->tensors[0].bytes};
    const struct woofles_span out = {call->tensors[1].data, call->tensors[1].bytes};
    n_invoked++;
    return dev != &woofles0 ? -1
                            : woofles_compute((uint32_t)call->op, call->params, call->params_bytes,
                                              &in, 1, &out, 1);
}

/* --- The UART --------------------------------------------------------------------------------- */

static struct {
    int is_initialised, is_powered, is_configured, sends, receives;
    uint8_t *target;
    uint32_t wanted, received;
    uint8_t sent[1 << 16];
    uint32_t n_sent;
    int n_answered;
} usart;

static int32_t initialize(ARM_USART_SignalEvent_t cb_event)
{
    (void)cb_event;
    usart.is_initialised = 1;
    return ARM_DRIVER_OK;
}

static int32_t uninitialize(void)
{
    const int32_t code = usart.is_powered ? ARM_DRIVER_ERROR : ARM_DRIVER_OK;
    usart.is_initialised = 0;
    return code;
}

static int32_t power_control(ARM_POWER_STATE state)
{
    usart.is_powered = state == ARM_POWER_FULL;
    usart.is_configured = usart.sends = usart.receives = 0;
    return usart.is_initialised ? ARM_DRIVER_OK : ARM_DRIVER_ERROR;
}

static int32_t control(uint32_t what, uint32_t arg)
{
    usart.is_configured = usart.is_configured || (what == ARM_USART_MODE_ASYNCHRONOUS && arg > 0);
    usart.sends = what == ARM_USART_CONTROL_TX ? (int)arg : usart.sends;
    usart.receives = what == ARM_USART_CONTROL_RX ? (int)arg : usart.receives;
    return usart.is_powered ? ARM_DRIVER_OK : ARM_DRIVER_ERROR;
}

/* The far end answers when all is there. */
static void answer(void)
{
    uint32_t head[4];
    if (usart.n_sent < sizeof head) {
        return;
    }
    memcpy(head, usart.sent, sizeof head);
    if (usart.n_sent < sizeof head + head[1] + head[2] || usart.target == NULL) {
        return;
    }
    uint8_t *params = usart.sent + sizeof head;
    const struct woofles_span in = {params + head[1], head[2]}, out = {usart.target, head[3]};
    if (head[3] == usart.wanted &&
        woofles_compute(head[0], params, head[1], &in, 1, &out, 1) == 0) {
        usart.received = usart.wanted;
        usart.n_answered++;
    }
    usart.n_sent = 0;
}

static int32_t send(const void *data, uint32_t num)
{
    if (!usart.is_configured || !usart.sends || num > sizeof usart.sent - usart.n_sent) {
        return ARM_DRIVER_ERROR;
    }
    memcpy(usart.sent + usart.n_sent, data, num);
    usart.n_sent += num;
    answer();
    return ARM_DRIVER_OK;
}

static int32_t receive(void *data, uint32_t num)
{
    usart.target = data;
    usart.wanted = num;
    usart.received = 0;
    return usart.receives ? ARM_DRIVER_OK : ARM_DRIVER_ERROR;
}

static uint32_t get_rx_count(void)
{
    return usart.received;
}

static ARM_USART_STATUS get_status(void)
{
    const ARM_USART_STATUS idle = {0, 0};
    return idle;
}

extern ARM_DRIVER_USART Driver_USART0;
ARM_DRIVER_USART Driver_USART0 = {initialize, uninitialize, power_control, send,
                                  receive,    get_rx_count, control,       get_status};

int main(void)
{
    TVMGEN_MYNETWORK_PICTURE_TYPE pixels[TVMGEN_MYNETWORK_PICTURE_COUNT];
    TVMGEN_MYNETWORK_IDENTITY_TYPE scores[TVMGEN_MYNETWORK_IDENTITY_COUNT];
    struct tvm_device_error error = {0, 0, 0, 0, 0, NULL, NULL, NULL};
    while (fread(pixels, 1, sizeof pixels, stdin) == sizeof pixels) {
        const int32_t code = recognise(pixels, scores, &error);
        if (code != 0) {
            fprintf(stderr, "code %d, %s of %s\n", (int)code, tvm_device_hook_name(error.hook),
                    error.instance != NULL ? error.instance : "nobody");
            return 1;
        }
        fwrite(scores, 1, sizeof scores, stdout);
    }
    fprintf(stderr, "%d %d\n", n_invoked, usart.n_answered);
    return usart.is_powered || usart.is_initialised;
}
