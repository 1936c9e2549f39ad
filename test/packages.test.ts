import {
  copyFileSync,
  existsSync,
  globSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import * as esbuild from 'esbuild';
import { asyncBufferFromFile, parquetReadObjects } from 'hyparquet';
import { compressors } from 'hyparquet-compressors';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Finished } from './command-line.ts';
import { readPage } from './markdown.ts';
import { floorRelease, installNodes, oldRelease } from './node-release.ts';
import { npm, runProgram } from './npm.ts';
import { manifests, type Packed, packWorkspace } from './pack-workspace.ts';

const TIMEOUT = 180_000;
/** The oldest that compiles the types of apache-arrow; docs/guide/get-started.md names it. */
const OLDEST_TYPESCRIPT = '5.7.3';
const require = createRequire(import.meta.url);
const nodeVersion =
  floorRelease?.version ?? `${process.versions.node}, for npm has no ${process.platform}-${process.arch} of 22.12`;

let folder: string;
/** A project outside the workspace, with the package installed from its tarball. */
let project: string;
let nodeFolder: string;
/** That of a Node that is too old. */
let oldNodeFolder: string | undefined;
let packed: Packed;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'packages-'));
  project = join(folder, 'project');
  mkdirSync(project);
  writeFileSync(join(project, 'package.json'), '{ "private": true, "type": "module" }');
  [packed, [nodeFolder = dirname(process.execPath), oldNodeFolder]] = await Promise.all([
    packWorkspace(folder),
    floorRelease && oldRelease ? installNodes(folder, [floorRelease, oldRelease]) : [],
  ]);
  await install(packed.tarball);
}, TIMEOUT);

afterAll(() => rm(folder, { recursive: true, force: true }));

function inProject(): { cwd: string; path: string[] } {
  return { cwd: project, path: [nodeFolder] };
}

async function install(name: string): Promise<void> {
  await npm(['install', '--engine-strict', '--no-audit', '--no-fund', '--prefer-offline', name], inProject());
}

/** Runs a program of the project on a Node of the given folder. */
function onNode(folderOfNode: string, args: readonly string[]): Promise<Finished> {
  const node = join(folderOfNode, process.platform === 'win32' ? 'node.exe' : 'node');
  return runProgram(node, args, inProject());
}

function dataDesigner(...args: string[]): Promise<Finished> {
  return onNode(nodeFolder, [join('node_modules', 'data-designer', 'bin', 'data-designer.js'), ...args]);
}

/** The files of the installed package, by their names in `dist`. */
function builtFiles(): ReadonlyMap<string, string> {
  const dist = join(project, 'node_modules', 'data-designer', 'dist');
  const names = readdirSync(dist, { recursive: true }).map(String);
  const scripts = names.filter((name) => /\.(?:c?js|d\.ts)$/.test(name));
  return new Map(scripts.map((name) => [name, readFileSync(join(dist, name), 'utf8')]));
}

const designer = manifests.find(({ name }) => name === 'data-designer')!;

test('one package is published, and nothing but what runs is in it', { tags: 'long' }, () => {
  expect(manifests.filter((manifest) => !manifest.private).map(({ name }) => name)).toEqual(['data-designer']);
  const others = packed.files.filter((file) => !/^(?:bin|dist)\//.test(file));
  expect(others.toSorted()).toEqual(['CHANGELOG.md', 'LICENSE', 'README.md', 'package.json']);
  const recipes = globSync('recipes/**/*.*', { cwd: 'configs' }).map((file) => `dist/${file}`);
  expect(packed.files.filter((file) => file.startsWith('dist/recipes/')).toSorted()).toEqual(recipes.toSorted());
  const pages = globSync('{guide,reference}/*.md', { cwd: 'docs' }).map((file) => `dist/docs/${file}`);
  const docs = packed.files.filter((file) => file.startsWith('dist/docs/'));
  expect(docs.toSorted()).toEqual([...pages, 'dist/docs/pages.json'].toSorted());
  const sources = packed.files.filter((file) => /test|\.tsx?$/.test(file) && !file.endsWith('.d.ts'));
  expect(sources.filter((file) => !recipes.includes(file))).toEqual([]);
  const entries = ['dist/index.js', 'dist/index.d.ts', 'dist/plugins.js', 'dist/plugins.d.ts'];
  expect(packed.files).toEqual(
    expect.arrayContaining(['dist/THIRD-PARTY-LICENSES.txt', 'dist/schema.json', ...entries]),
  );
});

test('all packages have one version and ask for exactly that of each other', { tags: 'long' }, () => {
  expect(designer.engines).toEqual({ node: '>=22.12' });
  const names = new Set(manifests.map(({ name }) => name));
  for (const { dependencies = {}, devDependencies = {}, version, license } of manifests) {
    const own = Object.entries({ ...dependencies, ...devDependencies }).filter(([name]) => names.has(name));
    expect(own).toEqual(own.map(([name]) => [name, designer.version]));
    expect({ version, license }).toEqual({ version: designer.version, license: 'Apache-2.0' });
  }
});

test('the package depends on nothing that its files do not name', { tags: 'long' }, () => {
  const text = [...builtFiles().values()].join('\n');
  const names = Object.keys(designer.dependencies ?? {});
  expect(names).toEqual(expect.arrayContaining(['@duckdb/node-bindings', 'piscina', 'zod']));
  expect(names.filter((name) => !["'", '"', '`'].some((quote) => text.includes(`${quote}${name}`)))).toEqual([]);
});

/** The files of `dist` that a script imports. */
function importsOf(text: string): string[] {
  return [...text.matchAll(/"\.\/([\w-]+\.js)"/g)].map(([, file]) => file!);
}

/** A file of the bundle of the demo tools, which shares no file with that of the others. */
const OF_TOOLS = /^(?:demo-tools|tool-server-[\w-]+)\.js$/;

test(
  'no module is in a bundle of the package twice, and no file runs the entry of a thread by importing it',
  { tags: 'long' },
  () => {
    const scripts = [...builtFiles()].filter(([file]) => !file.endsWith('.d.ts'));
    const { tools = [], others = [] } = Object.groupBy(scripts, ([file]) => (OF_TOOLS.test(file) ? 'tools' : 'others'));
    for (const [bundle, least] of [
      [others, 500],
      [tools, 100],
    ] as const) {
      const modules = bundle.flatMap(([, text]) =>
        [...text.matchAll(/^\/\/(?:#region)? ?((?:packages|node_modules)\/\S+)$/gm)].map(([, module]) => module!),
      );
      expect(modules.length).toBeGreaterThan(least);
      expect(modules.filter((module, index) => modules.indexOf(module) !== index)).toEqual([]);
    }
    expect(others.flatMap(([, text]) => importsOf(text)).filter((file) => OF_TOOLS.test(file))).toEqual([]);
    expect(tools.flatMap(([, text]) => importsOf(text)).filter((file) => !OF_TOOLS.test(file))).toEqual([]);
    const named = packed.files.flatMap((path) => /^dist\/((?:[a-z]+-)?[a-z]+\.js)$/.exec(path)?.[1] ?? []);
    // The hash of a chunk may be of small letters alone.
    const entries = named.filter((file) => !/-\w{8}\.js$/.test(file));
    expect(entries).toEqual(expect.arrayContaining(['io-thread.js', 'worker-entry.js', 'local-thread.js', 'main.js']));
    const importing = scripts.filter(([, text]) => entries.some((entry) => text.includes(`"./${entry}";`)));
    expect(importing.map(([file]) => file)).toEqual([]);
  },
);

test('publint finds nothing to say about the package', { tags: 'long' }, async () => {
  const tarball = readFileSync(packed.tarball);
  const { messages, pkg } = await publint({ pack: { tarball: new Uint8Array(tarball).buffer }, strict: true });
  expect(messages.map((message) => formatMessage(message, pkg, { color: false }))).toEqual([]);
});

test('the types of the package are found by whoever imports it', { tags: 'long', timeout: TIMEOUT }, async () => {
  const home = dirname(require.resolve('@arethetypeswrong/cli/package.json'));
  const flags = ['--profile', 'esm-only', '--no-definitely-typed', '--no-color', '--no-emoji', '--format', 'ascii'];
  const args = [join(home, 'dist', 'index.js'), packed.tarball, ...flags];
  const { code, stdout, stderr } = await runProgram(process.execPath, args, { cwd: folder });
  expect({ code, said: stdout + stderr }).toEqual({ code: 0, said: expect.stringContaining('OK (ESM)') });
});

test(
  `the quickstart makes many records, and no warning, with Node ${nodeVersion}`,
  { tags: 'long', timeout: TIMEOUT },
  async () => {
    copyFileSync('configs/quickstart.yaml', join(project, 'quickstart.yaml'));
    const { code, stdout, stderr } = await dataDesigner('create', 'quickstart.yaml', '-n', '60', '--json', '-o', 'out');
    expect(stderr).toContain('{"type":"run-end","rows":60,');
    // Node warns where many concurrent rows listen to one object.
    expect(stderr).not.toContain('Warning');
    expect(code).toBe(0);
    const { records, path } = JSON.parse(stdout) as { records: number; path: string };
    expect(records).toBe(60);

    const files = readdirSync(join(path, 'parquet-files'));
    expect(files).toHaveLength(1);
    const file = await asyncBufferFromFile(join(path, 'parquet-files', files[0]!));
    const rows = await parquetReadObjects({ file, compressors });
    expect(rows).toHaveLength(60);
    for (const { answer, answer__trace: trace } of rows) {
      expect(answer).toMatch(/\w/);
      expect((trace as { role: string }[]).map(({ role }) => role)).toContain('tool');
    }
  },
);

function missing(names: string): string {
  return `needs the packages bullmq and ioredis; not installed: ${names}. Install them: npm install bullmq ioredis.`;
}

test(
  'a run on a cluster names the optional packages that are missing, and makes nothing',
  { tags: 'long', timeout: TIMEOUT },
  async () => {
    const cluster = ['--cluster', 'redis://127.0.0.1:1'];
    copyFileSync('configs/quickstart.yaml', join(project, 'quickstart.yaml'));
    const create = () => dataDesigner('create', 'quickstart.yaml', '-n', '2', '-o', 'clustered', ...cluster);
    const neither = await create();
    expect(neither).toMatchObject({ code: 1, stderr: expect.stringContaining(missing('bullmq, ioredis')) });
    const joined = await dataDesigner('join', 'clustered', ...cluster);
    expect(joined).toMatchObject({ code: 1, stderr: expect.stringContaining(missing('bullmq, ioredis')) });
    // One of the two, with its own dependencies.
    const ioredis = join(project, 'node_modules', 'ioredis');
    symlinkSync(resolve('node_modules', 'ioredis'), ioredis, 'junction');
    const one = await create();
    rmSync(ioredis);
    expect(one).toMatchObject({ code: 1, stderr: expect.stringContaining(missing('bullmq')) });
    expect(existsSync(join(project, 'clustered'))).toBe(false);
  },
);

test('the types name no library but apache-arrow and zod, which the package depends on', { tags: 'long' }, () => {
  const types = [...builtFiles()].filter(([file]) => file.endsWith('.d.ts')).map(([, text]) => text);
  const imports = types.flatMap((text) => [...text.matchAll(/(?:from |import\()["']([^."'][^"'/]*)/g)]);
  const names = new Set(imports.map(([, name]) => name!).filter((name) => !name.startsWith('node:')));
  expect([...names].toSorted()).toEqual(['apache-arrow', 'zod']);
});

const STRICT = ['--strict', '--exactOptionalPropertyTypes', '--skipLibCheck', 'false', '--target', 'es2024'];
const COMPILERS = [
  {
    release: OLDEST_TYPESCRIPT,
    find: async () => {
      await install(`typescript@${OLDEST_TYPESCRIPT}`);
      return project;
    },
    flags: ['--module', 'nodenext'],
  },
  {
    release: '7',
    find: async () => '.',
    flags: ['--ignoreConfig', '--module', 'esnext', '--moduleResolution', 'bundler'],
  },
];

/** A module that exports a builder of 40 columns. */
const WIDE = `import { DataDesignerConfigBuilder } from 'data-designer';
import { z } from 'zod';
const ask = { modelAlias: 'writer', prompt: 'About {{ kind_0 }}' } as const;
const quiz = z.object({ question: z.string(), choices: z.array(z.string()) });
const scores = [{ name: 'Clarity', description: 'd', options: { '1': 'no', '2': 'yes' } }] as const;
export const wide = new DataDesignerConfigBuilder()
${Array.from(
  { length: 8 },
  (
    _,
    index,
  ) => `  .addColumn({ name: 'kind_${index}', columnType: 'sampler', samplerType: 'category', params: { values: ['a', 'b'] } })
  .addColumn({ name: 'text_${index}', columnType: 'llm-text', ...ask, withTrace: true })
  .addColumn({ name: 'quiz_${index}', columnType: 'llm-structured', ...ask, outputFormat: quiz })
  .addColumn({ name: 'size_${index}', columnType: 'expression', expr: '1', dtype: 'int' })
  .addColumn({ name: 'grade_${index}', columnType: 'llm-judge', ...ask, scores, onFailure: 'null' })`,
).join('\n')};
`;

/** A module that exports values of many types of the package. */
const SHARED = `import { columnFields, configBuilderWith, DataDesigner, DataDesignerConfigBuilder, defineColumn, definePlugin, loadDataset } from 'data-designer';
import { z } from 'zod';
const values = { name: 'run', columnType: 'validation', validatorType: 'execution' } as const;
export const config = new DataDesignerConfigBuilder()
  .withSeedDataset({ seedType: 'df', rows: [{ a: 'x', b: 1 }] })
  .addColumn({ name: 'chat', columnType: 'conversation', assistant: { modelAlias: 'w' }, user: { modelAlias: 'w' }, turns: 2 })
  .addColumn({ ...values, targetColumns: ['a'], validatorParams: { language: 'javascript', tests: 'f()' } })
  .addColumn({ name: 'told', columnType: 'llm-text', modelAlias: 'w', prompt: '{{ a }}', toolAlias: 't', withTrace: true })
  .addProcessor({ name: 'tidy', processorType: 'drop_columns', columnNames: ['b'] })
  .addAttempts({ name: 'again', columns: ['told'], until: '{{ told }}', keep: 'all', max: 3 });
export const columns = () => config.getColumnConfigs();
export const built = () => config.build();
export const info = () => config.info;
export const designer = new DataDesigner();
export const creation = () => designer.create(config, { numRecords: 3 });
export const results = async () => await creation();
export const preview = () => designer.preview(config);
export const usage = async () => (await results()).usage;
export const analysis = async () => (await results()).loadAnalysis();
export const plan = () => designer.validate(config);
export const report = () => designer.check(config);
export const estimate = () => designer.rehearse(config, { numRecords: 3 });
export const seeded = async () => (await loadDataset('x')).toConfigBuilder();
export const shout = defineColumn({
  type: 'shout', schema: z.strictObject({ ...columnFields('shout'), text: z.string() }), reads: () => [], writes: () => [], cell: () => () => [],
});
export const plugin = definePlugin({ columns: [shout] });
export const Builder = configBuilderWith(plugin);
export const own = new Builder().addColumn({ name: 's', columnType: 'shout', text: 'x' });
`;

/** The same of a package of plug-ins. */
const ONE_PLUGIN = SHARED.slice(SHARED.indexOf('export const shout'), SHARED.indexOf('export const Builder'));
const SHARED_PLUGIN = `import { columnFields, defineColumn, definePlugin } from 'data-designer/plugins';
import { z } from 'zod';
${ONE_PLUGIN}`;

for (const { release, find, flags } of COMPILERS)
  test(
    `TypeScript ${release} compiles a program and all types strictly`,
    { tags: 'long', timeout: TIMEOUT },
    async () => {
      copyFileSync('configs/animal-facts.ts', join(project, 'animal-facts.ts'));
      const everything = `export * as all from 'data-designer';\nexport * as plugins from 'data-designer/plugins';\n`;
      writeFileSync(join(project, 'everything.ts'), everything);
      const tsc = resolve(await find(), 'node_modules', 'typescript', 'bin', 'tsc');
      const args = [...STRICT, '--lib', 'esnext', '--types', 'node', ...flags, 'animal-facts.ts', 'everything.ts'];
      const { code, stdout } = await runProgram(process.execPath, [tsc, ...args], { cwd: project });
      expect({ code, stdout }).toEqual({ code: 0, stdout: '' });
      // One by one, so that no program loads the types of another's imports.
      for (const [name, text] of Object.entries({ wide: WIDE, shared: SHARED, 'shared-plugin': SHARED_PLUGIN })) {
        writeFileSync(join(project, `${name}.ts`), text);
        const declare = [...STRICT, '--declaration', '--lib', 'esnext', '--types', 'node', ...flags, `${name}.ts`];
        const run = await runProgram(process.execPath, [tsc, ...declare], { cwd: project });
        expect({ name, code: run.code, stdout: run.stdout }).toEqual({ name, code: 0, stdout: '' });
      }
      expect(readFileSync(join(project, 'wide.d.ts')).byteLength).toBeLessThan(20_000);
    },
  );

test(`the compiled builder example runs with Node ${nodeVersion}`, { tags: 'long', timeout: TIMEOUT }, async () => {
  const { stdout, stderr } = await onNode(nodeFolder, ['animal-facts.js']);
  expect(stderr).toBe('');
  expect(stdout.trimEnd().split('\n')).toEqual(Array(3).fill(expect.stringMatching(/^(octopuses|bees): ./)));
});

/** Calls the route of the guide, as Next.js would. */
const ROUTE_CALL = `import { GET } from './app/api/facts/route.ts';
GET().then(async (response) => console.log(await response.text()));`;

test.each(['cjs', 'esm'] as const)(
  `a bundle of esbuild (%s) runs with Node ${nodeVersion}`,
  { tags: 'long', timeout: TIMEOUT },
  async (format) => {
    const guide = readPage('docs/guide/bundlers.md');
    const route = guide.fences.find(({ code }) => code.startsWith('// app/api/facts/route.ts\n'))!;
    mkdirSync(join(project, 'app/api/facts'), { recursive: true });
    writeFileSync(join(project, 'app/api/facts/route.ts'), route.code);
    const outfile = join('out', format === 'cjs' ? 'route.cjs' : 'route.mjs');
    const { warnings } = await esbuild.build({
      stdin: { contents: ROUTE_CALL, resolveDir: project },
      absWorkingDir: project,
      bundle: true,
      platform: 'node',
      format,
      outfile,
    });
    const { stdout, stderr } = await onNode(nodeFolder, [outfile]);
    expect({ warnings, stderr }).toEqual({ warnings: [], stderr: '' });
    const records = JSON.parse(stdout) as { topic: string; fact: string }[];
    expect(records).toHaveLength(2);
    for (const { topic, fact } of records) expect(fact).toContain(topic);
  },
);

test('a bundle says so when the package is not installed where it runs', { tags: 'long' }, async () => {
  const bundle = join(folder, 'alone.cjs');
  const contents = `import { DataDesigner } from 'data-designer'; new DataDesigner();`;
  const stdin = { contents, resolveDir: project };
  await esbuild.build({ stdin, bundle: true, platform: 'node', outfile: bundle });
  const { code, stderr } = await runProgram(process.execPath, [bundle], { cwd: tmpdir() });
  expect(code).toBe(1);
  expect(stderr).toContain(`did not find the package data-designer in the node_modules of ${folder} or ${tmpdir()}.`);
});

test(
  `tables are those of the caller's apache-arrow with Node ${nodeVersion}`,
  { tags: 'long', timeout: TIMEOUT },
  async () => {
    const script = `import { Table, tableToIPC } from 'apache-arrow';
    import { DataDesigner, DataDesignerConfigBuilder } from 'data-designer';
    const designer = new DataDesigner();
    const builder = new DataDesignerConfigBuilder().addColumn({
      name: 'n', columnType: 'sampler', samplerType: 'uniform', params: { low: 0, high: 1 },
    });
    const preview = await designer.preview(builder, { numRecords: 3 });
    const dataset = await designer.create(builder, { numRecords: 4 });
    for (const table of [preview.toArrow(), await dataset.toArrow()])
      console.log(table instanceof Table, table.numRows, tableToIPC(table).length > 100);`;
    const { stdout, stderr } = await onNode(nodeFolder, ['--input-type=module', '-e', script]);
    expect({ stdout, stderr }).toEqual({ stdout: 'true 3 true\ntrue 4 true\n', stderr: '' });
  },
);

/** A plug-in package whose sampler gives floats, and whose column fails where it meets one. */
const PLUGIN = `import { columnFields, DataDesignerError, defineColumn, definePlugin, defineSampler, field, Float } from 'data-designer/plugins';
import { z } from 'zod';

const whole = defineSampler({
  type: 'whole',
  schema: z.strictObject({ samplerType: z.literal('whole').default('whole'), of: z.int() }),
  arrow: () => 'float64',
  draw: ({ of }) => () => new Float(of),
});
const refused = defineColumn({
  type: 'refused',
  schema: z.strictObject({ ...columnFields('refused'), of: z.string() }),
  reads: ({ of }) => [{ name: of, field: ['of'] }],
  writes: ({ name }) => [field(name, 'utf8')],
  cell: ({ of }) => ({ row }) => {
    const reason = row[of] instanceof Float ? 'it met a float' : 'it met none';
    throw new DataDesignerError('column/bad-result', { column: of, reason });
  },
});
export const plugin = definePlugin({ columns: [refused], samplers: [whole] });`;

test(
  `the parts of a plug-in package are recognised with Node ${nodeVersion}`,
  { tags: 'long', timeout: TIMEOUT },
  async () => {
    const home = join(project, 'node_modules', 'plugin-of-floats');
    mkdirSync(home);
    writeFileSync(
      join(home, 'package.json'),
      '{ "name": "plugin-of-floats", "type": "module", "exports": "./index.js" }',
    );
    writeFileSync(join(home, 'index.js'), PLUGIN);
    const preview = (name: string, lastColumn: string): Promise<Finished> => {
      const four = '{ name: four, column_type: sampler, sampler_type: whole, params: { of: 4 } }';
      writeFileSync(join(project, name), `columns: [${four}, ${lastColumn}]`);
      return dataDesigner('preview', name, '-n', '1', '--plugins', 'plugin-of-floats', '--json');
    };
    const shown = await preview('floats.yaml', `{ name: text, column_type: expression, expr: '{{ four }}' }`);
    expect(shown).toMatchObject({ code: 0 });
    expect(JSON.parse(shown.stdout)).toMatchObject({ records: [{ four: 4, text: '4.0' }] });
    const failed = await preview('failing.yaml', '{ name: lost, column_type: refused, of: four, on_failure: abort }');
    expect(failed.code).toBe(1);
    expect(failed.stdout).toContain("The function of column 'four' returned an unusable result: it met a float.");
  },
);

const oldVersion = oldRelease?.version ?? `20, which npm has not got for ${process.platform}-${process.arch},`;

/** A file of an installed package. */
function at(name: string, ...path: string[]): string {
  return join('node_modules', name, ...path);
}

test.runIf(oldRelease)(
  `Node ${oldVersion} is refused by every program and import`,
  { tags: 'long', timeout: TIMEOUT },
  async () => {
    const refusal = `Node 22.12 or newer is needed; this is ${oldRelease?.version}. Install it, or add it to this project: npm install node@24.`;
    const programs = [
      at('data-designer', 'bin', 'data-designer.js'),
      at('data-designer', 'dist', 'main.js'),
      at('data-designer', 'dist', 'simulator.js'),
      at('data-designer', 'dist', 'demo-tools.js'),
    ];
    for (const program of programs) {
      const { code, stdout, stderr } = await onNode(oldNodeFolder!, [program, 'create', 'quickstart.yaml']);
      expect({ program, code, stdout, stderr }).toEqual({ program, code: 1, stdout: '', stderr: `${refusal}\n` });
    }
    const entries = Object.keys(designer.exports ?? {}).flatMap((key) =>
      key.endsWith('.json') ? [] : `data-designer${key.slice(1)}`,
    );
    expect(entries).toEqual(['data-designer', 'data-designer/plugins']);
    const script = `for (const entry of ${JSON.stringify(entries)})
    console.log(await import(entry).then(() => entry + ' is loaded', ({ message }) => message));`;
    const { stdout } = await onNode(oldNodeFolder!, ['--input-type=module', '-e', script]);
    expect(stdout.trim().split('\n')).toEqual(entries.map(() => refusal));
  },
);
