import type { JoinedRunEvent, JoinEvent } from '@data-designer/cluster';
import { type RunEvent, RunSummary } from '@data-designer/engine';

const NO_FINDINGS = new RunSummary().findings;

type ExampleOf<Type extends RunEvent['type']> = Extract<RunEvent, { readonly type: Type }>;

const ENDED = { code: 'run/aborted', message: 'The run was stopped: SIGINT.' } as const;

/** Examples of every event except progress, which is a line of its own. */
export const EXAMPLE_EVENTS: {
  readonly [Type in Exclude<RunEvent['type'], 'progress'>]: readonly ExampleOf<Type>[];
} = {
  'run-start': [
    { type: 'run-start', path: 'artifacts/facts', rows: 300, rowsDone: 0, groups: 1, seed: 7, models: [] },
    { type: 'run-start', path: 'artifacts/facts', rows: 50, rowsDone: 0, groups: 1, seedRows: 31, seed: 7, models: [] },
    {
      type: 'run-start',
      path: 'artifacts/facts',
      rows: 3000,
      rowsDone: 1000,
      groups: 2,
      seed: 7,
      models: [{ alias: 'writer', model: 'acme-7b', limit: 64 }],
    },
  ],
  'row-group-end': [
    { type: 'row-group-end', group: 3, rows: 1000, lost: [] },
    {
      type: 'row-group-end',
      group: 4,
      rows: 997,
      lost: [{ column: 'text', code: 'model/gave-up', message: 'No valid answer.', rows: 3 }],
    },
  ],
  'tool-schema-fail': [{ type: 'tool-schema-fail', provider: 'docs', tool: 'search' }],
  'tool-drop': [
    { type: 'tool-drop', provider: 'docs', tools: ['search'], reason: 'its schema is recursive' },
    {
      type: 'tool-drop',
      provider: 'docs',
      tools: ['a', 'b', 'c', 'd', 'e', 'f', 'g'],
      reason: 'the endpoint takes fewer tools',
    },
  ],
  'worker-fail': [{ type: 'worker-fail', group: 3, reason: 'exit code 1' }],
  'model-refuses-pictures': (['tool', 'prompt', 'both'] as const).map((source) => {
    return { type: 'model-refuses-pictures', model: 'acme-7b', source, reason: 'no image input' } as const;
  }),
  'folder-divert': ([undefined, 'finished', 'unfinished', 'other'] as const).map((holds) => {
    const divert = { type: 'folder-divert', path: 'artifacts/facts_2', wanted: 'artifacts/facts' } as const;
    return holds === undefined ? divert : { ...divert, holds };
  }),
  'folder-reuse': [
    { type: 'folder-reuse', path: 'artifacts/facts', hasFailures: true },
    { type: 'folder-reuse', path: 'artifacts/facts', hasFailures: false },
  ],
  'resume-fail': [{ type: 'resume-fail', path: 'artifacts/facts', reason: 'its seed is 7, not 8' }],
  'journal-void': [
    { type: 'journal-void', answers: 12, cost: 0.25, columns: [{ column: 'text', answers: 12 }] },
    { type: 'journal-void', answers: 1, cost: null, columns: [{ column: 'text', answers: 1 }] },
  ],
  'lost-rows-retry': [
    { type: 'lost-rows-retry', path: 'artifacts/facts', rows: 137, boughtAgain: 0 },
    { type: 'lost-rows-retry', path: 'artifacts/facts', rows: 1, boughtAgain: 2 },
  ],
  'rows-damaged': [
    {
      type: 'rows-damaged',
      path: 'artifacts/facts',
      files: ['parquet-files/batch_00000.parquet'],
      rows: 1000,
      cost: 2.5,
    },
  ],
  'metadata-derive': [
    { type: 'metadata-derive', path: 'artifacts/facts/metadata.json', reason: 'it contains no JSON object' },
  ],
  'record-restore': [
    { type: 'record-restore', path: 'artifacts/facts/run.json', from: 'run.copy.json', reason: 'it is not there' },
  ],
  'side-tables-restore': [
    { type: 'side-tables-restore', path: 'artifacts/facts', files: ['processors-files/chats/batch_00000.parquet'] },
  ],
  'usage-restore': [{ type: 'usage-restore', path: 'artifacts/facts/usage.jsonl', requests: 12 }],
  'failures-lost': [{ type: 'failures-lost', path: 'artifacts/facts/failures.jsonl', lines: 3 }],
  'log-fail': [{ type: 'log-fail', path: 'calls.jsonl', reason: 'The disk is full at calls.jsonl.' }],
  'merge-fail': [{ type: 'merge-fail', reason: 'The disk is full at artifacts/facts.' }],
  'model-pause': [{ type: 'model-pause', model: 'acme-7b', waitMs: 0, reason: 'slow down' }],
  'tool-session-start': [
    { type: 'tool-session-start', provider: 'docs', again: false },
    { type: 'tool-session-start', provider: 'docs', again: true },
  ],
  'tool-session-fail': [{ type: 'tool-session-fail', provider: 'docs', reason: 'its process ended with code 1' }],
  'tools-change': [
    { type: 'tools-change', provider: 'docs' },
    {
      type: 'tools-change',
      provider: 'docs',
      file: { provider: 'docs', path: 'tools.json', listedAt: '2026-01-01T00:00:00.000Z' },
      differences: ['gone: find', 'new: search'],
    },
  ],
  'tool-log': [{ type: 'tool-log', provider: 'functions', tool: 'search', message: '3 pages found' }],
  'tool-progress': [
    { type: 'tool-progress', provider: 'functions', tool: 'search', done: 3, total: 10 },
    { type: 'tool-progress', provider: 'functions', tool: 'search', done: 3, total: null },
  ],
  'column-log': [{ type: 'column-log', column: 'grade', message: '3 rows had no score' }],
  'function-wait': [
    { type: 'function-wait', function: 'grade', seconds: 5, isBlocking: true },
    { type: 'function-wait', function: 'grade', seconds: 30, isBlocking: false },
  ],
  'answer-cut': [{ type: 'answer-cut', column: 'text' }],
  'coordinator-change': [{ type: 'coordinator-change', path: '/shared/facts' }],
  'redis-lost': [
    { type: 'redis-lost', address: 'queue:6379', seconds: 65, reason: 'connect ECONNREFUSED 10.0.0.7:6379' },
  ],
  'redis-return': [{ type: 'redis-return', address: 'queue:6379', seconds: 65 }],
  'redis-fail': [{ type: 'redis-fail', address: 'queue:6379', reason: 'OOM command not allowed' }],
  'drain-start': [
    { type: 'drain-start', graceMs: 30_000, reason: ENDED },
    { type: 'drain-start', graceMs: 30_000, reason: { code: 'run/budget-spent', message: 'The budget is spent.' } },
  ],
  'run-end': [{ type: 'run-end', rows: 300, elapsedMs: 12_345, ended: null, ...NO_FINDINGS }],
};

const JOINED = '/shared/qa';

/** Examples of the events of a machine that joined the folder `/shared/qa`. */
export const EXAMPLE_JOIN_EVENTS: readonly (JoinEvent | JoinedRunEvent)[] = [
  { type: 'join-wait', path: JOINED },
  { type: 'join-start', path: JOINED, groups: 12, coordinator: 'node-1', standsByFor: [] },
  { type: 'join-start', path: `${JOINED}/stage-1-left`, groups: 1, coordinator: 'node-1', standsByFor: ['browser'] },
  { type: 'join-progress', path: JOINED, rows: 1200, groups: 3, runs: [{ path: JOINED, rows: 1200, groups: 3 }] },
  {
    type: 'join-progress',
    path: JOINED,
    rows: 1200,
    groups: 3,
    runs: [
      { path: `${JOINED}/stage-1-left`, rows: 800, groups: 1 },
      { path: `${JOINED}/stage-2-right`, rows: 100, groups: 2 },
    ],
  },
  { type: 'join-lead', path: `${JOINED}/stage-1-left` },
  { type: 'join-cannot-lead', path: JOINED, reason: "the stage 'last' has functions" },
  { type: 'run-end', rows: 300, elapsedMs: 1500, ended: null, ...NO_FINDINGS, folder: JOINED },
  { type: 'run-end', rows: 300, elapsedMs: 1500, ended: null, ...NO_FINDINGS, folder: `${JOINED}/stage-1-left` },
];
