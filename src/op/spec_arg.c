/* SPDX-License-Identifier: Apache-2.0 */
/* One input or output spec: name ":" type, "N * T", list(type) attribute, Ref(...). Attributes are
 * parsed before; an attribute that gives a length gets the minimum 1 here unless it has one.
 */
#include <string.h>

#include "op/spec.h"

static void give_default_minimum(oribi_attr_def *attr)
{
    if (!attr->has_minimum) {
        attr->has_minimum = true;
        attr->minimum = 1;
    }
}

static bool unknown_attr(oribi_spec *spec, oribi_span name)
{
    return oribi_spec_fail(spec, "Reference to unknown attr '%.*s'", (int)name.length, name.data);
}

static bool wrong_attr(oribi_spec *spec, const oribi_attr_def *attr, const char *wanted)
{
    if (attr->kind == ORIBI_ATTR_KIND_BROKEN) {
        return false; /* its own message is there already */
    }
    return oribi_spec_fail(spec, "Reference to attr '%s' with type %s that isn't %s", attr->name,
                           oribi_attr_kind_name(attr->kind, attr->is_list), wanted);
}

static bool resolve_number(oribi_spec *spec, oribi_span name, oribi_arg_def *out)
{
    oribi_attr_def *attr = oribi_spec_find_attr(spec, name);
    if (attr == NULL) {
        return unknown_attr(spec, name);
    }
    if (attr->kind != TF_ATTR_INT || attr->is_list) {
        return wrong_attr(spec, attr, "int");
    }
    give_default_minimum(attr);
    out->number_attr = attr->name;
    return true;
}

static bool resolve_type(oribi_spec *spec, oribi_span name, oribi_arg_def *out)
{
    out->type = oribi_dtype_parse(name.data, name.length);
    if (out->type != 0) {
        return true;
    }
    oribi_attr_def *attr = oribi_spec_find_attr(spec, name);
    if (attr == NULL) {
        return unknown_attr(spec, name);
    }
    if (attr->kind != TF_ATTR_TYPE || (attr->is_list && out->number_attr != NULL)) {
        return wrong_attr(spec, attr, out->number_attr != NULL ? "type" : "type or list(type)");
    }
    if (attr->is_list) {
        give_default_minimum(attr);
        out->type_list_attr = attr->name;
    } else {
        out->type_attr = attr->name;
    }
    return true;
}

static bool scan_word(oribi_spec *spec, const char **at, oribi_span *out)
{
    if (!oribi_scan_name(at, false, out)) {
        return oribi_spec_fail(spec, "Trouble parsing either a type or an attr name at '%s'", *at);
    }
    oribi_scan_spaces(at);
    return true;
}

static bool parse_type(oribi_spec *spec, const char **at, oribi_arg_def *out)
{
    oribi_span first, second;
    ORIBI_TRY(scan_word(spec, at, &first));
    if (!oribi_scan_literal(at, "*")) {
        return resolve_type(spec, first, out);
    }
    oribi_scan_spaces(at);
    ORIBI_TRY(scan_word(spec, at, &second));
    return resolve_number(spec, first, out) && resolve_type(spec, second, out);
}

/* "Ref" only opens a reference when '(' follows; an attribute may be called Ref. */
static bool scan_ref(const char **at)
{
    const char *c = *at;
    ORIBI_TRY(oribi_scan_literal(&c, "Ref"));
    oribi_scan_spaces(&c);
    if (!oribi_scan_literal(&c, "(")) {
        return false;
    }
    oribi_scan_spaces(&c);
    *at = c;
    return true;
}

bool oribi_spec_parse_arg(oribi_spec *spec, oribi_arg_def *out)
{
    const char *at = spec->text;
    *out = (oribi_arg_def){.name = "", .description = ""};
    ORIBI_TRY(oribi_spec_scan_name(spec, &at, true, "name", &out->name));
    out->is_ref = scan_ref(&at);
    ORIBI_TRY(parse_type(spec, &at, out));
    if (out->is_ref) {
        if (!oribi_scan_literal(&at, ")")) {
            return oribi_spec_fail(spec, "Did not find closing ')' for 'Ref(', instead found: '%s'",
                                   at);
        }
        oribi_scan_spaces(&at);
    }
    if (*at != '\0') {
        return oribi_spec_fail(spec, "Extra '%s' unparsed at the end", at);
    }
    return true;
}
