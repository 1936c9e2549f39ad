import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { freePort } from '@data-designer/testing/free-port';
import { testFolder } from '@data-designer/testing/test-folder';
import { mcpCommand } from './mcp-command.ts';

const folder = testFolder('mcp-command');
const TOKEN = 'DATA_DESIGNER_MCP_TOKEN';
const SIGNALS = ['SIGINT', 'SIGTERM'] as const;
const listeners = () => [...SIGNALS.map((signal) => process.listenerCount(signal)), process.stdin.listenerCount('end')];

test('the server has the common flags, with a limit of the cost of all runs, and prints no JSON', () => {
  const serve = mcpCommand().commands.find((command) => command.name() === 'serve');
  expect(serve?.getOptionValue('maxRecords')).toBe(10_000);
  expect(serve?.getOptionValue('artifactPath')).toBe('./artifacts');
  const options = new Map(serve?.options.map(({ long, description }) => [long, description]));
  expect(options.get('--max-cost')).toBe('Maximum cost of all runs together');
  expect(options.has('--providers')).toBe(true);
  expect(options.has('--json')).toBe(false);
});

test(
  'clients with the token of the environment are served until the standard input ends',
  { tags: 'long' },
  async () => {
    const configs = join(folder, 'configs');
    mkdirSync(configs);
    writeFileSync(join(configs, 'a.json'), '{"columns":[{"name":"a","column_type":"expression","expr":"b"}]}');
    const before = listeners();
    const port = await freePort();
    process.env[TOKEN] = 'secret';
    const args = ['serve', configs, '--http', String(port), '-o', folder, '--max-records', '5', '--max-cost', '2'];
    const served = mcpCommand().parseAsync(args, { from: 'user' });
    const ask = (method: string, token: string, params: object) =>
      fetch(`http://127.0.0.1:${port}/mcp`, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
          authorization: `Bearer ${token}`,
        },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
      });
    const hello = (token: string) =>
      ask('initialize', token, {
        protocolVersion: '2025-06-18',
        capabilities: {},
        clientInfo: { name: 'test', version: '1' },
      });
    let status = 0;
    while (status === 0)
      status = await hello('other').then(
        (answer) => answer.status,
        () => sleep(20, 0),
      );
    delete process.env[TOKEN];
    expect(status).toBe(401);
    expect((await hello('secret')).status).toBe(200);
    const during = listeners();
    expect(during.every((count, at) => count > (before[at] ?? 0))).toBe(true);
    process.stdin.emit('end');
    await served;
    expect(listeners()).toEqual(before);
    await expect(hello('secret')).rejects.toThrow('fetch failed');
  },
);
