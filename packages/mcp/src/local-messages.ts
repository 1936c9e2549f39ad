import type { JsonObject } from './tool-session.ts';

/** What is asked of the thread in which functions run. */
export type LocalAsk =
  | {
      readonly kind: 'run-tool';
      readonly id: number;
      readonly provider: string;
      readonly name: string;
      readonly arguments: JsonObject;
      readonly timeoutMs: number;
    }
  | { readonly kind: 'cancel-tool'; readonly id: number };

/** The outcome of a call, as a session would give it. */
export interface ToolEnded {
  readonly kind: 'tool-ended';
  readonly id: number;
  readonly status: number;
  readonly body: string;
}

/** What a function tool says while it runs. */
export type ToolNote =
  | { readonly type: 'tool-log'; readonly provider: string; readonly tool: string; readonly message: string }
  /** How far a call has come; `total` is null where it is not known. */
  | {
      readonly type: 'tool-progress';
      readonly provider: string;
      readonly tool: string;
      readonly done: number;
      readonly total: number | null;
    };
