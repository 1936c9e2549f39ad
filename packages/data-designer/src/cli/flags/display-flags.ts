import type { Command } from 'commander';

/** How a run is shown while it goes. */
export interface DisplayFlags {
  readonly json: boolean;
  /** Undefined where the run settings say. */
  readonly tui?: boolean;
}

/** Adds the options that say how a run is shown. */
export function withDisplayFlags(command: Command): Command {
  return command
    .option('--tui', 'show progress as a panel, where standard error is a terminal (the default)')
    .option('--no-tui', 'show progress as lines');
}
