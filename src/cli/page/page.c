/* SPDX-License-Identifier: Apache-2.0 */
/* What do the command's pages have in common? Frame, style, tables, and a script that searches and
 * sorts. The policy in the head allows this style and this script, and nothing from elsewhere.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "format/utf8.h"
#include "page/page.h"

static const char *const style[] = {
    ":root{--bg:#fbfbfa;--card:#fff;--ink:#1d2429;--soft:#66727c;--line:#e2e5e8;--grid:#eceef0;"
    "--mark:#ffefd1;--a:#3b6fb6;--b:#1f9d8a;--c:#d98a1f;--d:#8a5cc2;--e:#c2577f;--f:#8d99a3}\n",
    "@media(prefers-color-scheme:dark){:root{--bg:#14181b;--card:#1c2125;--ink:#e6eaed;"
    "--soft:#97a3ac;--line:#30373d;--grid:#272d32;--mark:#4a3a14;--a:#6d9de0;--b:#45c2ae;"
    "--c:#eaa94d;--d:#b08ae0;--e:#e0829f;--f:#7f8b95}}\n",
    "*{box-sizing:border-box}body{margin:0 auto;max-width:1180px;padding:28px 32px 64px;"
    "background:var(--bg);color:var(--ink);font:14px/1.5 system-ui,'Noto Sans','DejaVu Sans',"
    "sans-serif;font-variant-numeric:tabular-nums}h1{font-size:15px;letter-spacing:.08em;"
    "text-transform:uppercase;color:var(--soft);margin:0}h2{font-size:18px;margin:32px 0 6px}\n",
    ".title{font-size:26px;font-weight:600;margin:4px 0;overflow-wrap:anywhere}.sub,.more,.label{"
    "color:var(--soft);font-size:12.5px;overflow-wrap:anywhere}.tiles{display:grid;gap:12px;margin:"
    "18px 0;grid-template-columns:repeat(auto-fit,minmax(160px,1fr))}.tile,.scroll,details{"
    "background:var(--card);border:1px solid var(--line);border-radius:8px}.tile{padding:10px "
    "14px}.big{font-size:22px;font-weight:600;white-space:nowrap}\n",
    ".scroll{overflow:auto;max-height:70vh}table{border-collapse:collapse;width:100%}th{font-size:"
    "12px;color:var(--soft);text-align:left;position:sticky;top:0;background:var(--card);cursor:"
    "pointer}td,th{padding:5px 10px;vertical-align:top;border-bottom:1px solid var(--grid)}.n{"
    "text-align:right;white-space:nowrap}th.n{text-align:right}.name{overflow-wrap:anywhere;"
    "min-width:180px}.meter{display:block;height:4px;width:72px;margin:3px 0 0 auto;background:"
    "var(--grid);border-radius:2px}.meter i{display:block;height:4px;border-radius:2px;"
    "background:var(--a)}\n",
    "input{font:inherit;color:inherit;background:var(--card);border:1px solid var(--line);"
    "border-radius:8px;padding:6px 12px;width:100%;max-width:420px}.off{display:none}"
    "tr:target td{background:var(--mark)}a{color:inherit}svg{display:block;font:11px "
    "system-ui,'DejaVu Sans',sans-serif}svg text{fill:var(--ink)}svg .soft{fill:var(--soft)}svg "
    ".grid{stroke:var(--grid)}svg .edge{stroke:var(--soft);fill:none;opacity:.55}svg "
    ".off{display:block;opacity:.12}\n",
    ".part{fill:var(--grid)}.buffer{stroke:var(--card);fill-opacity:.8}"
    ".ka{fill:var(--a)}.kb{fill:var(--b)}.kc{fill:var(--c)}.kd{fill:var(--d)}.ke{fill:var(--e)}"
    ".kf{fill:var(--f)}details{padding:6px 12px;margin:6px 0}summary{cursor:pointer}"
    "summary .n{float:right;color:var(--soft)}\n",
    NULL};

static const char *const script[] = {
    "'use strict';\n"
    "const find=document.getElementById('find');\n"
    "if(find)find.addEventListener('input',()=>{const "
    "words=find.value.toLowerCase().split(/\\s+/).filter(w=>w);\n"
    "for(const e of document.querySelectorAll('tbody tr,.find')){const "
    "t=e.textContent.toLowerCase();\n"
    "e.classList.toggle('off',!words.every(w=>t.includes(w)));}\n"
    "for(const d of document.querySelectorAll('details'))if(words.length)d.open=true;});\n",
    "for(const head of document.querySelectorAll('th'))head.addEventListener('click',()=>{\n"
    "const at=head.cellIndex,body=head.closest('table').tBodies[0],down=head.dataset.down!=='1';\n"
    "head.dataset.down=down?'1':'0';\n"
    "const key=r=>{const t=r.cells[at].textContent;return head.className==='n'?"
    "(parseFloat(t.replace(/\\u2009/g,''))||0):t;};\n"
    "const rows=[...body.rows].sort((a,b)=>{const x=key(a),y=key(b);return(x<y?-1:x>y?1:0)*"
    "(down?-1:1);});\n"
    "for(const r of rows)body.append(r);});\n",
    NULL};

void page_text(oribi_text *text, const char *string)
{
    oribi_text shown = {0};

    oribi_utf8_show(&shown, string, strlen(string)); /* no byte that is no UTF-8, no control */
    for (const char *at = oribi_text_string(&shown); *at != 0; at++) {
        switch (*at) {
        case '<':
            oribi_text_append(text, "&lt;");
            break;
        case '>':
            oribi_text_append(text, "&gt;");
            break;
        case '&':
            oribi_text_append(text, "&amp;");
            break;
        case '"':
            oribi_text_append(text, "&quot;");
            break;
        case '\'':
            oribi_text_append(text, "&#39;");
            break;
        default:
            oribi_text_append_n(text, at, 1);
        }
    }
    text->failed = text->failed || shown.failed;
    oribi_text_destroy(&shown);
}

/* Thin spaces between groups of three digits. */
void page_number(oribi_text *text, double whole)
{
    char digits[64];
    const int n = snprintf(digits, sizeof digits, "%.0f",
                           whole < 0      ? 0
                           : whole > 1e18 ? 1e18
                                          : whole);

    for (int i = 0; i < n; i++) {
        if (i > 0 && (n - i) % 3 == 0) {
            oribi_text_append(text, "&#8201;");
        }
        oribi_text_append_n(text, &digits[i], 1);
    }
}

void page_number_cell(oribi_text *text, double whole)
{
    oribi_text_append(text, "<td class=\"n\">");
    page_number(text, whole);
    oribi_text_append(text, "</td>");
}

void page_meter(oribi_text *text, double share)
{
    const double percent = share < 0 ? 0 : share > 1 ? 100 : 100 * share;
    oribi_text_printf(text, "<span class=\"meter\"><i style=\"width:%.0f%%\"></i></span>", percent);
}

void page_begin(oribi_text *text, const char *what, const char *title)
{
    oribi_text_append(text,
                      "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n<meta "
                      "name=\"viewport\" content=\"width=device-width\">\n<meta "
                      "http-equiv=\"Content-Security-Policy\" content=\"default-src &#39;none&#39;;"
                      " style-src &#39;unsafe-inline&#39;; script-src &#39;unsafe-inline&#39;\">\n"
                      "<title>");
    page_text(text, title);
    oribi_text_append(text, "</title>\n<style>\n");
    for (int i = 0; style[i] != NULL; i++) {
        oribi_text_append(text, style[i]);
    }
    oribi_text_printf(text, "</style></head>\n<body>\n<h1>%s</h1>\n<div class=\"title\">", what);
    page_text(text, title);
    oribi_text_printf(text, "</div>\n<p class=\"sub\">version %s</p>\n", oribi_version());
}

void page_end(oribi_text *text)
{
    oribi_text_append(text, "<script>\n");
    for (int i = 0; script[i] != NULL; i++) {
        oribi_text_append(text, script[i]);
    }
    oribi_text_append(text, "</script>\n</body></html>\n");
    if (text->failed) {
        cli_no_memory(text->length);
    }
}

void page_tiles_begin(oribi_text *text)
{
    oribi_text_append(text, "<div class=\"tiles\">\n");
}

void page_tile(oribi_text *text, const char *label, double number, const char *unit,
               const char *more)
{
    oribi_text_printf(text, "<div class=\"tile\"><div class=\"label\">%s</div><div class=\"big\">",
                      label);
    if (number == floor(number)) {
        page_number(text, number);
    } else {
        oribi_text_printf(text, "%.4g", number);
    }
    oribi_text_printf(text,
                      " <span class=\"more\">%s</span></div><div class=\"more\">%s</div></div>\n",
                      unit, more);
}

void page_tiles_end(oribi_text *text)
{
    oribi_text_append(text, "</div>\n");
}

void page_search(oribi_text *text)
{
    oribi_text_append(text, "<input id=\"find\" type=\"search\" placeholder=\"search names and "
                            "ops\" aria-label=\"search\">\n");
}

void page_table_begin(oribi_text *text, const char *id, const char *const *heads)
{
    oribi_text_printf(text, "<div class=\"scroll\"><table id=\"%s\"><thead><tr>", id);
    for (int i = 0; heads[i] != NULL; i++) {
        const bool is_number = heads[i][0] == '-';
        oribi_text_printf(text, "<th%s>%s</th>", is_number ? " class=\"n\"" : "",
                          heads[i] + is_number);
    }
    oribi_text_append(text, "</tr></thead><tbody>\n");
}

void page_table_end(oribi_text *text)
{
    oribi_text_append(text, "</tbody></table></div>\n");
}
