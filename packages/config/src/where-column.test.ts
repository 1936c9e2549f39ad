import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { compileTemplate } from '@data-designer/template';
import { whereTemplate } from './where-column.ts';

const GUIDE = join(import.meta.dirname, '../../../docs/guide/traces.md');

test('the condition of the guide accepts the rows with a tool call', () => {
  const [, where = ''] = /--where '(.*answer__trace.*)' -d/.exec(readFileSync(GUIDE, 'utf8')) ?? [];
  const render = compileTemplate(whereTemplate(where));
  const said = (...roles: string[]) => render({ answer__trace: roles.map((role) => ({ role, content: 'x' })) });
  expect(said('user', 'assistant', 'tool', 'assistant')).toBe('True');
  expect(said('user', 'assistant')).toBe('False');
});
