import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { loadCodeConfig } from '../packages/cli/src/code-config/load-code-config.ts';
import { dataDesigner, runCommand } from './command-line.ts';
import { readPage } from './markdown.ts';

let folder: string;
const { console } = globalThis;

beforeAll(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'code-configs-')));
  mkdirSync(join(folder, 'node_modules'));
  for (const name of ['data-designer', 'zod']) {
    symlinkSync(realpathSync(join('node_modules', name)), join(folder, 'node_modules', name), 'junction');
  }
});

afterAll(() => {
  globalThis.console = console;
  rmSync(folder, { recursive: true });
});

function put(name: string, text: string): string {
  const path = join(folder, name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
  return path;
}

/** The example of the guide with this name. */
function example(name: string): string {
  const { fences } = readPage('docs/guide/code-configs.md');
  return put(name, fences.find(({ code }) => code.startsWith(`// ${name}\n`))?.code ?? '');
}

/** The error of a code config. */
async function failure(name: string, text: string): Promise<{ code: string; message: string; data: object }> {
  const path = put(name, text);
  return loadCodeConfig(path, []).then(
    () => expect.unreachable(`${name} loads`),
    (thrown: { code: string; message: string; data: object }) => thrown,
  );
}

test(
  'create runs a code config with the arguments after --, and a resume continues its dataset',
  { tags: 'long' },
  async () => {
    const config = example('animals.ts');
    const create = (rows: number, ...more: string[]) =>
      dataDesigner(['create', config, '-n', `${rows}`, '-o', folder, '--seed', '5', '--json', ...more]);
    const first = await create(2, '--', 'owls', '--cats');
    expect(first).toMatchObject({ code: 0 });
    const { path, records } = JSON.parse(first.stdout) as { path: string; records: number };
    expect(records).toBe(2);
    const stored = JSON.parse(readFileSync(join(path, 'builder_config.json'), 'utf8')) as object;
    expect(stored).toMatchObject({ data_designer: { columns: [{ params: { values: ['owls', '--cats'] } }, {}, {}] } });
    const resumed = await create(4, '--resume', 'always', '--', 'owls', '--cats');
    expect(JSON.parse(resumed.stdout)).toMatchObject({ path, records: 4 });
    const changed = await create(6, '--resume', 'always', '--', 'mice');
    expect(changed).toMatchObject({ code: 1 });
    expect(changed.stdout + changed.stderr).toContain('dataset/incompatible');
  },
);

test(
  'tools that a code config exports are the provider functions, and its output does not mix with JSON',
  { tags: 'long' },
  async () => {
    const config = example('facts.ts');
    writeFileSync(config, `${readFileSync(config, 'utf8')}\nconsole.log('loaded');\n`);
    const { code, stdout, stderr } = await dataDesigner(['preview', config, '-n', '2', '--json']);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ records: [{}, {}], tools: { look_up: { errors: 0 } } });
    expect(stderr).toContain('loaded\n');
  },
);

test('validate reports an unusable code config as JSON', { tags: 'long' }, async () => {
  const { code, stdout } = await dataDesigner(['validate', put('none.mjs', 'export const a = 1;'), '--json']);
  expect(code).toBe(1);
  expect(JSON.parse(stdout)).toMatchObject({
    valid: false,
    error: { violations: [{ type: 'config/code-failed' }] },
  });
});

test('code from an address and arguments for a YAML config are refused', async () => {
  const remote = await runCommand(['validate', 'https://example.com/a.ts?b=c']);
  expect(remote.stderr).toContain('code is run from a local file only');
  const yaml = await runCommand(['validate', 'configs/quickstart.yaml', '--', 'owls']);
  expect(yaml.stderr).toContain('it takes no arguments after --: only a code config (.ts, .js) does');
  const extra = await runCommand(['validate', 'configs/quickstart.yaml', 'owls']);
  expect(extra).toMatchObject({ code: 2, stderr: expect.stringContaining('too many arguments') });
});

test.each([
  ['no-default.mjs', 'export const a = 1;', 'it has no default export'],
  ['plain.mjs', 'export default { columns: [] };', 'its default export is a plain object, not a config builder'],
  ['nothing.mjs', 'export default () => {};', 'its default export returned undefined, not a config builder'],
  ['late.mjs', 'export default async () => [1];', 'its default export returned an array, not a config builder'],
])('%s is no config', async (name, text, reason) => {
  const { code, message } = await failure(name, text);
  expect({ code, message }).toEqual({ code: 'config/code-failed', message: expect.stringContaining(reason) });
  expect(message).toContain('Export a DataDesignerConfigBuilder');
});

test.each([
  {
    name: 'throws.mjs',
    text: '\nthrow new Error("no", { cause: "why" });',
    reason: 'it threw Error: no (cause: why)',
    place: { line: 2, column: 7 },
  },
  {
    name: 'maker.mjs',
    text: 'export default () => {\n  undefined.a;\n};',
    reason: 'it threw TypeError: Cannot read',
    place: { line: 2, column: 13 },
  },
  {
    name: 'package.mjs',
    text: 'import "a";\nimport b from "not-there";',
    reason: 'npm install not-there',
    place: { line: 2 },
  },
  {
    name: 'path.mjs',
    text: '\n\nimport "./not-there.mjs";',
    reason: 'not-there.mjs, which does not exist',
    place: { line: 3 },
  },
])('the error of $name names the line and the cause', async ({ name, text, reason, place }) => {
  put('node_modules/a/index.js', '');
  const { code, message, data } = await failure(name, text);
  expect({ code, message, data }).toMatchObject({
    code: 'config/code-failed',
    message: expect.stringContaining(reason),
    data: { file: resolve(folder, name), ...place },
  });
});

test('a missing code config is unreadable', async () => {
  await expect(loadCodeConfig(join(folder, 'gone.ts'), [])).rejects.toMatchObject({ code: 'config/unreadable' });
});

test('a builder of another installed copy of the package is a config', async () => {
  const path = put(
    'copy.mjs',
    "export default { document: { columns: [] }, spelling: 'camel', source: 'other', origin: 'local' };",
  );
  expect(await loadCodeConfig(path, [])).toEqual({
    document: { columns: [] },
    spelling: 'camel',
    origin: 'local',
    source: path,
  });
});

test('a syntax error and a module in a CommonJS folder name the line and the remedy', { tags: 'long' }, async () => {
  put('common/package.json', '{ "type": "commonjs" }');
  const syntax = await dataDesigner(['validate', put('syntax.mjs', 'export default {{ a: 1 }')]);
  expect(syntax.stderr).toContain(`syntax error: Unexpected token '{' (${join(folder, 'syntax.mjs')}:1:17)`);
  const common = await dataDesigner(['validate', put('common/module.js', 'import "node:fs";')]);
  expect(common.stderr).toContain('module.js:1:1)');
  expect(common.stderr).toContain('set "type": "module" there, or name the file module.mjs');
});
