import { globSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { expect, test } from 'vitest';
import { type Import, importsIn, packageOf, sourceImports, targetOf, workspaceImport } from './import-graph.ts';

/** The house: imports run downwards only, and packages on one floor do not know each other. */
const FLOORS: Readonly<Record<string, number>> = {
  core: 0,
  template: 1,
  'json-schema': 1,
  select: 1,
  environments: 2,
  trajectory: 2,
  config: 3,
  execution: 3,
  columns: 4,
  models: 4,
  mcp: 4,
  dataset: 5,
  // Beside the house: its programs are started, not imported; it serves tools with what mcp gives.
  simulator: 5,
  gateway: 6,
  seeds: 7,
  engine: 8,
  profile: 9,
  cluster: 9,
  printing: 9,
  viewer: 10,
  rehearsal: 10,
  training: 10,
  declaration: 11,
  results: 12,
  workflow: 13,
  designer: 14,
  cli: 15,
  'data-designer': 16,
};

/** Why an import breaks the house's rule; undefined if it keeps it. */
function offence({ from, specifier }: Import): string | undefined {
  const own = packageOf(from) as string;
  const target = targetOf({ from, specifier });
  const other = target === undefined ? workspaceImport(specifier) : packageOf(target);
  if (target !== undefined && other !== own) return `${from} -> ${specifier} leaves its package by a path`;
  if (other === undefined || other === own || own === 'bench') return undefined;
  if (other === 'bench') return `${from} -> ${specifier}: nothing imports bench`;
  if (other === 'testing') return `${from} -> ${specifier}: only tests import testing`;
  const [here, there] = [FLOORS[own], FLOORS[other]];
  if (here === undefined || there === undefined) return `${from} -> ${specifier}: a package without a floor`;
  return there < here ? undefined : `${from} (floor ${here}) -> ${specifier} (floor ${there})`;
}

test('packages import lower floors only', { tags: 'long' }, () => {
  expect(
    sourceImports()
      .map(offence)
      .filter((edge) => edge !== undefined),
  ).toEqual([]);
});

test('an upward, a sideways and a path import are reported', () => {
  const planted = [
    { from: 'packages/core/src/plan.ts', specifier: '@data-designer/engine' },
    { from: 'packages/models/src/model-facade.ts', specifier: '@data-designer/mcp' },
    { from: 'packages/engine/src/run.ts', specifier: '../../core/src/plan.ts' },
    { from: 'packages/dataset/src/read-dataset.ts', specifier: '@data-designer/simulator' },
    { from: 'packages/engine/src/run.ts', specifier: 'data-designer' },
    { from: 'packages/engine/src/run.ts', specifier: '@data-designer/testing/until' },
  ];
  expect(planted.map(offence)).toEqual([
    'packages/core/src/plan.ts (floor 0) -> @data-designer/engine (floor 8)',
    'packages/models/src/model-facade.ts (floor 4) -> @data-designer/mcp (floor 4)',
    'packages/engine/src/run.ts -> ../../core/src/plan.ts leaves its package by a path',
    'packages/dataset/src/read-dataset.ts (floor 5) -> @data-designer/simulator (floor 5)',
    'packages/engine/src/run.ts (floor 8) -> data-designer (floor 16)',
    'packages/engine/src/run.ts -> @data-designer/testing/until: only tests import testing',
  ]);
});

/** Two folders beside each other that an import joins, such as `engine/src/job > engine/src/commit`; a folder and one in it are no two. */
function foldersJoined({ from, specifier }: Import): string | undefined {
  const target = targetOf({ from, specifier });
  if (target === undefined || packageOf(target) !== packageOf(from)) return undefined;
  const [here, there] = [dirname(from).split('/'), dirname(target).split('/')];
  const at = here.findIndex((part, index) => part !== there[index]);
  if (at < 0 || at >= there.length) return undefined;
  return `${here.slice(0, at + 1).join('/')} > ${there.slice(0, at + 1).join('/')}`;
}

/** The folders that import each other both ways. */
function mutualFolders(imports: readonly Import[]): readonly string[] {
  const joined = new Set(imports.flatMap((one) => foldersJoined(one) ?? []));
  return [...joined].filter((one) => {
    const [from = '', to = ''] = one.split(' > ');
    return from < to && joined.has(`${to} > ${from}`);
  });
}

test('no two folders of a package import each other both ways', () => {
  expect(mutualFolders(sourceImports())).toEqual([]);
});

test('two folders that import each other are reported, and a folder with one in it is not', () => {
  const planted = [
    { from: 'packages/engine/src/job/job.ts', specifier: '../commit/finish-dataset.ts' },
    { from: 'packages/engine/src/commit/group-commits.ts', specifier: '../job/take-groups.ts' },
    { from: 'packages/dataset/src/formats/formats.ts', specifier: './parquet/write-parquet.ts' },
    { from: 'packages/dataset/src/formats/parquet/parquet-fields.ts', specifier: '../formats.ts' },
  ];
  expect(mutualFolders(planted)).toEqual(['packages/engine/src/commit > packages/engine/src/job']);
});

test('the check sees imports of every form', () => {
  const text = `
    import a from 'a';
    import type { B } from "b";
    import { c1,
      c2 } from './c.ts';
    export * from 'd';
    export type { E } from 'e';
    import 'f';
    const g = await import('g');
    // import h from 'h';
    /* import i from 'i'; */
  `;
  expect(importsIn(text)).toEqual(['a', 'b', './c.ts', 'd', 'e', 'f', 'g']);
});

/** The last name of each entry in a list of imports or exports. */
function namesOf(list: string): readonly string[] {
  return list.split(',').flatMap((entry) => /\w+\s*$/.exec(entry)?.[0].trim() ?? []);
}

test.each(['config', 'dataset'])(
  'the index of %s exports only names that other packages import',
  { tags: 'long' },
  (name) => {
    const others = globSync(['packages/*/{src,test,build}/**/*.{ts,tsx}', 'test/**/*.ts', 'docs/.vitepress/**/*.ts'])
      .filter((file) => packageOf(file.replaceAll('\\', '/')) !== name)
      .map((file) => readFileSync(file, 'utf8'));
    const imported = new RegExp(`\\{([^{}]*)\\}\\s*(?:from|= await import\\()\\s*'@data-designer/${name}'`, 'g');
    const lists = others.flatMap((text) => [...text.matchAll(imported)].map(([, list = '']) => list));
    const known = new Set(lists.flatMap((list) => namesOf(list.replaceAll(/(\w+)(?: as |: )\w+/g, '$1'))));
    const index = readFileSync(`packages/${name}/src/index.ts`, 'utf8');
    const exported = [...index.matchAll(/^export (?:type )?\{([^}]*)\}/gm)].flatMap(([, list = '']) => namesOf(list));
    expect(exported.length).toBeGreaterThan(0);
    expect(exported.filter((one) => !known.has(one))).toEqual([]);
  },
);

/** Libraries that one floor, or one file, has to itself (DESIGN, the house). */
const CONFINED: Readonly<Record<string, RegExp>> = {
  nunjucks: /^packages\/template\//,
  openai: /^packages\/models\/src\/protocols\/openai(-responses)?\//,
  '@modelcontextprotocol/sdk': /^packages\/mcp\/src\/sdk-(client|http-sessions|server)\.ts$/,
  '@duckdb/node-api': /^packages\/(seeds|profile|viewer|bench|execution\/src\/engines\/duckdb)\//,
  pyodide: /^packages\/execution\/src\/engines\/python\//,
  'quickjs-emscripten-core': /^packages\/execution\/src\/engines\/javascript\//,
  piscina: /^packages\/engine\//,
  undici: /^packages\/(gateway|bench)\//,
  'apache-arrow': /^packages\/(dataset|seeds|engine|profile|bench)\//,
  '@astral-sh/ruff-wasm-nodejs': /^packages\/columns\/src\/validation\//,
  '@guanmingchiu/sqlparser-ts': /^packages\/columns\/src\/validation\//,
  'pgsql-parser': /^packages\/columns\/src\/validation\//,
  '@sqlite.org/sqlite-wasm': /^packages\/environments\/src\/sqlite\//,
  '@huggingface/hub': /^packages\/results\/src\/push\//,
  '@opentelemetry/api': /^packages\/designer\/src\/observe\//,
  commander: /^packages\/cli\//,
};

test.each(Object.entries(CONFINED))('%s is imported only where allowed', { tags: 'long' }, (library, place) => {
  const users = sourceImports().filter(({ specifier }) => specifier === library || specifier.startsWith(`${library}/`));
  expect(users.length).toBeGreaterThan(0);
  expect(users.filter(({ from }) => !place.test(from))).toEqual([]);
});
