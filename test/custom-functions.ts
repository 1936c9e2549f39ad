import { ParseFailure, type FunctionCell } from 'data-designer';

// Functions of a module, for columns that are made in worker threads.

interface Given {
  readonly cell: FunctionCell;
  readonly cells: readonly FunctionCell[];
  readonly params: Readonly<Record<string, unknown>>;
}

/** Asks, draws and records an outcome: all that a generator can. */
export async function everything({ topic }: { readonly topic: string }, { cell }: Given) {
  const { value } = await cell.ask({
    modelAlias: 'writer',
    prompt: `A word on ${topic}, please.`,
    parse: (text: string) => {
      if (text === '') throw new ParseFailure('Say something.');
      return text.length;
    },
  });
  const outcome = await cell.recordOutcome('clock', () => performance.now());
  return { everything: { value, outcome, drawn: cell.random.below(1000) } };
}

/** Asks and does not wait for the answer. */
export function forget(_: object, { cell }: Given) {
  void cell.ask({ modelAlias: 'writer', prompt: `Never mind, ${cell.rowIndex}.` });
  if (cell.rowIndex % 2 === 1) throw new Error('too late');
  return { loud: cell.rowIndex };
}

/** A full column of which the second row is no plain data. */
export function givesDate(rows: readonly object[]) {
  return rows.map((_, at) => ({ loud: at === 1 ? new Date(0) : at }));
}

/** The process that it is called in ends. */
export function leave(): never {
  process.exit(3);
}

export function shout({ topic }: { readonly topic: string }, { params }: Given) {
  return { loud: `${topic}${String(params['mark'])}` };
}

/** Checks rows as a validator does. */
export function areEven(rows: readonly { readonly number: number }[]) {
  return rows.map(({ number }) => ({ is_valid: number % 2 === 0 }));
}

/** A processor's function in the workers. */
export function shoutAll(rows: readonly { readonly animal: string }[]): unknown {
  return rows.map((row) => ({ ...row, animal: row.animal.toUpperCase() }));
}
