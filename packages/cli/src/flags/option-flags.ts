import { type Command, Option } from 'commander';
import {
  flaggedSettings,
  givenOptions,
  type OptionsOf,
  optionsFor,
  type OptionTable,
  type RunCall,
  type RunOption,
  runOptions,
  type ValueKind,
  type ValuesOf,
} from '@data-designer/declaration';
import { above, atLeast, collectNames, oneOf, pairs, parseDuration } from './parse-flags.ts';

/** The run settings that flags give. */
export type SettingFlags = ValuesOf<typeof flaggedSettings>;

/** A flag whose value has the name of an option of the API. */
class OptionFlag extends Option {
  readonly #name: string;

  constructor(name: string, option: RunOption<unknown>, text = option.text) {
    super(option.flag ?? '', inHelp(text));
    this.#name = name;
    if (option.preset !== undefined) this.default(option.preset);
    PARSE[option.kind]?.(this, option);
  }

  override attributeName(): string {
    return this.#name;
  }
}

/** Has a flag parse values of a kind; it is a text otherwise, or true. */
const PARSE: Readonly<Partial<Record<ValueKind, (flag: Option, option: RunOption<unknown>) => void>>> = {
  whole: (flag, { least = 0 }) => void flag.argParser(atLeast(least)),
  amount: (flag) => void flag.argParser(above(0)),
  duration: (flag) => void flag.argParser(parseDuration),
  choice: (flag, { words = [] }) => void flag.choices(words.map(String)).argParser(oneOf(words.map(String))),
  names: (flag) => void flag.argParser(collectNames),
  pairs: (flag) => void flag.argParser(pairs),
};

/** Adds the flags of a call's options, those of one group of the help. */
export function withOptions(command: Command, call: RunCall, group?: string): Command {
  return withFlags(command, call, { table: runOptions, group });
}

/** Adds the flags of run settings, those of one group of the help. */
export function withSettings(command: Command, group?: string): Command {
  return withFlags(command, 'create', { table: flaggedSettings, group });
}

function withFlags(
  command: Command,
  call: RunCall,
  { table, group }: { readonly table: OptionTable; readonly group: string | undefined },
): Command {
  if (group !== undefined) command.optionsGroup(group);
  const isTaken = (option: RunOption<unknown>) =>
    option.flag !== undefined && option.group === group && option.calls.includes(call);
  for (const [name, option] of optionsFor(table, isTaken)) {
    command.addOption(new OptionFlag(name, option, option.texts?.[call]));
    const { flag = '', textOfNo } = option;
    if (textOfNo !== undefined)
      command.addOption(new OptionFlag(name, { ...option, flag: flag.replace('--', '--no-') }, textOfNo));
  }
  return command;
}

/** The options that the flags of a command give a call; without default values, which a call has itself. */
export function optionsIn<Call extends RunCall>(command: Command, call: Call): OptionsOf<Call> {
  const flags = Object.entries(command.opts()).filter(([name]) => command.getOptionValueSource(name) !== 'default');
  return givenOptions(runOptions, Object.fromEntries(flags), ({ calls }) => calls.includes(call));
}

/** The run settings that flags give. */
export function settingsIn(flags: SettingFlags): SettingFlags {
  return givenOptions(flaggedSettings, { ...flags });
}

/** A text of the table with the flags of the options that it names. */
function inHelp(text: string): string {
  return text.replaceAll(/`(\w+)`/g, (_, name: string) => {
    const { flag = name } = (runOptions as OptionTable)[name] ?? {};
    return /--[\w-]+/.exec(flag)?.[0] ?? flag;
  });
}
