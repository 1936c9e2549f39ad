import { DataDesignerError, refuseAddress } from '@data-designer/core';
import { refuseOwnFiles } from '@data-designer/dataset';
import type { TrainingSource } from './examples/training-source.ts';
import { emptyCounts, ExampleLines, type LinesRequest, type Refusal } from './lines/example-lines.ts';
import { ExportFiles } from './output/export-files.ts';
import type { Lines } from './output/lines.ts';
import { outputNames } from './output/part-names.ts';
import { ShuffledLines } from './output/shuffled-lines.ts';
import { type ExampleKind, FEATURES } from './training-format.ts';
import type { TrainingFormatName } from './training-formats.ts';
import type { ExportedTraining, OutputOptions, TrainingCounts, TrainingOptions } from './training-options.ts';

const NOUNS: Readonly<Record<ExampleKind, string>> = { chat: 'conversations', pair: 'pairs', task: 'tasks' };

/** What makes pairs, for a dataset without any. */
const PAIRS_REMEDY =
  'Make attempts with keep: { pair: … }, edit answers in data-designer view, or map columns: --map prompt=COLUMN,chosen=COLUMN,rejected=COLUMN, in code { map }.';

/** An export of a dataset as training data. */
export class TrainingExport {
  readonly #request: LinesRequest;
  readonly #lines: ExampleLines;

  private constructor(request: LinesRequest, lines: ExampleLines) {
    this.#request = request;
    this.#lines = lines;
  }

  /** Opens an export; throws `dataset/no-chats` and `dataset/no-column` where the dataset has no such examples. */
  static async open(
    source: TrainingSource,
    name: TrainingFormatName,
    options: TrainingOptions,
  ): Promise<TrainingExport> {
    const request = { source, name, options };
    return new TrainingExport(request, await ExampleLines.open(request));
  }

  get #parts(): readonly (string | undefined)[] {
    const { split } = this.#request.options;
    return split ? Object.keys(split) : [undefined];
  }

  /** What its examples are called. */
  get noun(): string {
    return NOUNS[this.#lines.format.kind];
  }

  /**
   * Writes a file, or several for parts and shards: nothing is there before all of them are complete. Throws
   * `dataset/not-expressible` for examples that the format cannot express, unless they are left out.
   */
  async write(output: string, { shardSize, compression }: OutputOptions = {}): Promise<ExportedTraining> {
    refuseAddress(output);
    refuseOwnFiles(this.#request.source.folder, output);
    const counts = emptyCounts();
    const areSeveral = this.#request.options.split !== undefined || shardSize !== undefined;
    const names = outputNames(output, { compression, areSeveral });
    if (/\.(?:parquet|arrow|csv)\b/.test(names.extension)) {
      throw new DataDesignerError('dataset/no-format', { path: output, known: ['jsonl', 'json'] });
    }
    const files = await ExportFiles.open({ names, parts: this.#parts, compression, shardSize });
    try {
      for await (const lines of this.#ordered(counts, names.folder)) await files.add(lines);
      return { ...counts, files: await files.finish() };
    } catch (thrown) {
      await files.discard();
      throw thrown;
    }
  }

  /** The lines of the export for standard output, after a first reading that refuses what cannot be expressed. */
  async *print(counts: TrainingCounts): AsyncGenerator<Uint8Array> {
    if (!this.#request.options.lossy) for await (const _ of this.#all(emptyCounts()));
    for await (const { bytes } of this.#all(counts)) yield Buffer.from(bytes);
  }

  async *#ordered(counts: TrainingCounts, folder: string): AsyncGenerator<Lines> {
    const { shuffle } = this.#request.options;
    if (shuffle === undefined) return yield* this.#all(counts);
    const shuffled = await ShuffledLines.open(folder, this.#parts);
    try {
      for await (const lines of this.#all(counts)) shuffled.add(lines);
      yield* shuffled.lines(shuffle);
    } finally {
      await shuffled[Symbol.asyncDispose]();
    }
  }

  /** The lines in the order of the dataset; refuses at its end what the format cannot express. */
  async *#all(counts: TrainingCounts): AsyncGenerator<Lines> {
    const refusals = new Map<string, Refusal>();
    yield* this.#lines.lines({ counts, refusals });
    this.#refuse([...refusals.values()], counts);
  }

  #refuse(found: readonly Refusal[], { examples, leftOut }: TrainingCounts): void {
    const {
      source: { folder: path },
      name: format,
      options: { map },
    } = this.#request;
    const noun = this.noun;
    if (found.length > 0) {
      const onlyReasoning = found.every(({ what }) => what === FEATURES.reasoning);
      throw new DataDesignerError('dataset/not-expressible', { path, format, noun, found, onlyReasoning });
    }
    if (examples > 0) return;
    const reasons = Object.entries(leftOut).map(([reason, count]) => `${count} with ${reason}`);
    const { kind, pairsOf } = this.#lines.format;
    const ofEdits = pairsOf === 'edits';
    const none = ofEdits
      ? 'no review edits the answer of a column that stores its complete conversations'
      : `no row has a ${NOUNS[kind].slice(0, -1)}`;
    const reason = reasons.length === 0 ? none : `all its ${noun} are left out: ${reasons.join(', ')}`;
    const way = kind === 'pair' ? PAIRS_REMEDY : 'Make rows first.';
    const remedy = ofEdits
      ? { remedy: 'Edit answers in data-designer view.' }
      : { remedy: reasons.length > 0 || map ? 'Choose other columns or other limits.' : way };
    throw new DataDesignerError('dataset/no-chats', { path, reason, ...remedy });
  }
}
