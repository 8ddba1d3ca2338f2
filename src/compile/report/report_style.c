/* SPDX-License-Identifier: Apache-2.0 */
/* The style of the page of a report: light, or dark where the reader prefers it. */
#include "compile/report/report.h"

const char *const oribi__report_style[] = {
    ":root{--bg:#fbfbfa;--card:#fff;--ink:#1d2429;--soft:#66727c;--line:#e2e5e8;--grid:#eceef0;"
    "--peak:#ffefd1;--focus:#d9480f;--k0:#3b6fb6;--k1:#1f9d8a;--k2:#8a5cc2;--k3:#d98a1f;--k4:#"
    "c2577f;"
    "--k5:#8d99a3;--k6:#5c9e31;--k7:#7d6b5d;--k8:#39434b;--k9:#aab4bc}\n",
    "@media(prefers-color-scheme:dark){:root{--bg:#14181b;--card:#1c2125;--ink:#e6eaed;--soft:#"
    "97a3ac;"
    "--line:#30373d;--grid:#272d32;--peak:#3a3220;--focus:#ff922b;--k0:#6d9de0;--k1:#45c2ae;"
    "--k2:#b08ae0;--k3:#eaa94d;--k4:#e0829f;--k5:#7f8b95;--k6:#86c45c;--k7:#ab9888;--k8:#c3ccd3;"
    "--k9:#56616a}}\n",
    "*{box-sizing:border-box}body{margin:0 auto;max-width:1180px;padding:28px 32px 64px;"
    "background:var(--bg);color:var(--ink);font:14px/1.5 system-ui,-apple-system,'Segoe UI',"
    "'Noto Sans','DejaVu Sans',sans-serif;font-variant-numeric:tabular-nums}\n",
    "h1{font-size:15px;letter-spacing:.08em;text-transform:uppercase;color:var(--soft);margin:0}"
    "h2{font-size:28px;line-height:1.2;margin:22px 0 4px;overflow-wrap:anywhere}"
    "h3{font-size:18px;margin:36px 0 6px}header{display:flex;gap:14px;align-items:baseline}"
    "section+section{border-top:2px solid var(--line);margin-top:48px}\n",
    ".sub{color:var(--soft);margin:0 0 10px;overflow-wrap:anywhere}code{font:12.5px/1.4 "
    "ui-monospace,"
    "'DejaVu Sans Mono',monospace}\n",
    ".tiles{display:grid;grid-template-columns:repeat(auto-fit,minmax(170px,1fr));gap:12px;"
    "margin:20px 0}.tile{background:var(--card);border:1px solid var(--line);border-radius:8px;"
    "padding:12px "
    "16px}.label{color:var(--soft);font-size:12.5px}.big{font-size:24px;font-weight:600;"
    "line-height:1.35;white-space:nowrap}.unit{font-size:13px;font-weight:400;color:var(--soft)}"
    ".more{font-size:12px;color:var(--soft)}\n",
    "table{border-collapse:collapse;width:100%}.measures{max-width:860px}.measures "
    "th{font-weight:400;"
    "text-align:left;padding:3px 16px 3px 0;white-space:nowrap;width:1%}.measures "
    ".bar{width:70%}.measures .n{padding-left:12px}"
    ".bar "
    "span{display:block;height:14px;border-radius:3px;min-width:2px}.floor{background:var(--k9)}"
    ".planned{background:var(--k0)}.bound{background:var(--k1)}.n{text-align:right;white-space:"
    "nowrap}\n",
    ".scroll{overflow-x:auto;background:var(--card);border:1px solid var(--line);border-radius:8px;"
    "margin:8px 0 4px}.list th{font-size:12px;font-weight:600;color:var(--soft);text-align:left;"
    "border-bottom:1px solid var(--line)}.list th.n{text-align:right}.list td,.list th{padding:6px "
    "10px;"
    "vertical-align:top}.list tr+tr td{border-top:1px solid var(--grid)}.list tr:target td{"
    "background:var(--peak)}.list tr:target td:first-child{box-shadow:inset 4px 0 var(--focus)}\n",
    ".why{font-size:12px;color:var(--soft);max-width:300px;overflow-wrap:anywhere}td.name{max-"
    "width:320px;"
    "overflow-wrap:anywhere}.why.name{display:-webkit-box;-webkit-line-clamp:2;-webkit-box-orient:"
    "vertical;"
    "overflow:hidden}tr:target .why.name{display:block}\n",
    ".meter{display:block;height:4px;width:72px;margin:3px 0 0 auto;background:var(--grid);"
    "border-radius:2px}.meter span{display:block;height:4px;border-radius:2px;min-width:1px}"
    ".dot{display:inline-block;width:10px;height:10px;border-radius:3px;margin-right:6px}\n",
    ".legend{font-size:12.5px;color:var(--soft);margin:4px 0}.legend span{margin-right:14px;"
    "white-space:nowrap}\n",
    ".k0{background:var(--k0);fill:var(--k0)}.k1{background:var(--k1);fill:var(--k1)}"
    ".k2{background:var(--k2);fill:var(--k2)}.k3{background:var(--k3);fill:var(--k3)}"
    ".k4{background:var(--k4);fill:var(--k4)}.k5{background:var(--k5);fill:var(--k5)}"
    ".k6{background:var(--k6);fill:var(--k6)}.k7{background:var(--k7);fill:var(--k7)}"
    ".k8{background:var(--k8);fill:var(--k8)}.k9{background:var(--k9);fill:var(--k9)}\n",
    "svg{display:block;font:11px system-ui,'Noto Sans','DejaVu Sans',sans-serif}svg "
    "a:focus{outline:none}"
    ".v{stroke:var(--card);stroke-width:1;fill-opacity:.9}.v.shared{fill-opacity:.12;"
    "stroke:var(--soft);stroke-dasharray:3 2}.v.scratch{fill:var(--k9);fill-opacity:.55;"
    "stroke:var(--soft);stroke-dasharray:2 2}.striped{background:var(--k9);border:1px dashed "
    "var(--soft)}a:hover .v,a:focus .v{fill-opacity:1;stroke:var(--focus);stroke-width:2}\n",
    ".in{fill:#fff;text-anchor:middle;font-weight:600;pointer-events:none}.axis{fill:var(--soft)}"
    ".end{text-anchor:end}.middle{text-anchor:middle}.grid{stroke:var(--grid)}.top{stroke:var(--"
    "focus);"
    "stroke-dasharray:5 "
    "3}.peak{fill:none;stroke:var(--focus);stroke-width:1.5;pointer-events:none}.live{fill:var(--"
    "k9)}.live.most{fill:var(--focus)}"
    "a:hover .live{fill:var(--ink)}\n",
    ".arc{fill:none;stroke:var(--k9);stroke-width:1.6}.arc.far{stroke:var(--k0);stroke-opacity:.55}"
    ".arc:hover{stroke:var(--focus);stroke-opacity:1;stroke-width:3}.node{fill:var(--ink);font-"
    "size:12.5px}"
    ".node .step{fill:var(--soft)}.node .type{fill:var(--soft)}.node .name{fill:var(--k9)}"
    "a{text-decoration:none;color:inherit}a:hover .node{font-weight:600}\n",
    ".powered{fill:var(--peak);stroke:var(--line)}.locked{fill:var(--k9);fill-opacity:.45}\n",
    "@media print{body{max-width:none;padding:0}.scroll{overflow:visible;border:none}}\n",
    NULL,
};
