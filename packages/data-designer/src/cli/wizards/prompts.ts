import { messageOf } from '@data-designer/core';
import type { Command } from 'commander';

/** The prompts that a wizard asks with. */
export type Prompts = typeof import('@inquirer/prompts');

/** Ends an interactive command that runs without a terminal, and names the commands that need none. */
export function requireTerminal(command: Command, name: 'mcp' | 'tools'): void {
  if (process.stdin.isTTY && process.stdout.isTTY) return;
  command.error(
    `error: 'config ${name}' is interactive and needs a terminal; without one, use 'config ${name} add', 'update' or 'delete' (see --help)`,
    { exitCode: 2 },
  );
}

/** Runs prompts; if the user interrupts them, nothing more is changed and the exit code is 130. */
export async function withPrompts(questions: (prompts: Prompts) => Promise<void>): Promise<void> {
  const prompts = await import('@inquirer/prompts');
  try {
    await questions(prompts);
  } catch (thrown) {
    if (!(thrown instanceof Error) || thrown.name !== 'ExitPromptError') throw thrown;
    process.stderr.write('Cancelled. No further changes were saved.\n');
    process.exitCode = 130;
  }
}

/** Asks for texts until one is empty. */
export async function askTexts({ input }: Prompts, label: string): Promise<readonly string[]> {
  const texts: string[] = [];
  for (;;) {
    const text = await input({ message: `${label} ${texts.length + 1} (empty to finish)` });
    if (text === '') return texts;
    texts.push(text);
  }
}

/** Prints a failure between prompts. */
export function printFailure(thrown: unknown): void {
  process.stderr.write(`${messageOf(thrown)}\n`);
}

/** Validates that a text is not empty. */
export function requireText(text: string): true | string {
  return text.trim() !== '' || 'Enter a value.';
}
