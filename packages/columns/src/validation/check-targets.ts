import { type FieldPath, fieldsOf, type Finding, type Surroundings } from '@data-designer/core';

/** Finds target columns that do not hold code of the language (config.md 12, 4 to 6). */
export function checkTargets(targets: readonly string[], codeLang: string, dataset: Surroundings): Finding[] {
  return targets.flatMap((target, index): Finding[] => {
    const place: FieldPath = ['targetColumns', index];
    const column = dataset.columns.get(target);
    if (!column && !dataset.has(target)) return [missing(target, place)];
    if (column?.columnType !== 'llm-code') return [notCode(target, place)];
    const written = String(fieldsOf(column)['codeLang']);
    return written === codeLang ? [] : [mismatch(target, { written, checked: codeLang }, place)];
  });
}

function missing(target: string, place: FieldPath): Finding {
  return {
    stage: 'validate',
    type: 'code_column_missing',
    level: 'ERROR',
    field: place,
    message: `there is no column '${target}' whose code could be checked.`,
    remedy: 'Name a column of type llm-code.',
  };
}

/** A seed column or a side effect may hold code too, so that this is no error. */
function notCode(target: string, place: FieldPath): Finding {
  return {
    stage: 'validate',
    type: 'code_column_not_code',
    level: 'WARNING',
    field: place,
    message: `'${target}' is not known to hold code, for it is not of type llm-code.`,
    remedy: 'Name a column of type llm-code, unless you know what it holds.',
  };
}

function mismatch(target: string, of: { written: string; checked: string }, place: FieldPath): Finding {
  return {
    stage: 'validate',
    type: 'code_lang_mismatch',
    level: 'ERROR',
    field: place,
    message: `'${target}' is written in ${of.written}, but checked as ${of.checked}.`,
    remedy: 'Give both the same code_lang.',
  };
}
