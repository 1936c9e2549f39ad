import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { until } from '../packages/mcp/test/providers.ts';
import { type Finished, program, runCommand } from './command-line.ts';
import { readPage } from './markdown.ts';

const PUBLISHED = new URL('../packages/data-designer/dist/plugins.js', import.meta.url).href;
const WORDS = 'data-designer-words';
const DICE = '@acme/data-designer-dice';
const root = realpathSync(mkdtempSync(join(tmpdir(), 'plugin-command-')));
const bin = join(root, 'bin');
let server: Server;
let address: string;
let folder: string;
let home: string;
let project: string;

/** The files of a package with a column type. */
function packageFiles(version: string, keywords = ['data-designer-plugin']): Readonly<Record<string, string>> {
  const manifest = { name: WORDS, version, type: 'module', keywords, exports: { '.': { import: './index.js' } } };
  const code = `import { columnFields, defineColumn, definePlugin, field } from '${PUBLISHED}';
    import { z } from '${import.meta.resolve('zod')}';
    const schema = z.strictObject({ ...columnFields('backwards'), of: z.string() });
    const writes = ({ name }) => [field(name, 'utf8')];
    export const plugin = definePlugin({
      columns: [defineColumn({ type: 'backwards', schema, writes, cell: () => () => [''] })],
    });`;
  return { 'package.json': JSON.stringify(manifest), 'index.js': code };
}

function write(path: string, files: Readonly<Record<string, string>>): void {
  mkdirSync(path, { recursive: true });
  for (const [file, text] of Object.entries(files)) writeFileSync(join(path, file), text);
}

const docs = { url: 'https://example.org' };
const CATALOG = {
  schema_version: 1,
  packages: [
    {
      name: WORDS,
      version: '1.2.0',
      description: 'Reverses words.',
      install: { requirement: `${WORDS}@file:${join(root, 'words')}` },
      compatibility: { node: '>=22.12', data_designer: '*' },
      docs,
      plugins: [{ name: 'backwards', type: 'column', entry: WORDS }],
    },
    {
      name: DICE,
      description: 'Throws dice.',
      install: { requirement: `${DICE}@^2.0.0` },
      compatibility: { node: '*', data_designer: '>=1000' },
      docs,
      plugins: [{ name: 'dice', type: 'sampler', entry: DICE }],
    },
  ],
};

beforeAll(async () => {
  write(join(root, 'words'), packageFiles('1.2.0'));
  mkdirSync(bin);
  server = createServer((_, response) => response.end(JSON.stringify(CATALOG)));
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  address = `http://127.0.0.1:${(server.address() as AddressInfo).port}/plugins.json`;
});

afterAll(() => {
  server.closeAllConnections();
  server.close();
  rmSync(root, { recursive: true });
});

beforeEach(() => {
  folder = mkdtempSync(join(root, 'test-'));
  home = join(folder, 'home');
  project = join(folder, 'project');
  write(project, { 'package.json': '{ "name": "project", "private": true }' });
});

/** npm asks no registry, and finds no other settings. */
const QUIET = { npm_config_offline: 'true', npm_config_loglevel: 'silent', npm_config_user_agent: undefined };

function plugin(...args: readonly string[]): Promise<Finished> {
  const env = { ...QUIET, DATA_DESIGNER_HOME: home, PATH: [bin, process.env.PATH].join(delimiter) };
  return runCommand(['plugin', ...args], { env, cwd: project });
}

async function addCatalog(): Promise<void> {
  expect(await plugin('catalog', 'add', 'acme', address)).toMatchObject({ code: 0, stderr: '' });
}

/** A package manager of one test: a shell script. */
function fakeManager(name: string, script: string): void {
  writeFileSync(join(bin, name), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
}

test('the catalog of the guide is valid', async () => {
  const { fences } = readPage('docs/guide/plugins.md');
  const file = join(folder, 'guide.json');
  writeFileSync(file, fences.find(({ code }) => code.includes('schema_version'))?.code ?? '');
  expect((await plugin('catalog', 'add', 'guide', file)).stdout).toMatch(/^added: guide, 1 package /);
});

test('without a catalog, the commands tell how to add one', async () => {
  const hint = 'there is no public one. Add one with: data-designer plugin catalog add <alias> <source>';
  for (const command of [['list'], ['search', 'words'], ['catalog', 'list']]) {
    expect(await plugin(...command)).toMatchObject({ code: 0, stdout: expect.stringContaining(hint) });
  }
  for (const command of [
    ['info', 'words'],
    ['install', 'words', '--yes'],
  ]) {
    expect(await plugin(...command)).toMatchObject({ code: 1, stderr: expect.stringContaining(hint) });
  }
});

test('a catalog is added once, in any case, listed and removed', async () => {
  const added = await plugin('catalog', 'add', 'Acme', address, '--cache-ttl', '60');
  const file = join(home, 'npm_plugin_catalogs.yaml');
  expect(added.stdout).toBe(`added: acme, 2 packages (${file})\n`);
  expect(readFileSync(file, 'utf8')).toBe(`catalogs:\n- alias: acme\n  url: ${address}\n  cache_ttl_seconds: 60\n`);
  const again = await plugin('catalog', 'add', 'ACME', address);
  expect(again).toMatchObject({ code: 1, stderr: expect.stringContaining("the catalog 'acme' already exists") });
  const listed = await plugin('catalog', 'list', '--json');
  expect(JSON.parse(listed.stdout)).toEqual({
    file,
    catalogs: [{ alias: 'acme', source: address, cacheTtlSeconds: 60 }],
  });
  expect(await plugin('list', '--catalog', 'acm')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining("There is no catalog 'acm'. Did you mean 'acme'?"),
  });
  expect(await plugin('catalog', 'remove', 'Acme')).toMatchObject({ code: 0, stdout: `removed: acme (${file})\n` });
  expect((await plugin('catalog', 'remove', 'acme')).stderr).toContain('The home folder has none.');
});

test.each<[string, string, RegExp]>([
  ['a missing file', 'nowhere.json', /Cannot read .*nowhere\.json: there is no such file/],
  ['an empty file', 'empty.json', /Cannot read .*empty\.json: it is empty/],
  [
    'a file with mistakes',
    'wrong.json',
    /wrong\.json:1:2: schema_versio: unknown key .* Did you mean 'schema_version'\?/,
  ],
  ['a folder without a catalog', '.', /has neither plugins\.json nor catalog\/plugins\.json/],
  ['an address without a server', 'http://127.0.0.1:1/plugins.json', /no server is listening at this address/],
])('%s is not added as a catalog', async (...told) => {
  const [, source, reason] = told;
  write(project, { 'empty.json': '', 'wrong.json': '{"schema_versio": 1, "packages": []}' });
  const { code, stderr } = await plugin('catalog', 'add', 'acme', source);
  expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringMatching(reason) });
  expect(existsSync(home)).toBe(false);
});

test('list, search and info show packages, incompatible ones on request only', async () => {
  await addCatalog();
  const listed = await plugin('list');
  expect(listed.stdout).toContain(`${WORDS}  1.2.0    Reverses words.  column backwards  yes`);
  expect(listed.stdout).toContain('1 package needs other versions of Node or Data Designer');
  expect((await plugin('list', '--include-incompatible')).stdout).toMatch(/sampler dice +no/);
  const found = await plugin('search', 'DICE', 'sampler', '--include-incompatible', '--json');
  expect(JSON.parse(found.stdout)).toMatchObject({ packages: [{ name: DICE, catalog: 'acme', alias: 'dice' }] });
  expect((await plugin('search', 'wrds')).stdout).toBe("No package contains 'wrds'. Did you mean 'words'?\n");
  const info = await plugin('info', 'dice');
  expect(info.stdout).toMatch(/^compatible +no: it needs data-designer >=1000, and this is /m);
  expect((await plugin('info', 'backwards')).stderr).toContain(`The column 'backwards' is in the package ${WORDS}.`);
});

test('one unreadable catalog of several is a warning, and a package of two catalogs needs --catalog', async () => {
  await addCatalog();
  const file = join(folder, 'own.json');
  writeFileSync(file, JSON.stringify(CATALOG));
  await plugin('catalog', 'add', 'own', file);
  expect((await plugin('info', 'words')).stderr).toContain(`${WORDS} (catalog acme), ${WORDS} (catalog own)`);
  expect((await plugin('info', 'words', '--catalog', 'OWN')).stdout).toMatch(/^catalog +own$/m);
  rmSync(file);
  const { code, stderr } = await plugin('list');
  expect({ code, stderr }).toEqual({
    code: 0,
    stderr: expect.stringContaining("Warning: The catalog 'own' is left out. Cannot read"),
  });
});

test(
  'install adds the package with npm, loads its plug-ins, and has nothing to do a second time',
  { tags: 'long' },
  async () => {
    await addCatalog();
    const command = `npm install ${WORDS}@file:${join(root, 'words')}`;
    const dry = await plugin('install', 'words', '--dry-run');
    expect(dry.stdout).toContain(
      `manager      npm (the default)\ncommand      ${command}\n\nDry run: nothing was changed.`,
    );
    expect(existsSync(join(project, 'node_modules'))).toBe(false);

    const installed = await plugin('install', 'words', '--yes', '--json');
    const outcome = { package: WORDS, project, manager: 'npm', command, version: '1.2.0', missing: [] };
    const plugins = [{ type: 'column', name: 'backwards', entry: WORDS }];
    expect(JSON.parse(installed.stdout)).toEqual({ ...outcome, changed: true, plugins });
    const listed = await plugin('installed', '--json');
    const packages = [{ package: WORDS, version: '1.2.0', plugins, failures: [] }];
    expect(JSON.parse(listed.stdout)).toEqual({ project, packages });
    // npm has locked the package now, and 1.2.0 fits a range.
    const again = await plugin('install', `words@^1.0.0`, '--yes');
    expect(again.stdout).toContain(`${WORDS} 1.2.0 is installed already.\nadds: column backwards\n`);

    const uninstalled = await plugin('uninstall', 'words', '--yes');
    expect(uninstalled.stdout).toMatch(/manager +npm \(package-lock\.json\)[^]*\nuninstalled: data-designer-words\n$/);
    expect(JSON.parse(readFileSync(join(project, 'package.json'), 'utf8'))).toEqual({ name: 'project', private: true });
    expect(await plugin('uninstall', 'words', '--yes')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("The package 'words' is not a dependency in"),
    });
  },
);

test('without a terminal, install and uninstall need --yes', async () => {
  await addCatalog();
  for (const command of ['install', 'uninstall']) {
    const { code, stdout } = await plugin(command, 'words', '--json');
    expect(code).toBe(2);
    expect(JSON.parse(stdout)).toMatchObject({ error: { code: 'usage/invalid' } });
  }
});

test('a package for other versions is not installed, unless the user names another version', async () => {
  await addCatalog();
  const refused = await plugin('install', 'dice', '--yes', '--json');
  expect(refused.code).toBe(1);
  expect(JSON.parse(refused.stdout)).toMatchObject({ error: { code: 'plugin/incompatible', data: { package: DICE } } });
  const named = await plugin('install', 'dice@1.0.0', '--dry-run');
  expect(named.stdout).toMatch(/^compatible +unknown for another version than the catalog has$/m);
  expect(named.stdout).toContain(`command      npm install ${DICE}@1.0.0\n`);
});

test('outside of a project nothing is installed', async () => {
  await addCatalog();
  rmSync(join(project, 'package.json'));
  expect(await plugin('install', 'words', '--yes')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining(`There is no package.json in ${project} or above it.`),
  });
  expect((await plugin('installed')).stdout).toContain('There is no package.json in');
});

test('installed lists the plug-ins that cannot be used with the reason, and no other packages', async () => {
  const modules = join(project, 'node_modules');
  write(join(modules, WORDS), packageFiles('1.0.0', []));
  write(join(modules, 'broken'), {
    'package.json': '{ "keywords": ["data-designer-plugin"], "exports": "./index.mjs" }',
    'index.mjs': 'throw new Error("no luck");',
  });
  const peer = '{ "version": "1.0.0", "peerDependencies": { "data-designer": "*" }, "exports": "./index.mjs" }';
  write(join(modules, 'empty'), { 'package.json': peer, 'index.mjs': '' });
  const dependencies = Object.fromEntries([WORDS, 'broken', 'empty', 'absent'].map((name) => [name, '*']));
  write(project, { 'package.json': JSON.stringify({ dependencies }) });
  const { code, stdout } = await plugin('installed');
  expect(code).toBe(0);
  expect(stdout).toBe(
    `package  version  adds
-------  -------  --------------
broken            cannot be used

broken cannot be used: it cannot be imported: no luck
`,
  );
});

test.skipIf(process.platform === 'win32')(
  'install uses the package manager of the project, and tells its failure',
  async () => {
    await addCatalog();
    const calls = join(folder, 'calls');
    fakeManager('pnpm', `echo "$@" >> ${calls}\nexit 3`);
    writeFileSync(join(project, 'pnpm-lock.yaml'), '');
    const failed = await plugin('install', 'words', '--yes');
    expect(readFileSync(calls, 'utf8')).toBe(`add ${WORDS}@file:${join(root, 'words')}\n`);
    expect(failed).toMatchObject({ code: 1, stderr: expect.stringContaining('it ended with the exit code 3') });
    // The package manager succeeds, but the package cannot be used.
    fakeManager(
      'yarn',
      `mkdir -p node_modules/${WORDS}\necho '{ "exports": "./x.js" }' > node_modules/${WORDS}/package.json`,
    );
    const unusable = await plugin('install', 'words', '--yes', '--manager', 'yarn');
    expect(unusable.code).toBe(1);
    expect(unusable.stderr).toContain(
      `Error [plugin/unusable]: The plug-in ${WORDS} cannot be used: the package is installed, but`,
    );
    rmSync(join(bin, 'pnpm'));
  },
);

/** Starts the command, in a pseudo-terminal if asked. */
function start(args: readonly string[], { isTerminal = false } = {}) {
  const words = [process.execPath, program, 'plugin', ...args];
  const env = {
    ...process.env,
    DATA_DESIGNER_HOME: home,
    PATH: [bin, process.env.PATH].join(delimiter),
    TERM: 'xterm',
  };
  const [command = '', ...rest] = isTerminal
    ? ['script', '-qec', words.map((word) => `'${word}'`).join(' '), '/dev/null']
    : words;
  const child = spawn(command, rest, { env, cwd: project });
  let shown = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => (shown += text));
  }
  const ended = new Promise<number | null>((resolve) => {
    child.on('close', resolve);
  });
  return { child, ended, shown: () => stripVTControlCharacters(shown) };
}

test.skipIf(process.platform === 'win32').each<[string, readonly NodeJS.Signals[], string, number]>([
  ['Ctrl-C lets the package manager end first', ['SIGINT'], "trap 'echo cleaned; exit 1' INT", 130],
  [
    'a second signal kills a package manager that does not end',
    ['SIGTERM', 'SIGTERM'],
    "trap 'echo cleaned' TERM",
    143,
  ],
])('%s', { tags: 'long' }, async (...told) => {
  const [, [first, second], trap, code] = told;
  await addCatalog();
  fakeManager('yarn', `${trap}\necho begun\nwhile :; do sleep 0.05; done`);
  const { child, ended, shown } = start(['install', 'words', '--yes', '--manager', 'yarn']);
  await until(() => shown().includes('begun'));
  child.kill(first);
  await until(() => shown().includes('cleaned'));
  if (second) child.kill(second);
  expect(await ended).toBe(code);
  expect(shown()).toMatch(/Error \[plugin\/interrupted\]: Interrupted while yarn add .* ran in /);
});

test.runIf(process.platform === 'linux' && existsSync('/usr/bin/script'))(
  'in a terminal install shows the command and asks; only yes runs it',
  { tags: 'long' },
  async () => {
    await addCatalog();
    const calls = join(folder, 'calls');
    fakeManager('yarn', `echo called > ${calls}`);
    const { child, ended, shown } = start(['install', 'words', '--manager', 'yarn'], { isTerminal: true });
    await until(() => /command +yarn add [^]*Run the command\? \(y\/N\)/.test(shown()));
    child.stdin.write('\r');
    expect(await ended).toBe(0);
    expect(shown()).toContain('Nothing was changed.');
    expect(existsSync(calls)).toBe(false);

    const second = start(['install', 'words', '--manager', 'yarn'], { isTerminal: true });
    await until(() => second.shown().includes('Run the command?'));
    second.child.stdin.write('y\r');
    expect(await second.ended).toBe(1);
    expect(existsSync(calls)).toBe(true);
    expect(second.shown()).toContain(
      'cannot be used: the package is installed, but there is no package of that name in',
    );
  },
);

test.each(['mcp', 'plugin', 'plugin catalog'])('%s alone prints its help', async (group) => {
  const { code, stdout } = await runCommand(group.split(' '));
  expect(code).toBe(0);
  expect(stdout).toMatch(new RegExp(`^Usage: data-designer ${group} `));
});
