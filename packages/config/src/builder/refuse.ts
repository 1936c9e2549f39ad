import { DataDesignerError, type Violation } from '@data-designer/core';

/** What is wrong at a place of a declaration. */
export type Mistake = Pick<Violation, 'type' | 'path' | 'message' | 'remedy'>;

/** The `config/invalid` of one mistake that is seen at once. */
export function invalid(source: string, mistake: Mistake): DataDesignerError {
  return new DataDesignerError('config/invalid', {
    source,
    violations: [{ stage: 'load', level: 'ERROR', ...mistake }],
  });
}

/** Throws `config/invalid` when there is an error among findings. */
export function refuseAll(source: string, violations: readonly Violation[]): void {
  if (violations.some(({ level }) => level === 'ERROR'))
    throw new DataDesignerError('config/invalid', { source, violations });
}
