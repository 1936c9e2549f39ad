import { copyFileSync, cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { type InputOptions, type OutputOptions, type Plugin, rolldown, type RolldownOutput } from 'rolldown';
import { dts } from 'rolldown-plugin-dts';
import { buildCopyApp, buildSinglePages, buildViewerApp } from './build-viewer-app.ts';
import { builtinModules } from './builtin-modules.ts';
import { directImports } from './direct-imports.ts';
import { nameTypes } from './name-types.ts';
import { threadChunks } from './thread-chunks.ts';

// Builds `dist`: the sources of all packages and the libraries they use, in chunks, so that a thread reads about twenty
// files instead of a thousand. What lies in the package's `dependencies` and `peerDependencies` stays outside.

const ROOT = join(import.meta.dirname, '../../..');
const DIST = join(import.meta.dirname, '../dist');
const CONDITION = '@data-designer/source';

interface Manifest {
  readonly name: string;
  readonly license?: string;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
}

const { dependencies = {}, peerDependencies = {} }: Manifest = readManifest(join(import.meta.dirname, '..'));

const API = {
  index: source('data-designer/src/index.ts'),
  plugins: source('data-designer/src/plugins.ts'),
};

/** The program, and the entries of threads and child processes; `threadEntry` finds them by these names. */
const PROGRAMS = {
  main: source('cli/src/main.ts'),
  'worker-entry': source('engine/src/row-group/worker-entry.ts'),
  'io-thread': source('gateway/src/thread/io-thread.ts'),
  'local-thread': source('mcp/src/local-thread.ts'),
  'sandbox-process': source('execution/src/sandbox-process.ts'),
  simulator: source('simulator/src/simulator.ts'),
};

/** Modules of ours that the sources load by `require` when a run needs them; they share the chunks of the programs. */
const LATER = {
  'all-distributions': source('columns/src/samplers/scipy/all-distributions.ts'),
  contradictions: source('json-schema/src/contradictions.ts'),
  'rare-checks': source('config/src/check/rare-checks.ts'),
  remedies: source('config/src/remedies.ts'),
};

/** A program that shares no chunk with the others: theirs hold what a run needs, of which this needs a third. */
const TOOL_SERVER = { 'demo-tools': source('simulator/src/demo-tools/demo-tools.ts') };

/** What `dist/bundled` loads the installed package with. */
const LOADER = 'load-installed';

/**
 * The entries that bundlers take, by the export condition `module`, which Node does not set: a bundle holds these few lines
 * in place of the package, and loads the installed package when it runs.
 */
function writeBundledEntries({ output }: RolldownOutput): void {
  mkdirSync(join(DIST, 'bundled'));
  for (const name of Object.keys(API)) {
    const chunk = output.find((file) => file.type === 'chunk' && file.isEntry && file.name === name);
    if (chunk?.type !== 'chunk') throw new Error(`the build has no entry ${name}`);
    const specifier = name === 'index' ? 'data-designer' : `data-designer/${name}`;
    const text = `import { loadInstalled } from '../${LOADER}.js';
export const { ${chunk.exports.join(', ')} } = loadInstalled('${specifier}');
`;
    writeFileSync(join(DIST, 'bundled', `${name}.js`), text);
  }
}

/** Libraries that the sources load by `require`, only where a config needs them: file in `dist/required`, library. */
const REQUIRED = {
  yaml: 'yaml',
  ajv: 'ajv',
  'ajv-2019': 'ajv/dist/2019.js',
  'ajv-2020': 'ajv/dist/2020.js',
  'ajv-formats': 'ajv-formats',
  regexpp: '@eslint-community/regexpp',
  re2js: 're2js',
  // The HTTP parser of undici for processors without SIMD.
  llhttp: 'undici/lib/llhttp/llhttp-wasm.js',
};

/**
 * Libraries in the bundle that are `dependencies` too, for their types in the API: copies of them save a thread 0.1 s. A
 * value of theirs that reaches the caller is made by the caller's copy (`callersTable`); zod's schemas work with any copy.
 */
const BUNDLED_DEPENDENCIES = new Set(['apache-arrow', 'zod']);

/** The library that the vocabulary of the token counter is made from: its licence belongs to the copy. */
const VOCABULARY_LIBRARY = join(ROOT, 'node_modules/gpt-tokenizer');

function source(path: string): string {
  return join(ROOT, 'packages', path);
}

function readManifest(folder: string): Manifest {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
}

function nameOf(specifier: string): string {
  return specifier.split('/', specifier.startsWith('@') ? 2 : 1).join('/');
}

function isExternal(specifier: string): boolean {
  const name = nameOf(specifier);
  return name in peerDependencies || (name in dependencies && !BUNDLED_DEPENDENCIES.has(name));
}

const replaced = new Set<string>();

/** Leads `require('ajv')` and `loadLibrary('ajv')` of the sources to the file in `dist/required`. */
const requireFromDist: Plugin = {
  name: 'require-from-dist',
  transform: {
    filter: { id: /\/packages\/[^/]+\/src\// },
    handler: (code) =>
      code.replace(/\b(require|loadLibrary)\('([^']+)'\)/g, (call, load, library) => {
        const later = Object.keys(LATER).find((name) => /^@data-designer\/[^/]+\/(.+)$/.exec(library)?.[1] === name);
        if (later !== undefined) return `${load}('./${later}.js')`;
        const file = fileOf(library);
        if (file === undefined) return call;
        replaced.add(file);
        return `${load}('./required/${file}.cjs')`;
      }),
  },
};

/** Leads imports of these libraries by other libraries, such as the MCP SDK, to the same file in `dist/required`. */
const importFromRequired: Plugin = {
  name: 'import-from-required',
  resolveId: (id, importer) =>
    importer !== undefined && libraryFolder(importer) !== undefined && fileOf(id) !== undefined
      ? `\0required:${fileOf(id)}`
      : null,
  load: (id) =>
    id.startsWith('\0required:')
      ? `import { createRequire } from 'node:module';
        export default createRequire(import.meta.url)('./required/${id.slice(id.indexOf(':') + 1)}.cjs');`
      : null,
};

/** The file in `dist/required` of a library. */
function fileOf(library: string): string | undefined {
  return Object.entries(REQUIRED).find(([, name]) => name === library)?.[0];
}

const UNDICI = join(ROOT, 'node_modules/undici/lib');
const HTTP2_CLIENT = "const connectH2 = require('./client-h2.js')";

/** What requests to models need of undici: its index loads `fetch`, WebSockets, caches and mocks too. */
const undiciClient: Plugin = {
  name: 'undici-client',
  // Requests use HTTP/1.1, and loading Node's HTTP/2 takes as much CPU as the rest of undici.
  transform: {
    filter: { id: /\/undici\/lib\/dispatcher\/client\.js$/ },
    handler: (code) => {
      if (!code.includes(HTTP2_CLIENT)) throw new Error('undici loads its HTTP/2 client elsewhere');
      return code.replace(HTTP2_CLIENT, "const connectH2 = (...given) => require('./client-h2.js')(...given)");
    },
  },
  resolveId: (id, importer) => {
    if (id.endsWith('/llhttp-wasm.js') && importer?.endsWith('/client-h1.js')) {
      replaced.add('llhttp');
      return { id: './required/llhttp.cjs', external: true };
    }
    return id === 'undici' && importer?.endsWith('model-endpoint.ts') ? '\0undici-client' : null;
  },
  load: (id) =>
    id === '\0undici-client'
      ? `export { default as Client } from '${UNDICI}/dispatcher/client.js';
        export { default as ProxyAgent } from '${UNDICI}/dispatcher/proxy-agent.js';
        export { default as buildConnector } from '${UNDICI}/core/connect.js';`
      : null,
};

const SCRIPTS: InputOptions = {
  plugins: [directImports, requireFromDist, importFromRequired, undiciClient, builtinModules],
  resolve: { conditionNames: [CONDITION, 'node', 'import'] },
};

async function write(input: InputOptions, output: OutputOptions): Promise<RolldownOutput> {
  const bundle = await rolldown({
    cwd: ROOT,
    platform: 'node',
    external: isExternal,
    transform: { target: 'es2024' },
    // Entries of threads run when they are loaded: nothing that others import may lie in them.
    onLog(level, log) {
      if (log.code === 'UNRESOLVED_IMPORT') throw new Error(log.message);
      // A module that one thread imports at once, another imports when it needs it.
      if (level === 'warn' && log.code !== 'INEFFECTIVE_DYNAMIC_IMPORT') process.stderr.write(`${log.message}\n`);
    },
    experimental: { chunkOptimization: { mergeCommonChunks: false } },
    ...input,
  });
  return bundle.write(output);
}

/** The folder in `node_modules` that a module is in; undefined for sources. */
function libraryFolder(id: string): string | undefined {
  return /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/.exec(id.replaceAll('\\', '/'))?.[0];
}

/** The licence of every library in the bundle, and of the vocabulary, as licences ask of copies. */
function licencesOf(outputs: readonly RolldownOutput[]): string {
  const ids = outputs.flatMap(({ output }) => output.flatMap((file) => (file.type === 'chunk' ? file.moduleIds : [])));
  const folders = new Set([VOCABULARY_LIBRARY, ...ids.map(libraryFolder).filter((folder) => folder !== undefined)]);
  const texts = [...folders].map((folder) => {
    const { name, license } = readManifest(folder);
    const file = readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry));
    return `${name} (${license})\n\n${file ? readFileSync(join(folder, file), 'utf8').trim() : ''}`.trim();
  });
  return `${texts.toSorted().join(`\n\n${'-'.repeat(80)}\n\n`)}\n`;
}

rmSync(DIST, { recursive: true, force: true });
const [scripts, tools, required, types] = await Promise.all([
  write(
    {
      ...SCRIPTS,
      input: { ...API, ...PROGRAMS, ...LATER, [LOADER]: source(`data-designer/src/${LOADER}.ts`) },
      preserveEntrySignatures: 'allow-extension',
    },
    {
      dir: DIST,
      format: 'esm',
      comments: { jsdoc: false },
      entryFileNames: '[name].js',
      // A chunk that shares modules with an entry would import the entry, which runs it.
      codeSplitting: {
        groups: [
          // An old Node loads the version check alone.
          { name: 'node-version', test: /packages.core.src.node-version/, priority: 2 },
          {
            name: threadChunks(Object.values({ ...API, ...PROGRAMS })),
            debugName: 'threads',
            priority: 1,
            includeDependenciesRecursively: false,
          },
          { name: 'mcp', test: /packages.mcp.src/, entriesAware: true },
          { name: 'core', test: /packages.core.src.(?!end-on-old-node)/ },
        ],
      },
      chunkFileNames: ({ name }) => `${name.split('~')[0]}-[hash].js`,
    },
  ),
  write(
    { ...SCRIPTS, input: TOOL_SERVER },
    { dir: DIST, format: 'esm', comments: { jsdoc: false }, chunkFileNames: 'tool-server-[hash].js' },
  ),
  write(
    {
      input: REQUIRED,
      resolve: { conditionNames: ['node', 'require'] },
    },
    {
      dir: join(DIST, 'required'),
      format: 'cjs',
      entryFileNames: '[name].cjs',
      chunkFileNames: '[name]-[hash].cjs',
      exports: 'auto',
    },
  ),
  write(
    {
      input: API,
      external: (specifier) =>
        !specifier.startsWith('.') && !specifier.startsWith('@data-designer/') && !specifier.startsWith(ROOT),
      resolve: { conditionNames: [CONDITION] },
      treeshake: { moduleSideEffects: false },
      plugins: [dts({ cwd: ROOT, emitDtsOnly: true, tsconfig: 'tsconfig.build.json' })],
    },
    { dir: DIST, chunkFileNames: '[name]-[hash].js' },
  ),
  buildViewerApp(join(DIST, 'viewer')),
  buildCopyApp(join(DIST, 'viewer-copy')),
  buildSinglePages(join(DIST, 'single-pages')),
]);
writeBundledEntries(scripts);
nameTypes(
  DIST,
  types.output.map(({ fileName }) => fileName),
  ['index.d.ts', 'plugins.d.ts'],
);
const unused = Object.keys(REQUIRED).filter((file) => !replaced.has(file));
if (unused.length > 0) throw new Error(`no source requires ${unused.join(', ')}`);
writeFileSync(join(DIST, 'THIRD-PARTY-LICENSES.txt'), licencesOf([scripts, tools, required, types]));
// For editors: `# yaml-language-server: $schema=./node_modules/data-designer/dist/schema.json`.
copyFileSync(join(ROOT, 'configs/schema.json'), join(DIST, 'schema.json'));
// Next to the chunk that reads it.
for (const file of ['cl100k-base.bin', 'o200k-base.bin'])
  copyFileSync(source(`profile/src/tokens/${file}`), join(DIST, file));
// For `data-designer init`; without caches of tools that ran there.
cpSync(join(ROOT, 'configs/recipes'), join(DIST, 'recipes'), {
  recursive: true,
  filter: (path) => !basename(path).startsWith('.'),
});
// For `data-designer docs`: the guide and the reference. Links to pages that are not there become text, and so do pictures.
mkdirSync(join(DIST, 'docs'));
copyFileSync(join(ROOT, 'docs/pages.json'), join(DIST, 'docs/pages.json'));
for (const folder of ['guide', 'reference']) {
  mkdirSync(join(DIST, 'docs', folder));
  for (const name of readdirSync(join(ROOT, 'docs', folder)).filter((file) => file.endsWith('.md'))) {
    const text = readFileSync(join(ROOT, 'docs', folder, name), 'utf8')
      .replaceAll(/!\[([^\]]*)\]\([^)]*\)/g, '($1)')
      // The package has no internals: what only leads to them is left out.
      .replaceAll(/^(?:How it works|More): (?:\[[^\]]*\]\([^)]*internals\/[^)]*\)(?:, )?)+\. ?/gm, '')
      .replaceAll(/ ?\[[^\]]*\]\([^)]*internals\/[^)]*\) (?:page )?(?:has|lists|describes)\b[^.\n]*\./g, '')
      .replaceAll(/\[([^\]]*)\]\([^)]*internals\/[^)]*\)/g, '$1');
    writeFileSync(join(DIST, 'docs', folder, name), text);
  }
}
