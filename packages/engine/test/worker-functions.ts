import { existsSync, writeFileSync } from 'node:fs';

// Generator functions of a module: they run in worker threads.

interface Given {
  readonly params: Readonly<Record<'mark', string>>;
  readonly cell: { readonly rowIndex: number };
}

/** Ends its worker the first time that it is called, and leaves a file as a mark. */
export function exitOnce(_: object, { params: { mark }, cell }: Given): object {
  if (existsSync(mark)) return { said: cell.rowIndex };
  writeFileSync(mark, '');
  process.exit(3);
}

/** Ends its worker each time from the fourth row on. */
export function exitLater(_: object, { cell }: Given): object {
  if (cell.rowIndex < 3) return { said: cell.rowIndex };
  process.exit(3);
}

/** Leaves a file as a mark and never returns. */
export function waitForever(_: object, { params: { mark } }: Given): Promise<never> {
  writeFileSync(mark, '');
  return new Promise(() => {});
}
