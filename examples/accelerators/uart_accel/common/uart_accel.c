/* SPDX-License-Identifier: Apache-2.0 */
/* Driver of `uart_accel`, alike on every platform: frames, retries, who holds the device. No
 * buffers: tensors go to the line, and come from it, where they lie.
 */
#include "uart_accel_port.h"
#include "uart_frame.h"

TVM_DEVICE_DRIVER(UartAccel);

/* --- Frames out ------------------------------------------------------------------------------- */

/* Sends bytes of a payload and counts them into its checksum. */
static int32_t send_part(tvm_device_uart_accel_t *dev, const void *data, uint32_t bytes,
                         uint32_t *crc)
{
    *crc = uart_frame_crc32(*crc, (const uint8_t *)data, bytes);
    return bytes > 0u ? uart_accel_port_send(dev, data, bytes) : TVM_DEVICE_OK;
}

static int32_t send_header(tvm_device_uart_accel_t *dev, uint8_t kind, uint32_t bytes)
{
    uint8_t header[UART_FRAME_HEADER_BYTES];
    uart_frame_header(header, kind, dev->sequence, bytes);
    return uart_accel_port_send(dev, header, sizeof header);
}

static int32_t send_crc(tvm_device_uart_accel_t *dev, uint32_t crc)
{
    uint8_t bytes[4];
    uart_frame_put32(bytes, crc);
    return uart_accel_port_send(dev, bytes, sizeof bytes);
}

/* Sums over a run of tensors. */
static uint32_t sum_bytes(const struct tvm_device_tensor *tensors, int32_t n)
{
    uint32_t sum = 0;
    for (int32_t i = 0; i < n; i++) {
        sum += tensors[i].bytes;
    }
    return sum;
}

/* Params that the far end keeps are named by their slot, one less than their place. */
static int32_t send_invoke(tvm_device_uart_accel_t *dev, const struct tvm_device_call *call)
{
    const uint32_t in = sum_bytes(call->tensors, call->n_inputs);
    const int32_t is_kept = call->resident != 0u;
    const uint32_t params_bytes = is_kept ? 0u : call->params_bytes;
    uint8_t head[UART_FRAME_INVOKE_BYTES];
    uint32_t crc = 0;
    uart_frame_put32(head, (uint32_t)call->op);
    uart_frame_put32(head + 4, is_kept ? call->resident - 1u : params_bytes);
    uart_frame_put32(head + 8, in);
    uart_frame_put32(head + 12, sum_bytes(call->tensors + call->n_inputs, call->n_outputs));
    int32_t code = send_header(dev, is_kept ? UART_FRAME_INVOKE_KEPT : UART_FRAME_INVOKE,
                               UART_FRAME_INVOKE_BYTES + params_bytes + in);
    code = code != 0 ? code : send_part(dev, head, sizeof head, &crc);
    code = code != 0 ? code : send_part(dev, call->params, params_bytes, &crc);
    for (int32_t i = 0; i < call->n_inputs && code == 0; i++) {
        code = send_part(dev, call->tensors[i].data, call->tensors[i].bytes, &crc);
    }
    return code != 0 ? code : send_crc(dev, crc);
}

/* Into the next slot. */
static int32_t send_keep(tvm_device_uart_accel_t *dev, const struct tvm_device_call *call)
{
    uint8_t slot[4];
    uint32_t crc = 0;
    uart_frame_put32(slot, dev->residents.n);
    int32_t code = send_header(dev, UART_FRAME_KEEP, (uint32_t)sizeof slot + call->params_bytes);
    code = code != 0 ? code : send_part(dev, slot, sizeof slot, &crc);
    code = code != 0 ? code : send_part(dev, call->params, call->params_bytes, &crc);
    return code != 0 ? code : send_crc(dev, crc);
}

static int32_t send_hello(tvm_device_uart_accel_t *dev)
{
    uint8_t version[4];
    uint32_t crc = 0;
    uart_frame_put32(version, UART_FRAME_VERSION);
    int32_t code = send_header(dev, UART_FRAME_HELLO, sizeof version);
    code = code != 0 ? code : send_part(dev, version, sizeof version, &crc);
    return code != 0 ? code : send_crc(dev, crc);
}

/* --- Frames in -------------------------------------------------------------------------------- */

/* Reads on until ten bytes are a header; noise before it is dropped, but not for ever. */
static int32_t receive_header(tvm_device_uart_accel_t *dev, uint8_t header[UART_FRAME_HEADER_BYTES])
{
    uint32_t noise = 0;
    int32_t code = uart_accel_port_receive(dev, header, UART_FRAME_HEADER_BYTES, dev->timeout_ms);
    while (code == 0 && !uart_frame_is_header(header)) {
        for (uint32_t i = 0; i + 1u < UART_FRAME_HEADER_BYTES; i++) {
            header[i] = header[i + 1u];
        }
        code = noise++ > 65536u
                   ? TVM_DEVICE_E_IO
                   : uart_accel_port_receive(dev, &header[UART_FRAME_HEADER_BYTES - 1u], 1,
                                             dev->timeout_ms);
    }
    return code;
}

static int32_t receive_part(tvm_device_uart_accel_t *dev, void *data, uint32_t bytes, uint32_t *crc)
{
    const int32_t code =
        bytes > 0u ? uart_accel_port_receive(dev, data, bytes, dev->timeout_ms) : TVM_DEVICE_OK;
    *crc = code == 0 ? uart_frame_crc32(*crc, (const uint8_t *)data, bytes) : 0u;
    return code;
}

/* What a frame that nobody waits for carries, an answer that came too late. */
static int32_t skip(tvm_device_uart_accel_t *dev, uint32_t bytes)
{
    uint8_t hole[16];
    int32_t code = TVM_DEVICE_OK;
    while (bytes > 0u && code == 0) {
        const uint32_t n = bytes < sizeof hole ? bytes : (uint32_t)sizeof hole;
        code = uart_accel_port_receive(dev, hole, n, dev->timeout_ms);
        bytes -= n;
    }
    return code;
}

static int32_t check_crc(tvm_device_uart_accel_t *dev, uint32_t crc)
{
    uint8_t bytes[4];
    const int32_t code = uart_accel_port_receive(dev, bytes, sizeof bytes, dev->timeout_ms);
    return code != 0 ? code : uart_frame_get32(bytes) == crc ? TVM_DEVICE_OK : TVM_DEVICE_E_IO;
}

/* The outputs of a call, or the version of a greeting: `n` tensors. `*out_answer` is the far end's
 * own code. */
static int32_t receive_reply(tvm_device_uart_accel_t *dev, const struct tvm_device_tensor *tensors,
                             int32_t n, int32_t *out_answer)
{
    uint8_t header[UART_FRAME_HEADER_BYTES], answer[4];
    const uint32_t wanted = sum_bytes(tensors, n);
    for (;;) {
        int32_t code = receive_header(dev, header);
        const uint32_t bytes = uart_frame_get32(header + 4);
        uint32_t crc = 0;
        if (code != 0) {
            return code;
        }
        if (header[2] == UART_FRAME_REFUSED) {
            return TVM_DEVICE_E_IO;
        }
        if (header[2] != UART_FRAME_REPLY || header[3] != dev->sequence) {
            code = bytes <= 1u << 24 ? skip(dev, bytes + 4u) : TVM_DEVICE_E_IO;
            if (code != 0) {
                return code;
            }
            continue;
        }
        code = bytes >= 4u ? receive_part(dev, answer, 4, &crc) : TVM_DEVICE_E_IO;
        *out_answer = code == 0 ? (int32_t)uart_frame_get32(answer) : 0;
        if (code == 0 && bytes != 4u + (*out_answer == 0 ? wanted : 0u)) {
            return TVM_DEVICE_E_IO;
        }
        for (int32_t i = 0; i < n && code == 0 && *out_answer == 0; i++) {
            code = receive_part(dev, tensors[i].data, tensors[i].bytes, &crc);
        }
        return code != 0 ? code : check_crc(dev, crc);
    }
}

/* One request and its reply, which fills `n` tensors, again where the line failed. */
static int32_t ask(tvm_device_uart_accel_t *dev, uint8_t kind, const struct tvm_device_call *call,
                   const struct tvm_device_tensor *tensors, int32_t n)
{
    int32_t code = TVM_DEVICE_E_IO, answer = 0;
    dev->sequence++;
    for (int32_t i = 0; i <= dev->retries && code != 0; i++) {
        code = kind == UART_FRAME_HELLO  ? send_hello(dev)
               : kind == UART_FRAME_KEEP ? send_keep(dev, call)
                                         : send_invoke(dev, call);
        code = code != 0 ? code : receive_reply(dev, tensors, n, &answer);
    }
    return code != 0 ? code : answer;
}

/* The far end keeps nothing of what it was given before. One of version 1 keeps nothing at all. */
static int32_t greet(tvm_device_uart_accel_t *dev)
{
    uint8_t version[4] = {0, 0, 0, 0};
    const struct tvm_device_tensor reply = {version, 0, sizeof version};
    const int32_t code = ask(dev, UART_FRAME_HELLO, (const struct tvm_device_call *)0, &reply, 1);
    const uint32_t its = uart_frame_get32(version);
    dev->residents.n = 0;
    dev->can_keep = its >= UART_FRAME_KEEPS ? 1 : 0;
    return code != 0                                ? code
           : its >= 1u && its <= UART_FRAME_VERSION ? TVM_DEVICE_OK
                                                    : TVM_DEVICE_E_UNSUPPORTED;
}

/* --- Hooks ------------------------------------------------------------------------------------ */

int32_t TVMDeviceUartAccelActivate(tvm_device_uart_accel_t *dev)
{
    int32_t code = uart_accel_port_lock(dev);
    if (code != 0) {
        return code;
    }
    code = tvm_device_users_enter(&dev->users) ? greet(dev) : TVM_DEVICE_OK;
    if (code != 0) {
        (void)tvm_device_users_leave(&dev->users);
    }
    const int32_t unlocked = uart_accel_port_unlock(dev);
    return code != 0 ? code : unlocked;
}

int32_t TVMDeviceUartAccelOpen(tvm_device_uart_accel_t *dev)
{
    const int32_t code = uart_accel_port_lock(dev);
    if (code == 0) {
        dev->is_open = 1;
    }
    return code;
}

/* A far end that has no room for these is not asked again. */
int32_t TVMDeviceUartAccelLoad(tvm_device_uart_accel_t *dev, struct tvm_device_call *call)
{
    if (dev->is_open == 0) {
        return TVM_DEVICE_E_STATE;
    }
    call->resident = tvm_device_residents_find(&dev->residents, call);
    if (call->resident != 0u || dev->can_keep == 0 || dev->residents.n == TVM_DEVICE_RESIDENTS) {
        return TVM_DEVICE_OK;
    }
    const int32_t code = ask(dev, UART_FRAME_KEEP, call, (const struct tvm_device_tensor *)0, 0);
    if (code == 0) {
        call->resident = tvm_device_residents_add(&dev->residents, call, dev->residents.n + 1u);
    }
    dev->can_keep = code == TVM_DEVICE_E_RANGE ? 0 : dev->can_keep;
    return code == TVM_DEVICE_E_RANGE ? TVM_DEVICE_OK : code;
}

/* A far end that has begun anew has lost what it kept: then the params go with the call. */
static int32_t invoke(tvm_device_uart_accel_t *dev, const struct tvm_device_call *call)
{
    const struct tvm_device_tensor *const outputs = call->tensors + call->n_inputs;
    struct tvm_device_call whole = *call;
    const int32_t code = ask(dev, UART_FRAME_INVOKE, call, outputs, call->n_outputs);
    if (call->resident == 0u || code != TVM_DEVICE_E_STATE) {
        return code;
    }
    dev->residents.n = 0;
    whole.resident = 0;
    return ask(dev, UART_FRAME_INVOKE, &whole, outputs, call->n_outputs);
}

int32_t TVMDeviceUartAccelInvoke(tvm_device_uart_accel_t *dev, const struct tvm_device_call *call)
{
    if (dev->is_open == 0) {
        return TVM_DEVICE_E_STATE;
    }
    for (int32_t i = 0; i < call->n_inputs + call->n_outputs; i++) {
        if (call->tensors[i].data == (void *)0) {
            return TVM_DEVICE_E_UNSUPPORTED; /* it has no memory that we know of */
        }
    }
    return invoke(dev, call);
}

int32_t TVMDeviceUartAccelClose(tvm_device_uart_accel_t *dev)
{
    if (dev->is_open == 0) {
        return TVM_DEVICE_E_STATE;
    }
    dev->is_open = 0;
    return uart_accel_port_unlock(dev);
}

int32_t TVMDeviceUartAccelDeactivate(tvm_device_uart_accel_t *dev)
{
    const int32_t code = uart_accel_port_lock(dev);
    if (code != 0) {
        return code;
    }
    (void)tvm_device_users_leave(&dev->users); /* a line has no power to cut */
    return uart_accel_port_unlock(dev);
}
