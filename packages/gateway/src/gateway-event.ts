import type { SessionEvent, ToolNote } from '@data-designer/mcp';

/** What the I/O thread tells of the outside. */
export type GatewayEvent =
  /** Nothing is sent to a model for `waitMs`, as its endpoint refuses with these words. Told where that is 10 s or more. */
  | { readonly type: 'model-pause'; readonly model: string; readonly waitMs: number; readonly reason: string }
  /** Sessions with tool servers: opened, lost, and servers whose tools are others than when the dataset was begun. */
  | SessionEvent
  /** What function tools say while they run. */
  | ToolNote;
