import {
  type AttemptCounts,
  type AttemptsByBlock,
  type CellValue,
  type ExhaustedRows,
  type Exhaustion,
  joinExhausted,
  stringifyJson,
  unboxed,
} from '@data-designer/core';
import type { KeptAttempt, MadeAttempt } from './attempts.ts';
import type { AttemptBlock } from './prepare-plan.ts';

/** The most truth values in the reason for a refusal: reasons are counted, so there must be few. */
const MOST_TRUTHS = 4;
/** Longer verdicts are cut. */
const MAX_VERDICT = 300;

/** The attempts at a row, once they have ended. */
interface EndedRow {
  readonly rowIndex: number;
  readonly made: readonly MadeAttempt[];
  /** Undefined for a row with an accepted attempt. */
  readonly exhaustion: Exhaustion | undefined;
}

/** Counts the attempts of a row group while its rows are made. */
export class AttemptStatistics {
  readonly #blocks = new Map<string, BlockStatistics>();

  /** Counts the attempts at a row. */
  add({ planned: { name } }: AttemptBlock, row: EndedRow): void {
    const known = this.#blocks.get(name) ?? new BlockStatistics();
    this.#blocks.set(name, known);
    known.add(row);
  }

  /** The counts so far, by block; undefined before the first row. */
  get counts(): AttemptsByBlock | undefined {
    if (this.#blocks.size === 0) return undefined;
    return Object.fromEntries([...this.#blocks].map(([name, block]) => [name, block.counts]));
  }
}

class BlockStatistics {
  #rows = 0;
  #attempts = 0;
  #failed = 0;
  readonly #accepted: number[] = [];
  #exhausted: readonly ExhaustedRows[] = [];

  add({ rowIndex: row, made, exhaustion }: EndedRow): void {
    this.#rows++;
    this.#attempts += made.length;
    this.#failed += made.filter(({ failure }) => failure !== undefined).length;
    if (!exhaustion) {
      while (this.#accepted.length < made.length) this.#accepted.push(0);
      this.#accepted[made.length - 1] = (this.#accepted[made.length - 1] ?? 0) + 1;
      return;
    }
    const { failedAttempts: _, ...why } = exhaustion;
    this.#exhausted = joinExhausted([...this.#exhausted, { ...why, rows: 1, row }]);
  }

  get counts(): AttemptCounts {
    return {
      rows: this.#rows,
      attempts: this.#attempts,
      failed: this.#failed,
      accepted: [...this.#accepted],
      exhausted: this.#exhausted,
    };
  }
}

/** Why none of a row's attempts was accepted; undefined if one was. */
export function exhaustionOf(
  block: Pick<AttemptBlock, 'planned' | 'decides'>,
  made: readonly MadeAttempt[],
  { reason, written }: Pick<KeptAttempt, 'reason' | 'written'>,
): Exhaustion | undefined {
  const last = made.at(-1);
  if (reason === undefined || !last) return undefined;
  const failedAttempts = made.filter(({ failure }) => failure !== undefined).length;
  return { ...reasonOf(block, made, { last, reason, written }), failedAttempts };
}

/** What became of the last attempt, or of all where none is the last. */
function reasonOf(
  block: Pick<AttemptBlock, 'planned' | 'decides'>,
  made: readonly MadeAttempt[],
  { last, reason, written }: { readonly last: MadeAttempt; readonly reason: string } & Pick<KeptAttempt, 'written'>,
): Omit<Exhaustion, 'failedAttempts'> {
  const { keep } = block.planned;
  const isRefused = keep === 'first' && !last.failure;
  if (isRefused) return refusalOf(block, last);
  const complete = made.some(({ failure }) => failure === undefined);
  if (last.failure && (keep === 'first' || !complete)) {
    const { code } = last.failure;
    const { column = '' } = last.failures.findLast((one) => one.code === code) ?? {};
    return { kind: 'failed', reason: column === '' ? code : `${column}: ${code}`, verdict: cut(reason) };
  }
  const [, score] = written;
  return { kind: score === null ? 'no_score' : 'equal_scores', reason: '', verdict: cut(reason) };
}

/** The values that `until` reads from the last attempt. */
function refusalOf(
  { decides }: Pick<AttemptBlock, 'decides'>,
  { row }: MadeAttempt,
): Omit<Exhaustion, 'failedAttempts'> {
  const read = decides.map((name): [string, CellValue] => [name, unboxed(row[name] ?? null)]);
  const truths = read.flatMap(([name, value]) => truthsIn(name, value)).slice(0, MOST_TRUTHS);
  const values = read.map(([name, value]) => `${name} = ${stringifyJson(value)}`);
  const verdict = values.length === 0 ? "'until' refused it." : `'until' refused ${values.join(', ')}.`;
  return { kind: 'refused', reason: truths.join(', '), verdict: cut(verdict) };
}

/** The values in a cell that are true, false or null, with their names. */
function truthsIn(name: string, value: CellValue): readonly string[] {
  if (value === null || typeof value === 'boolean') return [`${name} = ${value}`];
  if (typeof value !== 'object' || Array.isArray(value)) return [];
  return Object.entries(value).flatMap(([key, one]) => truthsIn(`${name}.${key}`, one));
}

function cut(text: string): string {
  return text.length > MAX_VERDICT ? `${text.slice(0, MAX_VERDICT)}…` : text;
}
