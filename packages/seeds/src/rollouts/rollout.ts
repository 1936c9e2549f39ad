import type { Mapping, SeedSource } from '@data-designer/config';
import type { ChatMessage } from '@data-designer/core';

/** A source of recorded sessions of agents. */
export type RolloutSource = Extract<SeedSource, { readonly seedType: 'agent_rollout' }>;

/** A session as its recording tells it; null where it does not. */
export interface Rollout {
  readonly traceId: string;
  /** The session that it belongs to; its own, unless it is that of an agent within another. */
  readonly rootSessionId: string;
  readonly agentId: string | null;
  readonly isSidechain: boolean;
  readonly cwd: string | null;
  readonly projectPath: string | null;
  readonly gitBranch: string | null;
  /** Times as the recording has them. */
  readonly startedAt: string | null;
  readonly endedAt: string | null;
  readonly messages: readonly ChatMessage[];
  /** What the format tells beyond this. */
  readonly sourceMeta: Mapping;
}

/** A recording; it is not empty. */
export interface Recording {
  readonly text: string;
  /** The name of its file, without a folder. */
  readonly name: string;
}

/** What files beside the recordings tell of sessions, by session. */
export type SessionIndex = ReadonlyMap<string, Mapping>;

/** How the recordings of one format are read. Both throw a `RolloutFault`. */
export interface RolloutFormat {
  readonly read: (recording: Recording, index: SessionIndex) => Rollout;
  /** Files that tell more of sessions, by their name; none in most formats. */
  readonly index?: { readonly name: string; readonly read: (text: string) => SessionIndex };
}
