import {
  type AnsweredQuestion,
  DataDesignerError,
  type FunctionCell,
  type FunctionQuestion,
  type FunctionUse,
  type Question,
  readHistory,
  type Row,
  unknownMember,
} from '@data-designer/core';
import { structuredRecipe } from '@data-designer/columns';
import { endsRun } from './failure-scope.ts';
import type { BranchingCell } from './functions.ts';
import { allowUnhandled, invokeParser } from './invoke-function.ts';

/** Watches one call of a function. */
export class FunctionGuard {
  /** A failure that a function must not swallow: the run is over, or the journal of a dry replay ends here. */
  failure: DataDesignerError | undefined;
  /** Whether the function has returned: from then on it may request nothing. */
  isOver = false;

  /** Keeps a failure that concerns more than the cell. */
  note(thrown: unknown): void {
    const failure = DataDesignerError.fromUnknown(thrown);
    if (failure.code === 'journal/ends' || endsRun(failure)) this.failure ??= failure;
  }
}

/** A function call: the function's name, what it may use, and its guard. */
export interface FunctionCellParts {
  readonly name: string;
  readonly use: FunctionUse;
  readonly guard: FunctionGuard;
}

/** A cell as a function sees it: it can ask the models it declared, and each question numbers its calls apart. */
export function functionCell(cell: BranchingCell, parts: FunctionCellParts): FunctionCell {
  const { guard } = parts;
  const guarded = async <Value>(work: () => Promise<Value>): Promise<Value> => {
    if (guard.isOver) throw new DataDesignerError('run/aborted', { reason: 'the cell is finished' });
    try {
      return await work();
    } catch (thrown) {
      guard.note(thrown);
      throw thrown;
    }
  };
  return {
    rowIndex: cell.rowIndex,
    random: cell.random,
    signal: cell.signal,
    ask: <Answer = string>(question: FunctionQuestion<Answer>) =>
      allowUnhandled(
        guarded(async () => {
          const { value, messages } = await cell.branch().ask(questionOf(question, parts, cell.row));
          return { value, messages } as AnsweredQuestion<Answer>;
        }),
      ),
    recordOutcome: (name, work) => allowUnhandled(guarded(() => cell.branch().recordOutcome(name, work))),
  };
}

/** A function's question for a model; throws `function/threw` for an alias that the function did not declare. */
function questionOf<Answer>(
  asked: FunctionQuestion<Answer>,
  { name, use }: FunctionCellParts,
  row: Row,
): Question<unknown> {
  const { modelAlias, toolAlias, prompt = '', history, systemPrompt, shape } = asked;
  const given = Object.entries(asked).flatMap(([member, value]: [string, unknown]) =>
    value === undefined ? [] : [member],
  );
  const unknown = unknownMember(given, MEMBERS);
  // A question with another member would be asked without it.
  if (unknown !== undefined) throw threw(name, `its question has an ${unknown}`);
  mustBeDeclared(modelAlias, use.models, { name, list: 'modelAliases' });
  if (toolAlias !== undefined) mustBeDeclared(toolAlias, use.tools, { name, list: 'toolAliases' });
  const recipe = shape && structuredRecipe(shape);
  const asking = [prompt, recipe?.instructions ?? ''].filter((part) => part !== '').join('\n\n');
  if (prompt === '' && history === undefined) throw threw(name, "its question has neither 'prompt' nor 'history'");
  const own = asked.parse as ((answer: unknown) => unknown) | undefined;
  return {
    modelAlias,
    toolAlias,
    prompt: () => asking,
    history: history && (() => readHistory(history, { column: `history of ${name}`, isAnswered: asking === '', row })),
    systemPrompt: systemPrompt === undefined ? undefined : () => systemPrompt,
    shape: recipe?.shape,
    parse: (text, mend, note) => {
      const answer = recipe ? recipe.parse(text, mend, note) : text;
      return own ? invokeParser(name, () => own(answer)) : answer;
    },
  };
}

const MEMBERS = [
  'modelAlias',
  'prompt',
  'history',
  'systemPrompt',
  'toolAlias',
  'shape',
  'parse',
] as const satisfies (keyof FunctionQuestion<unknown>)[];

function threw(name: string, reason: string): DataDesignerError {
  return new DataDesignerError('function/threw', { function: name, reason });
}

function mustBeDeclared(
  alias: string,
  declared: readonly string[] = [],
  { name, list }: { readonly name: string; readonly list: string },
): void {
  if (declared.includes(alias)) return;
  const reason = `it uses '${alias}', which its ${list} (${declared.join(', ') || 'none'}) do not include; add it there`;
  throw threw(name, reason);
}
