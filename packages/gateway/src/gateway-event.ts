import type { SessionEvent, ToolNote } from '@data-designer/mcp';

/** The events of the I/O thread. */
export type GatewayEvent =
  /** Nothing is sent to a model for `waitMs`, at least 10 s, because its endpoint refuses with this message. */
  | { readonly type: 'model-pause'; readonly model: string; readonly waitMs: number; readonly reason: string }
  /** Tool servers: sessions opened and lost, and tools that changed since the dataset was begun. */
  | SessionEvent
  /** Messages of function tools while they run. */
  | ToolNote;
