import { expect, test } from 'vitest';
import { whyUnknown } from './state-view.tsx';

const BEFORE = { field: null, value: null, changes: [], isCut: false };

test('the page says that the changes of each call are not known, and which changes it shows instead', () => {
  expect(whyUnknown({ calls: null, before: BEFORE })).toMatch(/not known.*above are those of all calls together\.$/);
  expect(whyUnknown({ calls: null, before: null })).toMatch(/not known.*made again\.$/);
  expect(whyUnknown({ calls: [], before: BEFORE })).toBeUndefined();
});
