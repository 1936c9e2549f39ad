export { files } from './files/files.ts';
export { isFromFileSystem, storageFailure } from './files/storage-failure.ts';
export { FrameBuffer, type JournalRecord, journalMark } from './journal/journal-file.ts';
export {
  type Segment,
  beginSegment,
  journaledGroups,
  readJournal,
  readJournalSync,
  readSegmentSync,
  removeJournal,
  removeUnused,
} from './journal/journal-segments.ts';
