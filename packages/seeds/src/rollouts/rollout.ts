import type { Mapping, SeedSource } from '@data-designer/config';
import type { ChatMessage } from '@data-designer/core';

/** A source of recorded sessions of agents. */
export type RolloutSource = Extract<SeedSource, { readonly seedType: 'agent_rollout' }>;

/** A session as its recording describes it; null for what the recording omits. */
export interface Rollout {
  readonly traceId: string;
  /** The session that started this one, if it is a subagent's; else its own id. */
  readonly rootSessionId: string;
  readonly agentId: string | null;
  readonly isSidechain: boolean;
  readonly cwd: string | null;
  readonly projectPath: string | null;
  readonly gitBranch: string | null;
  /** Times as the recording writes them. */
  readonly startedAt: string | null;
  readonly endedAt: string | null;
  readonly messages: readonly ChatMessage[];
  /** Details that only this format has. */
  readonly sourceMeta: Mapping;
}

/** A recording; its text is not empty. */
export interface Recording {
  readonly text: string;
  /** The file name, without a folder. */
  readonly name: string;
  /** Whether raw reasoning replaces its summary where both are recorded; false if absent. */
  readonly takesRawReasoning?: boolean;
}

/** Details of sessions from an index file, by session id. */
export type SessionIndex = ReadonlyMap<string, Mapping>;

/** Parses the recordings of one format. Both functions throw a `RolloutFault`. */
export interface RolloutFormat {
  readonly read: (recording: Recording, index: SessionIndex) => Rollout;
  /** Index files with details of sessions, by file name; most formats have none. */
  readonly index?: { readonly name: string; readonly read: (text: string) => SessionIndex };
}

/** Why a file is not a recording of its format. The caller adds the file's name. */
export class RolloutFault extends Error {
  override readonly name = 'RolloutFault';
}
