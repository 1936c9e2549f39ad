import { execFile } from 'node:child_process';
import { existsSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { DataDesigner } from 'data-designer';
import { expect, test } from 'vitest';
import { loadProviders, loadRunConfig, parseDocument } from '@data-designer/config';
import { DataDesignerError, fieldsOf, itemsOf, messageOf, parseJson } from '@data-designer/core';
import { createProgram } from '../packages/cli/src/all-commands.ts';
import { type Fence, readPage } from './markdown.ts';

// Every block of README.md, the landing page and the guide is checked here: TypeScript compiles, YAML and JSON load, command lines parse.
// A block that cannot be checked says why on the line before: <!-- not checked: the reason -->. A block of TypeScript that
// goes on from the one before on its page says so: <!-- continues -->. Its first line may name its file: // tools.ts.

const CHECKED = ['ts', 'yaml', 'json', 'sh'];
/** Languages of output and of other programs. */
const SHOWN = ['text', 'python', 'ruby', 'jsonl', 'csv', 'jinja', 'html', 'sql', 'dotenv'];
const FOLDER = 'artifacts/docs-snippets';

const pages = [
  'README.md',
  'docs/index.md',
  ...globSync('packages/*/README.md'),
  ...globSync('docs/guide/*.md'),
].toSorted();
const fences = pages.flatMap((page) => readPage(page).fences);

function blocks(language: string): readonly Fence[] {
  return fences.filter((fence) => fence.language === language && !isExempt(fence));
}

/** Whether a block says why it is not checked. */
function isExempt({ comment }: Fence): boolean {
  return comment !== undefined && /^not \w+: .{10,}/.test(comment);
}

test('every block of the guide and the README has a language that is checked here, or that needs no check', () => {
  const unknown = fences.filter(({ language }) => ![...CHECKED, ...SHOWN].includes(language));
  expect(unknown.map(({ at, language }) => `${at}: '${language}'`)).toEqual([]);
});

test.each([
  { types: 'Node.js', lib: ['esnext'] },
  { types: 'a browser', lib: ['esnext', 'dom', 'dom.iterable'] },
])(
  'the TypeScript of the guide and the README compiles with the types of $types',
  { tags: 'long' },
  async ({ lib }) => {
    rmSync(FOLDER, { recursive: true, force: true });
    const places = writeModules(blocks('ts'));
    const options = { extends: '../../tsconfig.json', include: ['.'] };
    const compilerOptions = { lib, customConditions: [], noUnusedLocals: false, moduleDetection: 'force' };
    writeFileSync(join(FOLDER, 'tsconfig.json'), JSON.stringify({ ...options, compilerOptions }));
    const run = promisify(execFile)('node_modules/.bin/tsc', ['-p', FOLDER, '--pretty', 'false']);
    const output = await run.then(
      ({ stdout }) => stdout,
      (failure: Error & { readonly stdout: string }) => {
        // Without a line it was ended, and has checked nothing.
        if (failure.stdout === '') throw failure;
        return failure.stdout;
      },
    );
    const faults = output.split('\n').filter((line) => line !== '');
    expect(
      faults.map((line) =>
        line.replace(/^(\S+)\((\d+)/, (_, file: string, at) => `${places.get(file)} (${file}:${at}`),
      ),
    ).toEqual([]);
  },
);

/** Writes each block as a module, in a folder for its page; returns where the module at a path begins in the docs. */
function writeModules(written: readonly Fence[]): ReadonlyMap<string, string> {
  const places = new Map<string, string>();
  let last = '';
  for (const [index, { at, page, code, comment }] of written.entries()) {
    const folder = join(FOLDER, page === 'README.md' ? 'readme' : basename(page, '.md'));
    mkdirSync(folder, { recursive: true });
    const named = /^\/\/ ([\w./-]+\.ts)\n/.exec(code)?.[1];
    const continues = comment === 'continues' && places.has(last) && dirname(last) === folder;
    const file = continues ? last : join(folder, named ?? `block-${index}.ts`);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, code, { flag: continues ? 'a' : 'w' });
    if (!continues) places.set(file, at);
    last = file;
  }
  return places;
}

test.each(blocks('yaml'))('the YAML at $at loads', { tags: 'long' }, async ({ at, code }) => {
  expect(await faultsOf(parseDocument(code, { path: at, json: false }), at)).toEqual([]);
});

test.each(blocks('json'))('the JSON at $at is valid', async ({ at, code }) => {
  const document = parseJson(code);
  const isConfig = 'columns' in fieldsOf(document) || 'data_designer' in fieldsOf(document);
  expect(isConfig ? await faultsOf(document, at) : []).toEqual([]);
});

/** Mistakes that a part of a config has only because the rest of it is not shown. */
const ABSENT = new Set([
  'unknown_name',
  'unknown_model_alias',
  'unknown_tool_alias',
  'unknown_provider',
  'invalid_reference',
  'unknown_column',
  'missing_list',
  'seed_missing',
  'dataset_missing',
]);

/** The keys of a selection, which a file of rules has without the config around it. */
const RULES = ['where', 'unique', 'not_in', 'balance'];

/** The mistake of a config that reads a file or folder of the reader. */
const OF_THE_READER = 'seed_path_missing';

/** The mistakes of a document: a config or a part of one, rules of a selection, providers, tool configs, or run settings. */
async function faultsOf(document: unknown, at: string): Promise<readonly string[]> {
  const keys = Object.keys(fieldsOf(document));
  if (keys.includes('providers')) return mistakesOf(document, loadProviders);
  if (keys.some((key) => RULES.includes(key))) return faultsOf({ select: document }, at);
  const settings = ['model_configs', 'tool_configs', 'seed_config', 'constraints', 'profilers', 'processors', 'select'];
  const isConfig = keys.some((key) => ['columns', 'data_designer', ...settings].includes(key));
  if (!isConfig && !Array.isArray(document)) return mistakesOf(document, loadRunConfig);
  const config = Array.isArray(document) ? { columns: document } : document;
  const { violations } = await new DataDesigner().check({ document: withColumns(config), source: at });
  const isPart = isPartOfConfig(config);
  return violations
    .filter(({ level, type }) => level === 'ERROR' && type !== OF_THE_READER && !(isPart && ABSENT.has(type)))
    .map(({ path, message, type }) => `${path}: ${message} (${type})`);
}

/** Whether a config names models, or lacks columns, that are shown elsewhere. */
function isPartOfConfig(config: unknown): boolean {
  const { columns, model_configs: models, data_designer: wrapped } = fieldsOf(config);
  if (wrapped !== undefined) return isPartOfConfig(wrapped);
  return (
    columns === undefined ||
    (models === undefined &&
      itemsOf(columns).some((column) => namesModel(column) || Object.values(fieldsOf(column)).some(namesModel)))
  );
}

function namesModel(part: unknown): boolean {
  return 'model_alias' in fieldsOf(part);
}

function withColumns(config: unknown): unknown {
  const fields = fieldsOf(config);
  const column = { name: 'id', column_type: 'sampler', sampler_type: 'uuid', params: {} };
  return 'columns' in fields || 'data_designer' in fields ? fields : { ...fields, columns: [column] };
}

function mistakesOf(document: unknown, load: (path: string) => unknown): readonly string[] {
  const file = join(FOLDER, 'document.json');
  mkdirSync(FOLDER, { recursive: true });
  writeFileSync(file, JSON.stringify(document));
  try {
    load(file);
    return [];
  } catch (thrown) {
    return [DataDesignerError.fromUnknown(thrown).message];
  }
}

const scripts = Object.keys(fieldsOf(fieldsOf(JSON.parse(readFileSync('package.json', 'utf8')))['scripts']));

test.each(blocks('sh'))('the command lines at $at can be run', ({ code }) => {
  expect(commandsIn(code).flatMap((words) => faultOfCommand(words) ?? [])).toEqual([]);
});

/** The commands of a block, as words; comments, redirections and variables set for one command are left out. */
function commandsIn(code: string): readonly (readonly string[])[] {
  const lines = code.replaceAll('\\\n', ' ').split('\n');
  return lines.flatMap((line) => {
    const words = line.match(/(?:"[^"]*"|'[^']*'|[^\s"'])+/g) ?? [];
    const comment = words.findIndex((word) => word.startsWith('#'));
    const plain = (comment === -1 ? words : words.slice(0, comment)).map((word) => word.replaceAll(/^["']|["']$/g, ''));
    const commands: string[][] = [[]];
    for (const word of plain) {
      if (['&&', '|', ';', '&'].includes(word)) commands.push([]);
      else if (commands.at(-1)!.length > 0 || !/^[A-Z_]+=/.test(word)) commands.at(-1)!.push(word);
    }
    return commands.map(untilRedirection).filter((command) => command.length > 0);
  });
}

function untilRedirection(words: readonly string[]): readonly string[] {
  const end = words.findIndex((word) => /^\d?[<>]/.test(word));
  return end === -1 ? words : words.slice(0, end);
}

/** Why a command cannot be run; undefined if it can. */
function faultOfCommand(words: readonly string[]): string | undefined {
  const [program, ...args] = words[0] === 'npx' ? words.slice(1) : words;
  const shown = words.join(' ');
  if (program === 'data-designer') return faultOfArguments(args);
  if (program === 'npm' && args[0] === 'run')
    return scripts.includes(args[1] ?? '') ? undefined : `no script: ${shown}`;
  if (program === 'npm') return ['install', 'test'].includes(args[0] ?? '') ? undefined : `not known here: ${shown}`;
  if (program === 'node') return args.some((arg) => /\.m?[jt]s$/.test(arg)) ? undefined : `no module: ${shown}`;
  return ['cd', 'export', 'cat', 'ls', 'mkdir', 'git', 'cp'].includes(program ?? '')
    ? undefined
    : `not known here: ${shown}`;
}

/** What the command line says against arguments; no command is run. */
function faultOfArguments(args: readonly string[]): string | undefined {
  const missing = args.find((arg) => arg.startsWith('configs/') && !existsSync(arg));
  if (missing !== undefined) return `there is no ${missing}`;
  const program = createProgram();
  silence(program);
  try {
    program.parse([...args], { from: 'user' });
    return undefined;
  } catch (thrown) {
    return fieldsOf(thrown)['exitCode'] === 0 ? undefined : `data-designer ${args.join(' ')}: ${messageOf(thrown)}`;
  }
}

function silence(command: ReturnType<typeof createProgram>): void {
  command.configureOutput({ writeOut: () => {}, writeErr: () => {} });
  const isDialogue = command.parent?.name() === 'config';
  if (command.commands.length === 0 || isDialogue) command.action(() => {});
  for (const inner of command.commands) silence(inner);
}

test(
  'a misspelt key, an unknown flag, a missing config and an unmarked program are reported',
  { tags: 'long' },
  async () => {
    expect(await faultsOf([{ name: 'a', column_type: 'expression', exp: '1' }], 'here')).not.toEqual([]);
    expect(await faultsOf({ providers: [{ name: 'a', endpont: 'http://host' }] }, 'here')).not.toEqual([]);
    expect(await faultsOf({ max_costs: 1 }, 'here')).not.toEqual([]);
    const lines =
      'npx data-designer create a.yaml --number 3\ndata-designer show configs/none.yaml\ncurl host # why\nnpm run no';
    expect(commandsIn(lines).map((words) => faultOfCommand(words) !== undefined)).toEqual([true, true, true, true]);
  },
);
