import { existsSync, readFileSync, realpathSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { DataDesignerError, type Fields, fieldsOf, isFields, moduleAddress, tryParse } from '@data-designer/core';

/**
 * Resolves a plug-in to the address of its module: an address, a path that starts with `.` or `/`, or a package of the
 * working folder. Throws `plugin/unusable` for a missing package.
 */
export function pluginAddress(name: string | URL): string {
  if (name instanceof URL || /^(?:[./\\]|[a-z][a-z\d+.-]+:)/i.test(name)) return moduleAddress(name);
  try {
    return pathToFileURL(createRequire(join(process.cwd(), 'plugins.js')).resolve(name)).href;
  } catch {
    return resolvedHere(name);
  }
}

/** Resolves a package that has no `require` entry, or that is installed next to this package. */
function resolvedHere(name: string): string {
  const file = importedFile(name, process.cwd());
  if (file !== undefined) return pathToFileURL(file).href;
  try {
    return import.meta.resolve(name);
  } catch {
    const reason = `there is no package of that name in ${process.cwd()}. Install it, or give a path that begins with ./`;
    throw new DataDesignerError('plugin/unusable', { module: name, reason });
  }
}

/** The export conditions of `import`. */
const CONDITIONS = new Set(['import', 'node', 'module-sync', 'default']);

/**
 * Resolves a package without a `require` entry from a folder, which Node can only do from a module's own location.
 * Undefined if there is none; patterns in `exports` are not supported.
 */
export function importedFile(name: string, folder: string): string | undefined {
  const [, packageName = '', path = ''] = /^((?:@[^/]+\/)?[^/]+)(.*)$/.exec(name) ?? [];
  const found = installedPackage(packageName, folder);
  const target = targetOf(entryOf(found?.manifest['exports'], `.${path}`));
  const file = found === undefined || target === undefined ? undefined : join(found.folder, target);
  return file !== undefined && existsSync(file) ? realpathSync(file) : undefined;
}

/** A package in a folder `node_modules`. */
export interface InstalledPackage {
  readonly folder: string;
  readonly manifest: Fields;
}

/** The package that modules of a folder would import; undefined if there is none. A damaged manifest is empty. */
export function installedPackage(name: string, folder: string): InstalledPackage | undefined {
  for (const modules of createRequire(join(folder, 'plugins.js')).resolve.paths(name) ?? []) {
    const manifest = join(modules, name, 'package.json');
    if (!existsSync(manifest)) continue;
    const parsed = tryParse(readFileSync(manifest, 'utf8'), (text): unknown => JSON.parse(text));
    return { folder: join(modules, name), manifest: fieldsOf(parsed) };
  }
  return undefined;
}

/** The paths of the modules in `exports`: the package itself if it can be imported, else the paths without a pattern. */
export function exportedPaths(exports: unknown): readonly string[] {
  if (!isFields(exports) || '.' in exports || !Object.keys(exports).some((key) => key.startsWith('.'))) return ['.'];
  return Object.keys(exports).filter((path) => !path.includes('*') && !path.endsWith('.json'));
}

/** The entry of a path in `exports`; without paths it is the entry of the package itself. */
function entryOf(exports: unknown, path: string): unknown {
  const isOfPaths = isFields(exports) && Object.keys(exports).some((key) => key.startsWith('.'));
  if (isOfPaths) return exports[path];
  return path === '.' ? exports : undefined;
}

function targetOf(entry: unknown): string | undefined {
  if (typeof entry === 'string') return entry;
  if (!isFields(entry)) return undefined;
  const targets = Object.entries(entry).flatMap(([condition, inner]) =>
    CONDITIONS.has(condition) ? (targetOf(inner) ?? []) : [],
  );
  return targets[0];
}
