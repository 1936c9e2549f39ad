import type { PricedUsage } from '@data-designer/models';
import { RateWindow } from './rate-window.ts';

/** A rate of rows needs this many, unless the run has fewer. */
const ROWS_FOR_A_RATE = 20;

/** The counts of a run that have rates. */
export interface RatedCounts {
  readonly rows: number;
  /** Finished cells by column that uses the gateway. */
  readonly cells: ReadonlyMap<string, number>;
  readonly usage: Readonly<Record<string, Pick<PricedUsage, 'inputTokens' | 'outputTokens'>>>;
}

interface TokenRates {
  readonly input: RateWindow;
  readonly output: RateWindow;
}

/** The current rates of a run: rows, and tokens of its model aliases. */
export class RunRates {
  readonly #rows: RateWindow;
  readonly #cells: ReadonlyMap<string, RateWindow>;
  readonly #tokens: ReadonlyMap<string, TokenRates>;

  constructor(time: number, { rows, cells, usage }: RatedCounts, aliases: readonly string[]) {
    this.#rows = new RateWindow({ time, total: rows }, { atLeast: ROWS_FOR_A_RATE });
    this.#cells = new Map(
      [...cells].map(([column, total]) => [column, new RateWindow({ time, total }, { atLeast: ROWS_FOR_A_RATE })]),
    );
    const tokens = (alias: string): [string, TokenRates] => {
      const input = new RateWindow({ time, total: usage[alias]?.inputTokens ?? 0 });
      return [alias, { input, output: new RateWindow({ time, total: usage[alias]?.outputTokens ?? 0 }) }];
    };
    this.#tokens = new Map(aliases.map(tokens));
  }

  /** Adds the counts at a time, in ms. */
  add(time: number, { rows, cells, usage }: RatedCounts): void {
    this.#rows.add(time, rows);
    for (const [column, window] of this.#cells) window.add(time, cells.get(column) ?? 0);
    for (const [alias, { input, output }] of this.#tokens) {
      input.add(time, usage[alias]?.inputTokens ?? 0);
      output.add(time, usage[alias]?.outputTokens ?? 0);
    }
  }

  /** Rows per second. */
  get rows(): number {
    return this.#rows.perSecond;
  }

  /** Finished cells of a column per second. */
  cells(column: string): number {
    return this.#cells.get(column)?.perSecond ?? 0;
  }

  /** Input and output tokens per second of a model alias. */
  tokens(alias: string): { readonly input: number; readonly output: number } {
    const rates = this.#tokens.get(alias);
    return { input: rates?.input.perSecond ?? 0, output: rates?.output.perSecond ?? 0 };
  }
}
