import type { SeedSource } from '../schemas/seed-config.ts';

/** The name of a format in which agents record their sessions. */
export type RolloutFormat = Extract<SeedSource, { seedType: 'agent_rollout' }>['format'];

/** Where the recordings of a format lie, and which files are recordings. */
export interface RolloutFiles {
  /** Folders below the user's home; undefined for a format without a usual place. */
  readonly home: readonly string[] | undefined;
  readonly pattern: string;
  /** Whether a file that matches the pattern is a recording; the path is relative, with `/`. */
  readonly takes: (relativePath: string) => boolean;
}

const nameOf = (relativePath: string): string => relativePath.slice(relativePath.lastIndexOf('/') + 1);

/** By format, the files of recorded sessions. */
export const ROLLOUT_FILES: Readonly<Record<RolloutFormat, RolloutFiles>> = {
  atif: { home: undefined, pattern: '*.json', takes: (path) => path.endsWith('.json') },
  claude_code: {
    home: ['.claude', 'projects'],
    pattern: '*.jsonl',
    takes: (path) =>
      path.endsWith('.jsonl') && nameOf(path) !== 'history.jsonl' && !path.split('/').includes('tool-results'),
  },
  codex: {
    home: ['.codex', 'sessions'],
    pattern: '*.jsonl',
    takes: (path) => /^rollout-.*\.jsonl$/s.test(nameOf(path)),
  },
  hermes_agent: {
    home: ['.hermes', 'sessions'],
    pattern: '*.json*',
    takes: (path) => /^session_.*\.json$|\.jsonl$/s.test(nameOf(path)) && nameOf(path) !== 'sessions.json',
  },
  pi_coding_agent: {
    home: ['.pi', 'agent', 'sessions'],
    pattern: '*.jsonl',
    takes: (path) => path.endsWith('.jsonl'),
  },
};
