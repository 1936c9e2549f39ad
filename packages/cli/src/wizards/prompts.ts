import { isFailure, messageOf } from '@data-designer/core';
import type { Command } from 'commander';

/** The prompts that a wizard asks with. */
export type Prompts = typeof import('@inquirer/prompts');

/** The commands that add, change and delete entries of the home folder. */
export type EntryCommandName = 'providers' | 'models' | 'mcp' | 'tools';

/** Ends an interactive command that runs without a terminal, and names the commands that need none. */
export function requireTerminal(command: Command, name: EntryCommandName): void {
  if (process.stdin.isTTY && process.stdout.isTTY) return;
  command.error(
    `error: 'config ${name}' is interactive and needs a terminal; without one, use 'config ${name} add', 'update' or 'delete' (see --help)`,
    { exitCode: 2 },
  );
}

/** Runs prompts; if the user interrupts them, nothing more is changed and the exit code is 130. */
export async function withPrompts(
  questions: (prompts: Prompts) => Promise<void>,
  cancelled = 'Cancelled. No further changes were saved.',
): Promise<void> {
  const prompts = await import('@inquirer/prompts');
  try {
    await questions(prompts);
  } catch (thrown) {
    if (!isInterruption(thrown)) throw thrown;
    process.stderr.write(`${cancelled}\n`);
    process.exitCode = 130;
  }
}

/** Whether the user has pressed Ctrl-C in a prompt. */
export function isInterruption(thrown: unknown): boolean {
  return thrown instanceof Error && thrown.name === 'ExitPromptError';
}

/** Prints a failure between prompts. */
export function printFailure(thrown: unknown): void {
  const message = isFailure(thrown, 'run/aborted') ? 'Interrupted.' : messageOf(thrown);
  process.stderr.write(`${message}\n`);
}

/** Validates that a text is not empty. */
export function requireText(text: string): true | string {
  return text !== '' || 'Enter a value.';
}

/** Validates the name of a new entry: it must not be taken. */
export function newName(names: readonly string[]): (text: string) => true | string {
  return (text) => {
    if (text === '') return 'Enter a name.';
    return !names.includes(text) || `'${text}' exists already. Enter another name, or go back with Esc and change it.`;
  };
}
