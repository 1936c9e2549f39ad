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

test.each([
  [['create', 'x.yaml', '--no-work'], '--no-work and --lease need --cluster'],
  [['create', 'x.yaml', '--lease', '20s'], '--no-work and --lease need --cluster'],
  [['create', 'x.yaml', '--re-request'], '--re-request and --rerun-from need --resume'],
  [['create', 'x.yaml', '--rerun-from', 'topics'], '--re-request and --rerun-from need --resume'],
])('%j is a usage error, because its flag has no effect alone', async (args, expected) => {
  const program = createProgram();
  let said = '';
  for (const command of [program, ...program.commands]) {
    command.exitOverride().configureOutput({ writeErr: (text) => (said += text) });
  }
  await expect(program.parseAsync(args, { from: 'user' })).rejects.toMatchObject({ exitCode: 1 });
  expect(said).toContain(expected);
});

test('help.txt holds the help of all commands: after a change on purpose, run `npx vitest run help.test -u`', async () => {
  await expect(helpOf(createProgram()).join('\n')).toMatchFileSnapshot('help.txt');
});
