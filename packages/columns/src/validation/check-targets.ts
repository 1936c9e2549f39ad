import { fieldsOf, type Finding, type Surroundings } from '@data-designer/core';
import { type FindingText, runFinding } from '../run-finding.ts';

/** Finds target columns that do not hold code of the language (config.md 12, 4 to 6). */
export function checkTargets(targets: readonly string[], codeLang: string, dataset: Surroundings): Finding[] {
  return targets.flatMap((target, index): Finding[] => {
    const found = mistakeInTarget(target, codeLang, dataset);
    return found ? [{ ...runFinding(['targetColumns', index], found), stage: 'validate' }] : [];
  });
}

function mistakeInTarget(target: string, codeLang: string, dataset: Surroundings): FindingText | undefined {
  const column = dataset.columns.get(target);
  if (!column && !dataset.has(target)) {
    const message = `there is no column '${target}'.`;
    return { type: 'code_column_missing', message, remedy: 'Use a column of type llm-code.' };
  }
  if (column?.columnType !== 'llm-code') {
    // A warning: a seed column or a side effect may hold code too.
    return {
      type: 'code_column_not_code',
      level: 'WARNING',
      message: `the column '${target}' may not contain code, because it is not an llm-code column.`,
      remedy: 'Use a column of type llm-code, or ignore this if the column contains code.',
    };
  }
  const written = String(fieldsOf(column)['codeLang']);
  if (written === codeLang) return undefined;
  const message = `the column '${target}' contains ${written}, but is validated as ${codeLang}.`;
  return { type: 'code_lang_mismatch', message, remedy: 'Use the same code_lang in both columns.' };
}
