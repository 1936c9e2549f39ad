import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { DataDesignerError, moduleAddress } from '@data-designer/core';
import { importedFile } from './imported-file.ts';

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
