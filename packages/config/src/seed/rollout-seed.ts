import { homedir } from 'node:os';
import { join } from 'node:path';
import { field, RECORDED_MESSAGE } from '@data-designer/core';
import { z } from 'zod';
import { newerKey } from '../read-form.ts';
import { absolutePath, defineFolderSeed, filePattern, folderPath, recursive, text } from './folder-kind.ts';

const FORMATS = ['atif', 'claude_code', 'codex', 'hermes_agent', 'pi_coding_agent'] as const;

/** The name of a format in which agents record their sessions. */
export type RolloutFormat = (typeof FORMATS)[number];

/** The folder of a format's recordings, and which of its files are recordings. */
interface RolloutFiles {
  /** Folders below the user's home; undefined for a format without a usual folder. */
  readonly home: readonly string[] | undefined;
  readonly pattern: string;
  /** Whether a file that matches the pattern is a recording; the path is relative, with `/`. */
  readonly takes: (relativePath: string) => boolean;
}

const nameOf = (relativePath: string): string => relativePath.slice(relativePath.lastIndexOf('/') + 1);

/** By format, the files of recorded sessions. */
const ROLLOUT_FILES: Readonly<Record<RolloutFormat, RolloutFiles>> = {
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

/** One row for each recorded session of an agent. */
export const rolloutSeed = defineFolderSeed({
  schema: z
    .object({
      seedType: z.literal('agent_rollout').describe('One row for each recorded session of a coding agent.'),
      path: folderPath
        .nullable()
        .default(null)
        .describe('The folder with the recordings; null for the folder in which the agent stores them.'),
      filePattern: filePattern
        .nullable()
        .default(null)
        .describe("Pattern for file names; null for the files of the agent's format."),
      recursive,
      format: z.enum(FORMATS).describe('The format of the recordings: the agent that wrote them.'),
      codexReasoningSource: newerKey('content_first', 'summary').describe(
        'The reasoning to take from sessions of Codex: `content_first` for the raw reasoning, or the summary if the raw reasoning is not recorded; `summary` (the default) always for the summary.',
      ),
    })
    .refine((source) => ROLLOUT_FILES[source.format].home !== undefined || source.path !== null, {
      error: "recordings in the format 'atif' have no usual folder; give its path",
    }),
  fields: [
    ...['trace_id', 'source_kind', 'source_path', 'root_session_id', 'agent_id'].map(text),
    field('is_sidechain', 'bool'),
    ...['cwd', 'project_path', 'git_branch', 'started_at', 'ended_at'].map(text),
    field('messages', { list: RECORDED_MESSAGE }),
    field('source_meta', 'utf8', { json: true }),
    field('message_count', 'int64'),
    field('tool_call_count', 'int64'),
    text('final_assistant_message'),
  ],
  folderOf: (source, base) => {
    const { home = [], pattern, takes } = ROLLOUT_FILES[source.format];
    const root = source.path === null ? join(homedir(), ...home) : absolutePath(source.path, base);
    return { root, pattern: source.filePattern ?? pattern, recursive: source.recursive, takes };
  },
});
