import { expect, test } from 'vitest';
import { asciiFolded } from './ascii-fold.ts';

test.each([
  ['Ada', 'ada'],
  ['Ångström', 'angstrom'],
  ["O'Neill-Smith Jr.", 'oneillsmithjr'],
  ['José María', 'josemaria'],
  ['Weiß', 'weiss'],
  ['Łukasz Østergård', 'lukaszostergard'],
  ['ＡＢ１', 'ab1'],
  ['İnönü', 'inonu'],
  ['山田', ''],
  ['सीता', ''],
  ['', ''],
])('%s is spelled %s', (name, spelled) => {
  expect(asciiFolded(name)).toBe(spelled);
});
