import { type FieldPath, messageOf } from '@data-designer/core';
import { type Environment, kindOf } from '@data-designer/environments';
import { addAt, addToColumn, type Check, runError } from './check.ts';

/** A text that must be JSON, and where it stands. */
interface JsonText {
  readonly source: string;
  readonly column?: string;
  readonly path: FieldPath;
}

/** Finds JSON that cannot be read in the values that an environment begins with, or in the columns that these are. */
export function checkJsonTexts(check: Check, environment: Environment, index: number): void {
  for (const { source, field, as } of kindOf(environment).templates(environment)) {
    if (as !== 'value') continue;
    const text = textBehind(check, { source, path: ['environments', index, ...field] });
    const reason = jsonProblem(text.source);
    if (reason === undefined) continue;
    const message = `the text is no JSON, as ${field.join('.')} of the environment '${environment.name}' must be: ${reason}.`;
    // A template may give more than a value, so that only a text without one is surely wrong.
    const level = text.source.includes('{{') ? 'WARNING' : 'ERROR';
    const told = { ...runError('invalid_json', message, 'Correct it.'), level } as const;
    if (text.column === undefined) addAt(check, text.path, told);
    else if (!check.told.has(check.parsed.columnPath(text.column, ...text.path))) {
      addToColumn(check, text.column, { field: text.path, ...told });
    }
  }
}

/** The text that a template gives: its own, or that of the column which it names, where this renders one without a model. */
function textBehind(check: Check, own: JsonText): JsonText {
  const [, column] = /^\{\{-?\s*(\w+)\s*-?\}\}$/.exec(own.source.trim()) ?? [];
  const [only, ...others] = check.facts.find((facts) => facts.column.name === column)?.templates ?? [];
  if (column === undefined || only?.declared.role !== 'expression' || others.length > 0) return own;
  return { source: only.declared.source, column, path: only.declared.field };
}

/** Why a text is no JSON, with 0 in place of what is between double braces; undefined if it is, or may be. */
function jsonProblem(source: string): string | undefined {
  const text = source.trim();
  if (!/^(?:\[|\{(?![{%#]))/.test(text) || /\{[%#]/.test(text)) return undefined;
  const filled = text.replaceAll(/\{\{.*?\}\}/gs, '0');
  try {
    JSON.parse(filled);
    return undefined;
  } catch (thrown) {
    const [, at] = /at position (\d+)/.exec(messageOf(thrown)) ?? [];
    const end = at === undefined ? filled.length : Number(at) + 1;
    const [what = ''] = messageOf(thrown).split(/ (?:in JSON at|at) position /);
    return `${what.replace(/^./, (letter) => letter.toLowerCase())} behind ${JSON.stringify(filled.slice(Math.max(0, end - 30), end))}`;
  }
}
