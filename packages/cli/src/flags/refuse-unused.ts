import type { Command } from 'commander';

/** Flags that have an effect only together with others. */
export interface UnusedFlags<Flags> {
  readonly flags: readonly (keyof Flags & string)[];
  /** Why they have none with these flags and arguments, and what to do; undefined if they have one. */
  readonly unless: (flags: Flags, args: readonly string[]) => string | undefined;
}

/** Ends the command with a usage error if flags were given that it would ignore. */
export function refuseUnused<Flags>(command: Command, rules: readonly UnusedFlags<Flags>[]): Command {
  return command.hook('preAction', (_, self) => {
    const given = self.opts<Flags & Record<string, unknown>>();
    for (const { flags, unless } of rules) {
      const names = flags.filter((flag) => self.getOptionValueSource(flag) === 'cli').map((flag) => nameOf(self, flag));
      const reason = names.length > 0 ? unless(given, self.args) : undefined;
      if (reason === undefined) continue;
      self.error(`error: ${names.join(' and ')} ${names.length === 1 ? 'has' : 'have'} no effect ${reason}.`);
    }
  });
}

/** A flag as it was given: `--no-open` for the value false of `open`. */
function nameOf(command: Command, flag: string): string {
  const isNegated = command.getOptionValue(flag) === false;
  const option = command.options.find((one) => one.attributeName() === flag && one.negate === isNegated);
  return option?.long ?? flag;
}

/** Keeps the flags of other commands on a config out of the help of one that has no use for them. */
export function withoutUse<Flags>(command: Command, flags: UnusedFlags<Flags>['flags']): Command {
  for (const option of command.options) if (flags.some((flag) => flag === option.attributeName())) option.hideHelp();
  return refuseUnused<Flags>(command, [
    { flags, unless: () => `on ${command.name()}, which makes no rows: leave it out` },
  ]);
}
