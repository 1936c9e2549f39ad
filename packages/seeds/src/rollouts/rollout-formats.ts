import { atif } from './atif.ts';
import { claudeCode } from './claude-code.ts';
import { codex } from './codex.ts';
import { hermesAgent } from './hermes-agent.ts';
import { piCodingAgent } from './pi-coding-agent.ts';
import type { RolloutFormat, RolloutSource } from './rollout.ts';

/** How the recordings of each format are read. */
export const ROLLOUT_FORMATS: Readonly<Record<RolloutSource['format'], RolloutFormat>> = {
  atif,
  claude_code: claudeCode,
  codex,
  hermes_agent: hermesAgent,
  pi_coding_agent: piCodingAgent,
};
