/* SPDX-License-Identifier: Apache-2.0 */
/* Driver of `woofles`, alike on every platform: commands into the ring, waiting, copies. Commands
 * end in their order, so that one counter says what is done.
 */
#include <string.h>

#include "woofles_port.h"
#include "woofles_window.h"

TVM_DEVICE_DRIVER(Woofles);

/* Waits until at most `n` commands are under way. The count that is waited past is the one that was
 * compared: read anew it may be the last one already. */
static int32_t wait_until(tvm_device_woofles_t *dev, uint32_t n)
{
    int32_t code = TVM_DEVICE_OK;
    uint32_t done = woofles_port_load(&dev->window->done);
    while (code == 0 && dev->window->posted - done > n) {
        code = woofles_port_wait(dev, done);
        done = woofles_port_load(&dev->window->done);
    }
    return code;
}

/* The first error of the commands since the last wait; params of theirs may be overwritten. */
static int32_t collect(tvm_device_woofles_t *dev)
{
    struct woofles_window *w = dev->window;
    int32_t code = TVM_DEVICE_OK;
    for (uint32_t i = dev->first_pending; i != w->posted; i++) {
        const int32_t own = (int32_t)w->ring[i % WOOFLES_RING].code;
        code = code != 0 ? code : own;
    }
    dev->first_pending = w->posted;
    dev->params_used = 0;
    return code;
}

static int32_t wait_all(tvm_device_woofles_t *dev)
{
    const int32_t code = wait_until(dev, 0);
    return code != 0 ? code : collect(dev);
}

/* --- Commands --------------------------------------------------------------------------------- */

static int32_t set_tensor(const tvm_device_woofles_t *dev, struct woofles_command *c, uint32_t i,
                          uint32_t offset, uint32_t bytes)
{
    c->offset[i] = WOOFLES_MEMORY_OFFSET + offset;
    c->bytes[i] = bytes;
    return offset <= dev->memory_bytes && bytes <= dev->memory_bytes - offset ? TVM_DEVICE_OK
                                                                              : TVM_DEVICE_E_RANGE;
}

/* --- Params: first those that stay, then those of the commands under way ---------------------- */

static uint32_t params_room(const tvm_device_woofles_t *dev)
{
    return dev->params_bytes - dev->params_kept - dev->params_used;
}

static uint32_t params_end(const tvm_device_woofles_t *dev)
{
    return WOOFLES_MEMORY_OFFSET + dev->memory_bytes + dev->params_kept + dev->params_used;
}

static void forget_params(tvm_device_woofles_t *dev)
{
    dev->params_kept = 0;
    dev->residents.n = 0;
}

static uint32_t whole_words(uint32_t bytes)
{
    return (bytes + 3u) & ~3u;
}

/* Those of commands under way lie where these are to stay, so they are waited for. Nothing stays
 * that has no room. */
int32_t TVMDeviceWooflesLoad(tvm_device_woofles_t *dev, struct tvm_device_call *call)
{
    const uint32_t bytes = whole_words(call->params_bytes);
    if (dev->is_open == 0) {
        return TVM_DEVICE_E_STATE;
    }
    call->resident = tvm_device_residents_find(&dev->residents, call);
    if (call->resident != 0u || bytes > dev->params_bytes - dev->params_kept) {
        return TVM_DEVICE_OK;
    }
    const int32_t code = dev->params_used > 0u ? wait_all(dev) : TVM_DEVICE_OK;
    if (code != 0) {
        return code;
    }
    call->resident = tvm_device_residents_add(&dev->residents, call, params_end(dev));
    if (call->resident != 0u) {
        memcpy((uint8_t *)dev->window + call->resident, call->params, call->params_bytes);
        dev->params_kept += bytes;
    }
    return TVM_DEVICE_OK;
}

/* Puts the params where the device sees them. Those of commands under way must stay: with no room
 * left, they are waited for; then those go that Load has put there. */
static int32_t place_params(tvm_device_woofles_t *dev, const struct tvm_device_call *call,
                            uint32_t *out_offset)
{
    const uint32_t bytes = whole_words(call->params_bytes);
    if (call->resident != 0u) {
        *out_offset = call->resident;
        return TVM_DEVICE_OK;
    }
    if (bytes > dev->params_bytes) {
        return TVM_DEVICE_E_RANGE;
    }
    if (bytes > params_room(dev)) {
        const int32_t code = wait_all(dev);
        if (code != 0) {
            return code;
        }
    }
    if (bytes > params_room(dev)) {
        forget_params(dev);
    }
    *out_offset = params_end(dev);
    if (bytes > 0u) {
        memcpy((uint8_t *)dev->window + *out_offset, call->params, call->params_bytes);
    }
    dev->params_used += bytes;
    return TVM_DEVICE_OK;
}

static int32_t fill(tvm_device_woofles_t *dev, const struct tvm_device_call *call,
                    struct woofles_command *c)
{
    int32_t code = TVM_DEVICE_OK;
    if (call->n_inputs + call->n_outputs > (int32_t)WOOFLES_TENSORS) {
        return TVM_DEVICE_E_UNSUPPORTED;
    }
    c->kind = WOOFLES_INVOKE;
    c->op = (uint32_t)call->op;
    c->n_inputs = (uint32_t)call->n_inputs;
    c->n_outputs = (uint32_t)call->n_outputs;
    c->params_bytes = call->params_bytes;
    for (int32_t i = 0; i < call->n_inputs + call->n_outputs && code == 0; i++) {
        const struct tvm_device_tensor *t = &call->tensors[i];
        code = t->data != NULL ? TVM_DEVICE_E_UNSUPPORTED /* it sees its own memory only */
                               : set_tensor(dev, c, (uint32_t)i, t->device_offset, t->bytes);
    }
    return code != 0 ? code : place_params(dev, call, &c->params);
}

/* Makes room for one command. A slot whose code nobody has read is not free; collecting gives the
 * room for params back too, so this comes before they are placed. */
static int32_t make_room(tvm_device_woofles_t *dev)
{
    return dev->window->posted - dev->first_pending == WOOFLES_RING ? wait_all(dev) : TVM_DEVICE_OK;
}

static int32_t post(tvm_device_woofles_t *dev, const struct woofles_command *command)
{
    struct woofles_window *w = dev->window;
    w->ring[w->posted % WOOFLES_RING] = *command;
    woofles_port_store(&w->posted, w->posted + 1u);
    return woofles_port_ring(dev);
}

/* --- Operators -------------------------------------------------------------------------------- */

int32_t TVMDeviceWooflesStart(tvm_device_woofles_t *dev, const struct tvm_device_call *call)
{
    struct woofles_command command = {0};
    if (dev->is_open == 0) {
        return TVM_DEVICE_E_STATE;
    }
    int32_t code = make_room(dev);
    code = code != 0 ? code : fill(dev, call, &command);
    return code != 0 ? code : post(dev, &command);
}

int32_t TVMDeviceWooflesWait(tvm_device_woofles_t *dev)
{
    return dev->is_open != 0 ? wait_all(dev) : TVM_DEVICE_E_STATE;
}

int32_t TVMDeviceWooflesInvoke(tvm_device_woofles_t *dev, const struct tvm_device_call *call)
{
    const int32_t code = TVMDeviceWooflesStart(dev, call);
    return code != 0 ? code : TVMDeviceWooflesWait(dev);
}

int32_t TVMDeviceWooflesCancel(tvm_device_woofles_t *dev)
{
    if (dev->is_open == 0) {
        return TVM_DEVICE_E_STATE;
    }
    woofles_port_store(&dev->window->cancel, dev->window->posted);
    int32_t code = woofles_port_ring(dev);
    code = code != 0 ? code : wait_until(dev, 0); /* the one that had begun ends */
    if (code == 0) {
        (void)collect(dev);
    }
    return code;
}

/* --- Copies ----------------------------------------------------------------------------------- */

static int32_t check_copy(const tvm_device_woofles_t *dev, uint32_t offset, uint32_t bytes)
{
    return dev->is_open == 0                                                  ? TVM_DEVICE_E_STATE
           : offset > dev->memory_bytes || bytes > dev->memory_bytes - offset ? TVM_DEVICE_E_RANGE
                                                                              : TVM_DEVICE_OK;
}

/* The CPU moves the bytes, so what is under way ends first. */
int32_t TVMDeviceWooflesCopyTo(const void *source, tvm_device_woofles_t *dev,
                               uint32_t device_offset, uint32_t bytes)
{
    int32_t code = check_copy(dev, device_offset, bytes);
    code = code != 0 ? code : wait_all(dev);
    if (code == 0) {
        memcpy((uint8_t *)dev->window + WOOFLES_MEMORY_OFFSET + device_offset, source, bytes);
    }
    return code;
}

int32_t TVMDeviceWooflesCopyFrom(tvm_device_woofles_t *dev, uint32_t device_offset,
                                 void *destination, uint32_t bytes)
{
    int32_t code = check_copy(dev, device_offset, bytes);
    code = code != 0 ? code : wait_all(dev);
    if (code == 0) {
        memcpy(destination, (const uint8_t *)dev->window + WOOFLES_MEMORY_OFFSET + device_offset,
               bytes);
    }
    return code;
}

/* There is no engine that moves bytes beside the CPU: the copy is made at once. */
int32_t TVMDeviceWooflesCopyToStart(const void *source, tvm_device_woofles_t *dev,
                                    uint32_t device_offset, uint32_t bytes)
{
    return TVMDeviceWooflesCopyTo(source, dev, device_offset, bytes);
}

int32_t TVMDeviceWooflesCopyFromStart(tvm_device_woofles_t *dev, uint32_t device_offset,
                                      void *destination, uint32_t bytes)
{
    return TVMDeviceWooflesCopyFrom(dev, device_offset, destination, bytes);
}

int32_t TVMDeviceWooflesCopyPeer(tvm_device_woofles_t *from, uint32_t from_offset,
                                 tvm_device_woofles_t *to, uint32_t to_offset, uint32_t bytes)
{
    int32_t code = check_copy(from, from_offset, bytes);
    code = code != 0 ? code : wait_all(from);
    return code != 0 ? code
                     : TVMDeviceWooflesCopyTo((const uint8_t *)from->window +
                                                  WOOFLES_MEMORY_OFFSET + from_offset,
                                              to, to_offset, bytes);
}

/* --- Lifecycle -------------------------------------------------------------------------------- */

/* Switches the device on or off, under the lock. */
static int32_t set_power(tvm_device_woofles_t *dev, uint32_t power)
{
    woofles_port_store(&dev->window->power, power);
    return woofles_port_ring(dev);
}

int32_t TVMDeviceWooflesActivate(tvm_device_woofles_t *dev)
{
    int32_t code = woofles_port_lock(dev);
    if (code != 0) {
        return code;
    }
    if (tvm_device_users_enter(&dev->users)) {
        forget_params(dev);
        code = woofles_port_load(&dev->window->magic) == WOOFLES_MAGIC ? set_power(dev, 1)
                                                                       : TVM_DEVICE_E_IO;
        if (code != 0) {
            (void)tvm_device_users_leave(&dev->users);
        }
    }
    const int32_t unlocked = woofles_port_unlock(dev);
    return code != 0 ? code : unlocked;
}

int32_t TVMDeviceWooflesDeactivate(tvm_device_woofles_t *dev)
{
    int32_t code = woofles_port_lock(dev);
    if (code != 0) {
        return code;
    }
    code = tvm_device_users_leave(&dev->users) ? set_power(dev, 0) : TVM_DEVICE_OK;
    const int32_t unlocked = woofles_port_unlock(dev);
    return code != 0 ? code : unlocked;
}

int32_t TVMDeviceWooflesOpen(tvm_device_woofles_t *dev)
{
    const int32_t code = woofles_port_lock(dev);
    if (code == 0) {
        dev->is_open = 1;
        dev->first_pending = dev->window->posted;
        dev->params_used = 0;
    }
    return code;
}

int32_t TVMDeviceWooflesClose(tvm_device_woofles_t *dev)
{
    if (dev->is_open == 0) {
        return TVM_DEVICE_E_STATE;
    }
    const int32_t code = wait_until(dev, 0);
    dev->is_open = 0;
    const int32_t unlocked = woofles_port_unlock(dev);
    return code != 0 ? code : unlocked;
}
