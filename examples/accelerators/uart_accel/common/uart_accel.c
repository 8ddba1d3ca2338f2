/* SPDX-License-Identifier: Apache-2.0 */
/* Driver of `uart_accel`, alike on every platform: frames, retries, who holds the device. No
 * buffers: tensors go to the line, and come from it, where they lie.
 */
#include "uart_accel_port.h"
#include "uart_frame.h"

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

static int32_t send_invoke(tvm_device_uart_accel_t *dev, const struct tvm_device_call *call)
{
    const uint32_t in = sum_bytes(call->tensors, call->n_inputs);
    uint8_t head[UART_FRAME_INVOKE_BYTES];
    uint32_t crc = 0;
    uart_frame_put32(head, (uint32_t)call->op);
    uart_frame_put32(head + 4, call->params_bytes);
    uart_frame_put32(head + 8, in);
    uart_frame_put32(head + 12, sum_bytes(call->tensors + call->n_inputs, call->n_outputs));
    int32_t code =
        send_header(dev, UART_FRAME_INVOKE, UART_FRAME_INVOKE_BYTES + call->params_bytes + in);
    code = code != 0 ? code : send_part(dev, head, sizeof head, &crc);
    code = code != 0 ? code : send_part(dev, call->params, call->params_bytes, &crc);
    for (int32_t i = 0; i < call->n_inputs && code == 0; i++) {
        code = send_part(dev, call->tensors[i].data, call->tensors[i].bytes, &crc);
    }
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

/* One request and its reply, again where the line failed. call NULL: a greeting. */
static int32_t ask(tvm_device_uart_accel_t *dev, const struct tvm_device_call *call)
{
    uint8_t version[4] = {0, 0, 0, 0};
    const struct tvm_device_tensor greeting = {version, 0, sizeof version};
    int32_t code = TVM_DEVICE_E_IO;
    dev->sequence++;
    for (int32_t i = 0; i <= dev->retries && code != 0; i++) {
        int32_t answer = 0;
        code = call != (const struct tvm_device_call *)0 ? send_invoke(dev, call) : send_hello(dev);
        if (code == 0 && call != (const struct tvm_device_call *)0) {
            code = receive_reply(dev, call->tensors + call->n_inputs, call->n_outputs, &answer);
        } else if (code == 0) {
            code = receive_reply(dev, &greeting, 1, &answer);
        }
        if (code == 0 && answer != 0) {
            return answer;
        }
    }
    if (code == 0 && call == (const struct tvm_device_call *)0) {
        code = uart_frame_get32(version) == UART_FRAME_VERSION ? code : TVM_DEVICE_E_UNSUPPORTED;
    }
    return code;
}

/* --- Hooks ------------------------------------------------------------------------------------ */

int32_t TVMDeviceUartAccelActivate(tvm_device_uart_accel_t *dev)
{
    int32_t code = uart_accel_port_lock(dev);
    if (code != 0) {
        return code;
    }
    code = tvm_device_users_enter(&dev->users) ? ask(dev, (const struct tvm_device_call *)0)
                                               : TVM_DEVICE_OK;
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
    return ask(dev, call);
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
