import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { folderJournal } from '../packages/dataset/src/journal/folder-journal.ts';
import { runCommand, startDataDesigner } from './command-line.ts';

const ROWS = 30;
const GROUP = 3;
/** Per million tokens; one read costs as much as the first answer says. */
const PRICING = { input: 1_000_000, output: 0 };

let folder: string;
let server: Server;
/** Answers so far, each of which costs one more than the one before it. */
let answers: number;
/** After so many answers nobody is answered any more. */
let holdsAfter: number;
let held: ServerResponse[];

const at = (...names: string[]) => join(folder, ...names);

function write(name: string, value: unknown): void {
  writeFileSync(at(name), JSON.stringify(value));
}

/** What all answers of the server cost. */
const costOfAll = () => (answers * (answers + 1)) / 2;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'killed-spending-'));
  answers = 0;
  held = [];
  server = createServer((request, response) => {
    request.resume();
    request.on('end', () => {
      if (answers >= holdsAfter) return void held.push(response);
      const choices = [{ message: { role: 'assistant', content: 'word' }, finish_reason: 'stop' }];
      const usage = { prompt_tokens: ++answers, completion_tokens: 1 };
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ choices, usage }));
    });
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo;
  const parameters = { inference_parameters: { max_parallel_requests: 4 } };
  write('config.json', {
    model_configs: [{ alias: 'writer', model: 'm', provider: 'here', pricing: PRICING, ...parameters }],
    columns: [
      { name: 'id', column_type: 'sampler', sampler_type: 'uuid', params: {} },
      { name: 'a', column_type: 'llm-text', model_alias: 'writer', prompt: 'Say {{ id }}' },
    ],
  });
  write('providers.json', { providers: [{ name: 'here', endpoint: `http://127.0.0.1:${port}/v1` }] });
  write('settings.json', { buffer_size: GROUP, compact: false });
});

afterEach(() => {
  server.closeAllConnections();
  server.close();
  rmSync(folder, { recursive: true });
});

function create(...more: string[]): string[] {
  const files = ['--providers', at('providers.json'), '-c', at('settings.json')];
  return ['create', at('config.json'), '-n', `${ROWS}`, '-o', folder, '-d', 'paid', '--seed', '4', ...files, ...more];
}

const filesIn = (name: string) => (existsSync(at('paid', name)) ? readdirSync(at('paid', name)) : []);

/** Answers that are kept: of committed groups, and in journals; undefined while a group is being committed. */
async function kept(): Promise<number | undefined> {
  const committed = filesIn('parquet-files');
  const journals = filesIn('journal').filter((name) => !committed.includes(batchOf(name)));
  const inJournals = await Promise.all(journals.map((name) => folderJournal(at('paid', 'journal', name)).read()));
  // The run goes on meanwhile: a group that is committed takes its journal away, and would be missed or counted twice.
  if (filesIn('parquet-files').length !== committed.length) return undefined;
  return committed.length * GROUP + inJournals.reduce((sum, { entries }) => sum + entries.length, 0);
}

const batchOf = (journal: string) => `${journal.replace('group', 'batch')}.parquet`;

/** A run that the server leaves hanging after some answers, killed once all of these are kept. */
async function killAfter(count: number, ...more: string[]): Promise<void> {
  holdsAfter = count;
  held = [];
  const run = startDataDesigner(create(...more));
  while (run.child.exitCode === null && (held.length === 0 || ((await kept()) ?? 0) < answers)) await sleep(10);
  if (run.child.exitCode !== null) throw new Error(`It ended by itself: ${run.said()}`);
  run.child.kill('SIGKILL');
  await run.finished;
}

interface Spent {
  readonly cost: number;
  readonly usage: { readonly writer: { readonly requests: number; readonly inputTokens: number } };
}

async function finish(...more: readonly string[]): Promise<Spent> {
  holdsAfter = Infinity;
  const { code, stdout, stderr } = await runCommand(create('-r', 'always', '--json', ...more));
  expect(stderr).not.toContain('Error');
  expect(code).toBe(0);
  const report = JSON.parse(stdout) as Spent;
  const { cost, usage } = report;
  expect(JSON.parse(readFileSync(at('paid', 'metadata.json'), 'utf8'))).toMatchObject({ cost, usage });
  return report;
}

test('after two kills a resume counts each journaled answer once, to the token', { tags: 'long' }, async () => {
  // Several groups are committed within moments, and one is half made.
  await killAfter(4 * GROUP + 2);
  await killAfter(7 * GROUP + 1, '-r', 'always');
  const { cost, usage } = await finish();
  expect(answers).toBe(ROWS);
  expect(usage.writer).toMatchObject({ requests: ROWS, inputTokens: costOfAll() });
  expect(cost).toBeCloseTo(costOfAll(), 6);
  expect((await finish()).cost).toBe(cost);
});

test('a budget that journaled answers have spent sends no further request', { tags: 'long' }, async () => {
  await killAfter(4 * GROUP + 2);
  const spent = answers;
  holdsAfter = Infinity;
  const resumed = await runCommand(create('-r', 'always', '--max-cost', String(costOfAll())));
  expect(resumed.stderr).toContain('[run/budget-spent]');
  expect(answers).toBe(spent);
});

test('the cost of a damaged file counts although its rows are made again', async () => {
  holdsAfter = Infinity;
  await runCommand(create());
  truncateSync(at('paid', 'parquet-files', 'batch_00001.parquet'), 50);
  const { cost, usage } = await finish('--re-request');
  expect(answers).toBe(ROWS + GROUP);
  expect(usage.writer).toMatchObject({ requests: ROWS + GROUP, inputTokens: costOfAll() });
  expect(cost).toBeCloseTo(costOfAll(), 6);
});
