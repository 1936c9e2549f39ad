import type { CellValue, Row } from '@data-designer/core';
import { readDatasetBlocks } from '@data-designer/dataset';
import { DatasetReviews } from '@data-designer/dataset/reviews';
import { openExamples } from '../examples/example-source.ts';
import type { FindExamples, Mapping } from '../examples/find-examples.ts';
import { partValue } from '../examples/mapped.ts';
import { requireColumn, type TrainingSource } from '../examples/training-source.ts';
import { provenanceOf } from '../measure/provenance.ts';
import { BUILT_IN, type CountExample, openCounter } from '../measure/token-counter.ts';
import { LineCollector, type Lines } from '../output/lines.ts';
import { promptHash, Splitter } from '../output/split.ts';
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

/** What becomes of the examples while their lines are made. */
export interface Tally {
  readonly counts: TrainingCounts;
  /** By what does not fit; there are no lines behind the first of them. */
  readonly refusals: Map<string, Refusal>;
}

export function emptyCounts(): TrainingCounts {
  return { examples: 0, leftOut: {}, withoutReasoning: 0, stale: [] };
}

function refuse({ refusals }: Tally, what: string, row: number): void {
  const refusal = refusals.get(what) ?? { what, examples: 0, row };
  refusal.examples++;
  refusals.set(what, refusal);
}

/** The values of a row at paths, by the names of these. */
function valuesAt(values: Row, paths: Mapping): Readonly<Record<string, CellValue>> {
  return Object.fromEntries(Object.entries(paths).map(([name, path]) => [name, partValue(values, path)]));
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
    const { splitBy, add, minTokens, maxTokens, tokenCounts, tokenizer } = options;
    for (const path of [...(splitBy === undefined ? [] : [splitBy]), ...Object.values(add ?? {})]) {
      requireColumn(source, path);
    }
    const find = await openExamples(kind, source, { ...options, pairsOf });
    const isCounted = minTokens !== undefined || maxTokens !== undefined || tokenCounts !== undefined;
    const count = isCounted ? await openCounter(tokenizer ?? BUILT_IN) : undefined;
    return new ExampleLines(request, { format, find, count });
  }

  get format(): TrainingFormat<Kind> {
    return this.#format;
  }

  /** The lines of all rows, in their order within each part. */
  async *lines(tally: Tally): AsyncGenerator<Lines> {
    const { source, options } = this.#request;
    const { use, split, splitBy, provenance, license, tokenCounts, add = {} } = options;
    const reviews = await DatasetReviews.open(source.folder, use);
    const splitter = split && new Splitter(split, splitBy);
    const tell = provenance ? await provenanceOf(source, license) : undefined;
    const adds = provenance === true || tokenCounts !== undefined || Object.keys(add).length > 0;
    const collector = new LineCollector();
    const addRow = (stored: Row, row: number): void => {
      const values = reviews.apply(stored, row)?.row;
      if (!values) return;
      const all = this.#find(values, row);
      const prompts = splitter ? all.map((one) => ('missing' in one ? undefined : promptHash(one))) : [];
      const part = splitter?.partOf(values, prompts);
      for (const [index, found] of all.entries()) {
        const fitted = this.#fitted(found, row, tally);
        if (!fitted || (tally.refusals.size > 0 && !adds)) continue;
        const { example, tokens } = fitted;
        const record = this.#format.toRecord(example, { row, values });
        const added = {
          ...valuesAt(values, add),
          ...(tokenCounts === undefined ? {} : { [tokenCounts]: tokens }),
          ...(tell ? { provenance: tell(example, { row, index, values }) } : {}),
        };
        const taken = Object.keys(added).find((name) => Object.hasOwn(record, name));
        if (taken !== undefined) {
          refuse(tally, `a member '${taken}' of its own, beside the one to add`, row);
          continue;
        }
        if (tally.refusals.size > 0) continue;
        tally.counts.examples++;
        splitter?.note(prompts[index], part);
        collector.of(part).add({ ...record, ...added });
      }
    };
    let position = 0;
    for await (const rows of readDatasetBlocks(source.folder)) {
      for (const stored of rows) {
        addRow(stored, position++);
        if (collector.isFull) yield* collector.take();
      }
    }
    yield* collector.take();
    tally.counts.stale = reviews.stale;
    if (splitter) Object.assign(tally.counts, splitter.counts);
  }

  /** The example as the format can express it, with its tokens; undefined for one that is left out. */
  #fitted(
    found: Examples[Kind] | { readonly missing: string },
    row: number,
    tally: Tally,
  ): { readonly example: Examples[Kind]; readonly tokens: number } | undefined {
    const { counts } = tally;
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
      for (const what of lacked) refuse(tally, what, row);
      return undefined;
    }
    const [still] = lackedBy(this.#format, bare);
    if (still !== undefined) return leaveOut(still);
    counts.withoutReasoning++;
    return { example: bare, tokens };
  }
}
