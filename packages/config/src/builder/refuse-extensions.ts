import type { Violation } from '@data-designer/core';
import { extensionsIn } from '../extensions.ts';
import type { WrittenDataset } from '../write-dataset.ts';
import { printPath } from '../violations.ts';
import { refuseAll } from './refuse.ts';

/** Throws `config/invalid` naming everything in a written declaration that the Python tool would not take. */
export function refuseExtensions(written: WrittenDataset, source: string): void {
  const violations = extensionsIn(written).map(({ extension: { name, remedy }, path }): Violation => ({
    stage: 'run',
    type: 'own_extension',
    level: 'ERROR',
    path: printPath(path, written),
    message: `the Python tool does not know ${name}.`,
    remedy,
  }));
  refuseAll(source, violations);
}
