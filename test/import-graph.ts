import { globSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));

/** One import, of types too: the file it stands in, and what it names. Paths are relative to the repository. */
export interface Import {
  readonly from: string;
  readonly specifier: string;
}

/** `import`, `export … from`, and `import()` with a plain string, at the start of a statement or inside one. */
const IMPORT =
  /(?:^|[\s;])(?:import|export)\s(?:[^'"();]*?\sfrom\s*)?['"]([^'"]+)['"]|import\(\s*['"]([^'"]+)['"]\s*\)/gm;

/** The imports in a source text. */
export function importsIn(text: string): string[] {
  const code = text.replace(/\/\*[\s\S]*?\*\//g, '').replace(/^\s*\/\/.*$/gm, '');
  return [...code.matchAll(IMPORT)].map((match) => (match[1] ?? match[2]) as string);
}

/** Every import of the packages' sources, tests left out. */
export function sourceImports(): Import[] {
  return globSync('packages/*/src/**/*.{ts,tsx}', { cwd: root })
    .map((file) => file.replaceAll('\\', '/'))
    .filter((file) => !file.endsWith('.test.ts') && !file.endsWith('.d.ts'))
    .flatMap((from) => importsIn(readFileSync(join(root, from), 'utf8')).map((specifier) => ({ from, specifier })));
}

/** The file that a relative import leads to; undefined for packages. */
export function targetOf({ from, specifier }: Import): string | undefined {
  if (!specifier.startsWith('.')) return undefined;
  return relative(root, join(root, dirname(from), specifier)).replaceAll('\\', '/');
}

/** The package that a file belongs to, or that a specifier names. */
export function packageOf(path: string): string | undefined {
  return /^packages\/([^/]+)\//.exec(path)?.[1];
}

/** The workspace package that an import names, if one. */
export function workspaceImport(specifier: string): string | undefined {
  return (
    /^@data-designer\/([^/]+)/.exec(specifier)?.[1] ??
    (/^data-designer(?:\/|$)/.test(specifier) ? 'data-designer' : undefined)
  );
}
