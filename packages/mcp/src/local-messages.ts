import type { ToolRequest } from './tool-request.ts';
import type { ToolRow } from './tool-session.ts';

/** A message to the thread in which functions run. */
export type LocalAsk =
  | (ToolRequest & {
      readonly kind: 'run-tool';
      readonly id: number;
      readonly provider: string;
      readonly timeoutMs: number;
      /** The row that makes the call; undefined where no row does. */
      readonly row?: ToolRow | undefined;
    })
  | { readonly kind: 'cancel-tool'; readonly id: number };

/** The outcome of a call, of the same form as a session's. */
export interface ToolEnded {
  readonly kind: 'tool-ended';
  readonly id: number;
  readonly status: number;
  readonly body: string;
}

/** A log message or the progress of a running function tool. */
export type ToolNote =
  | { readonly type: 'tool-log'; readonly provider: string; readonly tool: string; readonly message: string }
  /** The progress of a call; `total` is null if unknown. */
  | {
      readonly type: 'tool-progress';
      readonly provider: string;
      readonly tool: string;
      readonly done: number;
      readonly total: number | null;
    };
