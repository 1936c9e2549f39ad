import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { DataDesignerError, moduleAddress } from '@data-designer/core';
import { importedFile } from './imported-file.ts';

/**
 * The address of a plug-in's module: a path begins with `.` or `/`, and all else that is no address is the name of a
 * package, as the working folder has it. Throws `plugin/unusable` for a package that is not there.
 */
export function pluginAddress(name: string | URL): string {
  if (name instanceof URL || /^(?:[./\\]|[a-z][a-z\d+.-]+:)/i.test(name)) return moduleAddress(name);
  try {
    return pathToFileURL(createRequire(join(process.cwd(), 'plugins.js')).resolve(name)).href;
  } catch {
    return resolvedHere(name);
  }
}

/** A package that only `import` may load, or that stands beside this one. */
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
