import { answerFlaws } from '@data-designer/engine';
import { type DatasetProfile, NOT_CALCULATED, percentOf } from '@data-designer/profile';
import { describeFlaws } from '../printing/describe-flaws.ts';
import { formatCost, formatCount } from '../printing/format-numbers.ts';
import { columnCards } from './column-cards.ts';
import { type ColumnFacts, columnFacts, formatPercent, TEXT_HEADINGS } from './column-facts.ts';
import { datasetCards, scoreCards } from './dataset-cards.ts';
import { escapeHtml } from '../printing/escape-html.ts';
import { exampleRows } from './example-rows.ts';
import { filledHeadings } from '../printing/fitted-table.ts';
import { htmlPage } from '../printing/html-page.ts';
import { type ColumnGroup, columnGroups, isShown, type ReportSections } from './report-sections.ts';
import { SELECTION_TEXTS, selectionTables } from './selection-tables.ts';

/** The maximum size of a page; tables may take half of it. */
const MAX_BYTES = 900_000;

/**
 * A profile as one self-contained page without scripts, of at most a megabyte. The page omits parts that do not fit, and
 * says so.
 */
export function htmlReport(profile: DatasetProfile, sections: ReportSections): string {
  const budget = new PageBudget(MAX_BYTES);
  const groups = columnGroups(profile, sections);
  // Tables come first: they say more in less space than plots.
  const tables = groups.map((group) => tableOf(group, budget));
  const firstRows = isShown(sections, 'examples') ? examples(profile, budget) : '';
  const parts = [
    `<h1>${escapeHtml(profile.name)}</h1>`,
    isShown(sections, 'overview') ? overview(profile) + selection(profile, budget) : '',
    firstRows,
    cards('Judge scores', isShown(sections, 'column_profilers') ? scoreCards(profile) : [], budget),
    cards('The dataset as a whole', isShown(sections, 'dataset') ? datasetCards(profile) : [], budget),
    ...groups.map((group, at) => section(group, tables[at] ?? '', cardsOf(group, budget))),
    note(profile),
    budget.leftOut > 0
      ? `<p class="quiet">${formatCount(budget.leftOut)} further parts are omitted to limit the size of the page.</p>`
      : '',
  ];
  const body = `<main>\n${parts.filter((part) => part !== '').join('\n')}\n</main>`;
  return htmlPage({ title: `${profile.name}: dataset profile`, style: STYLE, body });
}

function overview({ records, wanted, columns, cost, usage }: DatasetProfile): string {
  const models = Object.values(usage);
  const sum = (of: (one: (typeof models)[number]) => number) => models.reduce((all, one) => all + of(one), 0);
  const facts: readonly (readonly [string, string])[] = [
    ['records', formatCount(records)],
    ['complete', formatPercent(percentOf(records, wanted))],
    ['columns', formatCount(columns.length)],
    ...(models.length === 0
      ? []
      : ([
          ['requests', formatCount(sum((one) => one.requests))],
          ['tokens read', formatCount(sum((one) => one.inputTokens))],
          ['tokens written', formatCount(sum((one) => one.outputTokens))],
        ] as const)),
    ...(cost === null || cost === 0 ? [] : [['cost', formatCost(cost)] as const]),
  ];
  const flaws = answerFlaws(usage).map((one) => `<p>${escapeHtml(describeFlaws(one), 300)}</p>`);
  const list = facts.map(([name, value]) => `<div><dt>${name}</dt><dd>${value}</dd></div>`);
  return `<dl class="facts">${list.join('')}</dl>${flaws.join('')}`;
}

function selection(profile: DatasetProfile, budget: PageBudget): string {
  const tables = selectionTables(profile);
  if (tables.length === 0) return '';
  const printed = tables.map((rows) => tableHtml(rows, SELECTION_TEXTS, (lines) => budget.take(lines, MAX_BYTES / 2)));
  return `<section data-section="selection"><h2>Selection</h2>\n${printed.join('\n')}</section>`;
}

function tableOf({ columns }: ColumnGroup, budget: PageBudget): string {
  return tableHtml(columns.flatMap(columnFacts), TEXT_HEADINGS, (rows) => budget.take(rows, MAX_BYTES / 2));
}

function examples(profile: DatasetProfile, budget: PageBudget): string {
  const rows = exampleRows(profile);
  if (profile.records === 0 || rows.length === 0) return '';
  const table = tableHtml(rows, Object.keys(rows[0] ?? {}), (lines) => budget.take(lines, MAX_BYTES / 2));
  return `<section data-section="examples"><h2>Example rows</h2>\n${table}</section>`;
}

/** Rows by heading as a table; columns of text have a minimum width and wrap. */
function tableHtml(
  rows: readonly ColumnFacts[],
  textHeadings: readonly string[],
  take: (lines: readonly string[]) => readonly string[],
): string {
  const [first = '', ...headings] = filledHeadings(rows);
  const lines = rows.map((row) => {
    const cells = headings.map((heading) => {
      const kind = textHeadings.includes(heading) ? ' class="text"' : '';
      return `<td${kind} data-label="${escapeHtml(heading)}">${escapeHtml(row[heading] ?? '', 200)}</td>`;
    });
    return `<tr><th scope="row">${escapeHtml(row[first] ?? '', 60)}</th>${cells.join('')}</tr>`;
  });
  const heads = [first, ...headings].map((heading) => `<th scope="col">${escapeHtml(heading)}</th>`);
  return `<table class="facts-table"><thead><tr>${heads.join('')}</tr></thead><tbody>
${take(lines).join('\n')}
</tbody></table>`;
}

function section({ title, columnType }: ColumnGroup, table: string, plots: string): string {
  return `<section data-section="${escapeHtml(columnType)}"><h2>${escapeHtml(title)}</h2>\n${table}\n${plots}</section>`;
}

function cardsOf({ columns }: ColumnGroup, budget: PageBudget): string {
  const all = columns.flatMap(columnCards);
  return `<div class="cards">\n${budget.take(all).join('\n')}\n</div>`;
}

function cards(title: string, all: readonly string[], budget: PageBudget): string {
  const kept = budget.take(all);
  if (kept.length === 0) return '';
  return `<section><h2>${escapeHtml(title)}</h2><div class="cards">\n${kept.join('\n')}\n</div></section>`;
}

function note({ columns }: DatasetProfile): string {
  const answers = columns.flatMap(({ outputTokens }) =>
    typeof outputTokens === 'object' ? [outputTokens.records] : [],
  );
  const prompts = columns.flatMap(({ inputTokens }) => (typeof inputTokens === 'object' ? [inputTokens.records] : []));
  if (answers.length + prompts.length === 0) return '';
  return `<p class="quiet">Tokens are counted by cl100k_base, as median ± standard deviation: prompts over up to ${formatLargest(prompts)} records, answers over up to ${formatLargest(answers)}. Tool turns and corrections are not included. ${NOT_CALCULATED}: the figure could not be calculated.</p>`;
}

function formatLargest(counts: readonly number[]): string {
  return formatCount(Math.max(0, ...counts));
}

/** The bytes that a page has left. */
class PageBudget {
  readonly #all: number;
  #taken = 0;
  /** The number of omitted parts. */
  leftOut = 0;

  constructor(bytes: number) {
    this.#all = bytes;
  }

  /** The first parts that fit within `bound`. */
  take(parts: readonly string[], bound = this.#all): readonly string[] {
    const kept: string[] = [];
    for (const part of parts) {
      const size = Buffer.byteLength(part) + 1;
      if (this.#taken + size > bound) break;
      this.#taken += size;
      kept.push(part);
    }
    this.leftOut += parts.length - kept.length;
    return kept;
  }
}

/** The style of the page: light or dark by the reader's system setting, and usable on a phone. */
const STYLE = `
:root { color-scheme: light dark; --ground: #ffffff; --card: #f5f7fa; --ink: #17202b; --quiet: #526071; --line: #d5dce5; --bar: #2f66d0; --against: #c2410c; }
@media (prefers-color-scheme: dark) { :root { --ground: #10151c; --card: #18202a; --ink: #e7edf4; --quiet: #a3b1c2; --line: #303c4a; --bar: #7fb0ff; --against: #fb923c; } }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 1200px; padding: 16px; background: var(--ground); color: var(--ink); font: 15px/1.45 system-ui, sans-serif; overflow-wrap: anywhere; }
h1 { font-size: 1.5rem; margin: 8px 0; } h2 { font-size: 1.15rem; margin: 28px 0 8px; } h3 { font-size: 1rem; margin: 0 0 6px; }
p { margin: 4px 0; } .quiet, .axis, figcaption { color: var(--quiet); font-size: 0.85rem; }
.facts { display: flex; flex-wrap: wrap; gap: 8px 28px; padding: 0; margin: 12px 0; } .facts div { min-width: 0; } .facts dt { color: var(--quiet); font-size: 0.85rem; } .facts dd { margin: 0; font-size: 1.3rem; }
table { border-collapse: collapse; width: 100%; } th, td { text-align: left; padding: 5px 10px 5px 0; border-bottom: 1px solid var(--line); vertical-align: top; font-weight: 400; } .facts-table th, .facts-table td { overflow-wrap: break-word; } .facts-table tbody th, .facts-table .text { min-width: 12em; overflow-wrap: anywhere; white-space: pre-line; } thead th { color: var(--quiet); font-size: 0.85rem; } tbody th { font-weight: 600; }
.cards { margin-top: 12px; display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 330px), 1fr)); gap: 14px; } .card { background: var(--card); border: 1px solid var(--line); border-radius: 8px; padding: 12px; min-width: 0; }
svg rect { fill: var(--bar); } .histogram { display: block; box-sizing: content-box; width: 100%; height: 80px; border-bottom: 1px solid var(--line); } .axis { display: flex; justify-content: space-between; gap: 8px; }
.bars { list-style: none; margin: 6px 0; padding: 0; } .bars li { display: grid; grid-template-columns: minmax(0, 2fr) minmax(40px, 3fr) minmax(3.4em, auto); gap: 8px; align-items: center; padding: 1px 0; } .bar { display: block; width: 100%; height: 12px; } .count { text-align: right; font-variant-numeric: tabular-nums; font-size: 0.85rem; }
.grid { table-layout: fixed; } .grid td, .grid th { padding: 3px; font-size: 0.75rem; text-align: center; } .grid th[scope=row] { text-align: left; } .grid .along { background: color-mix(in srgb, var(--bar) var(--strength), var(--ground)); } .grid .against { background: color-mix(in srgb, var(--against) var(--strength), var(--ground)); }
@media (min-width: 901px) { .facts-table td:not(.text) { white-space: nowrap; } }
@media (max-width: 900px) { .facts-table thead { display: none; } .facts-table tr { display: block; padding: 8px 0; border-bottom: 1px solid var(--line); } .facts-table th, .facts-table td { display: block; border: 0; padding: 1px 0; } .facts-table td::before { content: attr(data-label) ": "; color: var(--quiet); } }
@media (max-width: 640px) { .grid td { font-size: 0.55rem; padding: 2px 0; } }
`;
