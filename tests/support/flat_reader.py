# SPDX-License-Identifier: Apache-2.0
"""FlatBuffers, reading only, for tests that look into a file without Oribi's importers."""
import struct


class Table:
    """A table of a FlatBuffer at an offset."""

    def __init__(self, data, at):
        self.data, self.at = data, at
        self.vtable = at - struct.unpack_from("<i", data, at)[0]

    def place(self, field):
        size = struct.unpack_from("<H", self.data, self.vtable)[0]
        slot = 4 + 2 * field
        offset = struct.unpack_from("<H", self.data, self.vtable + slot)[0] if slot < size else 0
        return self.at + offset if offset else None

    def number(self, field, code, absent=0):
        place = self.place(field)
        return absent if place is None else struct.unpack_from("<" + code, self.data, place)[0]

    def follow(self, place):
        return place + struct.unpack_from("<I", self.data, place)[0]

    def table(self, field):
        place = self.place(field)
        return None if place is None else Table(self.data, self.follow(place))

    def vector(self, field, code):
        """Numbers, and where the first of them is."""
        place = self.place(field)
        if place is None:
            return [], None
        start = self.follow(place)
        count = struct.unpack_from("<I", self.data, start)[0]
        return list(struct.unpack_from(f"<{count}{code}", self.data, start + 4)), start + 4

    def tables(self, field):
        offsets, start = self.vector(field, "I")
        return [Table(self.data, start + 4 * i + offset) for i, offset in enumerate(offsets)]

    def text(self, field):
        place = self.place(field)
        return "" if place is None else bytes(self.vector(field, "B")[0]).decode()
