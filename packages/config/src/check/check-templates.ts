import { type ColumnConfig, DataDesignerError, type DeclaredTemplate, type Violation } from '@data-designer/core';
import { compileCondition, compileSkip, compileTemplate } from '@data-designer/template';
import { addToColumn, type Check, has } from './check.ts';
import type { ColumnFacts, ReadTemplate } from './column-facts.ts';

/** Templates must be readable, and the chosen engine must render them; prompts should differ from row to row. */
export function checkTemplates(check: Check): void {
  for (const facts of check.facts) {
    for (const template of facts.templates) checkTemplate(check, facts, template);
    checkSkipTemplate(check, facts.column);
  }
}

function checkTemplate(check: Check, { column }: ColumnFacts, { declared, parsed, failure }: ReadTemplate): void {
  const { field, role } = declared;
  // The reference tool reads conditions only when it samples.
  const refused = failure ?? (parsed ? refusal(() => compileDeclared(declared, check)) : undefined);
  if (refused) {
    const stage = failure && role !== 'condition' ? 'load' : 'run';
    addToColumn(check, column.name, { field, ...say(refused), stage });
  }
  if (parsed && (role === 'prompt' || role === 'system-prompt')) checkPrompt(check, column.name, { declared, parsed });
}

function compileDeclared({ role, source }: DeclaredTemplate, { templates }: Check): unknown {
  return role === 'condition' ? compileCondition(source) : compileTemplate(source, { mode: templates });
}

function checkSkipTemplate(check: Check, { name, skip }: ColumnConfig): void {
  const refused = skip ? refusal(() => compileSkip(skip.when)) : undefined;
  if (refused) addToColumn(check, name, { field: ['skip', 'when'], ...say(refused), stage: 'run' });
}

/** Why a template cannot be used; anything else that is thrown is thrown on. */
function refusal(compile: () => unknown): DataDesignerError | undefined {
  try {
    compile();
    return undefined;
  } catch (thrown) {
    const failure = DataDesignerError.fromUnknown(thrown);
    if (!failure.code.startsWith('template/')) throw failure;
    return failure;
  }
}

function say({ code, message }: DataDesignerError): Pick<Violation, 'type' | 'level' | 'message' | 'remedy'> {
  return { type: code, level: 'ERROR', message, remedy: '' };
}

function checkPrompt(
  check: Check,
  column: string,
  { declared, parsed }: { declared: DeclaredTemplate; parsed: NonNullable<ReadTemplate['parsed']> },
): void {
  const { field, role, source, mayBeSame = false } = declared;
  const named = parsed.references.length + parsed.globals.filter((name) => has(check, name)).length;
  if (role === 'prompt' && named === 0 && !mayBeSame) {
    addToColumn(check, column, {
      field,
      stage: 'validate',
      type: 'prompt_without_references',
      level: 'WARNING',
      message: 'it names no column, so that every row asks the same.',
      remedy: 'Name a column, as {{ topic }}.',
    });
  }
  const braced = bracedNames(source).filter((name) => check.names.has(name) || check.seedColumns?.has(name));
  const [first] = braced;
  if (first === undefined) return;
  addToColumn(check, column, {
    field,
    stage: 'validate',
    type: 'f_string_syntax',
    level: 'WARNING',
    message: `{${first}} stays as it is: one pair of braces means nothing in a template.`,
    remedy: `Write {{ ${first} }}.`,
  });
}

/**
 * The names between single braces, as the fields of a Python format string, less what follows `!` or `:`; doubled
 * braces are text. What is not balanced is left out.
 */
function bracedNames(source: string): string[] {
  const names: string[] = [];
  let open: number | undefined;
  for (let index = 0; index < source.length; index++) {
    const character = source[index];
    if (character !== '{' && character !== '}') continue;
    if (open === undefined && source[index + 1] === character) index++;
    else if (character === '{') open = index + 1;
    else if (open !== undefined) {
      names.push(
        source
          .slice(open, index)
          .replace(/[!:].*$/s, '')
          .trim(),
      );
      open = undefined;
    }
  }
  return names;
}
