import type { JournalContent } from './journal-file.ts';

/** The journal of one row group, with one segment per attempt at the group. All members fail with `dataset/*`. */
export interface JournalStore {
  /** Opens the segment of a new attempt; what earlier attempts wrote survives a power cut when this returns. */
  open(): { readonly earlier: JournalContent; readonly segment: JournalSegment };
  /** Reads all segments, the oldest first; a journal that does not exist is empty. */
  read(): Promise<JournalContent>;
  /** Removes all segments, once the rows of the group are committed. */
  remove(): Promise<void>;
}

/** The segment of one attempt, written by one process. */
export interface JournalSegment {
  /** Appends whole frames. They survive the end of the process; after a failure the segment is as before. */
  append(frames: Buffer): void;
  /** Resolves when everything appended before survives a power cut. */
  sync(): Promise<void>;
  /** Reads what was appended. */
  read(): JournalContent;
  /** Ends the segment; one without entries is removed. */
  close(): Promise<void>;
}
