import { existsSync, readdirSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { BAD_CONFIGS, config } from './bad-configs.ts';
import { dataDesigner, runCommand } from './command-line.ts';

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'bad-input-'));
});

afterAll(() => rm(folder, { recursive: true }));

let runs = 0;

/** Runs `create` on a config of its own, into a folder of its own; `left` is what the run left there. */
async function create(text: string, ...more: string[]) {
  const file = join(folder, 'config.json');
  const out = join(folder, `out-${runs++}`);
  await writeFile(file, text);
  const finished = await runCommand(['create', file, '-n', '2', '-o', out, '-d', 'bad', ...more]);
  return { ...finished, left: existsSync(out) ? readdirSync(out) : [] };
}

// The messages of the others are tested without a process, in error-places.test.ts.
const THROUGH_THE_COMMAND = BAD_CONFIGS.filter(([name]) => /^(?:six mistakes|a file that is not JSON)/.test(name));

test.each(THROUGH_THE_COMMAND)('%s is reported before anything is written', async (_, text, said) => {
  const { code, stderr, stdout, left } = await create(text);
  for (const words of said) expect(stderr).toContain(words);
  expect(stdout).toBe('');
  expect(code).toBe(1);
  expect(left).toEqual([]);
});

test('all mistakes are reported at once', async () => {
  const { code, stderr } = await create(
    config({ column: { model_alias: 'nobody', tool_alias: 'nothing', prompt: '{{ nowhere }}' } }),
  );
  expect(code).toBe(1);
  expect(stderr).toContain('3 mistakes');
});

test('a missing config is an error', { tags: 'long' }, async () => {
  const { code, stderr } = await dataDesigner(['create', join(folder, 'none.yaml')]);
  expect(stderr).toContain('none.yaml: there is no such file');
  expect(code).toBe(1);
});

test('a config path and a media root below a file are errors', async () => {
  const file = join(folder, 'no-folder');
  await writeFile(file, config());
  const below = await runCommand(['validate', join(file, 'config.yaml')]);
  expect(below.stderr).toMatch(
    /^Error \[config\/unreadable\]: .*config\.yaml: a part of the path is a file, not a folder\. Correct the file, or its path\.\n$/,
  );
  const missing = await runCommand(['preview', file, '--media-root', join(folder, 'none')]);
  expect(missing.stderr).toMatch(
    /^Error \[dataset\/no-media-root\]: .*there is no such folder\. Use an existing folder.*\n$/,
  );
});

test('a missing stdio command is named, and no folder is left', { tags: 'long' }, async () => {
  const providers = join(folder, 'providers.yaml');
  await writeFile(
    providers,
    'providers:\n  - {name: demo-tools, provider_type: stdio, command: no-such-program-here}\n',
  );
  const { code, stderr, left } = await create(config({ column: { tool_alias: 'facts' } }), '--providers', providers);
  expect(stderr).toContain('[tool/unavailable]');
  expect(stderr).toContain('no-such-program-here');
  expect(code).toBe(1);
  expect(left).toEqual([]);
});

test('a folder without write permission is an error', async () => {
  const file = join(folder, 'a-file');
  await writeFile(file, 'x');
  const path = join(folder, 'config.json');
  await writeFile(path, config());
  const { code, stderr } = await runCommand(['create', path, '-o', join(file, 'out')]);
  expect(stderr).toContain('[dataset/unwritable]');
  expect(stderr).toContain('a part of the path is a file');
  expect(code).toBe(1);
});

test('an unreachable endpoint is named in the failure, and the exit code is not 0', { tags: 'long' }, async () => {
  const providers = join(folder, 'nobody.yaml');
  await writeFile(providers, 'providers:\n  - {name: simulator, endpoint: "http://127.0.0.1:9/v1"}\n');
  const fast = config({
    top: {
      model_configs: [{ alias: 'writer', model: 'm', provider: 'simulator', inference_parameters: { timeout: 1 } }],
    },
  });
  const { code, stderr } = await create(fast, '--providers', providers);
  expect(stderr).toContain('[model/unreachable]');
  expect(stderr).toContain("model 'simulator/m' has never responded: connect ECONNREFUSED 127.0.0.1:9");
  expect(code).toBe(1);
});

test('a missing key is named before the first request', async () => {
  const providers = join(folder, 'keyed.yaml');
  await writeFile(
    providers,
    'providers:\n  - {name: simulator, endpoint: "http://127.0.0.1:9/v1", api_key: "${NO_SUCH_KEY_HERE}"}\n',
  );
  const { code, stderr, left } = await create(config(), '--providers', providers);
  expect(stderr).toContain('[secret/missing]');
  expect(stderr).toContain('NO_SUCH_KEY_HERE');
  expect(code).toBe(1);
  expect(left).toEqual([]);
});

test.each([
  [['create'], 'missing required argument'],
  [['create', 'x.yaml', '-n', '0'], 'whole number, 1 or more'],
  [['create', 'x.yaml', '--no-such-flag'], 'unknown option'],
  [['frobnicate'], 'unknown command'],
  [
    ['export', 'x', '-f', 'csv', '--column', 'a'],
    '--column needs a format of training data, such as trl-sft; the format is csv',
  ],
])('the usage error %j ends with exit code 2', async (args, said) => {
  const { code, stderr } = await runCommand(args);
  expect(stderr).toContain(said);
  expect(code).toBe(2);
});
