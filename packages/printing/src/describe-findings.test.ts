import { expect, test } from 'vitest';
import { type AnswerFlaw, FLAW_NAMES } from '@data-designer/core';
import type { RunFindings } from '@data-designer/engine';
import { describeFindings } from './describe-findings.ts';

const NONE = { failedCells: [], toolFailures: [], toolRecoveries: [], flaws: [], droppedTools: [] };

function told(flaw: AnswerFlaw): string {
  const counts = Object.fromEntries(FLAW_NAMES.map((name) => [name, name === flaw ? 3 : 0]));
  const flaws = [{ column: 't', ...counts }] as unknown as RunFindings['flaws'];
  return describeFindings({ ...NONE, flaws }).join('\n');
}

test('empty answers come with what to check', () => {
  expect(told('empty')).toMatch(/used as they are: 3 empty\. For the empty ones, check 'max_tokens'/);
  expect(told('repaired')).not.toContain('empty');
});
