import type { Command } from 'commander';

type Prompts = typeof import('@inquirer/prompts');

/** Ends a command that asks questions where nobody can answer, and says what does without. */
export function requireTerminal(command: Command, name: 'mcp' | 'tools'): void {
  if (process.stdin.isTTY && process.stdout.isTTY) return;
  command.error(
    `error: 'config ${name}' asks questions, and there is no terminal; without one use 'config ${name} add', 'update' or 'delete' (--help says how)`,
    { exitCode: 2 },
  );
}

/** Asks questions until they are answered, or the user has had enough: then nothing further is changed. */
export async function asking(questions: (prompts: Prompts) => Promise<void>): Promise<void> {
  const prompts = await import('@inquirer/prompts');
  try {
    await questions(prompts);
  } catch (thrown) {
    if (!(thrown instanceof Error) || thrown.name !== 'ExitPromptError') throw thrown;
    process.stderr.write('Nothing further was changed.\n');
    process.exitCode = 130;
  }
}

/** Asks for texts one by one, until one is empty. */
export async function askTexts({ input }: Prompts, what: string): Promise<readonly string[]> {
  const texts: string[] = [];
  for (;;) {
    const text = await input({ message: `${what} ${texts.length + 1} (empty: no more)` });
    if (text === '') return texts;
    texts.push(text);
  }
}

/** Tells of a failure in the middle of a conversation. */
export function tellFailure(thrown: unknown): void {
  process.stderr.write(`${thrown instanceof Error ? thrown.message : String(thrown)}\n`);
}

/** Something that may not be empty. */
export function isSomething(text: string): true | string {
  return text.trim() !== '' || 'It must not be empty.';
}
