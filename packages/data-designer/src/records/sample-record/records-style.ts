/** Colours on dark ground; those of light ground stand in the style, as they hold unless it is said otherwise. */
const DARK = `color-scheme: dark; --ground: #10151c; --card: #18202a; --ink: #e7edf4; --quiet: #a3b1c2; --line: #303c4a; --good: #6fd39b; --bad: #ff9c92; --keyword: #e39cf2; --string: #f3c178; --number: #8fc9f5; --comment: #9aa9b9; --name: #93dba4; --type: #7fd8df; --system: #2b323b; --user: #1d3350; --reasoning: #36264a; --call: #43380f; --result: #452439; --assistant: #17402a;`;

/** The look of a page of records: dark or light as the page says, else as the reader's system does; fit for a phone. */
export const RECORDS_STYLE = `
:root { color-scheme: light; --ground: #ffffff; --card: #f5f7fa; --ink: #17202b; --quiet: #526071; --line: #d5dce5; --good: #15703f; --bad: #b3261e; --keyword: #8a1c9c; --string: #8a4b00; --number: #0b5d8a; --comment: #5b6876; --name: #1d6b2f; --type: #0a6b73; --system: #e8e8e8; --user: #dbeafe; --reasoning: #f3e8ff; --call: #fef3c7; --result: #fce7f3; --assistant: #dcfce7; }
[data-theme=dark] { ${DARK} }
@media (prefers-color-scheme: dark) { :root:not([data-theme]) { ${DARK} } }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 1000px; padding: 16px; background: var(--ground); color: var(--ink); font: 15px/1.5 system-ui, sans-serif; overflow-wrap: anywhere; }
header { position: sticky; top: 0; background: var(--ground); border-bottom: 1px solid var(--line); padding-bottom: 8px; }
nav { display: flex; flex-wrap: wrap; gap: 12px; align-items: center; } nav[hidden], article[hidden] { display: none; }
button { font: inherit; color: inherit; background: var(--card); border: 1px solid var(--line); border-radius: 6px; padding: 4px 12px; }
h1 { font-size: 1.3rem; margin: 4px 0; } h2 { font-size: 1.1rem; } h3 { font-size: 0.95rem; margin: 0 0 6px; color: var(--quiet); }
section { background: var(--card); border: 1px solid var(--line); border-radius: 8px; padding: 12px; margin: 0 0 12px; }
table { border-collapse: collapse; width: 100%; } th, td { text-align: left; vertical-align: top; padding: 4px 10px 4px 0; border-top: 1px solid var(--line); font-weight: 400; white-space: pre-wrap; } th { color: var(--quiet); width: 28%; } tr:first-child > * { border-top: 0; }
pre { margin: 0; white-space: pre-wrap; font: 13px/1.5 ui-monospace, monospace; } img { max-width: 100%; height: auto; border-radius: 6px; } figure { margin: 0 0 8px; } .quiet, figcaption { color: var(--quiet); font-size: 0.85rem; margin: 6px 0 0; }
.valid tr:first-child td { color: var(--good); font-weight: 600; } .invalid tr:first-child td { color: var(--bad); font-weight: 600; } .points { font-weight: 600; } .score p { margin: 2px 0 8px; white-space: pre-wrap; }
.keyword { color: var(--keyword); } .string { color: var(--string); } .number { color: var(--number); } .comment { color: var(--comment); } .name { color: var(--name); } .type { color: var(--type); }
details { border-radius: 6px; padding: 6px 10px; margin: 0 0 6px; } summary { cursor: pointer; font-size: 0.85rem; } .system { background: var(--system); } .user { background: var(--user); } .reasoning { background: var(--reasoning); font-style: italic; } .tool-call { background: var(--call); } .tool-result { background: var(--result); } .assistant { background: var(--assistant); }
`;
