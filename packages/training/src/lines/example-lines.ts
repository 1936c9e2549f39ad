import { stringifyJson } from '@data-designer/core';
import { DatasetReviews, readDataset } from '@data-designer/dataset';
import { openExamples } from '../examples/example-source.ts';
import type { FindExamples } from '../examples/find-examples.ts';
import { requireColumn, type TrainingSource } from '../examples/training-source.ts';
import { provenanceOf } from '../measure/provenance.ts';
import { BUILT_IN, type CountExample, openCounter } from '../measure/token-counter.ts';
import type { Lines } from '../output/lines.ts';
import { partOf } from '../output/split.ts';
import type { ExampleKind, Examples, TrainingFormat } from '../training-format.ts';
import { trainingFormat, type TrainingFormatName } from '../training-formats.ts';
import type { TrainingCounts, TrainingOptions } from '../training-options.ts';
import { lackedBy, withoutReasoning } from '../express.ts';

/** What lines are made from. */
export interface LinesRequest {
  readonly source: TrainingSource;
  readonly name: TrainingFormatName;
  readonly options: TrainingOptions;
}

/** What a format cannot express, with the number of examples and the position of the first row. */
export interface Refusal {
  readonly what: string;
  examples: number;
  readonly row: number;
}

/** The lines of some rows, and what became of their other examples. */
export interface LineBatch {
  readonly lines: readonly Lines[];
  readonly counts: TrainingCounts;
  /** There are no lines behind the first of them. */
  readonly refusals: readonly Refusal[];
}

/** A batch ends with the row that brings it to this length in UTF-16 units. */
const BATCH_LENGTH = 1024 * 1024;

export function emptyCounts(): TrainingCounts {
  return { examples: 0, leftOut: {}, withoutReasoning: 0, stale: [] };
}

/** Adds the counts of some rows to those of the rows before. */
export function addCounts(total: TrainingCounts, more: TrainingCounts): void {
  total.examples += more.examples;
  total.withoutReasoning += more.withoutReasoning;
  total.stale = [...total.stale, ...more.stale];
  for (const [reason, count] of Object.entries(more.leftOut)) {
    total.leftOut[reason] = (total.leftOut[reason] ?? 0) + count;
  }
}

/** Notes what some examples lack. */
export function addRefusal(refusals: Map<string, Refusal>, { what, row, examples }: Refusal): void {
  const refusal = refusals.get(what) ?? { what, examples: 0, row };
  refusal.examples += examples;
  refusals.set(what, refusal);
}

/** The batch that is being made. */
class Collected {
  readonly counts = emptyCounts();
  readonly refusals = new Map<string, Refusal>();
  readonly #parts = new Map<string | undefined, string[]>();
  length = 0;

  add(part: string | undefined, line: string): void {
    const lines = this.#parts.get(part);
    if (lines) lines.push(line);
    else this.#parts.set(part, [line]);
    this.length += line.length;
    this.counts.examples++;
  }

  refuse(what: string, row: number): void {
    addRefusal(this.refusals, { what, row, examples: 1 });
  }

  batch(): LineBatch {
    const lines = [...this.#parts].map(([part, texts]): Lines => {
      const bytes = Buffer.from(texts.join(''));
      let end = 0;
      const isAscii = bytes.length === texts.reduce((sum, text) => sum + text.length, 0);
      const ends = texts.map((text) => (end += isAscii ? text.length : Buffer.byteLength(text)));
      return { part, bytes, ends };
    });
    return { lines, counts: this.counts, refusals: [...this.refusals.values()] };
  }
}

/** The examples of a dataset as lines of a format. */
export class ExampleLines<Kind extends ExampleKind = ExampleKind> {
  readonly #request: LinesRequest;
  readonly #format: TrainingFormat<Kind>;
  readonly #find: FindExamples<Kind>;
  readonly #count: CountExample | undefined;

  private constructor(
    request: LinesRequest,
    {
      format,
      find,
      count,
    }: { format: TrainingFormat<Kind>; find: FindExamples<Kind>; count: CountExample | undefined },
  ) {
    this.#request = request;
    this.#format = format;
    this.#find = find;
    this.#count = count;
  }

  /** Throws `dataset/no-chats` and `dataset/no-column` where the dataset has no such examples. */
  static async open(request: LinesRequest): Promise<ExampleLines> {
    const { source, name, options } = request;
    const format = await trainingFormat(name);
    const { kind, pairsOf } = format;
    const { splitBy, minTokens, maxTokens, tokenCounts, tokenizer } = options;
    if (splitBy !== undefined) requireColumn(source, splitBy);
    const find = await openExamples(kind, source, { ...options, pairsOf });
    const isCounted = minTokens !== undefined || maxTokens !== undefined || tokenCounts !== undefined;
    const count = isCounted ? await openCounter(tokenizer ?? BUILT_IN) : undefined;
    return new ExampleLines(request, { format, find, count });
  }

  get format(): TrainingFormat<Kind> {
    return this.#format;
  }

  /** The lines of all rows, in their order. */
  async *batches(): AsyncGenerator<LineBatch> {
    const { source, options } = this.#request;
    const { use, split, splitBy, provenance, license } = options;
    const reviews = await DatasetReviews.open(source.folder, use);
    const choose = split && partOf(split, splitBy);
    const tell = provenance ? provenanceOf(source, license) : undefined;
    let collected = new Collected();
    let stale = 0;
    const batch = (): LineBatch => {
      collected.counts.stale = reviews.stale.slice(stale);
      stale = reviews.stale.length;
      return collected.batch();
    };
    let row = 0;
    for await (const stored of readDataset(source.folder)) {
      const values = reviews.apply(stored, row)?.row;
      if (values) this.#add(collected, { values, row, part: choose?.(values, row), tell });
      row++;
      if (collected.length < BATCH_LENGTH) continue;
      yield batch();
      collected = new Collected();
    }
    yield batch();
  }

  #add(
    collected: Collected,
    {
      values,
      row,
      part,
      tell,
    }: {
      readonly values: Parameters<FindExamples<Kind>>[0];
      readonly row: number;
      readonly part: string | undefined;
      readonly tell: ReturnType<typeof provenanceOf> | undefined;
    },
  ): void {
    const { tokenCounts } = this.#request.options;
    for (const [index, found] of this.#find(values, row).entries()) {
      const fitted = this.#fitted(found, row, collected);
      if (!fitted || collected.refusals.size > 0) continue;
      const { example, tokens } = fitted;
      const record = this.#format.toRecord(example, { row, values });
      const added = {
        ...(tokenCounts === undefined ? {} : { [tokenCounts]: tokens }),
        ...(tell ? { provenance: tell(example, { row, index, values }) } : {}),
      };
      const taken = Object.keys(added).find((name) => Object.hasOwn(record, name));
      if (taken === undefined) collected.add(part, `${stringifyJson({ ...record, ...added })}\n`);
      else collected.refuse(`a member '${taken}' of its own, beside the one to add`, row);
    }
  }

  /** The example as the format can express it, with its tokens; undefined for one that is left out. */
  #fitted(
    found: Examples[Kind] | { readonly missing: string },
    row: number,
    collected: Collected,
  ): { readonly example: Examples[Kind]; readonly tokens: number } | undefined {
    const { counts } = collected;
    const leaveOut = (reason: string): undefined => {
      counts.leftOut[reason] = (counts.leftOut[reason] ?? 0) + 1;
    };
    if ('missing' in found) return leaveOut(found.missing);
    const { options } = this.#request;
    const { reasoning = !this.#format.reasoningOnRequest, lossy = false, minTokens, maxTokens } = options;
    const given = reasoning ? found : withoutReasoning(found);
    const lacked = lackedBy(this.#format, given);
    const bare = lossy && lacked.length > 0 ? withoutReasoning(given) : given;
    const tokens = this.#count?.(bare) ?? 0;
    if (minTokens !== undefined && tokens < minTokens) return leaveOut(`fewer than ${minTokens} tokens`);
    if (maxTokens !== undefined && tokens > maxTokens) return leaveOut(`more than ${maxTokens} tokens`);
    if (lacked.length === 0) return { example: given, tokens };
    if (!lossy) {
      for (const what of lacked) collected.refuse(what, row);
      return undefined;
    }
    const [still] = lackedBy(this.#format, bare);
    if (still !== undefined) return leaveOut(still);
    counts.withoutReasoning++;
    return { example: bare, tokens };
  }
}
