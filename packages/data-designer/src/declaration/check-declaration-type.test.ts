import { expect, test } from 'vitest';
import { DataDesignerConfigBuilder } from '../config-builder.ts';
import { DataDesigner } from '../data-designer.ts';
import type { Declared } from './declaration.ts';

const GIVEN: readonly (readonly [string, () => unknown, string])[] = [
  ['a path', () => 'facts.yaml', "config: 'facts.yaml' is none. Give a DataDesignerConfigBuilder; its fromConfig"],
  ['nothing', () => undefined, 'config: undefined is none.'],
  ['a mapping', () => ({ columns: [] }), 'config: { columns: [] } is none.'],
  ['a promise', () => DataDesignerConfigBuilder.fromConfig('columns: []\n'), 'Wait for it first (await).'],
];

test.each(GIVEN)('%s in place of a config is told as such, whatever is asked for', async (_, given, said) => {
  await using designer = new DataDesigner();
  const value = given();
  if (value instanceof Promise) value.catch(() => undefined);
  const declared = value as Declared;
  const refused = { code: 'config/invalid', message: expect.stringContaining(said) as string };
  await expect(designer.preview(declared)).rejects.toMatchObject(refused);
  await expect(designer.check(declared)).rejects.toMatchObject(refused);
  await expect(designer.create(declared)).rejects.toMatchObject(refused);
});
