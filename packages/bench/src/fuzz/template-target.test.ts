import { describe, expect, test } from 'vitest';
import { Random } from '@data-designer/core';
import type { FuzzCase } from './fuzz-target.ts';
import { runFuzz } from './run-fuzz.ts';
import { caseOf, readCase } from './template-case.ts';
import { templateCorpus } from './template-corpus.ts';
import { makeTemplate } from './template-grammar.ts';
import {
  checkPrototypes,
  checkRecord,
  checkText,
  frozen,
  prototypeSnapshot,
  releaseCanary,
} from './template-guards.ts';
import { templateMutations } from './template-mutations.ts';
import { recordLine } from './template-record.ts';

const corpus = templateCorpus();

function cases(seed: number, count: number): FuzzCase[] {
  const random = Random.of(seed, 'template');
  return Array.from({ length: count }, (_, number) => caseOf(corpus, random.at(number)));
}

// The longest form is `npm run fuzz -- template`.
for (const { count } of [{ count: 60 }, { count: 300 }])
  test(
    `${count} templates each end in a rendered text or an error for the user`,
    { timeout: 600_000, tags: 'long' },
    async () => {
      const { cases: read, outcomes, fault } = await runFuzz({ target: 'template', seed: 5, cases: count });
      expect(fault).toBeUndefined();
      expect(read).toBe(count);
      expect(Object.keys(outcomes)).toEqual(
        expect.arrayContaining([
          'rendered',
          'rendered natively',
          'template/syntax',
          'template/refused',
          'template/limit',
        ]),
      );
    },
  );

describe('a case', () => {
  test('is the same for the same seed and number, and different for others', () => {
    expect(cases(1, 50)).toEqual(cases(1, 50));
    expect(cases(1, 50)).not.toEqual(cases(2, 50));
    expect(caseOf(corpus, Random.of(1, 'template').at(49))).toEqual(cases(1, 50).at(-1));
  });

  test('is made in every way, and its length is bounded', { tags: 'long' }, () => {
    const made = cases(3, 3000);
    const used = new Set(made.flatMap(({ story }) => story));
    const ways = ['grammar', 'strange', 'bomb', 'known', ...templateMutations.map(({ name }) => name)];
    expect(ways.filter((way) => !used.has(way))).toEqual([]);
    const attacks = corpus.attacks.filter(({ id }) => used.has(id));
    expect(attacks.length).toBe(corpus.attacks.length);
    expect(Math.max(...made.map(({ text }) => text.length))).toBeLessThan(150_000);
  });

  test('has its record in its first line, or an empty record if that is not JSON', () => {
    expect(readCase('{"a": 1.0}\n{{ a }}\n')).toEqual({ template: '{{ a }}\n', record: { a: expect.anything() } });
    expect(readCase('{"a": \n{{ a }}')).toEqual({ template: '{{ a }}', record: {} });
    expect(readCase('{{ a }}')).toEqual({ template: '{{ a }}', record: {} });
  });
});

test('records have the column user, and misleading keys and numbers', () => {
  const random = Random.of(1, 'record');
  const lines = Array.from({ length: 300 }, (_, number) => recordLine(random.at(number)));
  expect(lines.every((line) => Object.hasOwn(JSON.parse(line) as object, 'user'))).toBe(true);
  for (const word of ['"__proto__":', '"constructor":', '"hasOwnProperty":', '"__class__":', '1e999', '1.0'])
    expect(lines.join('\n')).toContain(word);
});

test('the grammar leaves no unexpanded symbol in a template', () => {
  const random = Random.of(1, 'grammar');
  const style = { depth: 4, mode: 'native', strangeness: 0.2 } as const;
  const made = Array.from({ length: 500 }, (_, number) => makeTemplate(random.at(number), style));
  expect(made.filter((template) => /<(?!b\b)[a-z]+>/.test(template))).toEqual([]);
});

describe('the guards', () => {
  test('detect text that JavaScript prints for its own values, unless the template contains it', () => {
    expect(() => checkText(Object.prototype.toString.call([]), '')).toThrow('[object ');
    expect(() => checkText(String(Array.prototype.map), '')).toThrow('of the language');
    expect(() => checkText('[object Object]', '{{ "[object Object]" }}')).not.toThrow();
    expect(() => checkText("Templates may not use the function 'range'", '')).not.toThrow();
  });

  test('detect a template that reads outside its record or changes a prototype', () => {
    releaseCanary();
    const found = ({} as Readonly<Record<string, string>>)['inherited'] ?? '';
    expect(() => checkText(`a ${found}`, '')).toThrow('shows the canary');
    const before = prototypeSnapshot();
    expect(() => checkPrototypes(before)).not.toThrow();
    const inheritedByAll = Object.getPrototypeOf({}) as object;
    Reflect.defineProperty(inheritedByAll, 'polluted', { value: 1, configurable: true });
    expect(() => checkPrototypes(before)).toThrow('polluted');
    Reflect.deleteProperty(inheritedByAll, 'polluted');
    expect(() => checkPrototypes(before)).not.toThrow();
  });

  test('detect a changed record, and freeze a record deeply', () => {
    const record = { a: [{ b: 1 }] };
    expect(() => checkRecord(record, '{"a":[{"b":1}]}')).not.toThrow();
    record.a.push({ b: 2 });
    expect(() => checkRecord(record, '{"a":[{"b":1}]}')).toThrow('changed its record');
    expect(() => void (frozen(record).a as { b: number }[]).push({ b: 3 })).toThrow(TypeError);
    expect(Object.isFrozen(record.a[0])).toBe(true);
  });
});
