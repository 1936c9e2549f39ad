import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A file to which servers of this folder write what happens to them, by its path in the variable EVENTS. */
export interface EventFile {
  readonly path: string;
  /** What was written so far, line by line; nothing where it is not there yet. */
  readonly lines: () => readonly string[];
}

/** A fresh file for events. */
export function eventFile(): EventFile {
  const path = join(mkdtempSync(join(tmpdir(), 'mcp-')), 'events');
  return { path, lines: () => readLines(path) };
}

function readLines(path: string): readonly string[] {
  try {
    return readFileSync(path, 'utf8').trim().split('\n');
  } catch {
    return [];
  }
}
