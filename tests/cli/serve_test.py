#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`oribi serve`, asked by Python's own http.client: the Open Inference Protocol in JSON and in binary, against what `oribi run`
prints; limits, and clients that misbehave. Nothing waits for a time: where an order matters a client asks until it is so, or reads
until the server has closed.

    serve_test.py ORIBI SOURCE [CASE...] [--write]
"""
import http.client
import json
import os
import pathlib
import resource
import shutil
import signal
import socket
import struct
import subprocess
import sys
import tempfile

import onnx_lite as o

ORIBI, SOURCE = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
DIGITS, INT8 = SOURCE / "examples/digits/digits.onnx", SOURCE / "examples/digits/digits_int8.tflite"
SANITIZED = b"__asan_init" in ORIBI.read_bytes()
PIXELS = [(7 * i % 17) / 16 for i in range(64)]


class Server:
    """A process that is ready; it ends with the block, by SIGTERM, and must exit with 0."""

    def __init__(self, path, *options):
        self.process = subprocess.Popen([ORIBI, "serve", path, "--port", "0", "--threads", "1", *options], stdout=subprocess.PIPE,
                                        stderr=subprocess.PIPE, text=True)
        line = self.process.stdout.readline()
        if not line.startswith("serving on http://127.0.0.1:"):
            raise SystemExit(f"no address: {line!r} {self.process.stderr.read()}")
        self.port = int(line.rsplit(":", 1)[1])
        self.await_note("ready")

    def await_note(self, word):
        while word not in (line := self.process.stderr.readline()):
            if not line:
                raise SystemExit(f"the server ended before it said '{word}'")

    def connection(self):
        return http.client.HTTPConnection("127.0.0.1", self.port)

    def ask(self, path, body=None, headers=None, connection=None):
        c = connection or self.connection()
        c.request("GET" if body is None else "POST", path, body, headers or {})
        answer = c.getresponse()
        return answer.status, answer.headers, answer.read()

    def metric(self, name):
        for line in self.ask("/metrics")[2].decode().splitlines():
            if line.startswith(name + " "):
                return float(line.split()[-1])
        return None

    def end(self):
        self.process.send_signal(signal.SIGTERM)
        code = self.process.wait()
        self.process.stdout.close()
        self.process.stderr.close()
        expect(code == 0, f"exit {code}")

    def __enter__(self):
        return self

    def __exit__(self, kind, *_):
        if kind:
            self.process.kill()
            self.process.wait()
        else:
            self.end()


def expect(holds, what):
    if not holds:
        raise AssertionError(what)


def request(data=None, **more):
    return json.dumps({"inputs": [{"name": "picture", "shape": [1, 1, 8, 8], "datatype": "FP32",
                                   "data": PIXELS if data is None else data}], **more})


def reference():
    """The same picture by `oribi run`."""
    text = ",".join(map(str, PIXELS))
    done = subprocess.run([ORIBI, "run", DIGITS, "--json", "--threads", "1", "-i", f"picture=1x1x8x8xf32={text}"], check=True,
                          capture_output=True, text=True)
    found = json.loads(done.stdout)
    while not isinstance(found, list) or not isinstance(found[0], (int, float)):
        found = next(v for v in (found.values() if isinstance(found, dict) else found) if isinstance(v, (dict, list)) and v
                     and not (isinstance(v, list) and v == [1, 10]))
    return found


def hold(server):
    """A request of which half is sent, and which the server has begun: it asks for the rest."""
    body = request().encode()
    s = socket.create_connection(("127.0.0.1", server.port))
    s.sendall(b"POST /v2/models/digits/infer HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: %d\r\n\r\n" % len(body))
    expect(s.recv(100).startswith(b"HTTP/1.1 100"), "the server goes on")
    s.sendall(body[:20])
    return s, body[20:]


def finish(s, rest):
    s.sendall(rest)
    answer = http.client.HTTPResponse(s)
    answer.begin()
    return answer.status, answer.read()


def answers_are_those_of_run():
    with Server(DIGITS) as server:
        status, headers, body = server.ask("/v2/models/digits/infer", request(id="seven"), {"X-Request-Id": "r-7"})
        answer = json.loads(body)
        expect(status == 200 and answer["id"] == "seven" and headers["X-Request-Id"] == "r-7", "ids come back")
        expect((answer["model_name"], answer["model_version"]) == ("digits", "1"), "the model says its name")
        out = answer["outputs"][0]
        expect((out["name"], out["datatype"], out["shape"]) == ("probabilities", "FP32", [1, 10]), f"{out}")
        wanted = reference()
        expect(struct.pack("10f", *out["data"]) == struct.pack("10f", *wanted), f"{out['data']} is {wanted}")
        nested = [[[PIXELS[8 * i:8 * i + 8] for i in range(8)]]]
        expect(json.loads(server.ask("/v2/models/digits/infer", request(nested))[2])["outputs"] == answer["outputs"], "nested data")


def binary_is_the_same_as_json():
    with Server(DIGITS) as server:
        plain = json.loads(server.ask("/v2/models/digits/infer", request())[2])["outputs"][0]["data"]
        head = json.dumps({"inputs": [{"name": "picture", "shape": [1, 1, 8, 8], "datatype": "FP32",
                                       "parameters": {"binary_data_size": 256}}],
                           "outputs": [{"name": "probabilities", "parameters": {"binary_data": True}}]}).encode()
        status, headers, body = server.ask("/v2/models/digits/infer", head + struct.pack("64f", *PIXELS),
                                           {"Inference-Header-Content-Length": str(len(head))})
        cut = int(headers["Inference-Header-Content-Length"])
        out = json.loads(body[:cut])["outputs"][0]
        expect(status == 200 and out["parameters"] == {"binary_data_size": 40}, f"{status} {body[:cut]}")
        expect(body[cut:] == struct.pack("10f", *plain), "the same numbers")
        for length, size in ((len(head), 255), (len(head), 257), (len(head) + 257, 256)):
            status = server.ask("/v2/models/digits/infer", head + bytes(size), {"Inference-Header-Content-Length": str(length)})[0]
            expect(status == 400, f"{size} bytes behind {length}: {status}")


def it_tells_what_it_serves():
    with tempfile.TemporaryDirectory() as folder, Server(SOURCE / "examples/digits") as server:
        expect(server.ask("/v2/health/live")[0] == 200 and server.ask("/v2/health/ready")[0] == 200, "live and ready")
        meta = json.loads(server.ask("/v2/models/digits_int8")[2])
        expect(meta["inputs"] == [{"name": "picture", "datatype": "INT8", "shape": [1, 8, 8, 1]}], f"{meta}")
        expect(meta["versions"] == ["1"] and meta["platform"] == "oribi", f"{meta}")
        expect(json.loads(server.ask("/v2")[2])["extensions"] == ["binary_tensor_data"], "its extensions")
        server.ask("/v2/models/digits/infer", request())
        text = server.ask("/metrics")[2].decode()
        expect('oribi_inferences_total{model="digits",version="1"} 1\n' in text and "oribi_ready 1\n" in text, text)
        while server.metric("oribi_requests_in_flight") != 0:  # the answer comes before its request is over
            pass
        del folder


def strings_travel_in_json_and_in_binary():
    words = ["", "plain", "\u00fcml\u00e4ut \u2603", "long " * 2000]
    packed = b"".join(struct.pack("<I", len(w.encode())) + w.encode() for w in words)
    with tempfile.TemporaryDirectory() as folder:
        model = pathlib.Path(folder, "say.onnx")
        model.write_bytes(o.model([o.node("Identity", ["x"], ["y"])], [o.info("x", ["n"], 8)], [o.info("y", ["n"], 8)]))
        with Server(model) as server:
            def say(head, body=b"", **more):
                text = json.dumps({"inputs": [{"name": "x", "shape": [4], "datatype": "BYTES", **head}], **more}).encode()
                status, headers, got = server.ask("/v2/models/say/infer", text + body, {"Inference-Header-Content-Length": str(len(text))})
                cut = int(headers.get("Inference-Header-Content-Length", len(got)))
                return status, json.loads(got[:cut]), got[cut:]
            status, answer, _ = say({"data": words})
            expect(status == 200 and answer["outputs"][0]["data"] == words, f"{status} {answer}")
            binary = {"parameters": {"binary_data_size": len(packed)}}
            status, answer, rest = say(binary, packed, parameters={"binary_data_output": True})
            expect(status == 200 and rest == packed, f"{status} {answer} {rest[:100]}")
            expect(say(binary, packed)[1]["outputs"][0]["data"] == words, "binary in, JSON out")
            expect(say({"data": words}, parameters={"binary_data_output": True})[2] == packed, "JSON in, binary out")
            raw = struct.pack("<I", 1) + b"\xff" + bytes(12)
            status, answer, _ = say({"parameters": {"binary_data_size": len(raw)}}, raw)
            expect(status == 400 and "binary_data" in answer["error"], f"no UTF-8: {status} {answer}")
            expect(say({"parameters": {"binary_data_size": len(raw)}}, raw, parameters={"binary_data_output": True})[2] == raw, "any bytes")
            for damaged in (packed[:-1], packed + b"x", packed[:3], b"\xff\xff\xff\xff" + packed[4:], b""):
                status, answer, _ = say({"parameters": {"binary_data_size": len(damaged)}}, damaged)
                expect(status == 400 and answer["error"], f"{len(damaged)} bytes: {status}")
            for data in (words[:3], words + ["more"], [1, 2, 3, 4], "text"):
                expect(say({"data": data})[0] == 400, f"{data}")
            expect(say({"shape": [1 << 40], "data": words})[0] == 400, "a shape of more strings than the request")


def lists_are_refused():
    """The protocol has no type for a sequence, whose elements in memory are addresses."""
    kind = o.field(2, o.field(4, o.field(1, o.field(1, o.field(1, 1)))))
    with tempfile.TemporaryDirectory() as folder:
        for name, nodes, given, made in (
                ("out", o.node("SequenceConstruct", ["x"], ["y"]), o.info("x", [2]), o.field(1, "y") + kind),
                ("in", o.node("ConcatFromSequence", ["x"], ["y"], axis=0), o.field(1, "x") + kind, o.info("y", ["n"]))):
            pathlib.Path(folder, f"{name}.onnx").write_bytes(o.model([nodes], [given], [made]))
        with Server(folder) as server:
            body = {"inputs": [{"name": "x", "shape": [2], "datatype": "FP32", "data": [1, 2]}]}
            for name in ("out", "in"):
                for more in ({}, {"parameters": {"binary_data_output": True}}):
                    status, _, answer = server.ask(f"/v2/models/{name}/infer", json.dumps({**body, **more}))
                    expect(status == 501 and b"list" in answer, f"{name}: {status} {answer}")


BAD = [("/v2/models/digits/infer", "{", 400), ("/v2/models/digits/infer", "[]", 400), ("/v2/models/digits/infer", "{}", 400),
       ("/v2/models/digits/infer", request([0] * 63), 400), ("/v2/models/digits/infer", request([0] * 65), 400),
       ("/v2/models/digits/infer", request(["a"] * 64), 400), ("/v2/models/digits/infer", request([None] * 64), 400),
       ("/v2/models/digits/infer", request([1e999] * 64), 400), ("/v2/models/digits/infer", request(outputs=[{"name": "no"}]), 400),
       ("/v2/models/digits/infer", request().replace("FP32", "INT8"), 400),
       ("/v2/models/digits/infer", request().replace("[1, 1, 8, 8]", "[1, 1, -8, 8]"), 400),
       ("/v2/models/digits/infer", request().replace("[1, 1, 8, 8]", "[1, 64]"), 400),
       ("/v2/models/digits/infer", request().replace("[1, 1, 8, 8]", "[4294967296, 4294967296]"), 400),
       ("/v2/models/digits/infer", request().replace("[1, 1, 8, 8]", "[0, 4294967296, 4294967296]"), 400),
       ("/v2/models/digits/infer", request().replace('"picture"', '"image"'), 400), ("/v2/models/none/infer", request(), 404),
       ("/v2/models/digits/versions/2/infer", request(), 404), ("/v2/models/digits/versions/x/infer", request(), 404),
       ("/v2/models/digits", request(), 405), ("/v2/models/digits/infer", None, 405), ("/v2/nothing", None, 404),
       ("/v2/models/../../etc/passwd", None, 404),
       ("/v2/models/digits/infer", request(parameters={"sequence_id": 7}), 501),
       ("/v2/models/digits/infer", request(outputs=[{"name": "probabilities", "parameters": {"classification": 3}}]), 501),
       ("/v2/models/digits/infer", request(outputs=[{"name": "probabilities", "parameters": {"shared_memory_region": "a"}}]), 501),
       ("/v2/models/digits/infer", request(parameters={"timeout": 1}), 504)]


def bad_requests_get_a_message():
    with Server(DIGITS) as server:
        for path, body, wanted in BAD:
            status, _, answer = server.ask(path, body)
            expect(status == wanted and json.loads(answer)["error"], f"{path} {body}: {status} {answer}")
        expect(server.ask("/v2/models/digits/infer", request(), {"Content-Encoding": "gzip"})[0] == 415, "what is compressed")
        expect(server.ask("/v2/models/digits/infer", request(), {"Content-Encoding": "identity"})[0] == 200, "and the server goes on")


def bodies_and_requests_have_limits():
    with Server(DIGITS, "--max-body", "2000", "--max-requests", "1") as server:
        expect(server.ask("/v2/models/digits/infer", request() + " " * 2000)[0] == 413, "a body that is too large, by its header")
        while server.metric("oribi_requests_in_flight") != 0: # its place is free once its connection is over
            pass
        c = server.connection() # the same without a header that says so
        c.request("POST", "/v2/models/digits/infer", (b" " * 500 for _ in range(9)), encode_chunked=True,
                  headers={"Transfer-Encoding": "chunked"})
        expect(c.getresponse().status == 413, "a body that is too large, in chunks")
        while server.metric("oribi_requests_in_flight") != 0:
            pass
        held = hold(server)
        status, headers, _ = server.ask("/v2/models/digits/infer", request())
        expect(status == 503 and headers["Retry-After"] == "1", f"the second of one: {status}")
        expect(server.ask("/v2/health/live")[0] == 200, "health has a place of its own")
        expect(finish(*held)[0] == 200, "the first is answered")


def many_connections_are_bounded():
    with Server(DIGITS, "--max-requests", "4", "--max-connections", "300") as server:
        held = [hold(server) for _ in range(4)]
        idle = [socket.create_connection(("127.0.0.1", server.port)) for _ in range(200)]
        codes = [server.ask("/v2/models/digits/infer", request())[0] for _ in range(20)]
        expect(codes == [503] * 20, f"{codes}")
        for s in idle:
            s.close()
        expect([finish(*h)[0] for h in held] == [200] * 4, "those that had a place are answered, and rightly")


def resident(server):
    with open(f"/proc/{server.process.pid}/status") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("VmRSS:")) << 10


def a_thousand_connections_have_bounded_memory():
    """A thousand clients ask at the same time while every place is taken."""
    wanted = 1000
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard != resource.RLIM_INFINITY and hard < 2 * wanted:
        print(f"left out: {hard} files are allowed, {2 * wanted} are needed")
        return
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, 2 * wanted), hard))
    with Server(DIGITS, "--max-requests", "4", "--max-connections", "1100", "--idle", "600") as server:
        held = [hold(server) for _ in range(4)]
        server.metric("oribi_ready")
        before = resident(server)
        clients = [socket.create_connection(("127.0.0.1", server.port)) for _ in range(wanted)]
        body = request().encode()
        for s in clients:
            s.sendall(b"POST /v2/models/digits/infer HTTP/1.1\r\nHost: x\r\n")
        while server.metric("oribi_connections") < wanted:
            pass
        grown = (resident(server) - before) / wanted
        for s in clients:
            s.sendall(b"Content-Length: %d\r\n\r\n" % len(body) + body)
        codes = {}
        for s in clients:
            answer = http.client.HTTPResponse(s)
            answer.begin()
            answer.read()
            codes[answer.status] = codes.get(answer.status, 0) + 1
        expect(codes == {503: wanted}, f"{codes}")
        print(f"    {grown / 1024:.0f} KiB of memory for each of {wanted} connections")
        expect(SANITIZED or grown < 128 << 10, f"{grown} bytes each")
        for s in clients:
            s.close()
        expect([finish(*h)[0] for h in held] == [200] * 4, "those that had a place are answered")
        expect(server.ask("/v2/models/digits/infer", request())[0] == 200, "and the next one")


def a_client_that_stops_is_dropped():
    with Server(DIGITS, "--idle", "1", "--max-requests", "1") as server:
        s, _ = hold(server)
        while s.recv(1000): # until the server closes
            pass
        while server.metric("oribi_requests_in_flight") != 0: # and its place is free
            pass
        expect(server.ask("/v2/models/digits/infer", request())[0] == 200, "the next is answered")
        reads_nothing = socket.socket()
        for buffer in (socket.SO_RCVBUF, socket.SO_SNDBUF):
            reads_nothing.setsockopt(socket.SOL_SOCKET, buffer, 4096)
        reads_nothing.connect(("127.0.0.1", server.port))
        try:
            while True: # asks, and never reads an answer: the server cannot write at last, and then not read
                reads_nothing.sendall(b"GET /v2/models/digits HTTP/1.1\r\nHost: x\r\n\r\n" * 100)
        except OSError:
            pass
        while server.metric("oribi_requests_dropped_total") != 2:
            pass
        expect(server.ask("/v2/models/digits/infer", request())[0] == 200, "the server goes on")


def a_drain_answers_what_was_begun():
    server = Server(DIGITS)
    open_before = server.connection()
    expect(server.ask("/v2/health/ready", connection=open_before)[0] == 200, "ready")
    held = hold(server)
    server.process.send_signal(signal.SIGTERM)
    while server.ask("/v2/health/ready", connection=open_before)[0] != 503:
        pass
    server.await_note("draining")
    expect(server.process.poll() is None, "it waits")
    expect(finish(*held)[0] == 200, "the request is answered")
    expect(server.process.wait() == 0, "and then it ends")
    try:
        server.connection().connect()
    except ConnectionRefusedError:
        return
    raise AssertionError("somebody listens")


def a_server_that_is_killed_comes_back():
    server = Server(DIGITS)
    s, _ = hold(server)
    server.process.kill()
    try:
        expect(s.recv(100) == b"", "no half an answer")
    except ConnectionResetError:
        pass
    server.process.wait()
    with Server(DIGITS) as again:
        expect(again.ask("/v2/models/digits/infer", request())[0] == 200, "the new one answers")


def a_folder_is_read_again():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "digits/1").mkdir(parents=True)
        shutil.copy(DIGITS, folder / "digits/1/model.onnx")
        (folder / "notes.txt").write_text("no model")
        with Server(folder) as server:
            versions = lambda: json.loads(server.ask("/v2/models/digits")[2])["versions"] # noqa: E731
            held = hold(server)
            (folder / "digits/2").mkdir()
            shutil.copy(DIGITS, folder / "digits/2/model.onnx")
            (folder / "broken.onnx").write_text("nothing")
            server.process.send_signal(signal.SIGHUP)
            server.await_note("serving 2 models") # the broken one has its message and is left out
            expect(versions() == ["1", "2"] and server.ask("/v2/models/broken")[0] == 404, "a version came")
            expect(json.loads(server.ask("/v2/models/digits/infer", request())[2])["model_version"] == "2", "the highest answers")
            status, _, body = server.ask("/v2/models/digits/versions/1/infer", request())
            expect(status == 200 and json.loads(body)["model_version"] == "1", "the other, by its number")
            (folder / "digits/2/model.onnx").write_text("broken now")
            os.remove(folder / "broken.onnx")
            server.process.send_signal(signal.SIGHUP)
            server.await_note("serving 2 models")
            expect(server.ask("/v2/models/digits/versions/2/infer", request())[0] == 200, "what cannot be opened stays as it was")
            shutil.rmtree(folder / "digits/1")
            server.process.send_signal(signal.SIGHUP)
            server.await_note("serving 1 models")
            expect(versions() == ["2"], "a version went")
            expect(finish(*held)[0] == 200, "a request that was begun is answered all the same")


def what_is_wrong_is_said_at_the_start():
    for arguments, code, word in (([SOURCE / "none.onnx"], 4, "none.onnx"), ([SOURCE / "tools"], 4, "no models"), ([], 2, "wants"),
                                  ([DIGITS, "--host", "nowhere"], 4, "address"), ([DIGITS, "--max-body", "0"], 2, "max-body")):
        done = subprocess.run([ORIBI, "serve", *arguments, *(["--port", "0"] if arguments else [])], capture_output=True, text=True)
        expect(done.returncode == code and word in done.stderr, f"{arguments}: {done.returncode} {done.stderr}")


CASES = [answers_are_those_of_run, binary_is_the_same_as_json, strings_travel_in_json_and_in_binary, lists_are_refused, it_tells_what_it_serves, bad_requests_get_a_message,
         bodies_and_requests_have_limits, many_connections_are_bounded, a_thousand_connections_have_bounded_memory, a_client_that_stops_is_dropped, a_drain_answers_what_was_begun,
         a_server_that_is_killed_comes_back, a_folder_is_read_again, what_is_wrong_is_said_at_the_start]


# Rows of docs/reference/running/serve.md, which are true when the case passes.
OUTCOMES = {
    a_server_that_is_killed_comes_back: ("the server is killed in the middle of a request", "the client's connection ends, with no part of an "
                                         "answer; a server that is started again is ready and answers"),
    a_client_that_stops_is_dropped: ("a client stops in the middle of its body, or never reads", "dropped after `--idle`; the next request is answered"),
    a_thousand_connections_have_bounded_memory: ("1,000 clients ask at the same time, all places are taken", "503 to each of them, less than 128 KiB of "
                                                 "memory for each connection; those that had a place get their answers"),
    a_drain_answers_what_was_begun: ("`SIGTERM` in the middle of a request", "it is answered; then nobody listens, exit 0"),
    a_folder_is_read_again: ("a model's file is replaced by a broken one, or goes", "the old one goes on, or 404; a request that was begun is answered"),
}
PAGE = SOURCE / "docs/reference/running/serve.md"


def check_page(writes):
    table = "| what | outcome |\n|---|---|\n" + "".join(f"| {what} | {outcome} |\n" for what, outcome in OUTCOMES.values())
    text = PAGE.read_text()
    begin = text.index("| what | outcome |")
    end = text.index("\n\n", begin) + 1
    if writes:
        PAGE.write_text(text[:begin] + table + text[end:])
    elif text[begin:end] != table:
        sys.exit(f"{PAGE}: the table of what was killed is another; serve_test.py ORIBI SOURCE --write writes it")


def main():
    said = subprocess.run([ORIBI, "serve"], capture_output=True, text=True)
    if "built without libmicrohttpd" in said.stderr and said.returncode == 3:
        print("skipped: the command was built without libmicrohttpd")
        sys.exit(77)
    wanted = [a for a in sys.argv[3:] if a in [c.__name__ for c in CASES]]  # CTest gives the build folder, too
    for case in CASES:
        if not wanted or case.__name__ in wanted:
            case()
            print(case.__name__, flush=True)
    check_page("--write" in sys.argv)


main()
