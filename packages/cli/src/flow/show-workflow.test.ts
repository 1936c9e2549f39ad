import { expect, test } from 'vitest';
import { type ProgressSnapshot, RunSummary } from '@data-designer/engine';
import { screenOf } from '../../../../test/terminal-screen.ts';
import type { Stage } from '../../../workflow/src/stage.ts';
import type { WorkflowEvent, WorkflowSnapshot } from '../../../workflow/src/workflow-event.ts';
import { WorkflowProgress } from '../../../workflow/src/workflow-progress.ts';
import { WORKFLOW_TEXTS } from './describe-workflow.ts';
import { WORKFLOW_SINKS } from './show-workflow.ts';

/** Documents that two stages read, one of which a third one counts. */
const STAGES: readonly Stage[] = [
  ['docs', [], {}],
  ['questions', ['docs'], {}],
  ['titles', ['docs'], {}],
  ['answers', ['questions'], { expand: 'questions' }],
].map(([name, dependsOn, options], index) => ({ name, dependsOn, options, index }) as unknown as Stage);

function runSnapshot(done: number, wanted: number, cost: number): ProgressSnapshot {
  return {
    elapsedMs: 1000,
    rows: { wanted, done, before: 0, lost: 0, perSecond: 2 },
    etaSeconds: (wanted - done) / 2,
    columns: [],
    groups: { total: 1, done: 0, open: 1 },
    cost: { soFar: cost, forecast: (cost * wanted) / done, budget: 9, left: 9 - cost },
    usage: { writer: { ...TOKENS, requests: done, failedRequests: 0, cost } },
    models: [{ aliases: ['writer'], inFlight: 1, limit: 8, waiting: 0, pausedMs: 0, model: 'far/small' }],
    tools: { calls: 0, errors: 0 },
    flaws: [],
    failures: [],
  };
}

const TOKENS = { inputTokens: 0, outputTokens: 0, inputTokensPerSecond: 0, outputTokensPerSecond: 0 };

const run = (stage: string, event: Extract<WorkflowEvent, { type: 'stage-event' }>['event']): WorkflowEvent => ({
  type: 'stage-event',
  stage,
  event,
});
const progress = (stage: string, ...of: Parameters<typeof runSnapshot>) =>
  run(stage, { type: 'progress', snapshot: runSnapshot(...of) });

/** A run in which two stages are made at the same time. */
const EVENTS: readonly WorkflowEvent[] = [
  { type: 'stage-reuse', stage: 'docs', index: 0, rows: 20, requests: 20, cost: 1, knownCost: 1 },
  { type: 'stage-replace', stage: 'questions', index: 1, reason: 'its config has changed' },
  { type: 'stage-start', stage: 'questions', index: 1, rows: 20 },
  { type: 'stage-start', stage: 'titles', index: 2, rows: 20 },
  run('questions', { type: 'tools-change', provider: 'demo' }),
  progress('questions', 5, 20, 0.5),
  progress('titles', 10, 20, 0.25),
];

/** All events of a workflow, and its last snapshot. */
function told(events: readonly WorkflowEvent[]): { all: readonly WorkflowEvent[]; last: WorkflowSnapshot } {
  const all: WorkflowEvent[] = [];
  const workflow = new WorkflowProgress(STAGES, {
    workflow: 'qa',
    path: '/data/qa',
    reports: STAGES.map(({ name }) => ({ stage: name, columns: [], models: ['writer'], warnings: [] })),
    numRecords: 20,
    maxCost: 9,
    onEvent: (event) => all.push(event),
  });
  for (const event of events) workflow.take(event);
  return { all, last: workflow.snapshot() };
}

test('the snapshot adds up all stages, and names those whose cost and time are not known yet', () => {
  const { last } = told(EVENTS);
  expect(last.stages.map(({ stage, state, rows }) => [stage, state, rows.done, rows.wanted])).toEqual([
    ['docs', 'reused', 20, 20],
    ['questions', 'running', 5, 20],
    ['titles', 'running', 10, 20],
    ['answers', 'waiting', 0, null],
  ]);
  expect(last).toMatchObject({
    requests: 35,
    cost: { soFar: 1.75, forecast: 3.5, unknown: ['answers'], budget: 9, left: 7.25 },
    time: { etaSeconds: 7.5, unknown: ['answers'] },
  });
});

test('a stage that takes its input as it is waits for as many rows, and one without models costs nothing', () => {
  const { all } = told([]);
  const { last } = told([
    { type: 'stage-start', stage: 'docs', index: 0, rows: 20 },
    progress('docs', 10, 20, 1),
    { type: 'stage-end', stage: 'docs', index: 0, rows: 19 },
  ]);
  expect(all).toMatchObject([
    { type: 'workflow-start', workflow: 'qa', stages: [{ stage: 'docs', rows: 20 }, {}, {}, {}] },
  ]);
  expect(last.stages.map(({ rows }) => rows.wanted)).toEqual([20, 20, 20, null]);
  expect(last.stages[0]).toMatchObject({ state: 'done', rows: { done: 19 }, cost: { soFar: 1, forecast: 1 } });
});

test('a stage that ends at a limit is stopped', () => {
  const spent = { code: 'run/time-spent', message: 'The time is spent.' } as const;
  const states = [spent, null].map((ended) => {
    const end = run('docs', { type: 'run-end', rows: 3, elapsedMs: 1, ended, ...new RunSummary().findings });
    expect(WORKFLOW_TEXTS.describe(end), 'the stage reports its rows itself').toBeUndefined();
    return told([{ type: 'stage-start', stage: 'docs', index: 0, rows: 20 }, end]).last.stages[0]?.state;
  });
  expect(states).toEqual(['stopped', 'running']);
});

/** The text that a way to show a workflow writes. */
async function written(name: keyof typeof WORKFLOW_SINKS, { rows = 30, isOpen = false } = {}): Promise<string> {
  const open = await WORKFLOW_SINKS[name]();
  let text = '';
  const sink = open({ columns: 200, rows, write: (part) => (text += part) }, 0);
  for (const event of told(EVENTS).all) sink.show(event);
  if (!isOpen) sink[Symbol.dispose]();
  return text;
}

const LAST_LINE =
  '1 of 4 stages done, 2 running, 1 waiting; questions: 5 of 20 rows (25%), 2.0 rows/s, 8 s left; far/small: 1 of 8 in flight; titles: 10 of 20 rows (50%), 2.0 rows/s, 5 s left; far/small: 1 of 8 in flight; 35 requests; cost 1.75, about 3.50 without answers, whose cost is not known yet, 7.25 left of 9.00 (in the currency of your prices); 8 s left without answers, whose time is not known yet';

test('plain lines name the stage of each event', async () => {
  const lines = (await written('plain-lines')).trimEnd().split('\n');
  expect(lines).toEqual(
    expect.arrayContaining([
      'Workflow qa: 4 stages into /data/qa',
      "Stage 'docs': unchanged, 20 rows",
      "Stage 'questions': made again, because its config has changed",
      "Stage 'titles': 20 rows to make",
      "questions: The tools of 'demo' have changed since this dataset was started; models still get the original tools.",
    ]),
  );
  expect(lines.at(-1)).toBe(LAST_LINE);
});

test('JSON lines have one object per event, with the snapshot of the workflow as the last', async () => {
  const lines = (await written('json-lines')).trimEnd().split('\n');
  const last = JSON.parse(lines.at(-1) ?? '') as { readonly snapshot: WorkflowSnapshot };
  expect(last.snapshot.stages.map(({ state }) => state)).toEqual(['reused', 'running', 'running', 'waiting']);
});

test('the panel lists the stages above the panels of the running ones, and leaves the last line of progress', async () => {
  const { lines } = screenOf(await written('terminal-panel', { isOpen: true }), { columns: 200, rows: 30 });
  const panel = lines.slice(lines.findIndex((line) => line.startsWith('1 of 4 stages done')));
  expect(panel.map((line) => line.replace(/\d+ s elapsed/g, 'N s elapsed'))).toEqual([
    '1 of 4 stages done, 2 running, 1 waiting; N s elapsed',
    LAST_LINE.slice(LAST_LINE.indexOf('35 requests')),
    'docs       reused   20 of 20 rows, 20 requests, cost 1.00',
    'questions  running  5 of 20 rows, 5 requests, cost 0.50',
    'titles     running  10 of 20 rows, 10 requests, cost 0.25',
    'answers    waiting  rows not known yet',
    'questions',
    '  [##########------------------------------] 5 of 20 rows (25%)',
    '  2.0 rows/s, 8 s left; N s elapsed; 0 of 1 row group done, 1 open',
    expect.stringContaining('  cost 0.50'),
    '  far/small  1 of 8 in flight; 5 answers',
    'titles',
    '  [####################--------------------] 10 of 20 rows (50%)',
    '  2.0 rows/s, 5 s left; N s elapsed; 0 of 1 row group done, 1 open',
    expect.stringContaining('  cost 0.25'),
    '  far/small  1 of 8 in flight; 10 answers',
  ]);
  const ended = screenOf(await written('terminal-panel'), { columns: 200, rows: 30 });
  expect(ended.lines.join('')).toContain(LAST_LINE);
});

test.each([2, 4, 8, 12])('the panel fits into %i lines', async (rows) => {
  const { lines } = screenOf(await written('terminal-panel', { rows, isOpen: true }), { columns: 200, rows });
  const panel = lines.slice(lines.findIndex((line) => line.startsWith('1 of 4 stages done')));
  expect(panel.length).toBeLessThan(rows);
});
