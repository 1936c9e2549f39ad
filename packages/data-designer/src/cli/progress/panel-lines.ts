import type { ModelProgress, ProgressSnapshot } from '@data-designer/engine';
import { fitText } from '../../printing/fit-text.ts';
import { formatCount, formatDuration, formatRate, pluralize } from '../../printing/format-numbers.ts';
import {
  describeCosts,
  describeLostRows,
  describeModel,
  describePace,
  describeRows,
  doneShare,
  inColumn,
} from './describe-progress.ts';

/** The emphasis of a line. */
export type Emphasis = 'plain' | 'bold' | 'dim' | 'yellow';

/** The room that a panel has. */
export interface PanelSize {
  readonly columns: number;
  /** The maximum number of lines; the last ones are left out. */
  readonly lines?: number;
  /** Colours a line; default: plain lines. */
  readonly paint?: (emphasis: Emphasis, line: string) => string;
}

type Line = readonly [emphasis: Emphasis, text: string];

const MAX_BAR = 40;

/** A run's progress as terminal lines, none wider than `columns`. */
export function panelLines(
  snapshot: ProgressSnapshot,
  { columns, lines = Infinity, paint = (_, line) => line }: PanelSize,
): string[] {
  const cost = describeCosts(snapshot);
  const all: Line[] = [
    ['bold', `${barOf(snapshot, columns)}${describeRows(snapshot)}`],
    ['plain', `${describePace(snapshot)}; ${describeGroups(snapshot)}`],
    ...columnLines(snapshot),
    ...(cost === undefined ? [] : [['plain', cost] as const]),
    ...modelLines(snapshot),
    ...toolLine(snapshot),
    ...lossLines(snapshot),
  ];
  return all.slice(0, lines).map(([emphasis, text]) => paint(emphasis, fitText(text, columns)));
}

/** A bar in ASCII, which every terminal shows; empty if there is no room. */
function barOf(snapshot: ProgressSnapshot, columns: number): string {
  const { lost, wanted } = snapshot.rows;
  const length = Math.min(MAX_BAR, columns - 40);
  if (length < 10 || wanted === 0) return '';
  const settled = Math.floor(length * doneShare(snapshot));
  const gone = Math.min(length, Math.ceil((length * lost) / wanted));
  const full = Math.max(0, snapshot.columns.length === 0 ? Math.min(settled, length - gone) : settled - gone);
  return `[${'#'.repeat(full)}${'x'.repeat(gone)}${'-'.repeat(length - full - gone)}] `;
}

function describeGroups({ groups: { total, done, open }, elapsedMs }: ProgressSnapshot): string {
  const groups = `${formatCount(done)} of ${pluralize(total, 'row group')} done, ${formatCount(open)} open`;
  return `${groups}; ${formatDuration(elapsedMs / 1000)} elapsed`;
}

function columnLines({ columns, rows }: ProgressSnapshot): Line[] {
  const width = Math.max(0, ...columns.map(({ column }) => column.length));
  const counted = formatCount(rows.wanted).length;
  return columns.map(({ column, done, perSecond }) => {
    const percent = rows.wanted === 0 ? 100 : Math.floor((done / rows.wanted) * 100);
    const count = `${formatCount(done).padStart(counted)} of ${formatCount(rows.wanted)} (${percent}%)`;
    return ['plain', `${column.padEnd(width)}  ${count}, ${formatRate(perSecond, 'cells')}`];
  });
}

function modelLines({ models, usage }: ProgressSnapshot): Line[] {
  const width = Math.max(0, ...models.map(({ model }) => model.length));
  return models.map((model) => {
    const tokens = formatTokens(model, usage);
    const busy = `${model.model.padEnd(width)}  ${describeModel(model)}`;
    return [model.pausedMs > 0 ? 'yellow' : 'plain', tokens === '' ? busy : `${busy}; ${tokens}`];
  });
}

function formatTokens({ aliases }: ModelProgress, usage: ProgressSnapshot['usage']): string {
  let input = 0;
  let output = 0;
  for (const alias of aliases) {
    input += usage[alias]?.inputTokensPerSecond ?? 0;
    output += usage[alias]?.outputTokensPerSecond ?? 0;
  }
  return input + output === 0 ? '' : `${formatCount(input)} input tokens/s, ${formatCount(output)} output tokens/s`;
}

function toolLine({ tools: { calls, errors } }: ProgressSnapshot): Line[] {
  if (calls === 0) return [];
  return [['plain', `${pluralize(calls, 'tool call')}${errors > 0 ? `, ${formatCount(errors)} failed` : ''}`]];
}

function lossLines(snapshot: ProgressSnapshot): Line[] {
  const reasons = snapshot.failures.map((lost): Line => [
    'dim',
    `  ${formatCount(lost.rows)}${inColumn(lost)}: ${lost.message}`,
  ]);
  return [...describeLostRows(snapshot).map((lost): Line => ['yellow', lost]), ...reasons];
}
