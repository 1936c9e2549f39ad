import nodeModule from 'node:module';
import { basename, dirname } from 'node:path';

/** Whether this code runs from its TypeScript source rather than from the published package. */
function fromSource(moduleUrl: string): boolean {
  return moduleUrl.endsWith('.ts');
}

/**
 * The address of a thread's or program's entry, by its path from a module of the source; in the published package all
 * entries and chunks lie in one folder.
 */
export function threadEntry(moduleUrl: string, name: string): URL {
  return new URL(fromSource(moduleUrl) ? `${name}.ts` : `./${basename(name)}.js`, moduleUrl);
}

/** Flags for threads and child processes, so that they find the sources where this code runs from source. */
export function sourceExecArgv(moduleUrl: string): string[] {
  return fromSource(moduleUrl) ? ['--conditions=@data-designer/source'] : [];
}

/**
 * Names the folder of compiled modules to a thread or child process, which does not inherit it: loading modules takes it
 * half the CPU with that.
 */
export function compileCacheEnvironment(): { readonly NODE_COMPILE_CACHE?: string } {
  // By way of the default export, so that this module links on a Node that lacks the function and is refused.
  // Deno lacks it too.
  const { getCompileCacheDir }: Partial<Pick<typeof nodeModule, 'getCompileCacheDir'>> = nodeModule;
  const folder = getCompileCacheDir?.();
  // Node keeps the modules in a folder below, named by version and platform.
  return folder === undefined ? {} : { NODE_COMPILE_CACHE: dirname(folder) };
}
