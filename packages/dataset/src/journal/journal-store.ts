import type { JournalContent } from './journal-file.ts';

/** The journal of one row group, with one segment per attempt at the group. All members fail with `dataset/*`. */
export interface JournalStore {
  /** Opens the segment of a new attempt and reads earlier ones, which survive a power cut when this returns. */
  open(): { readonly earlier: JournalContent; readonly segment: JournalSegment };
  /** Reads all segments, the oldest first; a journal that does not exist is empty. */
  read(): Promise<JournalContent>;
  /** Removes all segments, once the rows of the group are committed. */
  remove(): Promise<void>;
}

/** The segment of one attempt, written by one process. */
export interface JournalSegment {
  /** Appends complete frames, which survive the end of the process; a failure leaves the segment as it was. */
  append(frames: Buffer): void;
  /** Resolves when everything appended before survives a power cut. */
  sync(): Promise<void>;
  /** Reads the appended frames. */
  read(): JournalContent;
  /** Closes the segment; removes one without entries. */
  close(): Promise<void>;
}
