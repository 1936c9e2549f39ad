import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import type { SeedSource } from '../schemas/seed-config.ts';
import { ROLLOUT_FILES } from './agent-rollout.ts';

/** A source whose rows are the files of a folder. */
export type FolderSource = Extract<SeedSource, { seedType: 'directory' | 'file_contents' | 'agent_rollout' }>;

/** The files of a folder that make seed rows. */
export interface SeedFolder {
  /** The absolute path of the folder. */
  readonly root: string;
  /** What file names match: `* ? [..] [!..]`. */
  readonly pattern: string;
  /** Also files in folders below. */
  readonly recursive: boolean;
  /** Whether a file that matches the pattern makes a row; the path is relative to the root, with `/`. */
  readonly takes: (relativePath: string) => boolean;
}

const all = (): boolean => true;

/** The folder that a source names, relative to `folder`; a leading `~` is the user's home, and so are usual places. */
export function seedFolder(source: FolderSource, folder: string): SeedFolder {
  const { recursive } = source;
  if (source.seedType !== 'agent_rollout')
    return { root: absolute(source.path, folder), pattern: source.filePattern, recursive, takes: all };
  const { home = [], pattern, takes } = ROLLOUT_FILES[source.format];
  const root = source.path === null ? join(homedir(), ...home) : absolute(source.path, folder);
  return { root, pattern: source.filePattern ?? pattern, recursive, takes };
}

function absolute(path: string, folder: string): string {
  return /^~(?:[/\\]|$)/.test(path) ? join(homedir(), path.slice(1)) : resolve(folder, path);
}
