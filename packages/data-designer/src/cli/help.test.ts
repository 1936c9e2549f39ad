import type { Command } from 'commander';
import { expect, test } from 'vitest';
import { createProgram } from './all-commands.ts';

/** The help of a command and of its subcommands, each as a terminal of 100 columns shows it. */
function helpOf(command: Command, path = command.name()): string[] {
  let text = '';
  command.configureOutput({ writeOut: (part) => (text += part), getOutHelpWidth: () => 100 }).outputHelp();
  return [
    `$ ${path} --help\n${text}`,
    ...command.commands.flatMap((inner) => helpOf(inner, `${path} ${inner.name()}`)),
  ];
}

test('help.txt holds the help of all commands: after a change on purpose, run `npx vitest run help.test -u`', async () => {
  await expect(helpOf(createProgram()).join('\n')).toMatchFileSnapshot('help.txt');
});
