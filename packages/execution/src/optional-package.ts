import { existsSync, realpathSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { EngineName } from './engine-names.ts';

const require = createRequire(import.meta.url);

/** Packages that users install for an engine. */
const OPTIONAL: { readonly [Name in EngineName]?: string } = { python: 'pyodide' };

/** The folder of an installed package, without links; undefined if it is not there. */
function folderOf(name: string): string | undefined {
  const folder = require.resolve.paths(name)?.find((one) => existsSync(join(one, name, 'package.json')));
  return folder === undefined ? undefined : realpathSync(join(folder, name));
}

/** The folders in which Node looks for a package, and the one with its dependencies. */
export function foldersOf(name: string): readonly string[] {
  const [scope = name] = name.split('/');
  const looked = (require.resolve.paths(name) ?? []).map((one) => join(one, scope));
  const found = folderOf(name);
  // Its last `node_modules`: a package manager that links packages has one for each of them.
  const own = found?.slice(0, found.lastIndexOf('node_modules') + 'node_modules'.length);
  return own === undefined ? looked : [...looked, own];
}

/** The package that an engine needs and that is not installed; undefined if there is none. */
export function missingPackage(name: EngineName): string | undefined {
  const needed = OPTIONAL[name];
  return needed !== undefined && folderOf(needed) === undefined ? needed : undefined;
}
