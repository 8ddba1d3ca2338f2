# SPDX-License-Identifier: Apache-2.0
"""A line that is worse than a socket, for tests."""
import select
import socket
import threading
import time


class Relay(threading.Thread):
    """Between a board (which listens) and a far end (which listens, too): `spoil` changes every n-th byte to the
    board and to the far end, `late` holds bytes back once, for so many seconds; after `cut_after` bytes it hangs
    up until mend(). The first `lose` bytes of the board never arrive."""

    def __init__(self, board, far, spoil=(0, 0), late=0.0, lose=0):
        super().__init__(daemon=True)
        self.board_path, self.far_path, self.spoil, self.late = str(board), str(far), spoil, late
        self.sent, self.lose = [0, 0], lose
        self.moved, self.stops, self.is_cut, self.cut_after = 0, False, False, None

    def connect(self, path):
        for _ in range(400):
            line = socket.socket(socket.AF_UNIX)
            try:
                line.connect(path)
                return line
            except OSError:
                line.close()
                time.sleep(0.05)
        raise OSError(path)

    def change(self, data, way):
        data = bytearray(data)
        for i in range(len(data)):
            self.moved += 1
            self.sent[way] += 1
            if self.spoil[way] and self.sent[way] % self.spoil[way] == 0:
                data[i] ^= 0x20
        return bytes(data)

    def relay(self, board, far):
        while not self.stops and not self.is_cut:
            for line in select.select([board, far], [], [], 0.05)[0]:
                data = line.recv(4096)
                if not data:
                    self.stops = line is board
                    return
                if line is board and self.lose:
                    n = min(self.lose, len(data))
                    self.lose, data = self.lose - n, data[n:]
                if self.late and self.moved > 2000:
                    time.sleep(self.late)
                    self.late = 0.0
                (far if line is board else board).sendall(self.change(data, line is board))
                self.is_cut = self.is_cut or self.cut_after is not None and self.moved >= self.cut_after

    def run(self):
        try:
            while not self.stops:
                board, far = self.connect(self.board_path), self.connect(self.far_path)
                self.relay(board, far)
                board.close()
                far.close()
                while self.is_cut and not self.stops:
                    time.sleep(0.01)
        except OSError:
            pass

    def mend(self):
        self.cut_after, self.is_cut = None, False
