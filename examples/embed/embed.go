// SPDX-License-Identifier: Apache-2.0

// Runs a model of one float input once, filled with 1s, and prints its first output: embed.c in Go.
//
//	go run embed.go digits.onnx
package main

// #cgo pkg-config: oribi
// #include <stdlib.h>
// #include <oribi/oribi.h>
import "C"

import (
	"errors"
	"fmt"
	"os"
	"unsafe"
)

// The call's failure, or nil.
func failure(status *C.TF_Status) error {
	if C.TF_GetCode(status) == C.TF_OK {
		return nil
	}
	return errors.New(C.GoString(C.TF_Message(status)))
}

// A view of the library's memory, as long as the tensor lives.
func floats(tensor *C.TF_Tensor) []float32 {
	return unsafe.Slice((*float32)(C.TF_TensorData(tensor)), C.TF_TensorElementCount(tensor))
}

func compute(path string) ([]float32, error) {
	status := C.TF_NewStatus()
	defer C.TF_DeleteStatus(status)
	name := C.CString(path)
	defer C.free(unsafe.Pointer(name))
	model := C.oribi_model_open(name, nil, status)
	if model == nil {
		return nil, failure(status)
	}
	defer C.oribi_model_destroy(model)
	session := C.oribi_session_create(model, nil, status)
	if session == nil {
		return nil, failure(status)
	}
	defer C.oribi_session_destroy(session)
	run := C.oribi_run_create(session, status)
	if run == nil {
		return nil, failure(status)
	}
	defer C.oribi_run_destroy(run)

	var dims [8]C.int64_t
	rank := C.oribi_model_input_shape(model, 0, &dims[0], 8)
	if C.oribi_model_input_type(model, 0) != C.TF_FLOAT || rank < 0 || rank > 8 {
		return nil, errors.New("the example fills float inputs of known rank")
	}
	in := C.oribi_run_make_input(run, 0, &dims[0], rank, status)
	if in == nil {
		return nil, failure(status)
	}
	defer C.TF_DeleteTensor(in)
	for i := range floats(in) {
		floats(in)[i] = 1
	}
	C.oribi_run_set_input(run, 0, in, status)
	if failure(status) == nil {
		C.oribi_run_execute(run, status)
	}
	if failure(status) != nil {
		return nil, failure(status)
	}
	out := C.oribi_run_output(run, 0, status)
	if out == nil {
		return nil, failure(status)
	}
	defer C.TF_DeleteTensor(out)
	return append([]float32(nil), floats(out)...), nil
}

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: embed MODEL")
		os.Exit(2)
	}
	values, err := compute(os.Args[1])
	if err != nil {
		fmt.Fprintln(os.Stderr, "embed:", err)
		os.Exit(1)
	}
	for _, value := range values {
		fmt.Printf("%g\n", value)
	}
}
