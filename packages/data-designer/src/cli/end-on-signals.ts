import { constants } from 'node:os';

/** Until disposed of, Ctrl-C and SIGTERM end the process at once, with 130 and 143, after this was done. */
export function endOnSignals(beforeEnd: () => void): Disposable {
  const end = (name: NodeJS.Signals) => {
    beforeEnd();
    process.exit(128 + constants.signals[name]);
  };
  const signals = ['SIGINT', 'SIGTERM'] as const;
  for (const name of signals) process.on(name, end);
  return {
    [Symbol.dispose]: () => {
      for (const name of signals) process.off(name, end);
    },
  };
}
