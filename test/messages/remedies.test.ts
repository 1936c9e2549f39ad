import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { createProgram } from '../../packages/cli/src/all-commands.ts';

type Command = ReturnType<typeof createProgram>;

const messages = readFileSync(new URL('messages.txt', import.meta.url), 'utf8');

function commandsIn(command: Command): readonly Command[] {
  return [command, ...command.commands.flatMap(commandsIn)];
}

const flagsOf = (commands: readonly Command[]): ReadonlySet<string | undefined> =>
  new Set(['--help', ...commands.flatMap(({ options }) => options.map(({ long }) => long))]);

/** The command that words such as `config mcp add` start; undefined if the first one is no command. */
function commandOf(words: readonly string[], program: Command): Command | undefined {
  let found: Command | undefined;
  for (const word of words) {
    const inner = (found ?? program).commands.find((one) => one.name() === word);
    if (!inner) return found;
    found = inner;
  }
  return found;
}

/** Flags of other programs, and one that a user wrote wrongly. */
const OTHER_FLAGS = new Set(['--max-old-space-size', '--jsn']);

test('each flag and command that a message names exists, and the command has the flag', () => {
  const program = createProgram();
  const known = flagsOf(commandsIn(program));
  const named = messages.match(/--[a-z][a-z-]+/g) ?? [];
  expect(named.length).toBeGreaterThan(20);
  expect(named.filter((flag) => !known.has(flag) && !OTHER_FLAGS.has(flag))).toEqual([]);
  const calls = [...messages.matchAll(/data-designer ((?:[a-z][\w-]* ?)+)((?:[^.;,:\n]|\.\w)*)/g)];
  expect(calls.length).toBeGreaterThan(5);
  for (const [call, words = '', rest = ''] of calls) {
    if (words.startsWith('in the node_modules')) continue;
    const command = commandOf(words.trim().split(' '), program);
    expect(command, `the command of '${call}'`).toBeDefined();
    const flags = flagsOf(command ? [command] : []);
    const unknown = rest.match(/--[a-z][a-z-]+/g)?.filter((flag) => !flags.has(flag)) ?? [];
    expect(unknown, `the flags of '${call}'`).toEqual([]);
  }
});

const PEOPLE = '../../packages/columns/src/samplers/person/person-fields.ts';

/** Names in examples of mistakes, in answers of models and of folders, which are no keys. */
const OTHER_NAMES = new Set([
  'tool_allias',
  'al_messages',
  'shoe_size',
  'finish_reason',
  'node_modules',
  'batch_00003',
]);

test('each key that a message names is one of the reference or of the schema, or a field of people', () => {
  const pages = ['columns', 'commands', 'config', 'models', 'processors', 'samplers', 'seeds', 'settings', 'tools'];
  const files = [...pages.map((name) => `../../docs/reference/${name}.md`), '../../configs/schema.json', PEOPLE];
  const known = new Set(
    files.flatMap((file) => readFileSync(new URL(file, import.meta.url), 'utf8').match(/[a-z]+(?:_[a-z\d]+)+/g) ?? []),
  );
  const named = new Set(messages.match(/(?<![\w/.])[a-z]+(?:_[a-z\d]+)+(?![\w/])/g));
  expect(named.size).toBeGreaterThan(50);
  expect([...named].filter((name) => !known.has(name) && !OTHER_NAMES.has(name))).toEqual([]);
});
