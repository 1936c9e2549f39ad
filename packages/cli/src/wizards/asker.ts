import type { Prompts } from './prompts.ts';

/** Thrown by a question when the user presses Esc. */
export class GoBack extends Error {
  override readonly name = 'GoBack';
}

/** Validates a text: true, or what is wrong with it. */
export type Validate = (text: string) => true | string | Promise<true | string>;

interface TextQuestion {
  readonly message: string;
  /** The text to edit: an earlier answer, or a suggestion. */
  readonly before?: string | undefined;
  readonly validate?: Validate;
  /** Whether the text is hidden. */
  readonly isSecret?: boolean;
}

interface Choice<Value> {
  readonly value: Value;
  readonly name: string;
  readonly description?: string;
}

interface Context {
  readonly signal: AbortSignal;
  clearPromptOnDone: boolean;
}

/** Asks questions that the user can leave with Esc (`GoBack`); a text that was typed before that is offered again. */
export class Asker {
  readonly #prompts: Prompts;
  readonly #drafts = new Map<string, string>();

  constructor(prompts: Prompts) {
    this.#prompts = prompts;
  }

  /** Asks for a text, without spaces around it; `before` can be edited. */
  async text({ message, before = '', validate = () => true, isSecret = false }: TextQuestion): Promise<string> {
    let typed = this.#drafts.get(message) ?? before;
    let isAccepted = false;
    const shown = (text: string): string => (isSecret ? '*'.repeat(text.length) : text);
    await this.#escapable((context) =>
      this.#prompts.input(
        {
          message,
          default: typed,
          prefill: 'editable',
          // The prompt answers an emptied text with its default, so the text that it shows is the answer.
          transformer: (value) => {
            if (!isAccepted) typed = value;
            this.#drafts.set(message, typed);
            return shown(typed);
          },
          theme: { style: { defaultAnswer: () => '' } },
          validate: async () => {
            const verdict = await validate(typed.trim());
            isAccepted = verdict === true;
            return verdict;
          },
        },
        context,
      ),
    );
    this.#drafts.delete(message);
    return typed.trim();
  }

  /** Asks for one of several values. */
  select<Value>(
    message: string,
    choices: readonly Choice<Value>[],
    options: { readonly before?: Value | undefined } = {},
  ): Promise<Value> {
    const { before } = options;
    return this.#escapable((context) =>
      this.#prompts.select<Value>({ message, choices, ...(before === undefined ? {} : { default: before }) }, context),
    );
  }

  /** Asks for a yes or a no. */
  confirm(message: string, before: boolean): Promise<boolean> {
    return this.#escapable((context) => this.#prompts.confirm({ message, default: before }, context));
  }

  /** Asks for at least one of several names. */
  checkbox(message: string, names: readonly string[], before: readonly string[]): Promise<readonly string[]> {
    const choices = names.map((name) => ({ value: name, checked: before.includes(name) }));
    return this.#escapable((context) => this.#prompts.checkbox({ message, required: true, choices }, context));
  }

  /** Asks for one of many names, found by a part of it, or for another name. */
  async search(message: string, names: readonly string[], before: string | undefined): Promise<string> {
    const earlier = [this.#drafts.get(message), before].filter((name) => name !== undefined && name !== '');
    const all = [...new Set([...earlier, ...names])].filter((name) => name !== undefined);
    let term = '';
    const matches = (name: string): boolean => name.toLowerCase().includes(term.toLowerCase());
    const source = (text = ''): { readonly value: string; readonly name: string }[] => {
      term = text.trim();
      this.#drafts.set(message, term);
      const found = all.filter(matches);
      const listed = found.map((value) => ({ value, name: value }));
      return term === '' || found.includes(term) ? listed : [...listed, { value: term, name: `${term} (not listed)` }];
    };
    const chosen = await this.#escapable((context) => this.#prompts.search({ message, source }, context));
    this.#drafts.delete(message);
    // Text that is pasted with its Enter answers before the list is filtered.
    return matches(chosen) ? chosen : (all.find(matches) ?? term);
  }

  async #escapable<Value>(ask: (context: Context) => Promise<Value>): Promise<Value> {
    const escaped = new AbortController();
    const context: Context = { signal: escaped.signal, clearPromptOnDone: false };
    const onKey = (_: unknown, key?: { readonly name?: string }): void => {
      if (key?.name !== 'escape') return;
      context.clearPromptOnDone = true;
      escaped.abort();
    };
    process.stdin.on('keypress', onKey);
    try {
      return await ask(context);
    } catch (thrown) {
      throw escaped.signal.aborted ? new GoBack() : thrown;
    } finally {
      process.stdin.off('keypress', onKey);
    }
  }
}

/** Asks for texts until one is empty; Esc goes back to the text before, and an emptied earlier text is left out. */
export async function askTexts(
  asker: Asker,
  label: string,
  { before = [], validate = () => true }: { readonly before?: readonly string[]; readonly validate?: Validate } = {},
): Promise<readonly string[]> {
  const texts = [...before];
  for (let index = 0; ;) {
    const question = {
      message: `${label} ${index + 1} (empty to finish)`,
      before: texts[index],
      validate: (text: string) => text === '' || validate(text),
    };
    const text = await asker.text(question).catch((thrown: unknown) => {
      if (!(thrown instanceof GoBack) || index === 0) throw thrown;
      return undefined;
    });
    if (text === '' && index >= texts.length) return texts;
    if (text === undefined) index--;
    else if (text === '') texts.splice(index, 1);
    else texts[index++] = text;
  }
}
