import type { GroupSpan } from '../read/batch-files.ts';
import type { FileSum, GroupBytes } from '../repair/checksums.ts';

/** A file whose content goes into another. */
export interface MergeSource {
  readonly path: string;
  /** The row groups of a dataset that the file holds; absent where nobody asks which of them stand where. */
  readonly span?: GroupSpan;
  /** Its checksum, where it has one: a file that does not agree with it is not merged. */
  readonly sum?: FileSum | undefined;
  /** Only these of its row groups, which follow one another; the file has been compared with its checksum before. */
  readonly only?: readonly GroupBytes[];
}

/** Row groups of a dataset and where they stand in a file. */
export type PlacedGroup = Omit<GroupBytes, 'crc32'>;

/** Where the row groups of the dataset stand in the merged file, with the checksums of their pages where these were copied. */
export type FindGroups = (path: string) => Promise<readonly (PlacedGroup & Partial<Pick<GroupBytes, 'crc32'>>)[]>;
