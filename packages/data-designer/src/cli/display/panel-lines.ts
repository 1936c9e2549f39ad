import type { ModelProgress, ProgressSnapshot } from '@data-designer/engine';
import { fitText } from '../../printing/fit-text.ts';
import { sayCount, sayMany, saySeconds } from '../../printing/format-numbers.ts';
import { sayCosts, sayLost, sayModel, sayPace, sayRows, sayWhere } from './describe-progress.ts';

/** How a line stands out. */
export type Emphasis = 'plain' | 'bold' | 'dim' | 'yellow';

/** What a panel has room for. */
export interface PanelSize {
  readonly columns: number;
  /** Lines, at most; the last ones give way. */
  readonly lines?: number;
  /** Puts colours to a line; none unless given. */
  readonly paint?: (emphasis: Emphasis, line: string) => string;
}

type Line = readonly [emphasis: Emphasis, text: string];

const LONGEST_BAR = 40;

/** A run's progress as lines of a terminal, none of them wider than its columns. */
export function panelLines(
  snapshot: ProgressSnapshot,
  { columns, lines = Infinity, paint = (_, line) => line }: PanelSize,
): string[] {
  const cost = sayCosts(snapshot);
  const all: Line[] = [
    ['bold', `${barOf(snapshot, columns)}${sayRows(snapshot)}`],
    ['plain', `${sayPace(snapshot)}; ${sayGroups(snapshot)}`],
    ...(cost === undefined ? [] : [['plain', cost] as const]),
    ...modelLines(snapshot),
    ...toolLine(snapshot),
    ...lossLines(snapshot),
  ];
  return all.slice(0, lines).map(([emphasis, text]) => paint(emphasis, fitText(text, columns)));
}

/** A bar in plain characters, which every terminal shows; none where there is no room. */
function barOf({ rows: { done, lost, wanted } }: ProgressSnapshot, columns: number): string {
  const length = Math.min(LONGEST_BAR, columns - 40);
  if (length < 10 || wanted === 0) return '';
  const full = Math.floor((length * done) / wanted);
  const gone = Math.min(length - full, Math.ceil((length * lost) / wanted));
  return `[${'#'.repeat(full)}${'x'.repeat(gone)}${'-'.repeat(length - full - gone)}] `;
}

function sayGroups({ groups: { total, done, open }, elapsedMs }: ProgressSnapshot): string {
  const groups = `${sayCount(done)} of ${sayMany(total, 'row group')} done, ${sayCount(open)} open`;
  return `${groups}; ${saySeconds(elapsedMs / 1000)} so far`;
}

function modelLines({ models, usage }: ProgressSnapshot): Line[] {
  const width = Math.max(0, ...models.map(({ model }) => model.length));
  return models.map((model) => {
    const tokens = sayTokens(model, usage);
    const busy = `${model.model.padEnd(width)}  ${sayModel(model)}`;
    return [model.pausedMs > 0 ? 'yellow' : 'plain', tokens === '' ? busy : `${busy}; ${tokens}`];
  });
}

function sayTokens({ aliases }: ModelProgress, usage: ProgressSnapshot['usage']): string {
  let input = 0;
  let output = 0;
  for (const alias of aliases) {
    input += usage[alias]?.inputTokensPerSecond ?? 0;
    output += usage[alias]?.outputTokensPerSecond ?? 0;
  }
  return input + output === 0 ? '' : `${sayCount(input)} tokens/s read, ${sayCount(output)} written`;
}

function toolLine({ tools: { calls, errors } }: ProgressSnapshot): Line[] {
  if (calls === 0) return [];
  return [['plain', `${sayMany(calls, 'tool call')}${errors > 0 ? `, ${sayCount(errors)} failed` : ''}`]];
}

function lossLines(snapshot: ProgressSnapshot): Line[] {
  const reasons = snapshot.failures.map((lost): Line => [
    'dim',
    `  ${sayCount(lost.rows)}${sayWhere(lost)}: ${lost.message}`,
  ]);
  return [...sayLost(snapshot).map((lost): Line => ['yellow', lost]), ...reasons];
}
