// SPDX-License-Identifier: Apache-2.0
// Runs a model of one float input once, filled with 1s, and prints its first output: embed.c in
// Rust. `mod oribi` is what bindgen makes of oribi/oribi.h: docs/guide/run-in-c.md.
#[allow(dead_code, non_camel_case_types, non_snake_case, non_upper_case_globals)]
mod oribi;

use oribi::*;
use std::ffi::{CStr, CString};

/// A handle and the function of C that takes it back.
struct Owned<T>(*mut T, unsafe extern "C" fn(*mut T));

impl<T> Drop for Owned<T> {
    fn drop(&mut self) {
        unsafe { (self.1)(self.0) }
    }
}

/// The call's failure, or nothing.
fn check(status: &Owned<TF_Status>) -> Result<(), String> {
    if unsafe { TF_GetCode(status.0) } == TSL_Code_TSL_OK {
        return Ok(());
    }
    Err(unsafe { CStr::from_ptr(TF_Message(status.0)) }.to_string_lossy().into_owned())
}

/// A view of the library's memory.
unsafe fn floats(tensor: &Owned<TF_Tensor>) -> &mut [f32] {
    let count = TF_TensorElementCount(tensor.0) as usize;
    std::slice::from_raw_parts_mut(TF_TensorData(tensor.0) as *mut f32, count)
}

unsafe fn compute(path: &str) -> Result<Vec<f32>, String> {
    let none = std::ptr::null();
    let status = Owned(TF_NewStatus(), TF_DeleteStatus);
    let name = CString::new(path).map_err(|e| e.to_string())?;
    let model = Owned(oribi_model_open(name.as_ptr(), none, status.0), oribi_model_destroy);
    check(&status)?;
    let session = Owned(oribi_session_create(model.0, none, status.0), oribi_session_destroy);
    check(&status)?;
    let run = Owned(oribi_run_create(session.0, status.0), oribi_run_destroy);
    check(&status)?;

    let mut dims = [0i64; 8];
    let rank = oribi_model_input_shape(model.0, 0, dims.as_mut_ptr(), 8);
    if oribi_model_input_type(model.0, 0) != TF_DataType_TF_FLOAT || !(0..=8).contains(&rank) {
        return Err("the example fills float inputs of known rank".to_string());
    }
    let input = Owned(oribi_run_make_input(run.0, 0, dims.as_ptr(), rank, status.0), TF_DeleteTensor);
    check(&status)?;
    floats(&input).fill(1.0);
    oribi_run_set_input(run.0, 0, input.0, status.0);
    check(&status)?;
    oribi_run_execute(run.0, status.0);
    check(&status)?;
    let output = Owned(oribi_run_output(run.0, 0, status.0), TF_DeleteTensor);
    check(&status)?;
    Ok(floats(&output).to_vec())
}

fn main() {
    let path = std::env::args().nth(1).expect("usage: embed MODEL");
    match unsafe { compute(&path) } {
        Ok(values) => values.iter().for_each(|value| println!("{value}")),
        Err(message) => {
            eprintln!("embed: {message}");
            std::process::exit(1);
        }
    }
}
