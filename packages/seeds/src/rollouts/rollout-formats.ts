import { atif } from './formats/atif.ts';
import { claudeCode } from './formats/claude-code.ts';
import { codex } from './formats/codex.ts';
import { hermesAgent } from './formats/hermes-agent.ts';
import { piCodingAgent } from './formats/pi-coding-agent.ts';
import type { RolloutFormat, RolloutSource } from './rollout.ts';

/** How the recordings of each format are read. */
export const ROLLOUT_FORMATS: Readonly<Record<RolloutSource['format'], RolloutFormat>> = {
  atif,
  claude_code: claudeCode,
  codex,
  hermes_agent: hermesAgent,
  pi_coding_agent: piCodingAgent,
};
