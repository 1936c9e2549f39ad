import type { ToolHints } from '@data-designer/mcp';

type Kind = Required<Pick<ToolHints, 'readOnlyHint' | 'destructiveHint' | 'idempotentHint' | 'openWorldHint'>>;

/** It looks at what is here, and changes nothing. */
export const READS: Kind = { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false };

/** It asks models and tools, which may cost something, and adds to what is here. */
export const CREATES: Kind = {
  readOnlyHint: false,
  destructiveHint: false,
  idempotentHint: false,
  openWorldHint: true,
};

/** It ends something that can be gone on with. */
export const STOPS: Kind = { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: false };
