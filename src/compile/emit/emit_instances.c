/* SPDX-License-Identifier: Apache-2.0 */
/* The C of an instance: its constants, the kernel's body, one function. emit_kernels.c gives it the
 * names of the model, as it does with all of micro/.
 */
#include "compile/emit/emit_parts.h"

static const char licence[] = "/* SPDX-License-Identifier: Apache-2.0 */\n";

static void declaration(const oribi_instance *instance, oribi_text *text, const char *end)
{
    oribi_text_printf(text,
                      "void oribi_micro_%s(const struct oribi_micro_%s_args *args,\n"
                      "    const int8_t *input, int8_t *output, void *scratch)%s",
                      instance->name, instance->costs->kernel, end);
}

void oribi_instance_source(const oribi_instance *instance, oribi_text *text)
{
    oribi_text_append(text, licence);
    oribi_text_printf(
        text,
        "/* %s for %s: what they have in common is\n"
        " * constant here, the arithmetic is that of any other. Made for this model.\n */\n",
        instance->costs->kernel, instance->what);
    for (int32_t i = 0; i < instance->shape.n_constants; i++) {
        oribi_text_printf(text, "#define ORIBI_MICRO_%s %d\n", instance->shape.constants[i].name,
                          (int)instance->shape.constants[i].value);
    }
    oribi_text_printf(text, "\n#include \"micro/%s.h\"\n\n#include \"micro/%s_body.h\"\n\n",
                      instance->name, instance->costs->kernel);
    declaration(instance, text, "\n{\n");
    oribi_text_printf(text, "    %s(args, input, output, scratch);\n}\n", instance->costs->body);
}

void oribi_instance_header(const oribi_instance *instance, oribi_text *text)
{
    oribi_text_append(text, licence);
    oribi_text_printf(text, "/* As %s, for %s. */\n", instance->costs->kernel, instance->what);
    oribi_text_printf(text, "#ifndef ORIBI_MICRO_INSTANCE_%s_H_\n", instance->name);
    oribi_text_printf(text, "#define ORIBI_MICRO_INSTANCE_%s_H_\n\n", instance->name);
    oribi_text_printf(text, "#include \"micro/%s_args.h\"\n\n", instance->costs->kernel);
    declaration(instance, text, ";\n\n#endif\n");
}
