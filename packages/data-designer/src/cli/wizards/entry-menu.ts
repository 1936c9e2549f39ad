import type { HomeTable } from '@data-designer/config';
import { asking, tellFailure } from './prompts.ts';

type Prompts = typeof import('@inquirer/prompts');

/** What a wizard does with the entries of one file of the home folder. */
export interface WizardMenu {
  readonly file: 'mcpProviders' | 'toolConfigs';
  /** What an entry is called. */
  readonly noun: string;
  readonly add: (prompts: Prompts) => Promise<void>;
  readonly update: (prompts: Prompts, name: string) => Promise<void>;
  readonly remove: (names: readonly string[]) => Promise<void>;
}

type Action = 'add' | 'update' | 'delete' | 'delete-all' | 'leave';

/** Asks what to do with the entries of a file, until the user is done; each is saved as soon as it is answered. */
export function askMenu(menu: WizardMenu): Promise<void> {
  return asking(async (prompts) => {
    for (;;) {
      const rows = await rowsOf(menu);
      const action = await askAction(prompts, menu, rows.length);
      if (action === 'leave') return;
      try {
        await act(action, { menu, prompts, rows });
      } catch (thrown) {
        if (thrown instanceof Error && thrown.name === 'ExitPromptError') throw thrown;
        tellFailure(thrown);
      }
    }
  });
}

/** The entries as they may be shown, keys hidden. */
async function rowsOf({ file }: WizardMenu): Promise<HomeTable['rows']> {
  const { homeTables, readHome } = await import('@data-designer/config');
  return homeTables(readHome()).find((table) => table.file === file)?.rows ?? [];
}

function askAction({ select }: Prompts, { noun }: WizardMenu, entries: number): Promise<Action> {
  const some: readonly { readonly value: Action; readonly name: string }[] = [
    { value: 'update', name: `Change a ${noun}` },
    { value: 'delete', name: `Delete a ${noun}` },
    { value: 'delete-all', name: 'Delete all of them' },
  ];
  return select<Action>({
    message: `${entries} of the kind ${noun}. What next?`,
    choices: [{ value: 'add', name: `Add a ${noun}` }, ...(entries > 0 ? some : []), { value: 'leave', name: 'Leave' }],
  });
}

async function act(
  action: Exclude<Action, 'leave'>,
  { menu, prompts, rows }: { readonly menu: WizardMenu; readonly prompts: Prompts; readonly rows: HomeTable['rows'] },
): Promise<void> {
  const names = rows.map(([name = '']) => name);
  const choices = rows.map(([name = '', ...shown]) => ({ value: name, name, description: shown.join('  ') }));
  if (action === 'add') return menu.add(prompts);
  if (action === 'update') return menu.update(prompts, await prompts.select({ message: 'Which one?', choices }));
  const chosen = action === 'delete' ? [await prompts.select({ message: 'Which one?', choices })] : names;
  const isSure = await prompts.confirm({ message: `Delete ${chosen.join(', ')}?`, default: false });
  if (isSure) await menu.remove(chosen);
}
