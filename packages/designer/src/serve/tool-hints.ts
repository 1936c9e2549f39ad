import type { ToolHints } from '@data-designer/mcp';

type Kind = Required<Pick<ToolHints, 'readOnlyHint' | 'destructiveHint' | 'idempotentHint' | 'openWorldHint'>>;

/** A tool that reads and changes nothing. */
export const READS: Kind = { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false };

/** A tool that makes records: it sends requests to models and tools, which may cost something. */
export const CREATES: Kind = {
  readOnlyHint: false,
  destructiveHint: false,
  idempotentHint: false,
  openWorldHint: true,
};

/** A tool that stops a run, which can be resumed. */
export const STOPS: Kind = { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: false };
