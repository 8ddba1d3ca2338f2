/* SPDX-License-Identifier: Apache-2.0 */
/* What an op says of itself, so that the host may rearrange, fold and share work around it as it
 * does around its own ops. Without traits nothing is assumed. Reference:
 * docs/reference/op-traits.md.
 *
 * A plugin that must also load in TensorFlow or in older hosts defines TF_CAPI_WEAK before
 * including this header and tests the function's address.
 */
#ifndef ORIBI_TENSORFLOW_C_OP_TRAITS_H_
#define ORIBI_TENSORFLOW_C_OP_TRAITS_H_

#include "tensorflow/c/ops.h"

#ifdef __cplusplus
extern "C" {
#endif

#if ORIBI_HAS_CONTRACT(1, 3)
/* Declares one trait of the op, in any order with inputs and attributes, as often as wanted:
 *
 *     TF_OpDefinitionBuilderAddTrait(builder, "elementwise");
 *     TF_OpDefinitionBuilderAddTrait(builder, "reduces(input, axes, keep_dims)");
 *     TF_OpDefinitionBuilderAddTrait(builder, "elementwise(x) if is_training = false");
 *
 *     trait      word [ "(" name { "," name } ")" ] [ "if" condition { "and" condition } ]
 *     condition  attribute ( "=" | "!=" ) ( integer | true | false | 'text' | type | attribute )
 *                or size(attribute) ( "=" | "!=" ) size(attribute), of types
 *
 * Names are inputs and attributes of the op. Where a word names the data (x below), all words of an
 * op name the same. Each is a claim about the first output, unless it says otherwise:
 *
 *   elementwise[(x, ..)]       each element depends only on those in its place of x, which may be
 *                              several inputs side by side that broadcast; without names, of all
 *   identity[(x)]              the output is x: elementwise, and a view
 *   view[(x)]                  the elements of x in their order and type, in another shape
 *   rearranges[(x)]            each element of x is in the output once
 *   moves[(x, ..)]             each element is one of x; which one does not depend on any of them
 *   permutes(x, perm)          axis i is axis perm[i] of x
 *   reduces(x, axes[, keep])   each element depends on those of x that differ from its place in
 *                              `axes` alone (an input: a vector or one axis). These axes are left
 *                              out, or are 1 where the attribute `keep` is true
 *   along(x, axis)             each line along one axis depends on the same line of x alone. axis:
 *                              an input, an integer attribute, or a number
 *   vectors(where, a, ..)      beside elementwise(x): a and the others have one element, or one
 *                              for each index of an axis of x. where: an integer attribute that
 *                              has the axis, or a string like data_format whose C is the axis
 *   pads(x, paddings[, value]) x, with paddings [rank, 2] elements around it: of `value`, else
 *                              zeros, or, where the op also says moves, elements of x
 *   tiles(x, multiples)        x, repeated multiples[i] times along axis i
 *   slices(x, begin, size)     the block of x that begins there; size -1 is the rest
 *   strides(x, begin, end, strides)  as StridedSlice does, whose masks are attributes
 *   joins(x, axis)             the parts x one behind the other. axis: an input or an attribute
 *   splits(x, axis)            all outputs, joined along the axis, are x
 *   stacks(x, axis)            the parts x, equal in shape, along a new axis
 *   gathers(x, indices, axis)  of x those slices along the axis that the indices name
 *   fills(dims, x)             that shape, each element is the one of x
 *   tells(x, what)             what is `shape`, `size` or `rank` of x
 *   computes(formula)          the inputs' `sum`, or of the first two their `difference`,
 *                              `product` or `quotient` (of integers that are not negative, rounded
 *                              down), or of the first, `relu`: at least 0; `relu6`: and at most 6;
 *                              `clip`: at least the second and at most the third
 *   packs(w, ..)               kernels keep a packed copy of these inputs where they are constant
 *   cost(kind, w)              each element is a sum of products with elements of w, as many as w
 *                              has for each channel (last axis, or C of data_format) of the output:
 *                              kind `conv`; for each column, in a matrix of w: kind `matmul`
 *   batch(x, ..)               axis 0 of the output counts images: what it has of one depends on
 *                              that one alone of those of these inputs that have as many axes, and
 *                              as long an axis 0. Since 1.4
 *   parameters(a, ..)          the output's shape depends on the values of these inputs and on no
 *                              other. axes, perm, paddings, multiples, begin, size, dims are such
 *
 * identity, view and permutes say rearranges as well; that, tiles, slices, strides, joins, splits,
 * stacks, gathers and fills say moves.
 *
 * A trait that does not hold makes wrong results of right models: `oribi plugin test` tries each.
 * Where an op is defined twice, the traits of the first definition count; traits are no part of an
 * op's identity.
 *
 * Owns     spec is copied. NULL builder: nothing happens.
 * Context  between TF_NewOpDefinitionBuilder and TF_RegisterOpDefinition.
 * Errors   never fails; TF_RegisterOpDefinition reports all mistakes with INVALID_ARGUMENT.
 * Since    1.3
 */
TF_CAPI_EXPORT extern void TF_OpDefinitionBuilderAddTrait(TF_OpDefinitionBuilder *builder,
                                                          const char *spec);

/* The op computes what a chain or a formula of nodes computes, and is chosen in their place when a
 * model is optimised. A chain is nodes each read by the next one alone:
 *
 *     TF_OpDefinitionBuilderAddFusion(builder, "Vendor>Conv BiasAdd Relu|Relu6?");
 *
 *   words       names of ops, with spaces between them. Behind the first, `A|B` is one of several
 *               ops, and a word with `?` may be missing. BiasAdd is any sum with a constant of one
 *               number for each index of the last axis; `BiasAdd=0`: zeros where there is none.
 *               Add is any sum with a tensor of the same shape. Other words are that op alone; its
 *               data is input 0, or either one where the op is commutative
 *   planes:Conv as the first word: input 0 of that node is a picture of 1 to 4 planes (NCHW) that a
 *               Transpose turned into pixels (NHWC) for it alone. The op reads the planes, and the
 *               chain may be that one node. Since 1.4
 *   inputs      of the op: those of the first node, then what each next one reads besides
 *   attributes  of the op: those of the first node by their names, those of a next one with its
 *               op in front, as in "leakyrelu_alpha"; where one is missing, the node must have its
 *               default. fused_ops (list of the words), activation_mode (the last word) and
 *               num_args are set where the op has them. A chain with `|`, `?` or `=0` needs the
 *               first or the second
 *   choice      the longest chain, a plugin's op before a built-in one. There must be a kernel of
 *               the op; where a kernel of the chain is a plugin's, one of that plugin
 *
 * A formula begins with the op's inputs in brackets:
 *
 *     TF_OpDefinitionBuilderAddFusion(builder, "(x) = Mul(x, Sigmoid(Mul(x, @alpha)))");
 *
 *   Add, Sub, Mul, Div, Square, Sqrt, Rsqrt
 *               sums and products, with as many operands as wanted: whatever nodes compute them, in
 *               any order (Div by a constant for Mul, Pow for Square, Mul of x and x, ...)
 *   Mean        of the last axis, which is kept
 *   other names that op alone; its inputs in their order, or in any where it is commutative
 *   numbers     constants of one element, within 1e-6
 *   @attr       a constant of one element, which becomes this float attribute of the op. A number
 *               that a product or a sum leaves out is 1 or 0
 *   ; attr = word
 *               behind the formula: a text attribute that is set to the word
 *   inputs      of the op: in the order in the brackets; where the last one is a list, the rest
 *   choice      float values; nobody reads what lies between. An op that is not elementwise takes
 *               its inputs behind the first as vectors along the first one's last axis
 *
 * May be called several times. As with traits, the first definition of an op counts, and fusions
 * are no part of its identity.
 *
 * Owns     chain is copied. NULL builder: nothing happens.
 * Errors   never fails; TF_RegisterOpDefinition reports all mistakes with INVALID_ARGUMENT.
 * Since    1.3
 */
TF_CAPI_EXPORT extern void TF_OpDefinitionBuilderAddFusion(TF_OpDefinitionBuilder *builder,
                                                           const char *chain);

/* The op is what nodes of a model that call an operator so become, in these versions of it. Ops of
 * other names may serve other versions, with other inputs and attributes:
 *
 *     TF_OpDefinitionBuilderServes(first, "com.acme", "Gate", 1, 6);
 *     TF_OpDefinitionBuilderServes(second, "com.acme", "Gate", 7, 0);
 *
 *   domain    an ONNX domain, "" for ONNX's own; "tflite": a custom operator of TFLite
 *   version   in ONNX what the model imports of the domain (its opset), in TFLite the operator's.
 *             since and until are both included; until 0: no end
 *
 * Goes before an op that has the operator's name (com.acme and Gate: "Com>Acme>Gate"), and behind
 * the translations that the host itself has of standard operators. An op that serves several
 * versions reads which one it is from an attribute `since_version: int`, where it declares one. Of
 * no part in an op's identity: where it is defined twice, the first definition counts.
 *
 * Owns     domain and operator_name are copied. NULL builder: nothing happens.
 * Context  between TF_NewOpDefinitionBuilder and TF_RegisterOpDefinition; any number of times.
 * Errors   never fails; TF_RegisterOpDefinition says INVALID_ARGUMENT of an empty name or range,
 *          ALREADY_EXISTS when another op serves one of the versions. A model whose version nobody
 *          serves is refused with the versions that are.
 * Since    1.3
 */
TF_CAPI_EXPORT extern void TF_OpDefinitionBuilderServes(TF_OpDefinitionBuilder *builder,
                                                        const char *domain,
                                                        const char *operator_name, int since,
                                                        int until);
#endif /* 1.3 */

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* ORIBI_TENSORFLOW_C_OP_TRAITS_H_ */
