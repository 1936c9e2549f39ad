import { DataDesignerError, stringifyJson } from '@data-designer/core';
import { DatasetReviews, readDataset } from '@data-designer/dataset';
import { openExamples } from './examples/example-source.ts';
import type { FindExamples } from './examples/find-examples.ts';
import type { TrainingSource } from './examples/training-source.ts';
import { featuresOf, lackedBy, withoutReasoning } from './express.ts';
import { ExportFiles } from './output/export-files.ts';
import { outputNames } from './output/part-names.ts';
import { ShuffledLines } from './output/shuffled-lines.ts';
import { partOf } from './output/split.ts';
import { type ExampleKind, type Examples, FEATURES, type TrainingFormat } from './training-format.ts';
import { examplesOf, trainingFormat, type TrainingFormatName } from './training-formats.ts';
import type { ExportedTraining, OutputOptions, TrainingCounts, TrainingOptions } from './training-options.ts';

/** A line of an export. */
interface ExportedLine {
  readonly part: string | undefined;
  readonly line: string;
}

/** What a format cannot express, with the number of examples and the position of the first row. */
interface Refusal {
  readonly what: string;
  examples: number;
  readonly row: number;
}

export function emptyCounts(): TrainingCounts {
  return { examples: 0, leftOut: {}, withoutReasoning: 0, stale: [] };
}

/** An export of a dataset as training data. */
export class TrainingExport<Kind extends ExampleKind = ExampleKind> {
  readonly #source: TrainingSource;
  readonly #name: TrainingFormatName;
  readonly #format: TrainingFormat<Kind>;
  readonly #options: TrainingOptions;
  readonly #find: FindExamples<Kind>;

  private constructor(
    { source, name, options }: { source: TrainingSource; name: TrainingFormatName; options: TrainingOptions },
    find: FindExamples<Kind>,
  ) {
    this.#source = source;
    this.#name = name;
    this.#format = trainingFormat(name) as unknown as TrainingFormat<Kind>;
    this.#options = options;
    this.#find = find;
  }

  /** Opens an export; throws `dataset/no-chats` and `dataset/no-column` where the dataset has no such examples. */
  static async open(
    source: TrainingSource,
    name: TrainingFormatName,
    options: TrainingOptions,
  ): Promise<TrainingExport> {
    const { kind, pairsOf } = trainingFormat(name);
    const { splitBy } = options;
    const known = source.plan.fields.map((field) => field.name);
    if (splitBy !== undefined && !known.includes(splitBy) && !known.includes(splitBy.split('.')[0] ?? '')) {
      throw new DataDesignerError('dataset/no-column', { path: source.folder, column: splitBy, known });
    }
    const find = await openExamples(kind, source, { ...options, pairsOf });
    return new TrainingExport({ source, name, options }, find);
  }

  /**
   * Writes a file, or several for parts and shards: nothing is there before all of them are complete. Throws
   * `dataset/not-expressible` for examples that the format cannot express, unless they are left out.
   */
  async write(output: string, { shardSize, compression }: OutputOptions = {}): Promise<ExportedTraining> {
    const counts = emptyCounts();
    const names = outputNames(output, compression);
    const files = await ExportFiles.open({ names, compression, shardSize });
    try {
      for await (const { part, line } of this.#ordered(counts, names.folder)) await files.add(part, line);
      return { ...counts, files: await files.finish() };
    } catch (thrown) {
      await files.discard();
      throw thrown;
    }
  }

  /** The lines of the export for standard output, after a first reading that refuses what cannot be expressed. */
  async *print(counts: TrainingCounts): AsyncGenerator<string> {
    if (!this.#options.lossy) for await (const _ of this.#lines(emptyCounts()));
    for await (const { line } of this.#lines(counts)) yield line;
  }

  async *#ordered(counts: TrainingCounts, folder: string): AsyncGenerator<ExportedLine> {
    const { shuffle, split } = this.#options;
    if (shuffle === undefined) return yield* this.#lines(counts);
    const shuffled = await ShuffledLines.open(folder, split ? Object.keys(split) : [undefined]);
    try {
      for await (const { part, line } of this.#lines(counts)) shuffled.add(part, line);
      yield* shuffled.lines(shuffle);
    } finally {
      await shuffled[Symbol.asyncDispose]();
    }
  }

  /** The lines in the order of the dataset; refuses at its end what the format cannot express. */
  async *#lines(counts: TrainingCounts): AsyncGenerator<ExportedLine> {
    const { use, split, splitBy } = this.#options;
    const { folder } = this.#source;
    const reviews = await DatasetReviews.open(folder, use);
    const choose = split && partOf(split, splitBy);
    const refusals = new Map<string, Refusal>();
    let position = 0;
    for await (const record of readDataset(folder)) {
      const row = position++;
      const reviewed = reviews.apply(record, row);
      if (!reviewed) continue;
      const values = reviewed.row;
      const part = choose?.(values, row);
      for (const found of this.#find(values, row)) {
        const example = this.#fitted(found, { row, counts, refusals });
        if (!example || refusals.size > 0) continue;
        counts.examples++;
        yield { part, line: `${stringifyJson(this.#format.toRecord(example, { row, values }))}\n` };
      }
    }
    counts.stale = reviews.stale;
    this.#refuse(refusals, counts);
  }

  /** The example as the format can express it; undefined for one that is left out. */
  #fitted(
    found: Examples[Kind] | { readonly missing: string },
    {
      row,
      counts,
      refusals,
    }: { readonly row: number; readonly counts: TrainingCounts; readonly refusals: Map<string, Refusal> },
  ): Examples[Kind] | undefined {
    const leaveOut = (reason: string): undefined => {
      counts.leftOut[reason] = (counts.leftOut[reason] ?? 0) + 1;
    };
    if ('missing' in found) return leaveOut(found.missing);
    const { reasoning = !this.#format.reasoningOnRequest, lossy = false } = this.#options;
    const given = reasoning ? found : withoutReasoning(found);
    const lacked = lackedBy(this.#format, given);
    if (lacked.length === 0) return given;
    if (!lossy) {
      for (const what of lacked) {
        const refusal = refusals.get(what) ?? { what, examples: 0, row };
        refusal.examples++;
        refusals.set(what, refusal);
      }
      return undefined;
    }
    const bare = withoutReasoning(given);
    const [still] = lackedBy(this.#format, bare);
    if (still !== undefined) return leaveOut(still);
    if (featuresOf(given).has('reasoning')) counts.withoutReasoning++;
    return bare;
  }

  #refuse(refusals: ReadonlyMap<string, Refusal>, { examples, leftOut }: TrainingCounts): void {
    const { folder: path } = this.#source;
    const noun = examplesOf(this.#name);
    if (refusals.size > 0) {
      const found = [...refusals.values()];
      const onlyReasoning = found.every(({ what }) => what === FEATURES.reasoning);
      throw new DataDesignerError('dataset/not-expressible', { path, format: this.#name, noun, found, onlyReasoning });
    }
    if (examples > 0) return;
    const reasons = Object.entries(leftOut).map(([reason, count]) => `${count} with ${reason}`);
    const none =
      this.#format.pairsOf === 'edits'
        ? 'no review edits the answer of a column that stores its complete conversations'
        : `it has no ${noun}`;
    const reason = reasons.length === 0 ? none : `all its ${noun} are left out: ${reasons.join(', ')}`;
    const edits = this.#format.pairsOf === 'edits' ? { remedy: 'Edit answers in data-designer view.' } : {};
    throw new DataDesignerError('dataset/no-chats', { path, reason, ...edits });
  }
}
