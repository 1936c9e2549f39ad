import type { HomeTable } from '@data-designer/config';
import { pluralize } from '../../printing/format-numbers.ts';
import { type EntryFile, printChange, removeEntries } from '../save-entry.ts';
import { printFailure, type Prompts, withPrompts } from './prompts.ts';

/** The actions of a wizard on the entries of one file of the home folder. */
export interface WizardMenu {
  readonly file: EntryFile;
  /** The name of an entry in prompts. */
  readonly noun: string;
  readonly add: (prompts: Prompts) => Promise<void>;
  readonly update: (prompts: Prompts, name: string) => Promise<void>;
}

type Action = 'add' | 'update' | 'delete' | 'delete-all' | 'quit';

/** Offers actions on the entries of a file until the user quits; each change is saved at once. */
export function askMenu(menu: WizardMenu): Promise<void> {
  return withPrompts(async (prompts) => {
    for (;;) {
      const rows = await rowsOf(menu);
      const action = await askAction(prompts, menu, rows.length);
      if (action === 'quit') return;
      try {
        await act(action, { menu, prompts, rows });
      } catch (thrown) {
        if (thrown instanceof Error && thrown.name === 'ExitPromptError') throw thrown;
        printFailure(thrown);
      }
    }
  });
}

/** The entries with masked keys. */
async function rowsOf({ file }: WizardMenu): Promise<HomeTable['rows']> {
  const { homeTables, readHome } = await import('@data-designer/config');
  return homeTables(readHome()).find((table) => table.file === file)?.rows ?? [];
}

function askAction({ select }: Prompts, { noun }: WizardMenu, entries: number): Promise<Action> {
  const some: readonly { readonly value: Action; readonly name: string }[] = [
    { value: 'update', name: `Change ${article(noun)}` },
    { value: 'delete', name: `Delete ${article(noun)}` },
    { value: 'delete-all', name: `Delete all ${noun}s` },
  ];
  return select<Action>({
    message: `${entries === 0 ? `No ${noun}s yet` : pluralize(entries, noun)}. What would you like to do?`,
    choices: [
      { value: 'add', name: `Add ${article(noun)}` },
      ...(entries > 0 ? some : []),
      { value: 'quit', name: 'Quit' },
    ],
  });
}

async function act(
  action: Exclude<Action, 'quit'>,
  { menu, prompts, rows }: { readonly menu: WizardMenu; readonly prompts: Prompts; readonly rows: HomeTable['rows'] },
): Promise<void> {
  const names = rows.map(([name = '']) => name);
  const choices = rows.map(([name = '', ...shown]) => ({ value: name, name, description: shown.join('  ') }));
  if (action === 'add') return menu.add(prompts);
  if (action === 'update')
    return menu.update(prompts, await prompts.select({ message: `Which ${menu.noun}?`, choices }));
  const chosen = action === 'delete' ? [await prompts.select({ message: `Which ${menu.noun}?`, choices })] : names;
  const isSure = await prompts.confirm({ message: `Delete ${chosen.join(', ')}?`, default: false });
  if (isSure) printChange(await removeEntries(menu.file, chosen), { json: false });
}

function article(noun: string): string {
  return `${noun.startsWith('MCP') ? 'an' : 'a'} ${noun}`;
}
