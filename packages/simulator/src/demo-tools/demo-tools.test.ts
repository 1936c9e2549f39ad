import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openSession, type StdioToolProvider } from '@data-designer/mcp';
import { demoToolNames } from '../programs.ts';
import { FACTS } from './tools.ts';

const program = ['--conditions=@data-designer/source', fileURLToPath(new URL('demo-tools.ts', import.meta.url))];
const provider: StdioToolProvider = {
  name: 'demo',
  providerType: 'stdio',
  command: process.execPath,
  args: program,
  env: {},
};
let session: Awaited<ReturnType<typeof openSession>>;
beforeAll(async () => {
  session = await openSession(provider);
});
afterAll(() => session[Symbol.asyncDispose]());

const answered = (text: string) => ({ kind: 'answered', result: { content: [{ type: 'text', text }] } });

test('serves its three tools', async () => {
  const ask = (name: string, args: Record<string, unknown>) => session.callTool(name, args, { timeoutMs: 60_000 });
  expect((await session.listTools()).schemas.map((tool) => tool.function.name)).toEqual(demoToolNames);
  expect(await ask('get_fact', { topic: ' Octopuses' })).toEqual(answered(FACTS.get('octopuses') as string));
  expect(await ask('add_numbers', { a: 2, b: 40.5 })).toEqual(answered('42.5'));
  expect(await ask('list_topics', {})).toEqual(answered([...FACTS.keys()].join(', ')));
});

test('answers an unknown topic with an error that lists the topics', async () => {
  const answer = await session.callTool('get_fact', { topic: 'dragons' }, { timeoutMs: 60_000 });
  expect(answer).toMatchObject({ result: { isError: true } });
  expect(JSON.stringify(answer)).toContain("There is no fact about 'dragons'. Topics: bees, coffee");
});

test('answers invalid arguments with an error', async () => {
  const answer = await session.callTool('add_numbers', { a: 'two' }, { timeoutMs: 60_000 });
  expect(answer).toMatchObject({ result: { isError: true } });
});

test('ends when its stdin is closed', { tags: 'long' }, async () => {
  const child = spawn(process.execPath, program, { stdio: ['pipe', 'pipe', 'inherit'] });
  child.stdin.end();
  const [code] = (await once(child, 'exit')) as [number];
  expect(code).toBe(0);
});
