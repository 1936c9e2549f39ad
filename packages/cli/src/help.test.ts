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

/** What a command says on standard error. */
async function saidBy(args: readonly string[]): Promise<string> {
  const program = createProgram();
  let said = '';
  const listen = (command: Command): void => {
    command.exitOverride().configureOutput({ writeErr: (text) => (said += text) });
    for (const inner of command.commands) listen(inner);
  };
  listen(program);
  await expect(program.parseAsync(args, { from: 'user' })).rejects.toMatchObject({ exitCode: 1 });
  return said;
}

test.each([
  ['create x.yaml --no-work', '--no-work has no effect without --cluster'],
  ['create x.yaml --no-work --lease 20s', '--no-work and --lease have no effect without --cluster'],
  ['create x.yaml --cluster redis://queue:6379 --lease 0.5s', 'It must be at least 1s'],
  ['create x.yaml --re-request', '--re-request has no effect without --resume'],
  ['create x.yaml --rerun-from topics', '--rerun-from has no effect without --resume'],
  ['create x.yaml --show 3 --json', '--show has no effect with --json'],
  ['create x.yaml --tui --json', '--tui has no effect with --json'],
  ['preview x.yaml --tui', '--tui has no effect without a terminal'],
  ['create x.yaml --allow-local', '--allow-local has no effect on a local config'],
  ['preview x.yaml -o out', '--artifact-path has no effect without --save-results'],
  ['preview x.yaml --theme dark', '--theme has no effect without --save-results'],
  ['preview x.yaml --save-results --json', '--save-results has no effect with --json'],
  ['preview x.yaml --display-width 50 --json', '--display-width has no effect with --json'],
  ['preview x.yaml --display-width 50 --save-results', '--display-width has no effect with --save-results'],
  ['show x --theme dark', '--theme has no effect without --html'],
  ['show x --display-width 50 --json', '--display-width has no effect with --json'],
  ['show x --display-width 50 --html x.html', '--display-width has no effect with --html'],
  ['report x --sections overview --json', '--sections has no effect with --json'],
  ['check x --trajectories --ngram 5', '--ngram has no effect without --against'],
  ['check x --against y --language en', '--language has no effect without --trajectories'],
  ['view x --bundle y --port 80', '--port has no effect with --bundle'],
  [
    'view x --bundle y --host h --allow-host n --no-open',
    '--host and --allow-host and --no-open have no effect with --bundle',
  ],
  ['view x --no-traces --reviews', '--no-traces and --reviews have no effect without --bundle'],
  ['validate x.yaml --seed 3 --max-time 5s', '--seed and --max-time have no effect on validate'],
  ['check-models x.yaml --max-cost 3 --prices p', '--max-cost and --prices have no effect on check-models'],
  ['check-models x.yaml --media-root m', '--media-root has no effect on check-models'],
  ['init --list --ts', '--ts has no effect with --list'],
  ['init --list --force', '--force has no effect with --list'],
  ['init tools --list', "--list lists all recipes: leave out 'tools'"],
  ['download personas --list --allow-private', "'--list' cannot be used with option '--allow-private'"],
  ['download personas --all --from here --allow-private', '--allow-private has no effect without an http(s) address'],
  ['plugin catalog add own ./plugins.json --cache-ttl 5', '--cache-ttl has no effect on a local catalog'],
  ['config models update m --no-connect', 'nothing to update'],
  ['config models update m --timeout 3 --clear timeout', '--timeout and --clear timeout cannot be combined'],
  ['config mcp update m --api-key K --clear api-key', '--api-key and --clear api-key cannot be combined'],
])('%s is a usage error, because it would be ignored or harm', async (args, expected) => {
  expect(await saidBy(args.split(' '))).toContain(expected);
});

test.each([
  ['preview x.yaml --num 3', 'Did you mean --num-records?'],
  ['run x.yaml', 'Did you mean create?'],
  ['preview x.yaml --sead 3', 'Did you mean --seed?'],
])('%s names what was meant', async (args, expected) => {
  expect(await saidBy(args.split(' '))).toContain(expected);
});

function commandsIn(command: Command): readonly Command[] {
  return [command, ...command.commands.flatMap(commandsIn)];
}

test('what every command has stands in no group of options for something else', () => {
  const general = new Set(['--json', '--help', '--version']);
  const misplaced = commandsIn(createProgram()).flatMap((command) =>
    command.options
      .filter(({ long, helpGroupHeading = 'Options:' }) => general.has(long ?? '') && helpGroupHeading !== 'Options:')
      .map(({ long, helpGroupHeading }) => `${command.name()} ${long}: ${helpGroupHeading}`),
  );
  expect(misplaced).toEqual([]);
});

test('help.txt holds the help of all commands: after a change on purpose, run `npx vitest run help.test -u`', async () => {
  await expect(helpOf(createProgram()).join('\n')).toMatchFileSnapshot('help.txt');
});
