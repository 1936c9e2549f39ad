export { files } from './files/files.ts';
export { isFromFileSystem, orStorageFailure, storageFailure } from './files/storage-failure.ts';
export { type CellPlace, FrameBuffer, type JournalRecord, placeKey } from './journal/journal-file.ts';
export { folderJournal, journaledGroups } from './journal/folder-journal.ts';
export { JournalTail } from './journal/journal-tail.ts';
export type { JournalSegment, JournalStore } from './journal/journal-store.ts';
