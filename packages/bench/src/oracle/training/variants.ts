import type { ExportOptions } from 'data-designer';

/** A way to write the files of an export. */
export interface Variant {
  readonly name: string;
  /** The output in a folder of its own. */
  readonly output: string;
  readonly options: Partial<ExportOptions>;
  /** Whether the examples keep the order of the rows. */
  readonly isOrdered: boolean;
}

const SPLIT = { train: 0.6, test: 0.4 };

export const VARIANTS: readonly Variant[] = [
  { name: 'one file', output: 'rows.jsonl', options: {}, isOrdered: true },
  { name: 'split', output: '', options: { split: SPLIT, splitBy: 'topic' }, isOrdered: false },
  { name: 'shards', output: '', options: { shardSize: 2000 }, isOrdered: true },
  { name: 'gzip', output: 'rows.jsonl.gz', options: {}, isOrdered: true },
  { name: 'zstd', output: 'rows.jsonl.zst', options: {}, isOrdered: true },
  {
    name: 'shuffled shards of a split in gzip',
    output: '',
    options: { split: SPLIT, splitBy: 'topic', shardSize: 2000, compression: 'gzip', shuffle: 7 },
    isOrdered: false,
  },
];
