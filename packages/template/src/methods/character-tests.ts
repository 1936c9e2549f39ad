import { SPACE } from '../syntax/white-space.ts';
import { builtin, type Builtin } from '../value/callable.ts';
import type { Meter } from '../value/meter.ts';

function everyCharacter(name: string, pattern: RegExp): Builtin<string> {
  return builtin(`${name}()`, (self, _given, meter) => {
    meter.charge(5 + self.length / 2);
    return pattern.test(self);
  });
}

/** Python's `isalpha` and similar methods; for empty text only `isascii` and `isprintable` are true. */
export const CHARACTER_TESTS: readonly Builtin<string>[] = [
  everyCharacter('isalpha', /^\p{L}+$/u),
  everyCharacter('isalnum', /^[\p{L}\p{N}]+$/u),
  everyCharacter('isdecimal', /^\p{Nd}+$/u),
  everyCharacter(
    'isdigit',
    /^[\p{Nd}\u00b2\u00b3\u00b9\u2070\u2074-\u2079\u2080-\u2089\u2460-\u2468\u2474-\u247c\u2488-\u2490]+$/u,
  ),
  everyCharacter('isnumeric', /^\p{N}+$/u),
  everyCharacter('isspace', new RegExp(`^${SPACE}+$`)),
  everyCharacter('isascii', /^\p{ASCII}*$/u),
  everyCharacter('isprintable', /^(?:[^\p{C}\p{Z}]| )*$/u),
  everyCharacter('isidentifier', /^[\p{ID_Start}_]\p{ID_Continue}*$/u),
  builtin(
    'isupper()',
    (self, _given, meter) => charged(self, meter) && /\p{Uppercase}/u.test(self) && !/\p{Lowercase}|\p{Lt}/u.test(self),
  ),
  builtin(
    'islower()',
    (self, _given, meter) => charged(self, meter) && /\p{Lowercase}/u.test(self) && !/\p{Uppercase}|\p{Lt}/u.test(self),
  ),
  builtin('istitle()', (self, _given, meter) => {
    meter.charge(5 + 3 * self.length);
    return isTitle(self);
  }),
];

function charged(text: string, meter: Meter): true {
  meter.charge(5 + 2 * text.length);
  return true;
}

function isTitle(text: string): boolean {
  const runs = text.match(/\p{Cased}+/gu) ?? [];
  return runs.length > 0 && runs.every((run) => /^[\p{Uppercase}\p{Lt}]\p{Lowercase}*$/u.test(run));
}
