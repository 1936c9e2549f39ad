import type { ColumnConfig, DeclaredTemplate } from '@data-designer/core';
import {
  compileCondition,
  compileSkip,
  compileTemplate,
  compileValue,
  findMistakes,
  type ParsedTemplate,
  parseTemplate,
} from '@data-designer/template';
import { memberFindings } from './check-members.ts';
import {
  addToColumn,
  type Check,
  has,
  placed,
  runError,
  templateError,
  templateErrorIn,
  templateFailure,
} from './check.ts';
import type { ColumnFacts, ReadTemplate } from './column-facts.ts';

/** Checks that templates compile in the chosen engine, and that prompts differ from row to row. */
export function checkTemplates(check: Check): void {
  for (const facts of check.facts) {
    for (const template of facts.templates) checkTemplate(check, facts, template);
    checkSkipTemplate(check, facts.column);
  }
}

function checkTemplate(check: Check, { column }: ColumnFacts, { declared, parsed, failure }: ReadTemplate): void {
  const { field, role } = declared;
  // The Python tool parses conditions only when it samples.
  const refused = failure ?? (parsed && templateFailure(() => compileDeclared(declared, check)));
  if (refused) {
    const stage = failure && role !== 'condition' ? 'load' : 'run';
    addToColumn(check, column.name, { field, ...templateErrorIn(check, declared.source, refused), stage });
  }
  if (parsed && !refused) {
    checkMistakes(check, column.name, { field, parsed, mode: role === 'condition' ? 'secure' : check.templates });
  }
  for (const told of parsed ? memberFindings(check, parsed.tree) : [])
    addToColumn(check, column.name, { field, ...told });
  if (parsed && (role === 'prompt' || role === 'system-prompt')) checkPrompt(check, column.name, { declared, parsed });
}

/** Reports mistakes that a render would meet; those on a branch as warnings, because a run may never take it. */
function checkMistakes(
  check: Check,
  column: string,
  { field, parsed, mode }: Pick<DeclaredTemplate, 'field'> & { parsed: ParsedTemplate; mode: Check['templates'] },
): void {
  for (const { failure, at, isAlways } of findMistakes(parsed, mode)) {
    const level = isAlways ? 'ERROR' : 'WARNING';
    addToColumn(check, column, { field, ...templateError(failure), ...placed(at), level });
  }
}

function compileDeclared({ role, source }: DeclaredTemplate, { templates }: Check): unknown {
  if (role === 'condition') return compileCondition(source);
  return (role === 'value' ? compileValue : compileTemplate)(source, { mode: templates });
}

function checkSkipTemplate(check: Check, { name, skip }: ColumnConfig): void {
  const refused = skip && templateFailure(() => compileSkip(skip.when));
  const field = ['skip', 'when'];
  if (refused) addToColumn(check, name, { field, ...templateErrorIn(check, skip.when, refused) });
  if (!skip || refused) return;
  const parsed = parseTemplate(skip.when);
  checkMistakes(check, name, { field, parsed, mode: 'native' });
  // A missing value skips the cell.
  for (const told of memberFindings(check, parsed.tree)) {
    addToColumn(check, name, { field, ...told, level: 'WARNING' });
  }
}

function checkPrompt(
  check: Check,
  column: string,
  { declared, parsed }: { declared: DeclaredTemplate; parsed: NonNullable<ReadTemplate['parsed']> },
): void {
  const { field, role, source, mayBeSame = false } = declared;
  const named = parsed.references.length + parsed.globals.filter((name) => has(check, name)).length;
  if (role === 'prompt' && named === 0 && !mayBeSame) {
    const message = 'the prompt refers to no column, so it is the same for every row.';
    const warning = runError('prompt_without_references', message, 'Refer to a column, as in {{ topic }}.');
    addToColumn(check, column, { field, ...warning, stage: 'validate', level: 'WARNING' });
  }
  const braced = bracedNames(source).filter((name) => check.names.has(name) || check.seedColumns?.has(name));
  const [first] = braced;
  if (first === undefined) return;
  const message = `{${first}} has single braces, so it is sent as plain text.`;
  const warning = runError('f_string_syntax', message, `To insert the value, write {{ ${first} }}.`);
  addToColumn(check, column, { field, ...warning, stage: 'validate', level: 'WARNING' });
}

/**
 * The names between single braces as in Python's format strings, without a conversion (`!r`) or a format (`:>8`). Braces
 * around a template or around a key with a value, as in JSON, hold no name.
 */
function bracedNames(source: string): string[] {
  const names: string[] = [];
  let open: number | undefined;
  for (let index = 0; index < source.length; index++) {
    const character = source[index];
    const close = character === '{' ? TAG_ENDS[source[index + 1] ?? ''] : undefined;
    if (close !== undefined) {
      const end = source.indexOf(close, index + 2);
      if (end === -1) break;
      index = end + 1;
      open = undefined;
    } else if (character === '{') open = index + 1;
    else if (character === '}' && open !== undefined) {
      const inner = source.slice(open, index);
      if (!/:\s/.test(inner)) names.push(inner.replace(/[!:].*$/s, '').trim());
      open = undefined;
    }
  }
  return names;
}

/** The end of a template, by the character after its first brace. */
const TAG_ENDS: Readonly<Record<string, string | undefined>> = { '{': '}}', '%': '%}', '#': '#}' };
