#!/usr/bin/env node
import { existsSync, mkdirSync } from 'node:fs';
import nodeModule from 'node:module';
import { homedir, platform } from 'node:os';
import { join } from 'node:path';

/** The user's own folder for caches: other users can write to the system's temporary folder. */
function cacheFolder() {
  const { XDG_CACHE_HOME, LOCALAPPDATA } = process.env;
  if (platform() === 'win32') return LOCALAPPDATA || join(homedir(), 'AppData', 'Local');
  return XDG_CACHE_HOME || join(homedir(), platform() === 'darwin' ? 'Library/Caches' : '.cache');
}

/** Keeps what Node compiles for later commands, in a folder private to the user: it holds texts of the user's modules too. */
function keepCompiled() {
  if (process.env.NODE_COMPILE_CACHE) return;
  const folder = join(cacheFolder(), 'data-designer');
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  nodeModule.enableCompileCache?.(folder);
}

try {
  keepCompiled();
} catch {
  // A user without a home, or a folder that cannot be written: the command starts without a cache.
}

const program = new URL('../dist/main.js', import.meta.url);
if (existsSync(program)) {
  await import(program.href);
} else {
  process.stderr.write('This checkout is not built: run npm run build.\n');
  process.exitCode = 1;
}
