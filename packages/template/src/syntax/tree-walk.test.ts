import { expect, test } from 'vitest';
import { StatementParser } from './statement-parser.ts';
import { complexityOf } from './tree-walk.ts';

test.each([
  ['x', 2, 3],
  ['{{ a }}', 2, 3],
  ['{{ a.b.c }}', 4, 5],
  ['{{ a|upper }}', 3, 4],
  ['{{ a > 1 and b < 2 }}', 10, 6],
  ['{% if a %}x{% endif %}', 4, 4],
  ['{% if a %}{% if a %}{% if a %}{% if a %}{{ e }}{% endif %}{% endif %}{% endif %}{% endif %}', 10, 7],
  ['{{ a[1:2] }}', 6, 5],
  ['{{ f(a, k=b) }}', 6, 5],
  ["{{ {'a':1} }}", 5, 5],
  ["{{ 'a' 'b' }}{# nothing #}", 2, 3],
  ['{{ a ~ b ~ c }}', 5, 4],
])('%s counts %i nodes and %i levels, as Jinja2 counts them', (source, nodes, depth) => {
  expect(complexityOf(new StatementParser(source).parseTemplate())).toEqual({ nodes, depth });
});
