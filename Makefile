# SPDX-License-Identifier: Apache-2.0
# Thin face over CMake: installs what is missing, configures, builds. `make help` lists the targets.
PRESET   ?= release
JOBS     ?= $(shell nproc)
PREFIX   ?= /usr/local
DESTDIR  ?=
BUILD     = $(if $(filter release,$(PRESET)),build,build/$(PRESET))
VENV      = build/venv

.PHONY: help deps build demo test test-all test-asan test-tsan test-clang bench bench-mcu bench-gpu lint format fuzz install packages tarball wheel amalgamation clean
.DEFAULT_GOAL := help

help:
	@echo "make build     configure and build; the command is build/bin/oribi"
	@echo "make demo      classify digit pictures, run an op and a device of plugins"
	@echo "make test      everything that CI runs: gcc, clang, ASan+UBSan, lint, install"
	@echo "make test-all  the same with every case of what make test takes samples of"
	@echo "make bench     speed and memory against named peers (docs/reference/performance.md)"
	@echo "make bench-mcu instructions, code and memory on Cortex-M0, M3, M4 in QEMU against TFLite Micro"
	@echo "make bench-gpu tests on an NVIDIA GPU, and models there beside PyTorch or ONNX Runtime"
	@echo "make lint      clang-format, layering, house rules"
	@echo "make fuzz      libFuzzer on the model readers and the compiler, 20 minutes each (SECONDS_EACH=n)"
	@echo "make install   PREFIX=/usr/local DESTDIR="
	@echo "make wheel     Python's wheels for x86-64 and arm64 into build/wheel/out (docs/guide/python.md)"
	@echo "make amalgamation  oribi.c and oribi.h in build/amalgamation (docs/reference/packages.md)"
	@echo "make packages  .debs and the header tarball into build/packages/out (docs/reference/packages.md)"
	@echo "make tarball   the committed tree as build/packages/out/oribi-VERSION.tar.gz"

# What a task needs, from Debian's packages; where there are none it says so and the task goes on.
deps:
	@tools/install-deps.sh test

OPTIONS   = -DORIBI_BUILD_TESTS=OFF -DORIBI_BUILD_BENCH=OFF
configure = { cmake --preset $(PRESET) $(OPTIONS) >build-$(PRESET).log 2>&1 || \
	{ cat build-$(PRESET).log; exit 1; }; } && rm -f build-$(PRESET).log

build:
	@tools/install-deps.sh build
	@$(configure)
	@cmake --build $(BUILD) -j$(JOBS)

demo:
	@tools/install-deps.sh demo
	@$(configure)
	@cmake --build $(BUILD) -j$(JOBS) --target oribi_command oribi_plugin_probe
	@examples/demo.sh $(BUILD)

test: deps
	@tests/run-all.sh $(JOBS)

test-all: deps
	@ORIBI_TEST_FULL=1 tests/run-all.sh $(JOBS)

bench-gpu: OPTIONS =
bench-gpu: deps build
	@python3 bench/gpu.py --build $(BUILD)

bench-mcu: deps build
	@python=$$(command -v /usr/bin/python3 || command -v python3); $$python bench/mcu.py --oribi $(BUILD)/bin/oribi | bench/page.py bench-mcu --counted

bench: OPTIONS = -DORIBI_BUILD_TESTS=OFF -DORIBI_BUILD_BENCH=ON
bench: deps build
	@bench/tables.py --build $(BUILD)

lint: deps
	@tests/lint/run.sh

format:
	@git ls-files '*.c' '*.h' '*.hpp' '*.cc' '*.def' | xargs clang-format-14 -i

fuzz: deps
	@tests/fuzz/run.sh

install: build
	@DESTDIR=$(DESTDIR) cmake --install $(BUILD) --prefix $(PREFIX)

packages:
	@tools/install-deps.sh packages
	@packaging/deb.sh build/packages/out

# The committed tree, in bytes that depend on nothing else.
tarball:
	@mkdir -p build/packages/out
	@version=$$(sed -n 's/^project(oribi VERSION \([0-9.]*\).*/\1/p' CMakeLists.txt) && \
		git archive --format=tar --prefix=oribi-$$version/ HEAD | gzip -n9 >build/packages/out/oribi-$$version.tar.gz

# One compiler for both, which also has the headers and symbols of an old glibc: PyPI's ziglang.
wheel:
	@tools/install-deps.sh build
	@[ -x build/wheel/venv/bin/python ] || python3 -m venv build/wheel/venv
	@build/wheel/venv/bin/python -m pip install -q --disable-pip-version-check ziglang auditwheel
	@JOBS=$(JOBS) build/wheel/venv/bin/python python/oribi_wheel.py make build/wheel/out

# The library in two files.
amalgamation:
	@python3 tools/amalgamate.py build/amalgamation

clean:
	@rm -rf build
