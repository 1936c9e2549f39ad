/** The look of a report: light and dark as the reader's system says, from the width of a phone on. */
export const REPORT_STYLE = `
:root { color-scheme: light dark; --ground: #ffffff; --card: #f5f7fa; --ink: #17202b; --quiet: #526071; --line: #d5dce5; --bar: #2f66d0; --against: #c2410c; }
@media (prefers-color-scheme: dark) { :root { --ground: #10151c; --card: #18202a; --ink: #e7edf4; --quiet: #a3b1c2; --line: #303c4a; --bar: #7fb0ff; --against: #fb923c; } }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 1200px; padding: 16px; background: var(--ground); color: var(--ink); font: 15px/1.45 system-ui, sans-serif; overflow-wrap: anywhere; }
h1 { font-size: 1.5rem; margin: 8px 0; } h2 { font-size: 1.15rem; margin: 28px 0 8px; } h3 { font-size: 1rem; margin: 0 0 6px; }
p { margin: 4px 0; } .quiet, .axis, figcaption { color: var(--quiet); font-size: 0.85rem; }
.facts { display: flex; flex-wrap: wrap; gap: 8px 28px; padding: 0; margin: 12px 0; } .facts div { min-width: 0; } .facts dt { color: var(--quiet); font-size: 0.85rem; } .facts dd { margin: 0; font-size: 1.3rem; }
table { border-collapse: collapse; width: 100%; } th, td { text-align: left; padding: 5px 10px 5px 0; border-bottom: 1px solid var(--line); vertical-align: top; font-weight: 400; } thead th { color: var(--quiet); font-size: 0.85rem; } tbody th { font-weight: 600; }
.cards { margin-top: 12px; display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 330px), 1fr)); gap: 14px; } .card { background: var(--card); border: 1px solid var(--line); border-radius: 8px; padding: 12px; min-width: 0; }
svg rect { fill: var(--bar); } .histogram { display: block; box-sizing: content-box; width: 100%; height: 80px; border-bottom: 1px solid var(--line); } .axis { display: flex; justify-content: space-between; gap: 8px; }
.bars { list-style: none; margin: 6px 0; padding: 0; } .bars li { display: grid; grid-template-columns: minmax(0, 2fr) minmax(40px, 3fr) minmax(3.4em, auto); gap: 8px; align-items: center; padding: 1px 0; } .bar { display: block; width: 100%; height: 12px; } .count { text-align: right; font-variant-numeric: tabular-nums; font-size: 0.85rem; }
.grid { table-layout: fixed; } .grid td, .grid th { padding: 3px; font-size: 0.75rem; text-align: center; } .grid th[scope=row] { text-align: left; } .grid .along { background: color-mix(in srgb, var(--bar) var(--strength), var(--ground)); } .grid .against { background: color-mix(in srgb, var(--against) var(--strength), var(--ground)); }
@media (max-width: 640px) { .facts-table thead { display: none; } .facts-table tr { display: block; padding: 8px 0; border-bottom: 1px solid var(--line); } .facts-table th, .facts-table td { display: block; border: 0; padding: 1px 0; } .facts-table td::before { content: attr(data-label) ": "; color: var(--quiet); } .grid td { font-size: 0.55rem; padding: 2px 0; } }
`;
