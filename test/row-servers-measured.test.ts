import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { loadDataset } from 'data-designer';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { publishedServer } from '../packages/mcp/test/published.ts';
import { until } from '../packages/mcp/test/providers.ts';
import { type AnsweringServer, completion, openAnsweringServer, reply } from '@data-designer/testing/answering-server';
import { type ModelRequest, type ScriptedCall, toolCalls } from './calling-model.ts';
import { startDataDesigner } from './command-line.ts';

const ROWS = 300;
const TIMEOUT = 1_500_000;
const MOST_ROWS = 6;
const tags = ['long'];

let folder: string;
let temporary: string;
let server: AnsweringServer;
let answered = 0;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'row-servers-measured-'));
  temporary = join(folder, 'tmp');
  mkdirSync(temporary);
  server = await openAnsweringServer((text, response) => {
    answered++;
    const { messages } = JSON.parse(text) as ModelRequest;
    const row = /row (\d+)/.exec(messages.find(({ role }) => role === 'user')?.content ?? '')?.[1] ?? '';
    const turn = messages.filter(({ role }) => role === 'assistant').length;
    const results = messages.flatMap(({ role, content }) => (role === 'tool' ? (content ?? '') : []));
    const own = callsOf(row, turn, folderIn(results));
    reply(response, own.length === 0 ? completion(results.join('\n')) : toolCalls(own, turn));
  });
  writeFileSync(join(folder, 'config.json'), JSON.stringify(document()));
  writeFileSync(join(folder, 'settings.json'), JSON.stringify({ buffer_size: 50 }));
  const model = { name: 'own', endpoint: `${server.origin}/v1`, provider_type: 'openai', api_key: 'key' };
  writeFileSync(join(folder, 'providers.json'), JSON.stringify({ providers: [model, ...tools()] }));
});
afterAll(() => {
  server[Symbol.dispose]();
  rmSync(folder, { recursive: true });
});

/** The folder that the file system server allows, as it says. */
function folderIn(results: readonly string[]): string {
  return /\/\S*data-designer-rows-\w+\/[\w-]+/.exec(results.join('\n'))?.[0] ?? '';
}

/** What the model does in a turn: look at the graph, add to it, write a file, look at both. */
function callsOf(row: string, turn: number, path: string): readonly ScriptedCall[] {
  const entity = { name: `row ${row}`, entityType: 'row', observations: [`it is ${row}`] };
  const turns = [
    [call('read_graph'), call('list_allowed_directories')],
    [
      call('create_entities', { entities: [entity] }),
      call('write_file', { path: join(path, `row-${row}.txt`), content: `row ${row}` }),
    ],
    [call('read_graph'), call('list_directory', { path })],
  ];
  return turns[turn] ?? [];
}

function call(name: string, args: object = {}): ScriptedCall {
  return { name, arguments: args };
}

function tools() {
  const memory = publishedServer('memory', [], { MEMORY_FILE_PATH: '{{ row_dir }}/graph.jsonl' });
  return [memory, publishedServer('filesystem', ['{{ row_dir }}'])].map(({ name, command, args, env }) => {
    return { name, provider_type: 'stdio', command, args, env };
  });
}

function document() {
  const column = { column_type: 'llm-text', model_alias: 'agent', tool_alias: 'row-tools' };
  return {
    model_configs: [{ alias: 'agent', model: 'm', provider: 'own' }],
    tool_configs: [{ tool_alias: 'row-tools', providers: ['graph', 'files'] }],
    environments: [
      { name: 'graph', kind: 'mcp', provider: 'memory', snapshot: { tool: 'read_graph' }, max_rows: MOST_ROWS },
      { name: 'files', kind: 'mcp', provider: 'filesystem', files: { 'start.txt': 'it is {{ row }}' } },
    ],
    seed_config: {
      source: { seed_type: 'local', path: join(folder, 'rows.jsonl') },
    },
    columns: [{ ...column, name: 'work', prompt: 'Do what row {{ row }} needs.' }],
  };
}

/** The processes that were started with a text among their arguments or variables, as `<pid> <arguments>`. */
function processesWith(text: string): readonly string[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .flatMap((pid) => {
      try {
        const words = readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
        const environment = readFileSync(`/proc/${pid}/environ`, 'utf8');
        return words.includes(text) || environment.includes(text) ? [`${pid} ${words}`] : [];
      } catch {
        return [];
      }
    });
}

/** The folders of rows that are left. */
function left(): readonly string[] {
  return readdirSync(temporary).filter((name) => name.startsWith('data-designer-rows-'));
}

interface MadeRow {
  readonly row: number;
  readonly work: string;
  readonly work__state: { readonly graph: object; readonly files: object };
}

async function rowsOf(name: string): Promise<readonly MadeRow[]> {
  const results = await loadDataset(join(folder, name));
  return (await Array.fromAsync(results.records())) as unknown as readonly MadeRow[];
}

function expectOwnWorlds(rows: readonly MadeRow[]): void {
  expect(rows).toHaveLength(ROWS);
  for (const { row, work, work__state: state } of rows) {
    // The graph of a row begins empty.
    expect(work.replaceAll(/\s/g, '')).toMatch(/^\{"entities":\[\],"relations":\[\]\}/);
    expect(state.graph).toMatchObject({ entities: [{ name: `row ${row}`, observations: [`it is ${row}`] }] });
    expect(state.files).toEqual({ 'start.txt': `it is ${row}`, [`row-${row}.txt`]: `row ${row}` });
  }
}

function run(name: string, ...more: readonly string[]) {
  const at = (file: string) => join(folder, file);
  const files = ['--providers', at('providers.json'), '-c', at('settings.json')];
  const where = ['-n', String(ROWS), '-o', folder, '-d', name, '--seed', '3', ...more];
  return startDataDesigner(['create', at('config.json'), ...files, ...where], { TMPDIR: temporary });
}

test(
  '300 rows with a graph and a folder each: none sees another, nothing is left',
  { tags, timeout: TIMEOUT },
  async () => {
    writeFileSync(
      join(folder, 'rows.jsonl'),
      Array.from({ length: ROWS }, (_, row) => JSON.stringify({ row })).join('\n'),
    );
    const whole = run('whole');
    let most = 0;
    while (whole.child.exitCode === null) {
      const seen = processesWith('server-memory');
      // A look takes time: those in two of them were alive at the same time. A watch of a server has no arguments of it.
      const again = new Set(processesWith('server-memory'));
      most = Math.max(most, seen.filter((one) => again.has(one)).length);
      await sleep(100);
    }
    expect(await whole.finished).toMatchObject({ code: 0 });
    expect(most).toBeGreaterThan(1);
    expect(most).toBeLessThanOrEqual(MOST_ROWS);
    expectOwnWorlds(await rowsOf('whole'));
    expect(left()).toEqual([]);

    const enough = answered + ROWS * 2;
    const killed = run('killed');
    await until(() => answered >= enough);
    killed.child.kill('SIGKILL');
    await killed.finished;
    await until(() => processesWith(temporary).length === 0);
    expect(left()).not.toEqual([]);
    expect(await run('killed', '--resume', 'always').finished).toMatchObject({ code: 0 });
    expect(left()).toEqual([]);
    expectOwnWorlds(await rowsOf('killed'));
  },
);
