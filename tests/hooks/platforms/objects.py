# SPDX-License-Identifier: Apache-2.0
"""What objects of drivers may not have: a heap, and state of their own, as a device is the application's struct and
there may be many."""
import re
import subprocess

HEAP = re.compile(r"^(?:malloc|calloc|realloc|free|reallocarray|aligned_alloc|posix_memalign|strdup|sbrk|_sbrk|"
                  r"pvPort\w+|vPortFree|xSemaphoreCreate\w*(?<!Static)|xQueueGenericCreate|xQueueCreateMutex|"
                  r"xStreamBufferGenericCreate|k_(?:m|c|re|aligned_)alloc|k_free|k_heap_\w+|k_msgq_alloc_init|"
                  r"z_impl_k_msgq_alloc_init|osMemoryPool\w+)$")
STATE = "bBdDcCsSgG"


def faults(symbols):
    """Reasons against what `nm` printed."""
    for line in symbols.splitlines():
        match = re.match(r"^(?:[0-9a-f]+)?\s+(\w) (\S+)$", line)
        if match and match.group(1) == "U" and HEAP.match(match.group(2)):
            yield f"it calls {match.group(2)}"
        elif match and match.group(1) in STATE and not match.group(2).startswith("$"):
            yield f"it has {match.group(2)}, state of its own"


def check(nm, objects):
    """Reasons against objects or archives."""
    found = []
    for path in objects:
        symbols = subprocess.run([nm, path], capture_output=True, text=True, check=True).stdout
        if " T " not in symbols:
            found.append(f"{path}: it defines nothing")
        found += [f"{path}: {why}" for why in faults(symbols)]
    return found
