# SPDX-License-Identifier: Apache-2.0
"""Every operator that has cases, and how a case is made. tests/peer/tflite/cases_*.py hold them; a new
operator is one function there, and a line in schema.py."""
import cases_compressed
import cases_detect
import cases_landmarks
import cases_math
import cases_move
import cases_place
import cases_plain
import cases_signal
import cases_state
import cases_window
from build import COLUMNS, HYBRID, Builder, Skip

# Of what tests/peer/tflite/fuzz.py makes, these have vectors, too.
KEPT = """ABS EXP LOG ELU RSQRT EQUAL NOT_EQUAL LESS LESS_EQUAL GREATER GREATER_EQUAL SQUARED_DIFFERENCE
L2_NORMALIZATION SELECT_V2 DENSIFY DIV LOG_SOFTMAX CUMSUM ADD_N FLOOR_MOD FILL ZEROS_LIKE GATHER_ND SPACE_TO_BATCH_ND BATCH_TO_SPACE_ND REDUCE_MAX REDUCE_MIN BROADCAST_ARGS DETECTION_POSTPROCESS
DYNAMIC_UPDATE_SLICE REDUCE_PROD LOCAL_RESPONSE_NORMALIZATION CONV_3D_TRANSPOSE TRANSFORM_LANDMARKS
LANDMARKS_2_TRANSFORM_MATRIX LANDMARKS_2_TRANSFORM_MATRIX_V1 TRANSFORM_TENSOR_BILINEAR
ARG_MAX ARG_MIN BROADCAST_TO CEIL COS DEPTH_TO_SPACE EMBEDDING_LOOKUP FLOOR FLOOR_DIV L2_POOL_2D
LOGICAL_AND LOGICAL_NOT LOGICAL_OR NEG REDUCE_ALL REVERSE_V2 ROUND SIN SPACE_TO_DEPTH SQRT SQUARE""".split() + list(cases_signal.CASES) + list(cases_compressed.CASES)
ALL = {**cases_plain.CASES, **cases_detect.CASES, **cases_landmarks.CASES, **cases_signal.CASES, **cases_compressed.CASES, **cases_place.CASES, "QUANTIZE_WIDE": cases_math.quantize_wide}
CASES = {**cases_window.CASES, **cases_math.CASES, **cases_move.CASES, **cases_state.CASES,
         **{name: ALL[name] for name in KEPT}}
# These have vectors for host sessions alone (tests/vectors/host): there is no C of them.
HOST = """WHERE UNIQUE BUCKETIZE MATRIX_DIAG MATRIX_SET_DIAG UNSORTED_SEGMENT_SUM
UNSORTED_SEGMENT_PROD UNSORTED_SEGMENT_MAX UNSORTED_SEGMENT_MIN RFFT2D
NON_MAX_SUPPRESSION_V4 NON_MAX_SUPPRESSION_V5 CONV_3D""".split() + ["MAX_POOLING_WITH_ARGMAX_2D", "MAX_UNPOOLING_2D", "RANDOM_UNIFORM",
                                                             "RANDOM_STANDARD_NORMAL", "MULTINOMIAL"]
FUZZED = {name: case for name, case in ALL.items() if name not in KEPT}
COUNT = 26  # tried for each operator and element type; at least LEAST must be answered
LEAST = 20
# Floats that our own expf and sums in another order leave apart: {operator: (absolute, relative)}.
TOLERANCES = {"COS": (1.2e-7, 2e-7), "SIN": (1.2e-7, 2e-7), "ROUND": (1e-30, 0.0),  # ROUND: of another sign is nought alone
              "ELU": (0.0, 4e-7), "EXP": (0.0, 4e-7), "LOG": (1e-7, 4e-7), "L2_NORMALIZATION": (0.0, 6e-7), "LOG_SOFTMAX": (1e-6, 1e-6), "LOCAL_RESPONSE_NORMALIZATION": (1e-6, 4e-6), "NON_MAX_SUPPRESSION_V5": (1e-6, 1e-6),
              "DETECTION_POSTPROCESS": (1e-6, 1e-6), "REDUCE_PROD": (1e-6, 2e-6), "LANDMARKS_2_TRANSFORM_MATRIX": (2e-3, 2e-5), "LANDMARKS_2_TRANSFORM_MATRIX_V1": (1e-3, 2e-5), "TRANSFORM_LANDMARKS": (4e-6, 2e-6),
              "TRANSFORM_TENSOR_BILINEAR": (4e-6, 4e-6),
              "RSQRT": (0.0, 2e-7), "RANDOM_STANDARD_NORMAL": (4e-7, 8e-7), "RNN": (1e-6, 1e-6), "UNIDIRECTIONAL_SEQUENCE_RNN": (4e-6, 2e-6),
              "BIDIRECTIONAL_SEQUENCE_RNN": (4e-6, 2e-6), "LSTM": (4e-7, 1e-6), "BIDIRECTIONAL_SEQUENCE_LSTM": (1e-6, 2e-6), "RFFT2D": (2e-5, 2e-6), "CONV_3D": (4e-6, 2e-6), "CONV_3D_TRANSPOSE": (4e-6, 2e-6), "SIGNAL_RFFT": (2e-5, 2e-6), "SIGNAL_IRFFT": (2e-6, 2e-6), "LOGISTIC": (0.0, 4e-7), "SOFTMAX": (0.0, 6e-7),
              "SVDF": (2e-5, 2e-6), "TANH": (0.0, 4e-7), "UNIDIRECTIONAL_SEQUENCE_LSTM": (4e-7, 1e-6)}


def stem(operator, column):
    return f"{operator.lower()}_{column}"


def make(operator, column, index):
    """A Builder that holds the case, or None when there is none of that number."""
    builder = Builder(operator, column, index)
    if column == "f32":
        builder.atol, builder.rtol = TOLERANCES.get(operator, (0.0, 0.0))
    elif column == HYBRID:  # sums of integers there, of floats here
        builder.atol, builder.rtol = 4e-5, 1e-5
    try:
        {**CASES, **FUZZED}[operator](builder)
    except Skip:
        return None
    return builder


def try_make(operator, column, index):
    """The same for element types that the case was not written for: None where it cannot be built."""
    try:
        return make(operator, column, index)
    except (KeyError, ValueError, TypeError):
        return None


def make_all(operator, column):
    """[(number, Builder)]; numbers go on behind COUNT where some do not exist."""
    out, index = [], 0
    while len(out) < COUNT and index < 3 * COUNT:
        builder = try_make(operator, column, index)
        if builder is not None:
            out.append((index, builder))
        index += 1
    return out


__all__ = ["CASES", "COLUMNS", "COUNT", "FUZZED", "HOST", "LEAST", "make", "make_all", "stem"]
