/** Whether this code runs from its TypeScript source rather than from `dist`. */
function fromSource(moduleUrl: string): boolean {
  return moduleUrl.endsWith('.ts');
}

/** The address of a thread's or program's entry beside a module, in the form that the module itself has. */
export function threadEntry(moduleUrl: string, name: string): URL {
  return new URL(`${name}.${fromSource(moduleUrl) ? 'ts' : 'js'}`, moduleUrl);
}

/** Flags for threads and child processes, so that they find the sources where this code runs from source. */
export function sourceExecArgv(moduleUrl: string): string[] {
  return fromSource(moduleUrl) ? ['--conditions=@data-designer/source'] : [];
}
