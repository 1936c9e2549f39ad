import zlib from 'node:zlib';
import type { ReviewUse } from '@data-designer/dataset/reviews';
import type { Mapping, SourceOptions } from './examples/find-examples.ts';
import { mappingProblem } from './examples/mapped.ts';
import type { ExportedFile } from './output/export-files.ts';
import type { Compression } from './output/compression.ts';
import { type Split, splitProblem } from './output/split.ts';
import type { TrainingFormat } from './training-format.ts';
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
  /**
   * The column whose value decides the part of a row, or a member of a column after a dot; the prompt of the row's first
   * example unless given.
   */
  readonly splitBy?: string | undefined;
  /** The seed of a random order; the order of the dataset unless given. */
  readonly shuffle?: number | undefined;
  /** Leaves out examples with more tokens, and counts them. */
  readonly maxTokens?: number | undefined;
  /** Leaves out examples with fewer tokens, and counts them. */
  readonly minTokens?: number | undefined;
  /** Adds the number of tokens to each record under this name. */
  readonly tokenCounts?: string | undefined;
  /** Adds values to each record by their names: of columns, or of members of columns behind dots, such as `grade.quality.score`. */
  readonly add?: Mapping | undefined;
  /** What counts tokens: `o200k` (default), or the path of a `tokenizer.json` of Hugging Face. */
  readonly tokenizer?: string | undefined;
  /** Adds `provenance` to each record: an identifier, the row, the models, the config and this version; default false. */
  readonly provenance?: boolean | undefined;
  /** The licence that `provenance` names. */
  readonly license?: string | undefined;
}

/** How the files of an export are written. */
export interface OutputOptions {
  /** The bytes of lines after which the next file begins; one file per part unless given. */
  readonly shardSize?: number | undefined;
  readonly compression?: Compression | undefined;
}

/** What an export has written and left out. */
export interface TrainingCounts {
  /** The lines of all files. */
  examples: number;
  /** The examples that were left out, by the reason. */
  readonly leftOut: Record<string, number>;
  /** The examples that were written without their reasoning, because the format cannot express it. */
  withoutReasoning: number;
  /** The different prompts of an export in parts; absent without a split. */
  prompts?: number;
  /** Those of them that are in more than one part; absent without a split. */
  sharedPrompts?: number;
  /**
   * With a split into two parts: the shares in whole percents that leave no part empty and come nearest to the given ones,
   * with the examples that each part gets; absent if there are none.
   */
  nearestSplit?: Readonly<Record<string, { readonly share: number; readonly examples: number }>>;
  /** The positions of the rows whose reviews had no effect, because the rows changed after the review. */
  stale: readonly number[];
}

/** A finished export. */
export interface ExportedTraining extends TrainingCounts {
  /** The files, in the order of their parts and shards. */
  readonly files: readonly ExportedFile[];
}

/** An option, and what is wrong with it. */
type OptionProblem = readonly [option: Exclude<keyof (TrainingOptions & OutputOptions), 'use'>, reason: string];

/** An option whose value does not fit the format or this Node, and why; undefined if all fit. */
export async function trainingProblem(
  name: TrainingFormatName,
  options: TrainingOptions & OutputOptions,
): Promise<OptionProblem | undefined> {
  const { map, column, split, splitBy, compression } = options;
  const format = await trainingFormat(name);
  const mapped = map && mappingProblem(format.kind, map);
  if (mapped !== undefined) return ['map', `for ${name} ${mapped}`];
  if (map && column !== undefined) return ['column', 'cannot be combined with a map, which names the columns'];
  const parts = split && splitProblem(split);
  if (parts !== undefined) return ['split', parts];
  if (splitBy !== undefined && !split) return ['splitBy', 'needs a split, such as train=0.9,test=0.1'];
  const added = addedProblem(name, format, options) ?? tokensProblem(options);
  if (added) return added;
  if (compression !== 'zstd' || typeof zlib.createZstdCompress === 'function') return undefined;
  return ['compression', `zstd needs Node 22.15; this is Node ${process.versions.node}. Use gzip`];
}

/** What is wrong with the options that add members to records. */
function addedProblem(
  name: TrainingFormatName,
  { takesFields, reserved = [] }: TrainingFormat,
  { tokenCounts, provenance, license, add }: TrainingOptions,
): OptionProblem | undefined {
  const members: readonly (readonly [OptionProblem[0], readonly string[]])[] = [
    ['provenance', provenance ? ['provenance'] : []],
    ['tokenCounts', tokenCounts === undefined ? [] : [tokenCounts]],
    ['add', Object.keys(add ?? {})],
  ];
  const taken = new Set<string>();
  for (const [option, names] of members) {
    if (names.length > 0 && !takesFields) {
      return [option, `cannot be used with ${name}, whose readers refuse further members of a record`];
    }
    const bad = names.find((one) => one === '' || taken.has(one) || reserved.includes(one));
    if (bad === '') return [option, 'needs a name'];
    if (bad !== undefined && taken.has(bad)) return [option, `adds '${bad}', which another option adds too`];
    if (bad !== undefined) return [option, `adds '${bad}', which readers of ${name} read as something else`];
    for (const one of names) taken.add(one);
  }
  return license !== undefined && !provenance ? ['license', 'needs provenance, which it is a part of'] : undefined;
}

/** What is wrong with the options that count tokens. */
function tokensProblem({ minTokens, maxTokens, tokenCounts, tokenizer }: TrainingOptions): OptionProblem | undefined {
  if (minTokens !== undefined && maxTokens !== undefined && minTokens > maxTokens) {
    return ['minTokens', `is ${minTokens}, more than the maximum of ${maxTokens}`];
  }
  const isCounted = minTokens !== undefined || maxTokens !== undefined || tokenCounts !== undefined;
  return tokenizer === undefined || isCounted ? undefined : ['tokenizer', 'needs a limit of tokens or token counts'];
}
