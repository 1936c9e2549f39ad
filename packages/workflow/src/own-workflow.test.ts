import { join } from 'node:path';
import { expect, test } from 'vitest';
import { OwnWorkflow } from './own-workflow.ts';

test('the functions of a stage are found from its folder and from those in it', () => {
  const own = new OwnWorkflow();
  const functions = new Map([['f', () => Promise.resolve(1)]]);
  own.functions.set(join('flow', 'stage-1'), functions);
  expect(own.functionsIn(join('flow', 'stage-1'))).toBe(functions);
  expect(own.functionsIn(join('flow', 'stage-1', 'candidates'))).toBe(functions);
  for (const other of ['stage-10', 'stage-0']) expect(own.functionsIn(join('flow', other)).size).toBe(0);
  expect(own.run).toBeUndefined();
  own.begin('a-run');
  expect(own.run).toBe('a-run');
});
