import zlib from 'node:zlib';
import type { ReviewUse } from '@data-designer/dataset';
import type { SourceOptions } from './examples/find-examples.ts';
import { mappingProblem } from './examples/mapped.ts';
import type { ExportedFile } from './output/export-files.ts';
import type { Compression } from './output/part-names.ts';
import { type Split, splitProblem } from './output/split.ts';
import { trainingFormat, type TrainingFormatName } from './training-formats.ts';

/** Which examples are exported, and how. */
export interface TrainingOptions extends Omit<SourceOptions, 'pairsOf'> {
  /** Whether reasoning is written; by the format unless given. */
  readonly reasoning?: boolean | undefined;
  /** Leaves out what the format cannot express, and counts it, instead of refusing the export; default false. */
  readonly lossy?: boolean | undefined;
  /** The rows that are exported, by their reviews; all unless given. */
  readonly use?: ReviewUse | undefined;
  /** The parts of the export with their shares, which make 1; one part unless given. */
  readonly split?: Split | undefined;
  /** The column whose value decides on the part of a row; the position of the row unless given. */
  readonly splitBy?: string | undefined;
  /** The seed of a random order; the order of the dataset unless given. */
  readonly shuffle?: number | undefined;
}

/** How the files of an export are written. */
export interface OutputOptions {
  /** The bytes of lines after which the next file begins; one file per part unless given. */
  readonly shardSize?: number | undefined;
  readonly compression?: Compression | undefined;
}

/** What an export has written and left out. */
export interface TrainingCounts {
  examples: number;
  /** The examples that were left out, by the reason. */
  readonly leftOut: Record<string, number>;
  /** The examples that were written without their reasoning, because the format cannot express it. */
  withoutReasoning: number;
  /** The positions of the rows whose reviews had no effect, because the rows changed after the review. */
  stale: readonly number[];
}

/** A finished export. */
export interface ExportedTraining extends TrainingCounts {
  readonly files: readonly ExportedFile[];
}

/** An option whose value does not fit the format or this Node, and why; undefined if all fit. */
export function trainingProblem(
  name: TrainingFormatName,
  { map, column, split, splitBy, compression }: TrainingOptions & OutputOptions,
): readonly [option: 'map' | 'column' | 'split' | 'splitBy' | 'compression', reason: string] | undefined {
  const { kind } = trainingFormat(name);
  const mapped = map && mappingProblem(kind, map);
  if (mapped !== undefined) return ['map', `for ${name} ${mapped}`];
  if (map && column !== undefined) return ['column', 'cannot be combined with a map, which names the columns'];
  const parts = split && splitProblem(split);
  if (parts !== undefined) return ['split', parts];
  if (splitBy !== undefined && !split) return ['splitBy', 'needs a split, such as train=0.9,test=0.1'];
  if (compression !== 'zstd' || typeof zlib.createZstdCompress === 'function') return undefined;
  return ['compression', `zstd needs Node 22.15; this is Node ${process.versions.node}. Use gzip`];
}
