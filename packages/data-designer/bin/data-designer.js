#!/usr/bin/env node
import { existsSync } from 'node:fs';
import nodeModule from 'node:module';
import { homedir, platform } from 'node:os';
import { join } from 'node:path';

/** The user's own folder for caches: other users can write to the system's temporary folder. */
function cacheFolder() {
  const { XDG_CACHE_HOME, LOCALAPPDATA } = process.env;
  if (platform() === 'win32') return LOCALAPPDATA || join(homedir(), 'AppData', 'Local');
  return XDG_CACHE_HOME || join(homedir(), platform() === 'darwin' ? 'Library/Caches' : '.cache');
}

// Later commands read what this one compiles. Node goes on without a cache if it cannot write there.
nodeModule.enableCompileCache?.(process.env.NODE_COMPILE_CACHE || join(cacheFolder(), 'data-designer'));

const program = new URL('../dist/main.js', import.meta.url);
if (existsSync(program)) {
  await import(program.href);
} else {
  process.stderr.write('This checkout is not built: run npm run build.\n');
  process.exitCode = 1;
}
