import { DataDesignerError, type Violation } from '@data-designer/core';

/** An error at a path of a declaration. */
export type Mistake = Pick<Violation, 'type' | 'path' | 'message' | 'remedy'>;

/** The `config/invalid` for one error. */
export function invalid(source: string, mistake: Mistake): DataDesignerError {
  return new DataDesignerError('config/invalid', {
    source,
    violations: [{ stage: 'load', level: 'ERROR', ...mistake }],
  });
}

/** Throws `config/invalid` if there is an error among findings. */
export function refuseAll(source: string, violations: readonly Violation[]): void {
  if (violations.some(({ level }) => level === 'ERROR'))
    throw new DataDesignerError('config/invalid', { source, violations });
}
