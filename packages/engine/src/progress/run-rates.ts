import type { PricedUsage } from '@data-designer/models';
import { RateWindow } from './rate-window.ts';

/** A rate of rows is not told from fewer than these, unless the run has no more yet. */
const ROWS_FOR_A_RATE = 20;

/** The counts of a run whose rates are told. */
export interface RatedCounts {
  readonly rows: number;
  /** Rows' worth of work that is done. */
  readonly work: number;
  readonly usage: Readonly<Record<string, Pick<PricedUsage, 'inputTokens' | 'outputTokens'>>>;
}

interface TokenRates {
  readonly input: RateWindow;
  readonly output: RateWindow;
}

/** How fast a run goes of late: its rows, and the tokens of its model aliases. */
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

  /** Notes the counts as they are at a time, in ms. */
  add(time: number, { rows, work, usage }: RatedCounts): void {
    this.#rows.add(time, rows);
    this.#work.add(time, work);
    for (const [alias, { input, output }] of this.#tokens) {
      input.add(time, usage[alias]?.inputTokens ?? 0);
      output.add(time, usage[alias]?.outputTokens ?? 0);
    }
  }

  /** Rows made per second. */
  get rows(): number {
    return this.#rows.perSecond;
  }

  /** Rows' worth of work per second. */
  get work(): number {
    return this.#work.perSecond;
  }

  /** Tokens per second of a model alias, read and written. */
  tokens(alias: string): { readonly input: number; readonly output: number } {
    const rates = this.#tokens.get(alias);
    return { input: rates?.input.perSecond ?? 0, output: rates?.output.perSecond ?? 0 };
  }
}
