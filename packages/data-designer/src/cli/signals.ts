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
  /** Aborted right before the process exits on the second signal. */
  readonly exits: AbortSignal;
}

/** Drains a run on the first Ctrl-C or SIGTERM, and exits on the second. */
export function drainOnSignals(onSecond: () => void = () => {}): Interrupts {
  const controller = new AbortController();
  const exits = new AbortController();
  const handler = onStopSignals((name) => {
    if (controller.signal.aborted) {
      exits.abort();
      onSecond();
      process.exit(130);
    }
    controller.abort(new Error(`by ${name}`));
  });
  return { drain: controller.signal, exits: exits.signal, [Symbol.dispose]: () => handler[Symbol.dispose]() };
}
