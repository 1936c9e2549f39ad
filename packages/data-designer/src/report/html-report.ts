import { answerFlaws } from '@data-designer/engine';
import { type DatasetProfile, NOT_CALCULATED, percentOf } from '@data-designer/profile';
import { describeFlaws } from '../printing/describe-flaws.ts';
import { formatCost, formatCount } from '../printing/format-numbers.ts';
import { columnCards } from './column-cards.ts';
import { columnFacts, formatPercent } from './column-facts.ts';
import { datasetCards, scoreCards } from './dataset-cards.ts';
import { escapeHtml } from '../printing/escape-html.ts';
import { htmlPage } from '../printing/html-page.ts';
import { PageBudget } from './page-budget.ts';
import { type ColumnGroup, columnGroups, isShown, type ReportSection } from './report-sections.ts';
import { REPORT_STYLE } from './report-style.ts';

/** Bytes of a page, at most; tables may take half of it. */
const MAX_BYTES = 900_000;

type Sections = ReadonlySet<ReportSection> | undefined;

/**
 * A profile as one page that needs nothing else: no script, no request, at most a megabyte. What there is no room for is
 * left out, and the page says so.
 */
export function htmlReport(profile: DatasetProfile, sections: Sections): string {
  const budget = new PageBudget(MAX_BYTES);
  const groups = columnGroups(profile, sections);
  // Tables first: they say more in less room than plots.
  const tables = groups.map((group) => tableOf(group, budget));
  const parts = [
    `<h1>${escapeHtml(profile.name)}</h1>`,
    isShown(sections, 'overview') ? overview(profile) : '',
    cards('What judges found', isShown(sections, 'column_profilers') ? scoreCards(profile) : [], budget),
    cards('The dataset as a whole', isShown(sections, 'dataset') ? datasetCards(profile) : [], budget),
    ...groups.map((group, at) => section(group, tables[at] ?? '', cardsOf(group, budget))),
    note(profile),
    budget.leftOut > 0
      ? `<p class="quiet">${formatCount(budget.leftOut)} further parts are left out, as the page would be too large.</p>`
      : '',
  ];
  const body = `<main>\n${parts.filter((part) => part !== '').join('\n')}\n</main>`;
  return htmlPage({ title: `${profile.name}: dataset profile`, style: REPORT_STYLE, body });
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

function tableOf({ columns }: ColumnGroup, budget: PageBudget): string {
  const facts = columns.map(columnFacts);
  const headings = [...new Set(facts.flatMap((one) => Object.keys(one)))];
  const rows = columns.map(({ name }, at) => {
    const cells = headings.map((heading) => {
      const text = escapeHtml(facts[at]?.[heading] ?? '', 60);
      return `<td data-label="${heading}">${text}</td>`;
    });
    return `<tr><th scope="row">${escapeHtml(name, 60)}</th>${cells.join('')}</tr>`;
  });
  const heads = ['column', ...headings].map((heading) => `<th scope="col">${heading}</th>`);
  return `<table class="facts-table"><thead><tr>${heads.join('')}</tr></thead><tbody>
${budget.take(rows, MAX_BYTES / 2).join('\n')}
</tbody></table>`;
}

function section({ title, columnType }: ColumnGroup, table: string, plots: string): string {
  return `<section data-section="${escapeHtml(columnType)}"><h2>${escapeHtml(title)}</h2>\n${table}\n${plots}</section>`;
}

function cardsOf({ columns }: ColumnGroup, budget: PageBudget): string {
  const all = columns.map(columnCards).filter((card) => card !== '');
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
  return `<p class="quiet">Tokens are counted by cl100k_base, as median ± standard deviation: prompts over up to ${formatLargest(prompts)} records, answers over up to ${formatLargest(answers)}. Tool turns and corrections are not in them. ${NOT_CALCULATED} stands for what could not be calculated.</p>`;
}

function formatLargest(counts: readonly number[]): string {
  return formatCount(Math.max(0, ...counts));
}
