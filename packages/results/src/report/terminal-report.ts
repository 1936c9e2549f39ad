import { type DatasetProfile, NOT_CALCULATED, percentOf, type ScoreProfile } from '@data-designer/profile';
import {
  describeFindings,
  fittedTable,
  fitText,
  addCosts,
  describeCost,
  formatCount,
  styled,
  textWidth,
  wrapText,
} from '@data-designer/printing';
import { ATTEMPT_TEXTS, attemptTables } from './attempt-tables.ts';
import { columnFacts, formatFigure, printPercent, TEXT_HEADINGS } from './column-facts.ts';
import { exampleRows } from './example-rows.ts';
import { columnGroups, isShown, type ReportSections } from './report-sections.ts';
import { SELECTION_TEXTS, selectionTables } from './selection-tables.ts';
import { stageTable, type WorkflowReport } from './stage-tables.ts';

/** The maximum width of a report in terminal columns. */
const MAX_WIDTH = 120;
/** The length of a bar for all records. */
const BAR = 20;
const NAME = 32;
/** The columns shown as examples. */
const MAX_EXAMPLES = 40;
/** Headings that a narrow terminal leaves out first. */
const DISPENSABLE = ['data type', 'sampler', 'prompt tokens'];

/** A profile as text for a terminal. */
export function terminalReport(profile: DatasetProfile, sections: ReportSections): string {
  const width = Math.min(process.stdout.columns ?? MAX_WIDTH, MAX_WIDTH);
  const rule = styled('dim', '─'.repeat(width));
  const title = styled('bold', fitText(`Profile of ${profile.name}`, width));
  const groups = columnGroups(profile, sections);
  const parts = [
    ...(isShown(sections, 'overview')
      ? [overview(profile, width), ...selectionPart(profile, width), ...attemptsPart(profile, width)]
      : []),
    ...groups.map(({ title: heading, columns }) => {
      const lines = fittedTable(columns.flatMap(columnFacts), {
        width,
        wrapped: TEXT_HEADINGS,
        dispensable: DISPENSABLE,
      });
      return [styled('bold', heading), ...lines].join('\n');
    }),
    ...(isShown(sections, 'examples') ? examplesPart(profile, width) : []),
    ...(isShown(sections, 'column_profilers')
      ? profile.judges.flatMap(({ scores }) => scores.map((score) => scoreText(score, width)))
      : []),
    ...(isShown(sections, 'dataset') ? wholeParts(profile, width) : []),
    ...(groups.some(({ columns }) => columns.some((column) => 'outputTokens' in column))
      ? [notes(profile, width)]
      : []),
  ];
  return `${[title, rule, ...parts, rule].join('\n\n')}\n`;
}

/** A workflow as text for a terminal: what its stages took, and the profile of each. */
export function workflowText({ name, summary, stages }: WorkflowReport): string {
  const width = Math.min(process.stdout.columns ?? MAX_WIDTH, MAX_WIDTH);
  const title = styled('bold', fitText(`Report of the workflow ${name}`, width));
  const took = fittedTable(stageTable(summary), { width, wrapped: ['stage'] });
  const profiles = stages.map(({ profile, sections }) => terminalReport(profile, sections));
  return [`${title}\n`, `${took.join('\n')}\n`, ...profiles].join('\n');
}

function overview({ records, wanted, columns, usage, findings }: DatasetProfile, width: number): string {
  const cost = addCosts(usage);
  const facts = {
    records: formatCount(records),
    columns: formatCount(columns.length),
    complete: printPercent(percentOf(records, wanted)),
    ...(cost.known ? { cost: describeCost(cost) ?? '' } : {}),
  };
  const remarks = describeFindings(findings).flatMap((one) => wrapText(one, width));
  return `${styled('bold', 'Overview')}\n${table([facts], width)}${remarks.map((line) => `\n${line}`).join('')}`;
}

function selectionPart(profile: DatasetProfile, width: number): readonly string[] {
  const tables = selectionTables(profile).map((rows) => fittedTable(rows, { width, wrapped: SELECTION_TEXTS }));
  return tables.length === 0
    ? []
    : [[styled('bold', 'Selection'), tables.map((lines) => lines.join('\n')).join('\n\n')].join('\n')];
}

function attemptsPart(profile: DatasetProfile, width: number): readonly string[] {
  const tables = attemptTables(profile).map((rows) => fittedTable(rows, { width, wrapped: ATTEMPT_TEXTS }));
  return tables.length === 0
    ? []
    : [[styled('bold', 'Attempts'), tables.map((lines) => lines.join('\n')).join('\n\n')].join('\n')];
}

/** A table whose first column may wrap. */
function table(rows: readonly Readonly<Record<string, string>>[], width: number): string {
  return fittedTable(rows, { width, wrapped: Object.keys(rows[0] ?? {}).slice(0, 1) }).join('\n');
}

function examplesPart(profile: DatasetProfile, width: number): readonly string[] {
  const rows = exampleRows(profile);
  if (profile.records === 0 || rows.length === 0) return [];
  const shown = rows.slice(0, MAX_EXAMPLES);
  const left = rows.length - shown.length;
  const lines = fittedTable(shown, { width, wrapped: Object.keys(rows[0] ?? {}) });
  const note = left === 0 ? [] : [styled('dim', `${formatCount(left)} further columns are not shown.`)];
  return [[styled('bold', 'Example rows'), ...lines, ...note].join('\n')];
}

/** A score with a bar per option, and the summary of the judges' reasons. */
function scoreText({ column, score, distribution, summary }: ScoreProfile, width: number): string {
  const heading = styled('bold', fitText(`Score '${score}' of ${column}`, width));
  if (distribution === NOT_CALCULATED) return `${heading}\n${NOT_CALCULATED}`;
  const { numbers, records } = distribution;
  const spread = numbers ? [`mean ${formatFigure(numbers.mean)}, median ${formatFigure(numbers.median)}`] : [];
  return [
    heading,
    ...spread,
    ...bars(distribution.options, records),
    ...(summary === undefined ? [] : wrapText(fitText(summary, 1000), width)),
  ].join('\n');
}

function bars(options: readonly { readonly value: string; readonly records: number }[], records: number): string[] {
  return options.slice(0, BAR).map(({ value, records: count }) => {
    const name = fitText(value, NAME);
    const bar = '█'.repeat(Math.round((BAR * count) / Math.max(records, 1))).padEnd(BAR, '·');
    return `${name}${' '.repeat(Math.max(0, NAME / 2 - textWidth(name)))} ${styled('green', bar)} ${formatCount(count)}`;
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
          failed: printPercent(percentOf(failed, calls)),
        })),
  );
  const { columns: names = [], values = [] } = correlations ?? {};
  const chats = traces.flatMap(({ column, turns, lengths }) =>
    typeof turns === 'object'
      ? [
          {
            column,
            turns: `${formatFigure(turns.mean)} (${formatFigure(turns.min)} to ${formatFigure(turns.max)})`,
            characters: typeof lengths === 'object' ? formatFigure(lengths.mean) : '',
          },
        ]
      : [],
  );
  const ends = traces.flatMap(({ column, ends: found = [] }) =>
    found === NOT_CALCULATED
      ? []
      : found.map(({ value, records }) => ({ column, end: value, records: formatCount(records) })),
  );
  const toolTurns = traces.flatMap(({ column, toolTurns: found = [] }) =>
    found === NOT_CALCULATED
      ? []
      : found.map(({ turn, conversations, calls }) => ({
          column,
          turn: String(turn),
          conversations: formatCount(conversations),
          'tool calls': formatCount(calls),
        })),
  );
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
  const tables = {
    Conversations: chats,
    'Ends of conversations': ends,
    'Tool use': tools,
    'Tool use by turn': toolTurns,
    Correlations: strongest,
    Nulls: nulls,
  };
  return Object.entries(tables).flatMap(([title, rows]) =>
    rows.length > 0 ? [`${styled('bold', title)}\n${table(rows, width)}`] : [],
  );
}

function notes({ columns }: DatasetProfile, width: number): string {
  const counted = columns.flatMap(({ inputTokens, outputTokens }) => [
    typeof inputTokens === 'object' ? inputTokens.records : 0,
    typeof outputTokens === 'object' ? outputTokens.records : 0,
  ]);
  const note = `Tokens are counted by cl100k_base, as median ± standard deviation, over up to ${formatCount(Math.max(0, ...counted))} records; tool turns and corrections are not included.`;
  return wrapText(note, width)
    .map((line) => styled('dim', line))
    .join('\n');
}
