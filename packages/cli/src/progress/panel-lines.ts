import type { MachineProgress, ProgressSnapshot } from '@data-designer/engine';
import { describePasses, fitText, formatCount, formatDuration, formatRate, pluralize } from '@data-designer/printing';
import {
  describeCosts,
  describeLostRows,
  describeModel,
  describePace,
  describeRedis,
  describeRows,
  doneShare,
  inColumn,
} from './describe-progress.ts';

/** How a piece of a line is painted. */
export type Emphasis = 'plain' | 'bold' | 'dim' | 'yellow' | 'red' | 'green' | 'cyan';

/** The room that a panel has. */
export interface PanelSize {
  readonly columns: number;
  /** The maximum number of lines; the last ones are left out. */
  readonly lines?: number;
  /** Colours a piece of a line; default: plain lines. */
  readonly paint?: (emphasis: Emphasis, piece: string) => string;
  /** The rate of the last seconds, as a character each. */
  readonly sparkline?: string;
}

/** A piece of a line, and how it is painted. */
export type Piece = readonly [emphasis: Emphasis, text: string];
type Line = readonly Piece[];

const MAX_BAR = 40;
/** The machines of a cluster that have a line. */
const MOST_MACHINES = 8;
/** Machines report once a second. */
const LATE_MS = 3000;

/** A run's progress as terminal lines, none wider than `columns`. */
export function panelLines(
  snapshot: ProgressSnapshot,
  { columns, lines = Infinity, paint = (_, piece) => piece, sparkline = '' }: PanelSize,
): string[] {
  const cost = describeCosts(snapshot);
  const all: Line[] = [
    [...barOf(snapshot, columns), ['bold', describeRows(snapshot)]],
    [
      ['plain', `${describePace(snapshot)}; ${formatDuration(snapshot.elapsedMs / 1000)} elapsed; `],
      ['cyan', sparkline === '' ? '' : `${sparkline} `],
      ['dim', describeGroups(snapshot)],
    ],
    ...columnLines(snapshot),
    ...(cost === undefined ? [] : [[['plain', cost]] as const]),
    ...Object.entries(snapshot.attempts ?? {}).map(([block, figures]): Line => [
      ['plain', `attempts '${block}': ${describePasses(figures)}`],
    ]),
    ...modelLines(snapshot),
    ...(snapshot.redis ? [[['red', describeRedis(snapshot.redis)]] as const] : []),
    ...machineLines(snapshot),
    ...toolLine(snapshot),
    ...lossLines(snapshot),
  ];
  return all.slice(0, lines).map((pieces) => paintLine(pieces, columns, paint));
}

/** A line cut to `columns`, before it is coloured: colours take no width. */
export function paintLine(pieces: Line, columns: number, paint: NonNullable<PanelSize['paint']>): string {
  const clean = pieces.map(([emphasis, text]): Piece => [emphasis, fitText(text, Infinity)]);
  const cut = fitText(clean.map(([, text]) => text).join(''), columns);
  let at = 0;
  const painted = clean.map(([emphasis, text]) => {
    const piece = cut.slice(at, (at += text.length));
    return piece === '' ? '' : paint(emphasis, piece);
  });
  return painted.join('');
}

/** A bar in ASCII, which every terminal shows: finished, lost, in flight and open cells; empty if there is no room. */
function barOf(snapshot: ProgressSnapshot, columns: number): Line {
  const { wanted } = snapshot.rows;
  // Refused candidates are no part of the requested rows.
  const lost = snapshot.selection ? 0 : snapshot.rows.lost;
  // The counts of a finished run fit beside the bar, so that it keeps its length.
  const ended = snapshot.columns.map((column) => ({ ...column, done: wanted }));
  const counts = describeRows({ ...snapshot, rows: { ...snapshot.rows, done: wanted }, columns: ended });
  const length = Math.min(MAX_BAR, columns - counts.length - '[] '.length);
  if (length < 10 || wanted === 0) return [];
  const settled = Math.floor(length * doneShare(snapshot));
  const gone = Math.min(length, Math.ceil((length * lost) / wanted));
  const full = Math.max(0, snapshot.columns.length === 0 ? Math.min(settled, length - gone) : settled - gone);
  const inFlight = snapshot.columns.reduce((sum, column) => sum + column.inFlight, 0);
  const asked = Math.ceil((length * inFlight) / (wanted * Math.max(1, snapshot.columns.length)));
  const flying = Math.min(asked, length - full - gone);
  return [
    ['plain', '['],
    ['green', '#'.repeat(full)],
    ['red', 'x'.repeat(gone)],
    ['cyan', '>'.repeat(flying)],
    ['dim', '-'.repeat(length - full - gone - flying)],
    ['plain', '] '],
  ];
}

function describeGroups({ groups: { total, done, open } }: ProgressSnapshot): string {
  return `${formatCount(done)} of ${pluralize(total, 'row group')} done, ${formatCount(open)} open`;
}

function columnLines({ columns, rows, selection }: ProgressSnapshot): Line[] {
  const wanted = selection?.planned ?? rows.wanted;
  const width = Math.max(0, ...columns.map(({ column }) => column.length));
  const counted = formatCount(wanted).length;
  return columns.map(({ column, done, inFlight, perSecond }) => {
    const percent = wanted === 0 ? 100 : Math.floor((done / wanted) * 100);
    const count = `${formatCount(done).padStart(counted)} of ${formatCount(wanted)} (${percent}%)`;
    return [
      [done >= wanted ? 'green' : 'plain', `${column.padEnd(width)}  ${count}`],
      ['cyan', inFlight > 0 ? `, ${formatCount(inFlight)} in flight` : ''],
      ['plain', `, ${formatRate(perSecond, 'cells')}`],
    ];
  });
}

function modelLines({ models, usage }: ProgressSnapshot): Line[] {
  const width = Math.max(0, ...models.map(({ model }) => model.length));
  return models.map((model) => {
    const used = model.aliases.flatMap((alias) => usage[alias] ?? []);
    const failed = used.reduce((sum, { failedRequests }) => sum + failedRequests, 0);
    const answers = used.reduce((sum, { requests }) => sum + requests, 0) - failed;
    const tokens = formatTokens(used);
    return [
      [model.pausedMs > 0 ? 'yellow' : 'plain', `${model.model.padEnd(width)}  ${describeModel(model)}`],
      ['plain', answers > 0 ? `; ${pluralize(answers, 'answer')}` : ''],
      ['yellow', failed > 0 ? `, ${pluralize(failed, 'failed request')}` : ''],
      ['dim', tokens === '' ? '' : `; ${tokens}`],
    ];
  });
}

/** The machines of a cluster: the lost ones first, then those that have made the fewest rows. */
function machineLines({ machines = [] }: ProgressSnapshot): Line[] {
  const sorted = machines.toSorted((a, b) => Number(b.isLost) - Number(a.isLost) || a.rows - b.rows);
  const names = sorted.map(({ host, pid }) => `${host} (${pid})`);
  const shown = sorted.slice(0, MOST_MACHINES);
  const width = Math.max(0, ...names.slice(0, MOST_MACHINES).map((name) => name.length));
  const lines = shown.map((machine, index): Line => [
    [machine.isLost ? 'yellow' : 'plain', `${(names[index] ?? '').padEnd(width)}  ${describeMachine(machine)}`],
    ['dim', machine.isCoordinator ? '; coordinates' : ''],
  ]);
  const left = machines.length - shown.length;
  return left > 0 ? [...lines, [['dim', `${formatCount(left)} other machines`]]] : lines;
}

function describeMachine({ rows, groups, inFlight, isLost, lastSeenMs }: MachineProgress): string {
  const made = pluralize(rows, 'row');
  if (isLost) return `${made}; lost, last seen ${formatDuration(lastSeenMs / 1000)} ago`;
  const late = lastSeenMs > LATE_MS ? `; last seen ${formatDuration(lastSeenMs / 1000)} ago` : '';
  return `${made}, ${formatCount(inFlight)} in flight, ${pluralize(groups, 'row group')} open${late}`;
}

function formatTokens(used: readonly ProgressSnapshot['usage'][string][]): string {
  const input = used.reduce((sum, { inputTokensPerSecond }) => sum + inputTokensPerSecond, 0);
  const output = used.reduce((sum, { outputTokensPerSecond }) => sum + outputTokensPerSecond, 0);
  return input + output === 0 ? '' : `${formatCount(input)} input tokens/s, ${formatCount(output)} output tokens/s`;
}

function toolLine({ tools: { calls, errors } }: ProgressSnapshot): Line[] {
  if (calls === 0) return [];
  return [
    [
      ['plain', pluralize(calls, 'tool call')],
      ['yellow', errors > 0 ? `, ${formatCount(errors)} failed` : ''],
    ],
  ];
}

/** The lost rows: the most frequent errors by code, each with an example. */
function lossLines(snapshot: ProgressSnapshot): Line[] {
  const reasons = snapshot.failures.map((lost): Line => [
    ['red', `  ${formatCount(lost.rows)} ${lost.code}`],
    ['dim', `${inColumn(lost)}: ${lost.message}`],
  ]);
  return [...describeLostRows(snapshot).map((lost): Line => [['red', lost]]), ...reasons];
}
