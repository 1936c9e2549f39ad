import { constants } from 'node:os';

/** The signals of Ctrl-C and of a program that ends this one. */
export type StopSignal = 'SIGINT' | 'SIGTERM';

/**
 * Handles Ctrl-C, SIGTERM and the end of the terminal, which counts as SIGTERM, until it is disposed of. Without a terminal,
 * as under `nohup`, SIGHUP is ignored: Node has changed how it was to be treated.
 */
export function onStopSignals(handle: (name: StopSignal) => void): Disposable {
  const signals = ['SIGINT', 'SIGTERM'] as const;
  let isHungUp = false;
  const onHangUp = (): void => {
    // The system and the shell both send it.
    if (isHungUp || !(process.stdout.isTTY || process.stderr.isTTY)) return;
    isHungUp = true;
    handle('SIGTERM');
  };
  for (const name of signals) process.on(name, handle);
  process.on('SIGHUP', onHangUp);
  return {
    [Symbol.dispose]: () => {
      for (const name of signals) process.off(name, handle);
      process.off('SIGHUP', onHangUp);
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
  /** Whether the process exits a while after SIGTERM, whatever it waits for: other machines make what it leaves. */
  readonly isOneOfMany?: boolean;
}

/** A machine of a cluster has so long after SIGTERM: schedulers end it by force soon after. */
const LEAVE_MS = 14_000;
const LATE = `This machine still waits for something ${LEAVE_MS / 1000} s after SIGTERM and exits now. Finished row groups are saved. Other machines make its open ones; without another machine, continue with create … --resume always --cluster.\n`;

/** Drains a run on the first Ctrl-C or SIGTERM, and exits on the second. */
export function drainOnSignals({
  onSecond = () => {},
  leavesOnTerm = false,
  isOneOfMany = leavesOnTerm,
}: SignalParts = {}): Interrupts {
  const [drains, leaves, exits] = [new AbortController(), new AbortController(), new AbortController()];
  const handler = onStopSignals((name) => {
    if (drains.signal.aborted || leaves.signal.aborted) {
      exits.abort();
      onSecond();
      process.exit(130);
    }
    // Also once the command has ended: something may keep the process alive.
    if (isOneOfMany && name === 'SIGTERM') setTimeout(exitLate, LEAVE_MS).unref();
    (leavesOnTerm && name === 'SIGTERM' ? leaves : drains).abort(new Error(`by ${name}`));
  });
  return {
    drain: drains.signal,
    leave: leaves.signal,
    exits: exits.signal,
    [Symbol.dispose]: () => handler[Symbol.dispose](),
  };
}

function exitLate(): never {
  process.stderr.write(LATE);
  process.exit(128 + constants.signals.SIGTERM);
}
