import { createRequire } from 'node:module';
import { dirname } from 'node:path';

/** The version of this package, found by its name: the sources and the published files lie in folders of different depth. */
export function packageVersion(): string {
  const manifest: { readonly version: string } = createRequire(import.meta.url)('data-designer/package.json');
  return manifest.version;
}

/** The folder of this package. */
export function packageFolder(): string {
  return dirname(createRequire(import.meta.url).resolve('data-designer/package.json'));
}
