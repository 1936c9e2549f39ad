import { expect, test } from 'vitest';
import { compileTemplate } from '../index.ts';

const render = (source: string): string => compileTemplate(source)({});

test.each([
  ["{{ '%s|%5s|%-5s|%05d|%x|%X|%o|%%' % ('a', 'r', 'l', 42, 255, 255, 8) }}", 'a|    r|l    |00042|ff|FF|10|%'],
  ["{{ '%.2f %e %g %+.1e' % (3.14159, 1234.5, 0.00001, 12345.0) }}", '3.14 1.234500e+03 1e-05 +1.2e+04'],
  ["{{ '%(a)s %(b)d' % {'a': 1, 'b': 2.9} }}", '1 2'],
  ["{{ '{} {1}' }}{{ '{:>8}|{:*^9}|{:<5}|'.format('ab', 'mid', true) }}", '{} {1}      ab|***mid***|1    |'],
  [
    "{{ '{:,} {:_} {:08.3f} {:+.1e} {:.0%}'.format(1234567, 1234567, 3.14159, 12345.0, 0.256) }}",
    '1,234,567 1_234_567 0003.142 +1.2e+04 26%',
  ],
  ["{{ '{:b} {:#x} {:c} {:g}'.format(5, 255, 97, 1e20) }}", '101 0xff a 1e+20'],
  ["{{ '{0[k]} {0[l][1]} {n!r:>4}'.format({'k': 'v', 'l': [1, 2]}, n='q') }}", "v 2  'q'"],
  ["{{ '{:.0f} {:.2f} {:.1f}'.format(0.5, 2.675, 0.25) }}", '0 2.67 0.2'],
  ["{{ '{:.3g} {:.10g} {}'.format(123456, 0.1, 1e16) }}", '1.23e+05 0.1 1e+16'],
])('%s gives %s', (source, text) => {
  expect(render(source)).toBe(text);
});

test.each([
  "{{ '%d' % 'x' }}",
  "{{ '{:d}'.format('x') }}",
  "{{ '%s %s' % ('a',) }}",
  "{{ '{} {}'.format(1) }}",
  "{{ '{'.format() }}",
])('%s fails with template/record', (source) => {
  expect(() => render(source)).toThrow(expect.objectContaining({ code: 'template/record' }));
});
