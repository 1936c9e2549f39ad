import { DataDesignerError, refuseAddress, stringifyJson } from '@data-designer/core';
import { DatasetReviews, readDataset } from '@data-designer/dataset';
import { openExamples } from './examples/example-source.ts';
import type { FindExamples } from './examples/find-examples.ts';
import { requireColumn, type TrainingSource } from './examples/training-source.ts';
import { lackedBy, withoutReasoning } from './express.ts';
import { provenanceOf } from './measure/provenance.ts';
import { BUILT_IN, type CountExample, openCounter } from './measure/token-counter.ts';
import { ExportFiles } from './output/export-files.ts';
import { outputNames } from './output/part-names.ts';
import { ShuffledLines } from './output/shuffled-lines.ts';
import { partOf } from './output/split.ts';
import { type ExampleKind, type Examples, FEATURES, type TrainingFormat } from './training-format.ts';
import { trainingFormat, type TrainingFormatName } from './training-formats.ts';
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

/** What is refused, by what does not fit. */
type Refusals = Map<string, Refusal>;

function note(refusals: Refusals, { what, row }: Pick<Refusal, 'what' | 'row'>): void {
  const refusal = refusals.get(what) ?? { what, examples: 0, row };
  refusal.examples++;
  refusals.set(what, refusal);
}

export function emptyCounts(): TrainingCounts {
  return { examples: 0, leftOut: {}, withoutReasoning: 0, stale: [] };
}

const NOUNS: Readonly<Record<ExampleKind, string>> = { chat: 'conversations', pair: 'pairs', task: 'tasks' };

/** What an export is opened with. */
interface Opened<Kind extends ExampleKind> {
  readonly source: TrainingSource;
  readonly name: TrainingFormatName;
  readonly options: TrainingOptions;
  readonly format: TrainingFormat<Kind>;
}

/** An export of a dataset as training data. */
export class TrainingExport<Kind extends ExampleKind = ExampleKind> {
  readonly #source: TrainingSource;
  readonly #name: TrainingFormatName;
  readonly #format: TrainingFormat<Kind>;
  readonly #options: TrainingOptions;
  readonly #find: FindExamples<Kind>;
  readonly #count: CountExample | undefined;

  private constructor(
    { source, name, options, format }: Opened<Kind>,
    { find, count }: { find: FindExamples<Kind>; count: CountExample | undefined },
  ) {
    this.#source = source;
    this.#name = name;
    this.#format = format;
    this.#options = options;
    this.#find = find;
    this.#count = count;
  }

  /** Opens an export; throws `dataset/no-chats` and `dataset/no-column` where the dataset has no such examples. */
  static async open(
    source: TrainingSource,
    name: TrainingFormatName,
    options: TrainingOptions,
  ): Promise<TrainingExport> {
    const format = await trainingFormat(name);
    const { kind, pairsOf } = format;
    const { splitBy, minTokens, maxTokens, tokenCounts, tokenizer } = options;
    if (splitBy !== undefined) requireColumn(source, splitBy);
    const find = await openExamples(kind, source, { ...options, pairsOf });
    const isCounted = minTokens !== undefined || maxTokens !== undefined || tokenCounts !== undefined;
    const count = isCounted ? await openCounter(tokenizer ?? BUILT_IN) : undefined;
    return new TrainingExport({ source, name, options, format }, { find, count });
  }

  get #parts(): readonly (string | undefined)[] {
    const { split } = this.#options;
    return split ? Object.keys(split) : [undefined];
  }

  /** What its examples are called. */
  get noun(): string {
    return NOUNS[this.#format.kind];
  }

  /**
   * Writes a file, or several for parts and shards: nothing is there before all of them are complete. Throws
   * `dataset/not-expressible` for examples that the format cannot express, unless they are left out.
   */
  async write(output: string, { shardSize, compression }: OutputOptions = {}): Promise<ExportedTraining> {
    refuseAddress(output);
    const counts = emptyCounts();
    const names = outputNames(output, compression);
    if (/\.(?:parquet|arrow|csv)\b/.test(names.extension)) {
      throw new DataDesignerError('dataset/no-format', { path: output, known: ['jsonl', 'json'] });
    }
    const files = await ExportFiles.open({ names, parts: this.#parts, compression, shardSize });
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
    const { shuffle } = this.#options;
    if (shuffle === undefined) return yield* this.#lines(counts);
    const shuffled = await ShuffledLines.open(folder, this.#parts);
    try {
      for await (const { part, line } of this.#lines(counts)) shuffled.add(part, line);
      yield* shuffled.lines(shuffle);
    } finally {
      await shuffled[Symbol.asyncDispose]();
    }
  }

  /** The lines in the order of the dataset; refuses at its end what the format cannot express. */
  async *#lines(counts: TrainingCounts): AsyncGenerator<ExportedLine> {
    const { use, split, splitBy, provenance, license, tokenCounts } = this.#options;
    const { folder } = this.#source;
    const reviews = await DatasetReviews.open(folder, use);
    const choose = split && partOf(split, splitBy);
    const tell = provenance ? provenanceOf(this.#source, license) : undefined;
    const refusals: Refusals = new Map();
    let position = 0;
    for await (const stored of readDataset(folder)) {
      const row = position++;
      const values = reviews.apply(stored, row)?.row;
      if (!values) continue;
      const part = choose?.(values, row);
      for (const [index, found] of this.#find(values, row).entries()) {
        const fitted = this.#fitted(found, { row, counts, refusals });
        if (!fitted || refusals.size > 0) continue;
        const { example, tokens } = fitted;
        const record = this.#format.toRecord(example, { row, values });
        const added = {
          ...(tokenCounts === undefined ? {} : { [tokenCounts]: tokens }),
          ...(tell ? { provenance: tell(example, { row, index, values }) } : {}),
        };
        const taken = Object.keys(added).find((name) => Object.hasOwn(record, name));
        if (taken !== undefined) {
          note(refusals, { what: `a member '${taken}' of its own, beside the one to add`, row });
          continue;
        }
        counts.examples++;
        yield { part, line: `${stringifyJson({ ...record, ...added })}\n` };
      }
    }
    counts.stale = reviews.stale;
    this.#refuse(refusals, counts);
  }

  /** The example as the format can express it, with its tokens; undefined for one that is left out. */
  #fitted(
    found: Examples[Kind] | { readonly missing: string },
    { row, counts, refusals }: { readonly row: number; readonly counts: TrainingCounts; readonly refusals: Refusals },
  ): { readonly example: Examples[Kind]; readonly tokens: number } | undefined {
    const leaveOut = (reason: string): undefined => {
      counts.leftOut[reason] = (counts.leftOut[reason] ?? 0) + 1;
    };
    if ('missing' in found) return leaveOut(found.missing);
    const { reasoning = !this.#format.reasoningOnRequest, lossy = false, minTokens, maxTokens } = this.#options;
    const given = reasoning ? found : withoutReasoning(found);
    const lacked = lackedBy(this.#format, given);
    const bare = lossy && lacked.length > 0 ? withoutReasoning(given) : given;
    const tokens = this.#count?.(bare) ?? 0;
    if (minTokens !== undefined && tokens < minTokens) return leaveOut(`fewer than ${minTokens} tokens`);
    if (maxTokens !== undefined && tokens > maxTokens) return leaveOut(`more than ${maxTokens} tokens`);
    if (lacked.length === 0) return { example: given, tokens };
    if (!lossy) {
      for (const what of lacked) note(refusals, { what, row });
      return undefined;
    }
    const [still] = lackedBy(this.#format, bare);
    if (still !== undefined) return leaveOut(still);
    counts.withoutReasoning++;
    return { example: bare, tokens };
  }

  #refuse(refusals: Refusals, { examples, leftOut }: TrainingCounts): void {
    const { folder: path } = this.#source;
    const noun = this.noun;
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
