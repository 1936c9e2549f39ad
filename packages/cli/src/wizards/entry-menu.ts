import type { HomeFile, HomeTable } from '@data-designer/config';
import { pluralize } from '@data-designer/printing';
import { printChange, removeEntries } from '../save-entry.ts';
import { Asker, GoBack } from './asker.ts';
import { fillForm, type Form } from './form.ts';
import { isInterruption, printFailure, withPrompts } from './prompts.ts';

/** A wizard for the entries of one file of the home folder. */
export interface Wizard<Answers> {
  readonly file: HomeFile;
  /** The name of an entry in prompts. */
  readonly noun: string;
  /** The form of a new entry, or of the entry of a name; it may read the names of all entries. */
  readonly form: (name: string | undefined, names: readonly string[]) => Form<Answers>;
  /** The answers that an existing entry stands for. */
  readonly answersOf: (name: string) => Promise<Partial<Answers>>;
  /** Called after entries are deleted. */
  readonly afterDelete?: (asker: Asker, stillNamedBy: readonly string[]) => Promise<void>;
}

type Action = 'add' | 'update' | 'delete' | 'delete-all' | 'quit';

/** Offers actions on the entries of a file until the user quits; each change is saved at once. */
export function askMenu<Answers>(wizard: Wizard<Answers>): Promise<void> {
  return withPrompts(async (prompts) => {
    const menu = new Menu(wizard, new Asker(prompts));
    while (await menu.act());
  });
}

class Menu<Answers> {
  readonly #wizard: Wizard<Answers>;
  readonly #asker: Asker;
  /** The answers about a new entry that the user has left: they are offered again. */
  #draft: Partial<Answers> = {};

  constructor(wizard: Wizard<Answers>, asker: Asker) {
    this.#wizard = wizard;
    this.#asker = asker;
  }

  /** Does one thing that the user chooses; false to quit. */
  async act(): Promise<boolean> {
    try {
      const rows = await this.#rows();
      const action = await this.#askAction(rows.length).catch(quitOnBack);
      if (action === 'quit') return false;
      await (action === 'add' ? this.#add(namesOf(rows)) : this.#change(action, rows));
    } catch (thrown) {
      if (isInterruption(thrown)) throw thrown;
      if (!(thrown instanceof GoBack)) printFailure(thrown);
    }
    return true;
  }

  /** The entries with masked keys. */
  async #rows(): Promise<HomeTable['rows']> {
    const { homeTables, readHome } = await import('@data-designer/config');
    return homeTables(readHome()).find((table) => table.file === this.#wizard.file)?.rows ?? [];
  }

  #askAction(entries: number): Promise<Action> {
    const { noun, file } = this.#wizard;
    // The file of model providers may not be empty; `config reset` deletes it.
    const all = [{ value: 'delete-all', name: `Delete all ${noun}s` }] as const;
    const some = [
      { value: 'update', name: `Change ${article(noun)}` },
      { value: 'delete', name: `Delete ${article(noun)}` },
      ...(file === 'modelProviders' ? [] : all),
    ] as const;
    return this.#asker.select<Action>(
      `${entries === 0 ? `No ${noun}s yet` : pluralize(entries, noun)}. What would you like to do?`,
      [{ value: 'add', name: `Add ${article(noun)}` }, ...(entries > 0 ? some : []), { value: 'quit', name: 'Quit' }],
    );
  }

  async #add(names: readonly string[]): Promise<void> {
    const form = this.#wizard.form(undefined, names);
    this.#draft = (await fillForm(this.#asker, form, this.#draft)) ?? {};
  }

  async #change(action: Exclude<Action, 'add' | 'quit'>, rows: HomeTable['rows']): Promise<void> {
    const { noun, file, form, answersOf, afterDelete } = this.#wizard;
    const names = namesOf(rows);
    const choices = rows.map(([name = '', ...shown]) => ({ value: name, name, description: shown.join('  ') }));
    const chosen = action === 'delete-all' ? names : [await this.#asker.select(`Which ${noun}?`, choices)];
    if (action === 'update') {
      const [name = ''] = chosen;
      await fillForm(this.#asker, form(name, names), await answersOf(name));
      return;
    }
    if (!(await this.#asker.confirm(`Delete ${chosen.join(', ')}?`, false))) return;
    const deleted = await removeEntries(file, chosen);
    printChange(deleted, { json: false });
    await afterDelete?.(this.#asker, deleted.stillNamedBy);
  }
}

function quitOnBack(thrown: unknown): 'quit' {
  if (thrown instanceof GoBack) return 'quit';
  throw thrown;
}

function namesOf(rows: HomeTable['rows']): readonly string[] {
  return rows.map(([name = '']) => name);
}

function article(noun: string): string {
  return `${noun.startsWith('MCP') ? 'an' : 'a'} ${noun}`;
}
