import { Command } from 'commander';
import type { HomeFile } from '@data-designer/config';
import { collect } from './flags/parse-flags.ts';
import { type EntryFields, printChange, removeEntries, saveEntry } from './save-entry.ts';
import { type EntryCommandName, requireTerminal } from './wizards/prompts.ts';

/** The flags of every command that adds or changes an entry. */
export interface ChangeFlags {
  readonly json: boolean;
  /** Whether to connect to the providers before saving. */
  readonly connect: boolean;
  readonly clear?: readonly string[];
}

/** The commands that change the entries of one file of the home folder. */
export interface EntryCommandParts<Flags extends ChangeFlags> {
  readonly command: EntryCommandName;
  readonly file: HomeFile;
  /** An entry in help texts. */
  readonly noun: string;
  readonly addDescription: string;
  /** The flag that names a new entry. */
  readonly nameFlag: 'name' | 'alias';
  readonly nameDescription: string;
  /** The optional fields, by the names of their flags. */
  readonly clearable: Readonly<Record<string, string>>;
  readonly withFlags: (command: Command) => Command;
  /** Adds the flags that only `add` has. */
  readonly withAddFlags?: (command: Command) => Command;
  /** What is missing to add an entry, as an error message. */
  readonly missing: (flags: Flags) => string | undefined;
  readonly fieldsOf: (flags: Flags) => EntryFields;
  readonly runWizard: () => Promise<void>;
}

/** The commands `add`, `update` and `delete`; without one of them, the wizard. */
export function entryCommand<Flags extends ChangeFlags>(parts: EntryCommandParts<Flags>): Command {
  const { file, noun, clearable, withAddFlags = (command) => command } = parts;
  const command = new Command(parts.command).description(
    `Add, change or delete ${noun}s, in a dialogue or with flags.`,
  );
  const add = withAddFlags(withChangeFlags(new Command('add'), parts))
    .description(parts.addDescription)
    .requiredOption(`--${parts.nameFlag} <name>`, parts.nameDescription)
    .action(async (flags: Flags & Readonly<Record<'name' | 'alias', string>>, self: Command) => {
      const missing = parts.missing(flags);
      if (missing !== undefined) self.error(`error: ${missing}`);
      const fields = onlyGiven(parts.fieldsOf(flags));
      const entry = { kind: 'add', name: flags[parts.nameFlag], fields } as const;
      printChange(await saveEntry(file, entry, flags), flags);
    });
  const update = withChangeFlags(new Command('update'), parts)
    .description(`Change fields of one ${noun}. A list is replaced as a whole.`)
    .argument('<name>')
    .option('--clear <field>', `Remove a field (${Object.keys(clearable).join(', ')}); repeatable`, collect)
    .action(async (name: string, flags: Flags, self: Command) => {
      const given = onlyGiven(parts.fieldsOf(flags));
      const removed = cleared(self, flags.clear ?? [], clearable);
      const both = flags.clear?.find((flag) => (clearable[flag] ?? '') in given);
      if (both !== undefined)
        self.error(`error: --${both} and --clear ${both} cannot be combined: leave out one of them`);
      const fields = { ...given, ...removed };
      if (Object.keys(fields).length === 0)
        self.error('error: nothing to update: add a flag with a new value, or --clear');
      printChange(await saveEntry(file, { kind: 'update', name, fields }, flags), flags);
    });
  const remove = withJson(new Command('delete'))
    .description(`Delete ${noun}s.`)
    .argument('<names...>')
    .action(async (names: readonly string[], flags: ChangeFlags) => {
      printChange(await removeEntries(file, names), flags);
    });
  for (const one of [add, update, remove]) command.addCommand(one);
  return command.action(async () => {
    requireTerminal(command, parts.command);
    await parts.runWizard();
  });
}

/** Adds the flag for JSON output. */
export function withJson(command: Command): Command {
  return command.option('--json', 'Print one JSON object instead of text', false);
}

function withChangeFlags<Flags extends ChangeFlags>(command: Command, parts: EntryCommandParts<Flags>): Command {
  return parts.withFlags(withJson(command.option('--no-connect', 'Save without connecting to the provider first')));
}

function onlyGiven(fields: EntryFields): EntryFields {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}

/** The fields that `--clear` removes, as undefined; ends the command for an unknown name. */
function cleared(
  command: Command,
  names: readonly string[],
  fields: Readonly<Record<string, string>>,
): Readonly<Record<string, undefined>> {
  const unknown = names.find((name) => !Object.hasOwn(fields, name));
  if (unknown !== undefined) command.error(`error: --clear ${unknown}: use one of ${Object.keys(fields).join(', ')}`);
  return Object.fromEntries(names.map((name) => [fields[name], undefined]));
}
