import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { rolldown, type RolldownOutput } from 'rolldown';

/** Minified modules, with chunks named by their content. */
const MODULES = {
  format: 'esm',
  minify: true,
  entryFileNames: '[name].js',
  chunkFileNames: '[name]-[hash].js',
} as const;

/** The pages of `data-designer view` with all their libraries; a browser on a slow line still loads them in a second. */
const MAX_GZIP_BYTES = 170_000;

const APP = join(import.meta.dirname, '../../viewer/src/app');
const require = createRequire(join(APP, 'main.tsx'));

/** The policy of a static copy, which its web server may not send. */
const COPY_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:; media-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; require-trusted-types-for 'script'; trusted-types 'none'";

/** Writes the app of the viewer: `index.html`, `app.js` with its chunks, and `app.css`. Throws if it is too large. */
export async function buildViewerApp(folder: string): Promise<RolldownOutput> {
  const output = await buildPages(folder, 'main.tsx');
  writeFileSync(join(folder, 'index.html'), readFileSync(join(APP, 'index.html')));
  checkSize(folder);
  return output;
}

/** Writes the app of static copies, which also reads Parquet and needs no server of its own. */
export async function buildCopyApp(folder: string): Promise<RolldownOutput> {
  const output = await buildPages(folder, 'main-copy.tsx');
  const page = readFileSync(join(APP, 'index.html'), 'utf8');
  const policy = `<meta http-equiv="Content-Security-Policy" content="${COPY_POLICY}" />`;
  writeFileSync(join(folder, 'index.html'), page.replace('<meta charset="utf-8" />', `$&\n    ${policy}`));
  return output;
}

async function buildPages(folder: string, entry: string): Promise<RolldownOutput> {
  const bundle = await rolldown({
    input: { app: join(APP, entry) },
    platform: 'browser',
    tsconfig: join(APP, 'tsconfig.json'),
    transform: { target: 'es2022', define: { 'process.env.NODE_ENV': '"production"' } },
    resolve: {
      conditionNames: ['@data-designer/source', 'browser', 'import'],
      // One copy: the root of the workspace may hold an older React for a tool, which libraries there would take.
      alias: { react: libraryFolder('react'), 'react-dom': libraryFolder('react-dom') },
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

function checkSize(folder: string): void {
  const sizes = readdirSync(folder).map((name) => ({ name, bytes: gzipSync(readFileSync(join(folder, name))).length }));
  const total = sizes.reduce((sum, { bytes }) => sum + bytes, 0);
  if (total <= MAX_GZIP_BYTES) return;
  const largest = sizes.toSorted((a, b) => b.bytes - a.bytes).slice(0, 5);
  const list = largest.map(({ name, bytes }) => `${name} ${bytes}`).join(', ');
  throw new Error(`The viewer app has ${total} bytes (gzip), more than ${MAX_GZIP_BYTES}: ${list}`);
}
