import { columnTypes } from '@data-designer/columns';
import { checkDataset, ColumnRegistry, parseDataset, parseDocument } from '@data-designer/config';
import { DataDesignerError, printViolations, type Violation } from '@data-designer/core';
import { configCorpus } from './config-corpus.ts';
import type { FuzzCase, FuzzTarget } from './fuzz-target.ts';
import { mutateConfig } from './mutate-config.ts';

const registry = new ColumnRegistry(columnTypes);

/** The stages of mistakes, the earliest first. */
const STAGES = ['load', 'validate', 'run'] as const satisfies readonly Violation['stage'][];

/** The parser and checks of configs: from a file's text to all its violations. */
export function configTarget(): FuzzTarget {
  const corpus = configCorpus();
  return { folder: corpus.folder, caseOf: (random) => mutateConfig(corpus, random), check };
}

function check(one: FuzzCase): string {
  const before = Object.keys(Object.prototype).length;
  const outcome = outcomeOf(one);
  if (Object.keys(Object.prototype).length !== before) throw new Error('the case changed Object.prototype');
  return outcome;
}

/** `unreadable`, the stage of the earliest error, or `valid`. */
function outcomeOf(one: FuzzCase): string {
  try {
    const violations = checkText(one);
    printViolations(violations);
    const errors = new Set(violations.filter(({ level }) => level === 'ERROR').map(({ stage }) => stage));
    return STAGES.find((stage) => errors.has(stage)) ?? 'valid';
  } catch (thrown) {
    if (thrown instanceof DataDesignerError && thrown.code === 'config/unreadable') return 'unreadable';
    throw thrown;
  }
}

/** All violations of a config's text; throws what parsing throws. */
function checkText({ text, json }: Pick<FuzzCase, 'text' | 'json'>): readonly Violation[] {
  const document = parseDocument(text, { path: 'the case', json });
  return checkDataset(parseDataset(document, registry), { registry });
}
