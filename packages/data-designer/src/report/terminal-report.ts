import util from 'node:util';
import { answerFlaws } from '@data-designer/engine';
import { type DatasetProfile, NOT_CALCULATED, percentOf, type ScoreProfile } from '@data-designer/profile';
import { fitText, textWidth } from '../printing/fit-text.ts';
import { describeFlaws } from '../printing/describe-flaws.ts';
import { formatCost, formatCount } from '../printing/format-numbers.ts';
import { textTable } from '../printing/text-table.ts';
import { columnFacts, formatFigure, formatPercent } from './column-facts.ts';
import { columnGroups, isShown, type ReportSections } from './report-sections.ts';

/** The maximum width of a report in terminal columns. */
const MAX_WIDTH = 110;
/** The length of a bar for all records. */
const BAR = 20;
const NAME = 32;

/** A profile as text for a terminal. */
export function terminalReport(profile: DatasetProfile, sections: ReportSections): string {
  const width = Math.min(process.stdout.columns ?? MAX_WIDTH, MAX_WIDTH);
  const rule = util.styleText('dim', '─'.repeat(width));
  const title = util.styleText('bold', fitText(`Profile of ${profile.name}`, width));
  const groups = columnGroups(profile, sections);
  const parts = [
    ...(isShown(sections, 'overview') ? [overview(profile)] : []),
    ...groups.map(({ title: heading, columns }) => {
      const rows = columns.map((column) => ({ column: column.name, ...columnFacts(column) }));
      return `${util.styleText('bold', heading)}\n${table(rows, width)}`;
    }),
    ...(isShown(sections, 'column_profilers') ? profile.judges.flatMap(({ scores }) => scores.map(scoreText)) : []),
    ...(isShown(sections, 'dataset') ? wholeParts(profile, width) : []),
    ...(groups.some(({ columns }) => columns.some((column) => 'outputTokens' in column)) ? [notes(profile)] : []),
  ];
  return `${[title, rule, ...parts, rule].join('\n\n')}\n`;
}

function overview({ records, wanted, columns, cost, usage }: DatasetProfile): string {
  const facts = {
    records: formatCount(records),
    columns: formatCount(columns.length),
    complete: formatPercent(percentOf(records, wanted)),
    ...(cost === null || cost === 0 ? {} : { cost: formatCost(cost) }),
  };
  const flaws = answerFlaws(usage).map((one) => `\n${describeFlaws(one)}`);
  return `${util.styleText('bold', 'Overview')}\n${table([facts], MAX_WIDTH)}${flaws.join('')}`;
}

function table(rows: readonly Readonly<Record<string, string>>[], width: number): string {
  const headings = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  const cells = rows.map((row) => headings.map((heading) => row[heading] ?? ''));
  const [head = '', ...lines] = textTable([headings, ...cells], { width, cellWidth: NAME });
  return [util.styleText('cyan', head), ...lines].join('\n');
}

/** A score with a bar per option, and the summary of the judges' reasons. */
function scoreText({ column, score, distribution, summary }: ScoreProfile): string {
  const heading = util.styleText('bold', fitText(`Score '${score}' of ${column}`, MAX_WIDTH));
  if (distribution === NOT_CALCULATED) return `${heading}\n${NOT_CALCULATED}`;
  const { numbers, records } = distribution;
  const spread = numbers ? [`mean ${formatFigure(numbers.mean)}, median ${formatFigure(numbers.median)}`] : [];
  return [
    heading,
    ...spread,
    ...bars(distribution.options, records),
    ...(summary === undefined ? [] : [fitText(summary, 1000)]),
  ].join('\n');
}

function bars(options: readonly { readonly value: string; readonly records: number }[], records: number): string[] {
  return options.slice(0, BAR).map(({ value, records: count }) => {
    const name = fitText(value, NAME);
    const bar = '█'.repeat(Math.round((BAR * count) / Math.max(records, 1))).padEnd(BAR, '·');
    return `${name}${' '.repeat(Math.max(0, NAME / 2 - textWidth(name)))} ${util.styleText('green', bar)} ${formatCount(count)}`;
  });
}

function wholeParts({ traces, correlations, nullPatterns }: DatasetProfile, width: number): readonly string[] {
  const tools = traces.flatMap(({ column, tools: used }) =>
    used === NOT_CALCULATED
      ? []
      : used.map(({ name, calls, failed }) => ({
          column,
          tool: name,
          calls: formatCount(calls),
          failed: formatPercent(percentOf(failed, calls)),
        })),
  );
  const { columns: names = [], values = [] } = correlations ?? {};
  const pairs = values.flatMap((row, a) =>
    row.slice(0, a).flatMap((r, b) => (r === null ? [] : [{ column: names[a] ?? '', with: names[b] ?? '', r }])),
  );
  const strongest = pairs
    .toSorted((a, b) => Math.abs(b.r) - Math.abs(a.r))
    .slice(0, 10)
    .map(({ r, ...pair }) => ({ ...pair, r: r.toFixed(3) }));
  const nulls = nullPatterns.map(({ columns, records }) => ({
    'null together': columns.join(', '),
    records: formatCount(records),
  }));
  const tables = { 'Tool use': tools, Correlations: strongest, Nulls: nulls };
  return Object.entries(tables).flatMap(([title, rows]) =>
    rows.length > 0 ? [`${util.styleText('bold', title)}\n${table(rows, width)}`] : [],
  );
}

function notes({ columns }: DatasetProfile): string {
  const counted = columns.flatMap(({ inputTokens, outputTokens }) => [
    typeof inputTokens === 'object' ? inputTokens.records : 0,
    typeof outputTokens === 'object' ? outputTokens.records : 0,
  ]);
  return util.styleText(
    'dim',
    `Tokens are counted by cl100k_base, as median ± standard deviation, over up to ${formatCount(Math.max(0, ...counted))} records; tool turns and corrections are not included.`,
  );
}
