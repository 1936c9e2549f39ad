import { lstatSync } from 'node:fs';
import { Command } from 'commander';
import type { HomeFile, HomeFolder } from '@data-designer/config';
import { printJson } from './display/print-results.ts';
import { withJson } from './entry-command.ts';
import { withPrompts } from './wizards/prompts.ts';

/** The files by the names of the commands that change them. */
const FILES = {
  providers: 'modelProviders',
  models: 'modelConfigs',
  mcp: 'mcpProviders',
  tools: 'toolConfigs',
} as const satisfies Record<string, HomeFile>;

type FileName = keyof typeof FILES;

interface ResetFlags {
  readonly json: boolean;
  readonly yes: boolean;
}

/** `data-designer config reset`: deletes files of the home folder, so that the stock entries apply again. */
export function resetCommand(): Command {
  return withJson(
    new Command('reset')
      .description('Delete files of the home folder. The stock providers and models apply again.')
      .argument('[files...]', `Files to delete: ${Object.keys(FILES).join(', ')} (default: all)`)
      .option('-y, --yes', 'Delete without asking', false),
  ).action(async (given: readonly string[], flags: ResetFlags, command: Command) => {
    const unknown = given.find((name) => !Object.hasOwn(FILES, name));
    if (unknown !== undefined) {
      command.error(`error: unknown file '${unknown}'; use one of ${Object.keys(FILES).join(', ')}`);
    }
    const isTerminal = process.stdin.isTTY && process.stdout.isTTY;
    if (!flags.yes && (!isTerminal || flags.json)) {
      command.error(
        "error: 'config reset' asks before it deletes a file, and needs a terminal; without one, use --yes",
      );
    }
    await reset(
      Object.keys(FILES).filter((name): name is FileName => given.length === 0 || given.includes(name)),
      flags,
    );
  });
}

async function reset(names: readonly FileName[], { yes, json }: ResetFlags): Promise<void> {
  const { homeFolder, resetHome } = await import('@data-designer/config');
  const folder = homeFolder();
  const files = names.map((name) => FILES[name]);
  const wanted = yes ? files : await confirmedFiles(folder, files);
  const deleted = resetHome(folder, wanted);
  if (json) return printJson({ home: folder.path, deleted });
  for (const path of deleted) process.stdout.write(`deleted: ${path}\n`);
  process.stdout.write(deleted.length === 0 ? 'Nothing was deleted.\n' : 'The stock entries apply again.\n');
}

/** Asks for each existing file whether to delete it; none if the user interrupts. */
async function confirmedFiles(folder: HomeFolder, files: readonly HomeFile[]): Promise<readonly HomeFile[]> {
  const existing = files.filter((file) => lstatSync(folder.files[file], { throwIfNoEntry: false }));
  const confirmed: HomeFile[] = [];
  await withPrompts(async ({ confirm }) => {
    const asked: HomeFile[] = [];
    for (const file of existing) {
      if (await confirm({ message: `Delete ${folder.files[file]}?`, default: false })) asked.push(file);
    }
    confirmed.push(...asked);
  });
  return confirmed;
}
