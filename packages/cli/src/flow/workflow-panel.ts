import { formatCost, formatCount, formatDuration, pluralize } from '@data-designer/printing';
import type { StageSnapshot, WorkflowSnapshot } from '@data-designer/workflow';
import { type Emphasis, paintLine, panelLines, type PanelSize, type Piece } from '../progress/panel-lines.ts';
import { RateHistory } from '../progress/rate-history.ts';
import { describeStages, describeTotals } from './describe-workflow.ts';

/** The lines of a running stage that are shown at least. */
const LEAST_LINES = 3;

/** Takes the snapshots of a workflow and draws a list of its stages, with the panel of each running one below. */
export function openWorkflowPanel(): (snapshot: WorkflowSnapshot) => (size: PanelSize) => readonly string[] {
  const histories = new Map<string, RateHistory>();
  return (snapshot) => {
    for (const { stage, state, run } of snapshot.stages) {
      if (state !== 'running' || !run) continue;
      const history = histories.get(stage) ?? new RateHistory();
      history.add(run);
      histories.set(stage, history);
    }
    return (size) => workflowLines(snapshot, size, (stage) => histories.get(stage)?.sparkline ?? '');
  };
}

function workflowLines(
  snapshot: WorkflowSnapshot,
  { columns, lines = Infinity, paint = (_, piece) => piece }: PanelSize,
  sparklineOf: (stage: string) => string,
): readonly string[] {
  const running = snapshot.stages.filter(({ state, run }) => state === 'running' && run);
  const elapsed = `; ${formatDuration(snapshot.elapsedMs / 1000)} elapsed`;
  const totals = describeTotals(snapshot).join('; ');
  const head: (readonly Piece[])[] = [
    [
      ['bold', describeStages(snapshot)],
      ['dim', elapsed],
    ],
    ...(totals === '' ? [] : [[['plain', totals] as const]]),
  ];
  const room = Math.max(1, lines - head.length - running.length * LEAST_LINES);
  const list = stageLines(snapshot, room);
  const painted = [...head, ...list].map((pieces) => paintLine(pieces, columns, paint));
  const left = Math.floor((lines - painted.length) / Math.max(1, running.length));
  const panels = running.flatMap(({ stage, run }) =>
    run && left >= 2
      ? [
          paintLine([['bold', stage]], columns, paint),
          ...panelLines(run, { columns: columns - 2, lines: left - 1, paint, sparkline: sparklineOf(stage) }).map(
            (line) => `  ${line}`,
          ),
        ]
      : [],
  );
  return [...painted, ...panels].slice(0, lines);
}

const COLOURS: Readonly<Record<StageSnapshot['state'], Emphasis>> = {
  done: 'green',
  reused: 'green',
  running: 'cyan',
  waiting: 'dim',
  stopped: 'yellow',
  skipped: 'yellow',
};

/** A line for each stage; of more stages than lines, the finished ones are counted first, then the last ones left out. */
function stageLines({ stages }: WorkflowSnapshot, lines: number): (readonly Piece[])[] {
  const finished = stages.filter(({ state }) => state === 'done' || state === 'reused');
  const isLong = stages.length > lines;
  const shown = isLong ? stages.filter((stage) => !finished.includes(stage)).slice(0, lines) : stages;
  const width = Math.max(0, ...shown.map(({ stage }) => stage.length));
  return shown.map((stage) => [
    [COLOURS[stage.state], `${stage.stage.padEnd(width)}  ${stage.state.padEnd(7)}`],
    ['plain', `  ${describeStage(stage)}`],
    ['red', stage.rows.lost > 0 ? `, ${formatCount(stage.rows.lost)} lost` : ''],
  ]);
}

function describeStage({ state, rows, requests, cost }: StageSnapshot): string {
  const { wanted, done } = rows;
  if (state === 'waiting') return wanted === null ? 'rows not known yet' : pluralize(wanted, 'row');
  return [
    `${formatCount(done)} of ${pluralize(wanted ?? done, 'row')}`,
    ...(requests > 0 ? [pluralize(requests, 'request')] : []),
    ...(cost.known > 0 ? [`cost ${formatCost(cost.known)}${cost.soFar === null ? ' + unknown' : ''}`] : []),
  ].join(', ');
}
