import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { DataDesignerError } from '@data-designer/core';

// Bundlers rewrite calls of a `createRequire` that is imported.
const { createRequire } = process.getBuiltinModule('node:module');

/**
 * Loads an entry of the installed package for a program built by a bundler, which cannot copy worker threads and native
 * libraries. Throws `environment/not-installed` when neither the bundle nor the working folder has the package.
 */
export function loadInstalled(entry: string): Readonly<Record<string, unknown>> {
  const folders = [...new Set([...bundleFolders(), process.cwd()])];
  const manifest = folders.map(installedIn).find((path) => path !== undefined);
  if (manifest === undefined) throw new DataDesignerError('environment/not-installed', { folders });
  // From a file of the package itself: Node 22.12 warns if a module outside of node_modules requires an ES module.
  return createRequire(manifest)(entry);
}

/** Some bundlers keep the address of this module, others give that of the bundle; CommonJS knows the bundle's file name. */
function bundleFolders(): string[] {
  const bundle = typeof __filename === 'string' ? pathToFileURL(__filename).href : undefined;
  return [import.meta.url, bundle].flatMap((url) => (url?.startsWith('file:') ? dirname(fileURLToPath(url)) : []));
}

/** The manifest of the package that modules of a folder would import. */
function installedIn(folder: string): string | undefined {
  try {
    return createRequire(join(folder, 'bundle.js')).resolve('data-designer/package.json');
  } catch {
    return undefined;
  }
}
