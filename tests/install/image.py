#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The image of packaging/image.py and the manifests of packaging/kserve.json, without an engine and without a cluster.

    image.py BUILD SOURCE

The image is the same bytes twice, below 20 MB, its digests are those of its parts, and in its root alone, by chroot, the arguments of each container of
the manifests serve a model and answer its probes. The manifests have the fields that their kinds have; where kubernetes_validate is installed the
published schemas judge as well. Faults are planted. Skipped where nobody may change the root (neither root nor user namespaces).
"""
import copy
import gzip
import hashlib
import http.client
import io
import json
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import sys
import tarfile
import tempfile
import time

BUILD, SOURCE = (pathlib.Path(p).resolve() for p in sys.argv[1:3])
MOST_BYTES = 20_000_000
DIGITS = SOURCE / "examples/digits/digits.onnx"
# What may stand in an object, one level below another, of what the manifests use; "*": a name that somebody chose.
PROBE = {"httpGet": {"path": str, "port": int}, "periodSeconds": int}
AMOUNTS = {"cpu": str, "memory": str}
CONTAINER = {"name": str, "image": str, "args": [str], "ports": [{"name": str, "containerPort": int, "protocol": str}], "livenessProbe": PROBE,
             "readinessProbe": PROBE, "resources": {"requests": AMOUNTS, "limits": AMOUNTS},
             "securityContext": {"readOnlyRootFilesystem": bool, "allowPrivilegeEscalation": bool, "capabilities": {"drop": [str]}},
             "volumeMounts": [{"name": str, "mountPath": str, "readOnly": bool}]}
META = {"name": str, "labels": {"*": str}, "annotations": {"*": str}}
POD = {"terminationGracePeriodSeconds": int, "securityContext": {"runAsNonRoot": bool, "runAsUser": int}, "containers": [CONTAINER],
       "volumes": [{"name": str, "persistentVolumeClaim": {"claimName": str, "readOnly": bool}}]}
KINDS = {("apps/v1", "Deployment"): {"replicas": int, "selector": {"matchLabels": {"*": str}}, "template": {"metadata": META, "spec": POD}},
         ("v1", "Service"): {"selector": {"*": str}, "ports": [{"name": str, "port": int, "targetPort": int}]},
         ("serving.kserve.io/v1alpha1", "ServingRuntime"):
             {"protocolVersions": [str], "supportedModelFormats": [{"name": str, "version": str, "autoSelect": bool}], "containers": [CONTAINER]}}


def misfits(value, shape, where):
    if isinstance(shape, dict):
        if not isinstance(value, dict):
            return [f"{where}: no object"]
        return [m for k, v in value.items() for m in (misfits(v, shape[k if k in shape else "*"], f"{where}.{k}") if k in shape or "*" in shape
                                                      else [f"{where}: there is no field {k}"])]
    if isinstance(shape, list):
        return [m for i, v in enumerate(value) for m in misfits(v, shape[0], f"{where}[{i}]")] if isinstance(value, list) else [f"{where}: no list"]
    return [] if type(value) is shape else [f"{where}: no {shape.__name__}"]


def faults(manifest):
    found = []
    for item in manifest["items"]:
        shape = KINDS.get((item["apiVersion"], item["kind"]))
        if shape is None:
            found.append(f"kind {item['kind']} of {item['apiVersion']}")
            continue
        found += misfits({k: v for k, v in item.items() if k not in ("apiVersion", "kind")}, {"metadata": META, "spec": shape}, item["kind"])
    for container in containers(manifest):
        port = int(container["args"][container["args"].index("--port") + 1])
        for probe in ("livenessProbe", "readinessProbe"):
            if container.get(probe, {}).get("httpGet", {"port": port})["port"] != port:
                found.append(f"{container['name']}: {probe} asks another port than --port")
        if [p["containerPort"] for p in container["ports"]] != [port]:
            found.append(f"{container['name']}: another containerPort than --port")
    return found


def containers(manifest):
    for item in manifest["items"]:
        spec = item["spec"]
        yield from spec.get("containers", []) + spec.get("template", {}).get("spec", {}).get("containers", [])


def judge_by_schema(manifest):
    try:
        import kubernetes_validate
    except ImportError:
        return "fields by this test's own list"
    for item in manifest["items"]:
        if "kserve" not in item["apiVersion"]:
            kubernetes_validate.validate(item, kubernetes_validate.latest_version(), strict=True)
    return f"schemas of Kubernetes {kubernetes_validate.latest_version()}"


def unpack(image, root):
    """The layer in `root`, after every digest was looked at; the configuration."""
    with tarfile.open(image) as tar:
        parts = {m.name: tar.extractfile(m).read() for m in tar}

    def part(description):
        data = parts[f"blobs/{description['digest'].replace(':', '/')}"]
        if (len(data), f"sha256:{hashlib.sha256(data).hexdigest()}") != (description["size"], description["digest"]):
            sys.exit(f"{description['digest']} is another part")
        return data
    manifest = json.loads(part(json.loads(parts["index.json"])["manifests"][0]))
    config, data = json.loads(part(manifest["config"])), gzip.decompress(part(manifest["layers"][0]))
    if config["rootfs"]["diff_ids"] != [f"sha256:{hashlib.sha256(data).hexdigest()}"]:
        sys.exit("the layer is another one than the configuration says")
    with tarfile.open(fileobj=io.BytesIO(data)) as tar:
        tar.extractall(root)
    return config["config"]


def answers(root, entrypoint, container):
    """Do its arguments serve a model, from the image's root alone?"""
    args = list(container["args"])
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        port = s.getsockname()[1]
    args[args.index("--port") + 1] = str(port)
    folder = root / args[1].lstrip("/")
    folder.mkdir(parents=True, exist_ok=True)
    shutil.copy(DIGITS, folder / "digits.onnx")
    enter = ["chroot", str(root)] if os.geteuid() == 0 else ["unshare", "--map-root-user", "chroot", str(root)]
    server = subprocess.Popen([*enter, *entrypoint, *args], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env={"PATH": os.environ["PATH"]})
    server.stdout.readline()  # where it listens

    def ask(method, path, body=None):
        connection = http.client.HTTPConnection("127.0.0.1", port)
        connection.request(method, path, body)
        answer = connection.getresponse()
        return answer.status, answer.read()
    try:
        picture = {"name": "picture", "shape": [1, 1, 8, 8], "datatype": "FP32", "data": [0.5] * 64}
        while ask("GET", "/v2/health/ready")[0] == 503:
            time.sleep(0.01)
        for probe in filter(None, (container.get("livenessProbe"), container.get("readinessProbe"))):
            if ask("GET", probe["httpGet"]["path"])[0] != 200:
                sys.exit(f"{container['name']}: {probe} has no answer")
        status, body = ask("POST", "/v2/models/digits/infer", json.dumps({"inputs": [picture]}))
        if status != 200 or len(json.loads(body)["outputs"][0]["data"]) != 10:
            sys.exit(f"{container['name']}: {status} {body}")
    finally:
        server.send_signal(signal.SIGTERM)
        server.communicate()
    if server.returncode != 0:
        sys.exit(f"{container['name']}: the server ended with {server.returncode}")


def main():
    manifest = json.loads((SOURCE / "packaging/kserve.json").read_text())
    found = faults(manifest)
    if found:
        sys.exit("\n".join(found))
    for plant in (lambda m: m["items"][0]["spec"].update(replica=1), lambda m: next(containers(m))["ports"][0].update(containerPort=80),
                  lambda m: m["items"][1]["spec"]["ports"][0].update(port="80"), lambda m: m["items"][2].update(kind="Runtime")):
        planted = copy.deepcopy(manifest)
        plant(planted)
        if not faults(planted):
            sys.exit("a fault that was planted in the manifests is not seen")
    judged = judge_by_schema(manifest)
    if "without libmicrohttpd" in subprocess.run([BUILD / "bin/oribi", "serve", DIGITS, "--port", "x"], capture_output=True, text=True).stderr:
        print("skipped: the command was built without libmicrohttpd")
        sys.exit(77)
    if os.geteuid() != 0 and subprocess.run(["unshare", "--map-root-user", "true"], capture_output=True).returncode:
        print("skipped: nobody may change the root here, neither as root nor in a namespace of users")
        sys.exit(77)
    with tempfile.TemporaryDirectory() as work:
        work = pathlib.Path(work)
        for name in ("one.tar", "two.tar"):
            subprocess.run([sys.executable, SOURCE / "packaging/image.py", BUILD, work / name], check=True, stdout=subprocess.DEVNULL)
        size = (work / "one.tar").stat().st_size
        if (work / "one.tar").read_bytes() != (work / "two.tar").read_bytes():
            sys.exit("the same build twice gives other bytes")
        if size >= MOST_BYTES:
            sys.exit(f"the image has {size:,} bytes, not below {MOST_BYTES:,}")
        config = unpack(work / "one.tar", work / "root")
        for container in containers(manifest):
            answers(work / "root", config["Entrypoint"], container)
    print(f"image: {size:,} bytes; the manifests' containers serve from its root alone; {judged}")


main()
