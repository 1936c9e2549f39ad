import type { ExportFormat } from '@data-designer/dataset';
import type { ReviewExport } from '@data-designer/dataset/reviews';
import {
  type Compression,
  type ExportedTraining,
  isTrainingFormat,
  type TrainingFormatName,
  type TrainingOptions,
} from '@data-designer/training/options';

/** The options of an export. Those behind `reasoning` are for the formats of training data. */
export interface ExportOptions extends Omit<TrainingOptions, 'use'>, ReviewExport {
  /** Default: by the extension of the file. */
  readonly format?: ExportFormat | TrainingFormatName;
  /** Exports the output of this processor instead of the rows, without conversations and reviews. */
  readonly processor?: string;
  /**
   * Whether texts that a spreadsheet would run as a formula, such as `=1+1`, begin with an apostrophe in a `csv` file.
   * Default true.
   */
  readonly escape?: boolean;
  /** Called for each text that begins with an apostrophe in a `csv` file for that reason. */
  readonly onEscape?: (() => void) | undefined;
  /** The bytes of lines, before compression, after which the next file begins; one file per part unless given. */
  readonly shardSize?: number | undefined;
  /** Default: by the extension of the file, `.gz` or `.zst`. */
  readonly compression?: Compression | undefined;
  /** Receives the files of an export of training data, and what it has left out. */
  readonly onExported?: ((exported: ExportedTraining) => void) | undefined;
}

/** Whether an export reads the reviews. */
export function usesReviews({ reviews, applyEdits, dropRejected, acceptedOnly }: ReviewExport): boolean {
  return reviews !== undefined || applyEdits === true || dropRejected === true || acceptedOnly === true;
}

/** The options that the formats of training data have for themselves. */
export const TRAINING_OPTIONS = [
  'column',
  'map',
  'reasoning',
  'corrections',
  'lossy',
  'split',
  'splitBy',
  'shuffle',
  'maxTokens',
  'minTokens',
  'tokenCounts',
  'tokenizer',
  'add',
  'provenance',
  'license',
  'shardSize',
  'compression',
  'onExported',
] as const satisfies readonly (keyof ExportOptions)[];

/** An option that another one excludes, or whose value does not fit, and why. */
export async function exportClash(
  options: ExportOptions,
): Promise<readonly [option: Extract<keyof ExportOptions, string>, reason: string] | undefined> {
  const { format, processor, reviews, applyEdits, dropRejected, acceptedOnly } = options;
  const training = format !== undefined && isTrainingFormat(format) ? format : undefined;
  if (training === undefined) {
    const alone = TRAINING_OPTIONS.find((option) => options[option] !== undefined);
    if (alone !== undefined)
      return [alone, `needs a format of training data, such as trl-sft; the format is ${format}`];
  }
  if (processor !== undefined && training !== undefined) {
    return ['processor', `and ${format} cannot be combined: the output of a processor has no conversations`];
  }
  if (processor !== undefined && usesReviews(options)) {
    return ['processor', 'cannot be combined with reviews: they belong to the rows of the dataset'];
  }
  if (training === undefined) return undefined;
  if (reviews !== undefined) return ['reviews', `and ${format} cannot be combined`];
  if (applyEdits && options.map === undefined) {
    return ['applyEdits', `and ${format} cannot be combined without a map; preference-jsonl exports edits`];
  }
  const { trainingProblem } = await import('@data-designer/training');
  if (training !== 'preference-jsonl') return trainingProblem(training, options);
  if (dropRejected) return ['dropRejected', 'has no effect with preference-jsonl, which leaves out rejected rows'];
  if (acceptedOnly) return ['acceptedOnly', 'has no effect with preference-jsonl, which exports edited rows only'];
  return trainingProblem(training, options);
}
