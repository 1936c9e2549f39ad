import { type ArrowField, field, RECORDED_MESSAGE } from '@data-designer/core';
import type { FolderSource } from './seed-folder.ts';

const text = (name: string): ArrowField => field(name, 'utf8');

const FILE = ['source_kind', 'source_path', 'relative_path', 'file_name'].map(text);

const ROLLOUT = [
  ...['trace_id', 'source_kind', 'source_path', 'root_session_id', 'agent_id'].map(text),
  field('is_sidechain', 'bool'),
  ...['cwd', 'project_path', 'git_branch', 'started_at', 'ended_at'].map(text),
  field('messages', { list: RECORDED_MESSAGE }),
  field('source_meta', 'utf8', { json: true }),
  field('message_count', 'int64'),
  field('tool_call_count', 'int64'),
  text('final_assistant_message'),
];

const COLUMNS: Readonly<Record<FolderSource['seedType'], readonly ArrowField[]>> = {
  directory: FILE,
  file_contents: [...FILE, text('content')],
  agent_rollout: ROLLOUT,
};

/** The columns of rows that are made of files, which their content does not change. */
export function fixedSeedColumns({ seedType }: FolderSource): readonly ArrowField[] {
  return COLUMNS[seedType];
}
