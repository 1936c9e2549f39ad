import type { ColumnRegistry } from '../column-registry.ts';
import { addAt, type Check } from './check.ts';
import { factsOf } from './column-facts.ts';

/**
 * A column that a later one of its name replaces must be one that loads all the same: the reference tool reads every
 * declaration before it puts them together.
 */
export function checkReplaced(check: Check, registry: ColumnRegistry): void {
  for (const { column, index } of check.parsed.replaced) {
    const { templates, skipReferences, writes } = factsOf(column, registry);
    for (const { declared, failure } of templates) {
      if (!failure || declared.role === 'condition') continue;
      const { code: type, message } = failure;
      addAt(check, ['columns', index, ...declared.field], { stage: 'load', type, level: 'ERROR', message, remedy: '' });
    }
    const own = skipReferences.find(({ name }) => writes.some((one) => one.name === name));
    if (!own) continue;
    const message = `it asks for '${own.name}', which the column makes itself.`;
    const told = { stage: 'load', type: 'skip_on_itself', level: 'ERROR', message } as const;
    addAt(check, ['columns', index, 'skip', 'when'], { ...told, remedy: 'Name another column.' });
  }
}
