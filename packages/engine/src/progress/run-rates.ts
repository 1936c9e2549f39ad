import type { PricedUsage } from '@data-designer/models';
import { RateWindow } from './rate-window.ts';

/** A rate of rows needs this many, unless the run has fewer. */
const ROWS_FOR_A_RATE = 20;

/** The counts of a run that have rates. */
export interface RatedCounts {
  readonly rows: number;
  /** Finished work, in rows. */
  readonly work: number;
  readonly usage: Readonly<Record<string, Pick<PricedUsage, 'inputTokens' | 'outputTokens'>>>;
}

interface TokenRates {
  readonly input: RateWindow;
  readonly output: RateWindow;
}

/** The current rates of a run: rows, and tokens of its model aliases. */
export class RunRates {
  readonly #rows: RateWindow;
  readonly #work: RateWindow;
  readonly #tokens: ReadonlyMap<string, TokenRates>;

  constructor(time: number, { rows, work, usage }: RatedCounts, aliases: readonly string[]) {
    this.#rows = new RateWindow({ time, total: rows }, { atLeast: ROWS_FOR_A_RATE });
    this.#work = new RateWindow({ time, total: work }, { atLeast: ROWS_FOR_A_RATE });
    const tokens = (alias: string): [string, TokenRates] => {
      const input = new RateWindow({ time, total: usage[alias]?.inputTokens ?? 0 });
      return [alias, { input, output: new RateWindow({ time, total: usage[alias]?.outputTokens ?? 0 }) }];
    };
    this.#tokens = new Map(aliases.map(tokens));
  }

  /** Adds the counts at a time, in ms. */
  add(time: number, { rows, work, usage }: RatedCounts): void {
    this.#rows.add(time, rows);
    this.#work.add(time, work);
    for (const [alias, { input, output }] of this.#tokens) {
      input.add(time, usage[alias]?.inputTokens ?? 0);
      output.add(time, usage[alias]?.outputTokens ?? 0);
    }
  }

  /** Rows per second. */
  get rows(): number {
    return this.#rows.perSecond;
  }

  /** Work per second, in rows. */
  get work(): number {
    return this.#work.perSecond;
  }

  /** Input and output tokens per second of a model alias. */
  tokens(alias: string): { readonly input: number; readonly output: number } {
    const rates = this.#tokens.get(alias);
    return { input: rates?.input.perSecond ?? 0, output: rates?.output.perSecond ?? 0 };
  }
}
