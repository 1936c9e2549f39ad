import { expect, test } from 'vitest';
import type { Row } from '@data-designer/core';
import { compileSkip } from './index.ts';

test.each([
  ['{{ v }}', { v: 0 }, false],
  ['{{ v }}', { v: '0' }, false],
  ['{{ v }}', { v: 'False' }, false],
  ['{{ v }}', { v: '()' }, false],
  ['{{ v }}', { v: '((0))' }, false],
  ['{{ v }}', { v: '( ( ) )' }, false],
  ['{{ v }}', { v: "'' r''" }, false],
  ['{{ v }}', { v: '0x0_0' }, false],
  ['{{ v }}', { v: '(a)' }, true],
  ['{{ v }}', { v: '('.repeat(300) + '0' + ')'.repeat(300) }, true],
  // Checking these texts once took seconds.
  ['{{ v }}', { v: "'".repeat(5001) }, true],
  ['{{ v }}', { v: `(${'x'.repeat(200_000)}` }, true],
  ['{{ v }}', { v: 'no' }, true],
  ['{{ v }}', { v: NaN }, true],
  ['{{ v }} ', { v: 0 }, false],
  ['  {{ v }}', { v: 0 }, false],
  ['{% for x in v %}{{ x }}{% endfor %}', { v: [0, 0] }, false],
  ['{% if v %}1{% endif %}', { v: 0 }, false],
  ['kept {{ v }}', { v: 0 }, true],
  ["{{ v | join(',') == 'a,b' }}", { v: ['a', 'b'] }, true],
] satisfies [string, Row, boolean][])('the skip rule %j for the row %j gives %s', (source, record, skipped) => {
  expect(compileSkip(source)(record)).toBe(skipped);
});

test.each([
  ['{{ ghost }}', "'ghost' has no value"],
  ['{{ v.q }}', /has no value|no attribute/],
  ["{{ v + 'a' }}", /unsupported operand/],
  ['{{ v.__class__ }}', /./],
  ['{{ w.append(1) }}', /./],
])('the rule %j, which cannot be evaluated, skips and tells why', (source, reason) => {
  const told: string[] = [];
  expect(compileSkip(source)({ v: 1, w: [] }, (one) => told.push(one))).toBe(true);
  expect(told).toEqual([expect.stringMatching(reason)]);
});

test('a rule that can be evaluated tells nothing; a division by zero fails', () => {
  const told: string[] = [];
  expect(compileSkip('{{ v > 0 }}')({ v: 1 }, (one) => told.push(one))).toBe(true);
  expect(told).toEqual([]);
  expect(compileSkip('{{ ghost is defined }}')({})).toBe(false);
  expect(() => compileSkip('{{ 1 / v }}')({ v: 0 })).toThrow(expect.objectContaining({ code: 'template/record' }));
});
