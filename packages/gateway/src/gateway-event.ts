import type { PictureSource } from '@data-designer/core';
import type { SessionEvent, ToolNote } from '@data-designer/mcp';

/** The events of the I/O thread. */
export type GatewayEvent =
  /** Nothing is sent to a model for `waitMs`, at least 10 s, because its endpoint refuses with this message. */
  | { readonly type: 'model-pause'; readonly model: string; readonly waitMs: number; readonly reason: string }
  /**
   * The endpoint of a model says that it takes no pictures, in answer to a request with those of a tool, the prompt, or both.
   * Requests with such pictures are not sent any more; those of tools are left out. Reported once.
   */
  | {
      readonly type: 'model-refuses-pictures';
      readonly model: string;
      readonly source: PictureSource;
      readonly reason: string;
    }
  /** Tool servers: sessions opened and lost, and tools that changed since the dataset was begun. */
  | SessionEvent
  /** Messages of function tools while they run. */
  | ToolNote;
