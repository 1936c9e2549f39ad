import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { type Plugin, rolldown, type RolldownOutput } from 'rolldown';
import { ICON } from '../../viewer/src/app/icon.ts';

/** Minified modules, with chunks named by their content. */
const MODULES = {
  format: 'esm',
  minify: true,
  entryFileNames: '[name].js',
  chunkFileNames: '[name]-[hash].js',
} as const;

/** All pages with their libraries, of `data-designer view` and of a copy: a browser on a slow line still loads them in a second. */
const MAX_GZIP_BYTES = 250_000;

/** What a copy says that no web server sends: browsers run no modules from the disk. The app takes its place. */
const FROM_DISK = `<div class="notice from-disk" role="status">
      <p>If this text stays, the page was opened from the disk, where browsers run no scripts of modules.</p>
      <p>Open it from a web server. In the folder of this file, run <code>npx serve</code> or <code>python3 -m http.server</code>, and open the address that it prints. To read the dataset itself: <code>npx data-designer view FOLDER</code></p>
    </div>`;

const APP = join(import.meta.dirname, '../../viewer/src/app');
const require = createRequire(join(APP, 'main.tsx'));

/** The policy of a static copy, which its web server may not send. */
const COPY_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob: data:; media-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; require-trusted-types-for 'script'; trusted-types 'none'";

/** Writes the app of the viewer: `index.html`, `app.js` with its chunks, and `app.css`. Throws if it is too large. */
export async function buildViewerApp(folder: string): Promise<RolldownOutput> {
  const output = await buildPages(folder, 'main.tsx');
  writeFileSync(join(folder, 'index.html'), indexPage());
  checkSize(
    readdirSync(folder).map((name) => join(folder, name)),
    MAX_GZIP_BYTES,
  );
  return output;
}

/** Writes the app of static copies, which also reads Parquet and needs no server of its own. Throws if what it loads before its first page is too large. */
export async function buildCopyApp(folder: string): Promise<RolldownOutput> {
  const output = await buildPages(folder, 'main-copy.tsx');
  checkSize(
    firstFiles(output)
      .concat('app.css')
      .map((name) => join(folder, name)),
    MAX_GZIP_BYTES,
  );
  const policy = `<meta http-equiv="Content-Security-Policy" content="${COPY_POLICY}" />`;
  const page = indexPage().replace('<meta charset="utf-8" />', `$&\n    ${policy}`);
  writeFileSync(join(folder, 'index.html'), page.replace('<div id="app"></div>', `<div id="app">${FROM_DISK}</div>`));
  return output;
}

/** The page of the app, with its icon. */
function indexPage(): string {
  return readFileSync(join(APP, 'index.html'), 'utf8').replace('href="icon"', `href="${ICON}"`);
}

async function buildPages(folder: string, entry: string): Promise<RolldownOutput> {
  const bundle = await rolldown({
    input: { app: join(APP, entry) },
    platform: 'browser',
    plugins: [WITHOUT_NODE],
    tsconfig: join(APP, 'tsconfig.json'),
    transform: { target: 'es2022', define: { 'process.env.NODE_ENV': '"production"' } },
    resolve: {
      conditionNames: ['@data-designer/source', 'browser', 'import'],
      // One copy: the root of the workspace may hold an older React for a tool, which libraries there would take.
      alias: {
        react: libraryFolder('react'),
        'react-dom': libraryFolder('react-dom'),
        // The build for browsers, which has no condition of its own.
        'csv-stringify/sync': 'csv-stringify/browser/esm/sync',
      },
    },
  });
  const output = await bundle.write({
    dir: folder,
    ...MODULES,
    // Grammars compress better together, and only records with code load them.
    codeSplitting: { groups: [{ name: 'grammars', test: /highlight\.js/ }] },
  });
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'app.css'), styles());
  return output;
}

function libraryFolder(name: string): string {
  return dirname(require.resolve(`${name}/package.json`));
}

/** The style sheets of the app in the order of their names, after that of the plots. */
function styles(): string {
  const own = readdirSync(join(APP, 'styles')).toSorted();
  const plots = join(libraryFolder('uplot'), 'dist/uPlot.min.css');
  return joined([plots, ...own.map((name) => join(APP, 'styles', name))]);
}

function joined(files: readonly string[]): string {
  return files.map((file) => readFileSync(file, 'utf8')).join('\n');
}

/** The style sheets of pages that are one file each. */
const SINGLE_STYLES = ['styles/1-base.css', 'styles/2-frame.css', 'styles/4-record.css', 'styles/7-plots.css'];

/** Writes the module that makes pages in one file from the app's components, for Node, and the style sheet of the pages. */
export async function buildSinglePages(folder: string): Promise<RolldownOutput> {
  const reactDom = libraryFolder('react-dom');
  const bundle = await rolldown({
    input: { 'single-pages': join(APP, 'main-single.tsx') },
    platform: 'node',
    tsconfig: join(APP, 'tsconfig.json'),
    transform: { target: 'es2024', define: { 'process.env.NODE_ENV': '"production"' } },
    resolve: {
      conditionNames: ['@data-designer/source', 'node', 'import'],
      alias: {
        react: libraryFolder('react'),
        // Its index also loads the renderer of streams, which is as large again.
        'react-dom/server': join(reactDom, 'cjs/react-dom-server-legacy.node.production.js'),
        'react-dom': reactDom,
      },
    },
  });
  const output = await bundle.write({
    dir: folder,
    ...MODULES,
  });
  const sheets = [...SINGLE_STYLES, 'single/single.css'].map((name) => join(APP, name));
  const small = joined(sheets)
    .replaceAll(/\/\*.*?\*\//gs, '')
    .replaceAll(/\s*\n\s*/g, '\n');
  writeFileSync(join(folder, 'single-pages.css'), small.trim());
  return output;
}

function checkSize(paths: readonly string[], most: number): void {
  const sizes = paths.map((path) => ({ path, bytes: gzipSync(readFileSync(path)).length }));
  const total = sizes.reduce((sum, { bytes }) => sum + bytes, 0);
  if (total <= most) return;
  const largest = sizes.toSorted((a, b) => b.bytes - a.bytes).slice(0, 5);
  const list = largest.map(({ path, bytes }) => `${path} ${bytes}`).join(', ');
  throw new Error(`The viewer app has ${total} bytes (gzip), more than ${most}: ${list}`);
}

/** The entry, and the chunks that it imports. */
function firstFiles({ output }: RolldownOutput): readonly string[] {
  const chunks = new Map(output.flatMap((file) => (file.type === 'chunk' ? [[file.fileName, file]] : [])));
  const first = new Set(['app.js']);
  for (const name of first) for (const imported of chunks.get(name)?.imports ?? []) first.add(imported);
  return [...first];
}

/**
 * Lets pages import what works in browsers from packages that also have modules for Node: those are left out, and the build
 * fails if one is needed.
 */
const WITHOUT_NODE: Plugin = {
  name: 'without-node',
  resolveId(id) {
    if (id.startsWith('node:')) return { id, external: true, moduleSideEffects: false };
    // It throws on an old Node.
    return id.endsWith('/refuse-old-node.ts') ? { id: '\0empty', moduleSideEffects: false } : undefined;
  },
  load: (id) => (id === '\0empty' ? '' : undefined),
  generateBundle(_, bundle) {
    for (const file of Object.values(bundle)) {
      const needed = file.type === 'chunk' ? file.imports.find((name) => name.startsWith('node:')) : undefined;
      if (needed !== undefined) throw new Error(`${file.fileName} needs ${needed}, which browsers do not have.`);
    }
  },
};
