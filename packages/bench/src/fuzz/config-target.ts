import { DataDesignerError, printViolations, type Violation } from '@data-designer/core';
import { checkText } from './check-text.ts';
import { configCorpus } from './config-corpus.ts';
import type { FuzzCase, FuzzTarget } from './fuzz-target.ts';
import { mutateConfig } from './mutate-config.ts';

/** When a mistake shows, the earliest first. */
const STAGES = ['load', 'validate', 'run'] as const satisfies readonly Violation['stage'][];

/** The readers of configs: from the text of a file to everything that is wrong with it. */
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
