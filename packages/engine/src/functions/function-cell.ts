import {
  type Answered,
  DataDesignerError,
  type FunctionCell,
  type FunctionQuestion,
  type FunctionUse,
  type Question,
} from '@data-designer/core';
import { structuredRecipe } from '@data-designer/columns';
import { endsRun } from '../row-group/failure-scope.ts';
import type { BranchingCell } from './functions.ts';
import { handedOut } from './handed-out.ts';
import { invokeParser } from './invoke-function.ts';

/** What one call of a function is watched for. */
export class FunctionGuard {
  /** What no function may keep to itself: the run is over, or the journal ends here. */
  failure: DataDesignerError | undefined;
  /** Whether the function has ended: from then on it may ask nothing. */
  isOver = false;

  /** Remembers a failure that is not about the cell alone. */
  note(thrown: unknown): void {
    const failure = DataDesignerError.fromUnknown(thrown);
    if (failure.code === 'journal/ends' || endsRun(failure)) this.failure ??= failure;
  }
}

/** The name of a function, what it may use, and what it is watched for. */
export interface FunctionCellParts {
  readonly name: string;
  readonly use: FunctionUse;
  readonly guard: FunctionGuard;
}

/** A cell as a function sees it: it asks the models that it has declared, and each question counts its calls apart. */
export function functionCell(cell: BranchingCell, parts: FunctionCellParts): FunctionCell {
  const { guard } = parts;
  const guarded = async <Value>(work: () => Promise<Value>): Promise<Value> => {
    if (guard.isOver) throw new DataDesignerError('run/aborted', { reason: 'the cell is made' });
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
      handedOut(guarded(() => cell.branch().ask(questionOf(question, parts)) as Promise<Answered<Answer>>)),
    outside: (name, work) => handedOut(guarded(() => cell.branch().outside(name, work))),
  };
}

/** What a model is asked for a function; throws `column/bad-result` for aliases that were not declared. */
function questionOf<Answer>(asked: FunctionQuestion<Answer>, { name, use }: FunctionCellParts): Question<unknown> {
  const { modelAlias, toolAlias, prompt, systemPrompt, shape } = asked;
  mustBeDeclared(modelAlias, use.models, { name, list: 'modelAliases' });
  if (toolAlias !== undefined) mustBeDeclared(toolAlias, use.tools, { name, list: 'toolAliases' });
  const recipe = shape && structuredRecipe(shape);
  const suffix = recipe?.instructions === undefined ? '' : `\n\n${recipe.instructions}`;
  const own = asked.parse as ((answer: unknown) => unknown) | undefined;
  return {
    modelAlias,
    toolAlias,
    prompt: () => prompt + suffix,
    systemPrompt: systemPrompt === undefined ? undefined : () => systemPrompt,
    shape: recipe?.shape,
    parse: (text, mend) => {
      const answer = recipe ? recipe.parse(text, mend) : text;
      return own ? invokeParser(name, () => own(answer)) : answer;
    },
  };
}

function mustBeDeclared(
  alias: string,
  declared: readonly string[] = [],
  { name, list }: { readonly name: string; readonly list: string },
): void {
  if (declared.includes(alias)) return;
  const reason = `it asks for '${alias}', which is not among its ${list} (${declared.join(', ') || 'none'}): what a run uses must be known before it`;
  throw new DataDesignerError('function/threw', { function: name, reason });
}
