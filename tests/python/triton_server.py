# SPDX-License-Identifier: Apache-2.0
"""How does a real Triton server, that of nvidia-pytriton, start on this machine, and what does it count?"""
import importlib.util
import os
import pathlib
import re
import socket
import subprocess
import sys
import urllib.request


def find_python():
    """Of ORIBI_FLEET_PYTHON and this one, the first that has the server and its client."""
    for python in filter(None, (os.environ.get("ORIBI_FLEET_PYTHON"), sys.executable)):
        if subprocess.run([python, "-c", "import tritonclient.http, numpy, importlib.util as u; assert u.find_spec('pytriton')"],
                          capture_output=True).returncode == 0:
            return python
    return None


def free_ports(n):
    sockets = [socket.socket() for _ in range(n)]
    for s in sockets:
        s.bind(("127.0.0.1", 0))
    ports = [s.getsockname()[1] for s in sockets]
    for s in sockets:
        s.close()
    return ports


class Server:
    """The server, which is waited for by asking."""

    def __init__(self, folder, build, model):
        """Models and backends in `folder`; ready when `model` is."""
        import tritonclient.http as triton
        self.http, self.grpc, self.metrics = free_ports(3)
        home = pathlib.Path(importlib.util.find_spec("pytriton").origin).parent / "tritonserver"
        server = home / "bin/tritonserver"
        server.chmod(0o755)
        self.log = folder / "log"
        log = open(self.log, "w")
        self.process = subprocess.Popen(
            [server, f"--model-repository={folder / 'models'}", f"--backend-directory={folder / 'backends'}", "--exit-on-error=false",
             f"--http-port={self.http}", "--http-address=127.0.0.1", f"--grpc-port={self.grpc}",
             "--grpc-address=127.0.0.1", f"--metrics-port={self.metrics}",
             "--metrics-address=127.0.0.1", "--log-verbose=0"],
            env={**os.environ, "LD_LIBRARY_PATH": f"{home / 'external_libs'}:{home / 'lib'}:{build / 'lib'}"}, stdout=log, stderr=log)
        self.client = triton.InferenceServerClient(f"127.0.0.1:{self.http}", concurrency=16)
        while self.process.poll() is None:
            try:
                if self.client.is_model_ready(model):
                    return
            except Exception:  # nobody listens yet
                pass
        sys.exit(f"the server ended:\n{self.log.read_text()[-4000:]}")

    def count(self, name, model):
        """The counter of Prometheus."""
        text = urllib.request.urlopen(f"http://127.0.0.1:{self.metrics}/metrics").read().decode()
        return sum(int(float(v)) for v in re.findall(rf'^{name}{{model="{model}",version="1"}} (\S+)$', text, re.M))

    def end(self):
        self.client.close()
        self.process.terminate()
        return self.process.wait()
