import { stripVTControlCharacters } from 'node:util';
import { expect, test } from 'vitest';
import { type ProgressSnapshot, type RunEvent, RunSummary } from '@data-designer/engine';
import { screenOf } from '../../../../test/terminal-screen.ts';
import type { OpenProgressSink } from './progress-sink.ts';
import { PROGRESS_SINKS } from './show-run.ts';

const ENDED = { code: 'run/time-spent', message: 'The time is spent.' } as const;

function progress(done: number): RunEvent {
  const snapshot: ProgressSnapshot = {
    elapsedMs: 1000,
    rows: { wanted: 100, done, before: 0, lost: 0, perSecond: 2 },
    etaSeconds: 60,
    columns: [],
    groups: { total: 1, done: 0, open: 1 },
    cost: { soFar: null, forecast: null, budget: null, left: null },
    usage: {},
    models: [],
    tools: { calls: 0, errors: 0 },
    flaws: [],
    failures: [],
  };
  return { type: 'progress', snapshot };
}

/** One event of every type that a run reports, in an order that a run could have. */
const EVENTS: readonly RunEvent[] = [
  { type: 'resume-fail', path: '/data/a', reason: 'its plan differs' },
  { type: 'folder-divert', path: '/data/a_2', wanted: '/data/a' },
  { type: 'folder-reuse', path: '/data/a_2', hasFailures: true },
  { type: 'metadata-derive', path: '/data/a_2/metadata.json', reason: 'it is empty' },
  { type: 'tool-session-start', provider: 'demo', again: false },
  { type: 'tool-schema-fail', provider: 'demo', tool: 'odd' },
  { type: 'tool-drop', provider: 'demo', tools: ['odd'], reason: 'its schema is no object' },
  { type: 'tools-change', provider: 'demo' },
  {
    type: 'run-start',
    path: '/data/a_2',
    rows: 100,
    rowsDone: 0,
    groups: 1,
    seed: 7,
    models: [{ alias: 'writer', model: 'small', limit: 4 }],
  },
  progress(0),
  { type: 'tool-log', provider: 'demo', tool: 'odd', message: 'note\u001b[2J\u0007s' },
  { type: 'tool-progress', provider: 'demo', tool: 'odd', done: 1, total: 2 },
  { type: 'tool-session-fail', provider: 'demo', reason: 'it ended' },
  { type: 'worker-fail', group: 0, reason: 'out of memory' },
  { type: 'model-pause', model: 'small', waitMs: 2000, reason: 'slow down' },
  { type: 'model-refuses-pictures', model: 'here/small', source: 'tool', reason: 'no image input' },
  { type: 'answer-cut', column: 'quiz' },
  progress(40),
  { type: 'row-group-end', group: 0, rows: 99, lost: [] },
  { type: 'merge-fail', reason: 'the disk is full' },
  { type: 'drain-start', graceMs: 2000, reason: ENDED },
  progress(99),
  { type: 'run-end', rows: 99, elapsedMs: 5000, ended: ENDED, ...new RunSummary().findings },
];

const SINKS = await Promise.all(
  Object.entries(PROGRESS_SINKS).map(async ([name, load]): Promise<[string, OpenProgressSink]> => [name, await load()]),
);

/** The text that a sink writes for the events of a run that succeeds or fails. */
function written(open: OpenProgressSink, { events = EVENTS, succeeds = true } = {}): string {
  let text = '';
  const sink = open({ columns: 200, rows: 50, write: (part) => (text += part) }, 1_000_000);
  for (const event of events) sink.show(event);
  if (succeeds) sink.succeed();
  sink[Symbol.dispose]();
  return text;
}

/** The lines that stay on the screen. */
function linesOf(name: string, text: string): readonly string[] {
  if (name === 'terminal-panel') return screenOf(text, { columns: 200, rows: 50 }).lines;
  return text.trimEnd().split('\n');
}

test.each(SINKS)('%s shows every event but progress once, in order', (name, open) => {
  const lines = linesOf(name, written(open));
  const others = EVENTS.filter(({ type }) => type !== 'progress');
  const text = lines.join('\n');
  const shown = [/its plan differs/, /metadata\.json/, /writer/, /note/, /out of memory/, /quiz/, /disk is full/];
  const places = shown.map((one) => text.search(one));
  expect(places).toEqual(places.toSorted((a, b) => a - b));
  expect(places[0]).toBeGreaterThanOrEqual(0);
  const expected = name === 'json-lines' ? others.length + 2 : others.length + 1;
  expect(lines).toHaveLength(expected);
});

const isEnd = (line: string): boolean => /"run-end"|99 records in 5\.0 s/.test(line);

test.each(SINKS)('%s shows the end once, and nothing after it', (name, open) => {
  const lines = linesOf(name, written(open));
  expect(lines.filter(isEnd)).toHaveLength(1);
  expect(lines.findIndex(isEnd)).toBe(lines.length - 1);
});

test.each(SINKS)('%s shows the last progress of a failed run once', (name, open) => {
  const events = [progress(0), progress(40), progress(41)];
  const lines = linesOf(name, written(open, { events, succeeds: false }));
  expect(lines.filter((line) => /41 of 100 rows|"done":41/.test(line))).toHaveLength(1);
  expect(lines.at(-1)).toMatch(/41 of 100 rows|"done":41/);
});

test.each(SINKS)('%s lets no message move the cursor', (_, open) => {
  const message = 'a\u001b[2J\u0007b';
  const text = written(open, { events: [{ type: 'column-log', column: 'x', row: 1, message }] as never });
  expect(text).not.toContain('\u001b[2J');
  expect(stripVTControlCharacters(text)).not.toContain('\u0007');
});

test.each(SINKS)('%s writes nothing for a run without events', (_, open) => {
  expect(written(open, { events: [] })).toBe('');
});

test('every JSON line is one event, its type first', async () => {
  const lines = linesOf('json-lines', written(await PROGRESS_SINKS['json-lines']()));
  const types = lines.map((line) => (JSON.parse(line) as RunEvent).type);
  expect(types.filter((type) => type !== 'progress')).toEqual(
    EVENTS.map(({ type }) => type).filter((type) => type !== 'progress'),
  );
  for (const line of lines) expect(line).toMatch(/^\{"type":"/);
});

test('plain lines hold no control characters', async () => {
  const text = written(await PROGRESS_SINKS['plain-lines']());
  expect(text).not.toMatch(/[^\P{Cc}\n]/u);
});
