import { SPACE } from '../syntax/white-space.ts';
import { builtin, type Builtin } from '../value/callable.ts';

/** A method that tests a text at a cost per character. */
const textTest = (name: string, cost: number, holds: (text: string) => boolean): Builtin<string> =>
  builtin(`${name}()`, (self, _given, meter) => {
    meter.charge(5 + cost * self.length);
    return holds(self);
  });

const everyCharacter = (name: string, pattern: RegExp): Builtin<string> =>
  textTest(name, 0.5, (text) => pattern.test(text));

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
  textTest('isupper', 2, (text) => /\p{Uppercase}/u.test(text) && !/\p{Lowercase}|\p{Lt}/u.test(text)),
  textTest('islower', 2, (text) => /\p{Lowercase}/u.test(text) && !/\p{Uppercase}|\p{Lt}/u.test(text)),
  textTest('istitle', 3, isTitle),
];

function isTitle(text: string): boolean {
  const runs = text.match(/\p{Cased}+/gu) ?? [];
  return runs.length > 0 && runs.every((run) => /^[\p{Uppercase}\p{Lt}]\p{Lowercase}*$/u.test(run));
}
