import { createProgram } from '../../../packages/cli/src/all-commands.ts';
import { EXIT_CODES } from '../../../packages/cli/src/exit-codes.ts';
import { code, page, prose, table } from './markdown.ts';

type Command = ReturnType<typeof createProgram>;
type Option = Command['options'][number];

/** A command with the words that start it, such as `config mcp add`. */
interface Named {
  readonly words: string;
  readonly command: Command;
}

/** The commands of a program, each followed by its subcommands. */
function commandsOf(command: Command, before = ''): readonly Named[] {
  return command.commands.flatMap((inner) => {
    const words = `${before}${inner.name()}`;
    return [{ words, command: inner }, ...commandsOf(inner, `${words} `)];
  });
}

/** Every command with its arguments and flags, and the exit codes. */
export function commandsPage(): string {
  const program = createProgram();
  const commands = commandsOf(program);
  const isCommon = commonFlags(commands.map(({ command }) => command));
  const common = commands.flatMap(({ command }) => command.options.filter(isCommon));
  const shown = [...new Map(common.map((option) => [option.flags, option])).values()];
  return page('Command line', [
    'Start the program with `npx data-designer` in a project that has the package installed. `data-designer --help` lists the commands, and `data-designer create --help` the flags of one command.',
    table(
      ['Command', 'Purpose'],
      commands.map(({ words, command }) => [
        `[${code(words)}](#${words.replaceAll(' ', '-')})`,
        prose(command.description()),
      ]),
    ),
    ...commands.flatMap((named) => commandSection(named, shown)),
    '## Common flags',
    'Every command that reads a config has these flags.',
    ...flagTables(shown),
    '## Exit codes',
    table(
      ['Code', 'Meaning'],
      EXIT_CODES.map(([exit, meaning]) => [String(exit), prose(meaning)]),
    ),
  ]);
}

function commandSection({ words, command }: Named, common: readonly Option[]): string[] {
  const ids = new Set(common.map(idOf));
  const takesCommon = command.options.some(({ long }) => long === '--run-config');
  const isCommon = (option: Option): boolean => takesCommon && ids.has(idOf(option));
  const positional = command.registeredArguments;
  const names = positional.map((one) => (one.required ? `<${one.name()}>` : `[${one.name()}]`));
  const inner = command.commands.map(
    (one) => `[${code(one.name())}](#${`${words} ${one.name()}`.replaceAll(' ', '-')})`,
  );
  const own = command.options.filter((option) => !option.hidden && !isCommon(option));
  return [
    `## ${code(words)}`,
    prose(command.description()),
    `\`\`\`text\n${['data-designer', words, ...names, ...(command.options.length > 0 ? ['[options]'] : [])].join(' ')}\n\`\`\``,
    inner.length === 0 ? '' : `Commands: ${inner.join(', ')}.`,
    positional.length === 0 || inner.length > 0
      ? ''
      : table(
          ['Argument', 'Description'],
          positional.map((one) => [code(one.name()), prose(one.description)]),
        ),
    ...flagTables(own),
    takesCommon ? `It also has the [common flags](#common-flags)${exceptText(command, common)}.` : '',
  ];
}

/** The common flags that a command lacks, as the end of a sentence. */
function exceptText({ options }: Command, common: readonly Option[]): string {
  const missing = common.filter(({ long }) => !options.some((option) => option.long === long));
  return missing.length === 0 ? '' : `, except ${missing.map(({ long }) => code(long ?? '')).join(', ')}`;
}

/** Flags that most commands on a config have, with the same help. */
function commonFlags(commands: readonly Command[]): (option: Option) => boolean {
  const onConfigs = commands.filter(({ options }) => options.some(({ long }) => long === '--run-config'));
  const counts = new Map<string, number>();
  for (const option of onConfigs.flatMap(({ options }) => options)) {
    counts.set(idOf(option), (counts.get(idOf(option)) ?? 0) + 1);
  }
  return (option) => (counts.get(idOf(option)) ?? 0) > onConfigs.length / 2;
}

function idOf({ flags, description }: Option): string {
  return JSON.stringify([flags, description]);
}

/** Tables of flags, one for each group of the help. */
function flagTables(options: readonly Option[]): string[] {
  const groups = Map.groupBy(options, (option) => option.helpGroupHeading ?? '');
  return [...groups].flatMap(([title, members]) => [
    title === '' ? '' : `${title.replace(/:$/, '')}:`,
    table(
      ['Flag', 'Default', 'Description'],
      members.map((option) => [code(option.flags), defaultText(option), descriptionText(option)]),
    ),
  ]);
}

function defaultText({ defaultValue, defaultValueDescription, mandatory }: Option): string {
  if (mandatory) return '**required**';
  if (defaultValueDescription !== undefined) return prose(defaultValueDescription);
  const isEmpty =
    defaultValue === undefined || defaultValue === false || (Array.isArray(defaultValue) && defaultValue.length === 0);
  return isEmpty || defaultValue === true ? '' : code(String(defaultValue));
}

function descriptionText({ description, argChoices }: Option): string {
  if (argChoices === undefined) return prose(description);
  return `${prose(description)}${/[.;:]$/.test(description) ? '' : '.'} One of: ${argChoices.map(code).join(', ')}.`;
}
