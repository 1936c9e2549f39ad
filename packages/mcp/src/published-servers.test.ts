import { once } from 'node:events';
import { mkdtempSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createConnection, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { publishedServer, startEverything } from '../test/published.ts';
import type { ToolProvider } from './provider.ts';
import type { SessionEvent } from './tool-session.ts';
import { ToolSessions } from './tool-sessions.ts';

const limits = { timeoutMs: 60_000 };
const SUM = { name: 'get-sum', arguments: { a: 2, b: 40 } };

/** The content items of an outcome. */
function contentOf({ body }: { readonly body: string }): readonly Record<string, unknown>[] {
  return (JSON.parse(body) as { content: Record<string, unknown>[] }).content;
}

function everything(providerType: ToolProvider['providerType'], endpoint: string): ToolProvider {
  return providerType === 'stdio' ? publishedServer('everything') : { name: 'everything', providerType, endpoint };
}

describe.each(['stdio', 'sse', 'streamable_http'] as const)('the server "everything" over %s', (providerType) => {
  let server: Awaited<ReturnType<typeof startEverything>> | undefined;
  let provider: ToolProvider;
  let sessions: ToolSessions;

  beforeAll(async () => {
    server = providerType === 'stdio' ? undefined : await startEverything(providerType);
    provider = everything(providerType, server?.endpoint ?? '');
    sessions = new ToolSessions();
  });
  afterAll(async () => {
    await sessions[Symbol.asyncDispose]();
    await server?.[Symbol.asyncDispose]();
  });

  test(
    'lists its tools, answers many calls at once, and returns texts, images and structured content',
    { tags: 'long' },
    async () => {
      const names = (await sessions.listTools(provider)).map((tool) => tool.function.name);
      expect(names).toEqual(expect.arrayContaining(['echo', 'get-sum', 'get-tiny-image', 'get-structured-content']));
      const sums = Array.from({ length: 100 }, (_, n) =>
        sessions.call(provider, { name: 'get-sum', arguments: { a: n, b: 1 } }, limits),
      );
      for (const [n, sum] of (await Promise.all(sums)).entries()) {
        expect(contentOf(sum)[0]?.text).toBe(`The sum of ${n} and 1 is ${n + 1}.`);
      }
      const image = await sessions.call(provider, { name: 'get-tiny-image', arguments: {} }, limits);
      expect(contentOf(image)).toContainEqual(expect.objectContaining({ type: 'image', mimeType: 'image/png' }));
      const weather = { name: 'get-structured-content', arguments: { location: 'Chicago' } };
      const { body } = await sessions.call(provider, weather, limits);
      expect(JSON.parse(body)).toHaveProperty('structuredContent.temperature');
    },
  );

  test('rejects wrong arguments and unknown tools with a message', { tags: 'long' }, async () => {
    const wrong = await sessions.call(provider, { name: 'get-sum', arguments: { a: 'x' } }, limits);
    expect(wrong.body).toContain('get-sum');
    const unknown = await sessions.call(provider, { name: 'fly', arguments: {} }, limits);
    expect(unknown.body).toContain('fly');
  });

  test('a slow call ends at its timeout, and the next is answered', { tags: 'long' }, async () => {
    await sessions.listTools(provider);
    const long = { name: 'trigger-long-running-operation', arguments: { duration: 60, steps: 60 } };
    const late = await sessions.call(provider, long, { timeoutMs: 400 });
    expect(late).toMatchObject({ status: 504, body: 'no answer within 400 ms' });
    expect(await sessions.call(provider, SUM, limits)).toMatchObject({ status: 200 });
  });
});

interface Relay extends Disposable {
  readonly port: number;
  readonly leadTo: (port: number) => void;
}

/** Leads connections to a port that can change: clients find the next server at once, however slowly it starts. */
async function openRelay(first: number): Promise<Relay> {
  let target = first;
  const relay = createServer((client) => {
    const server = createConnection(target, '127.0.0.1');
    client.pipe(server).pipe(client);
    client.on('error', () => server.destroy()).on('close', () => server.destroy());
    server.on('error', () => client.destroy()).on('close', () => client.destroy());
  }).listen(0, '127.0.0.1');
  await once(relay, 'listening');
  const { port } = relay.address() as AddressInfo;
  return { port, leadTo: (next) => (target = next), [Symbol.dispose]: () => void relay.close() };
}

for (const providerType of ['sse', 'streamable_http'] as const)
  test(
    `after the server "everything" over ${providerType} is killed and restarted, an interrupted call is repeated if its tool may run twice`,
    { tags: 'long' },
    async () => {
      const first = await startEverything(providerType);
      await using second = await startEverything(providerType);
      using relay = await openRelay(first.port);
      const provider = everything(providerType, first.endpoint.replace(`:${first.port}`, `:${relay.port}`));
      const events: SessionEvent[] = [];
      await using sessions = new ToolSessions({ onEvent: (event) => events.push(event) });
      await sessions.listTools(provider);
      const long = { name: 'trigger-long-running-operation', arguments: { duration: 1, steps: 2 } };
      const call = sessions.call(provider, long, limits);
      await sleep(300);
      relay.leadTo(second.port);
      await first[Symbol.asyncDispose]();
      expect(await call).toMatchObject({ status: 200 });
      expect(await sessions.call(provider, SUM, limits)).toMatchObject({ status: 200 });
      expect(events.filter(({ type }) => type === 'tool-session-fail')).toHaveLength(1);
    },
  );

test('the server "memory" keeps the data of one call for the next', async () => {
  const file = join(mkdtempSync(join(tmpdir(), 'memory-')), 'memory.jsonl');
  const provider = publishedServer('memory', [], { MEMORY_FILE_PATH: file });
  await using sessions = new ToolSessions();
  expect((await sessions.listTools(provider)).map((tool) => tool.function.name)).toContain('create_entities');
  const entities = [{ name: 'octopus', entityType: 'animal', observations: ['has three hearts'] }];
  await sessions.call(provider, { name: 'create_entities', arguments: { entities } }, limits);
  const found = await sessions.call(provider, { name: 'search_nodes', arguments: { query: 'octopus' } }, limits);
  expect(found).toMatchObject({ status: 200, body: expect.stringContaining('has three hearts') });
});

test('the server "filesystem" reads its folder, and refuses paths outside it', { tags: 'long' }, async () => {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'files-')));
  writeFileSync(join(folder, 'note.txt'), 'bees dance');
  const provider = publishedServer('filesystem', [folder]);
  await using sessions = new ToolSessions();
  const read = (path: string) => sessions.call(provider, { name: 'read_text_file', arguments: { path } }, limits);
  expect(await read(join(folder, 'note.txt'))).toMatchObject({ body: expect.stringContaining('bees dance') });
  expect(await read('/etc/hostname')).toMatchObject({ body: expect.stringMatching(/denied|outside/) });
  const write = { name: 'write_file', arguments: { path: join(folder, 'new.txt'), content: 'ants too' } };
  expect(await sessions.call(provider, write, limits)).toMatchObject({ status: 200 });
  expect(readFileSync(join(folder, 'new.txt'), 'utf8')).toBe('ants too');
});
