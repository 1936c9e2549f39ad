import type { ToolParameters } from './define-tool.ts';

/** What clients of a server are told of a tool besides what its arguments are; they may ask their user by it. */
export interface ToolHints {
  /** Its name for people. */
  readonly title?: string | undefined;
  /** It changes nothing. */
  readonly readOnlyHint?: boolean | undefined;
  /** It may destroy something, not only add to it. */
  readonly destructiveHint?: boolean | undefined;
  /** Calling it again with the same arguments changes nothing more. */
  readonly idempotentHint?: boolean | undefined;
  /** It reaches beyond this program and its files. */
  readonly openWorldHint?: boolean | undefined;
  /** What it gives: an object schema of zod or another library, or a JSON Schema of an object. */
  readonly outputSchema?: ToolParameters | undefined;
}
