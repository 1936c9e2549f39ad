import { constants } from 'node:os';

/** The signals of Ctrl-C and of a program that ends this one. */
export type StopSignal = 'SIGINT' | 'SIGTERM';

/** Handles Ctrl-C and SIGTERM until it is disposed of. */
export function onStopSignals(handle: (name: StopSignal) => void): Disposable {
  const signals = ['SIGINT', 'SIGTERM'] as const;
  for (const name of signals) process.on(name, handle);
  return {
    [Symbol.dispose]: () => {
      for (const name of signals) process.off(name, handle);
    },
  };
}

/** Exits on Ctrl-C (code 130) and SIGTERM (143), after `beforeExit`. */
export function exitOnSignals(beforeExit: () => void): Disposable {
  return onStopSignals((name) => {
    beforeExit();
    process.exit(128 + constants.signals[name]);
  });
}

/** The signals of a run that drains. */
export interface Interrupts extends Disposable {
  readonly drain: AbortSignal;
  /** Aborted by SIGTERM where that only ends this machine's part in a run. */
  readonly leave: AbortSignal;
  /** Aborted right before the process exits on the second signal. */
  readonly exits: AbortSignal;
}

/** What the signals do besides. */
interface SignalParts {
  readonly onSecond?: () => void;
  /** Whether SIGTERM ends only this machine's part in a run. */
  readonly leavesOnTerm?: boolean;
}

/** Drains a run on the first Ctrl-C or SIGTERM, and exits on the second. */
export function drainOnSignals({ onSecond = () => {}, leavesOnTerm = false }: SignalParts = {}): Interrupts {
  const [drains, leaves, exits] = [new AbortController(), new AbortController(), new AbortController()];
  const handler = onStopSignals((name) => {
    if (drains.signal.aborted || leaves.signal.aborted) {
      exits.abort();
      onSecond();
      process.exit(130);
    }
    (leavesOnTerm && name === 'SIGTERM' ? leaves : drains).abort(new Error(`by ${name}`));
  });
  return {
    drain: drains.signal,
    leave: leaves.signal,
    exits: exits.signal,
    [Symbol.dispose]: () => handler[Symbol.dispose](),
  };
}
