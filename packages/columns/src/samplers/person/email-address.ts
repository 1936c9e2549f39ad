import type { Random } from '@data-designer/core';
import { weightedChoice } from '../weighted-choice.ts';

/** The owner of an address; a missing name is empty. */
export interface EmailOwner {
  readonly firstName: string;
  readonly middleName: string;
  readonly lastName: string;
  readonly age: number;
  readonly born: Date;
}

/** Builds the local part from names in ASCII letters. */
type Local = (first: string, last: string, middle: string) => string;

const PLAIN_LOCALS: readonly Local[] = [
  (first, last) => `${first}.${last}`,
  (first, last) => first + last,
  (first, last) => first.charAt(0) + last,
  (first, last) => `${first}_${last}`,
  (first, last) => last + first.charAt(0),
  (first, last) => first + last.charAt(0),
];

const MIDDLE_LOCALS: readonly Local[] = [
  (first, _last, middle) => first + middle,
  (first, last, middle) => first + middle.charAt(0) + last,
  (first, last, middle) => first + middle + last,
];

const chooseLocal = weightedChoice(PLAIN_LOCALS, [0.3, 0.2, 0.15, 0.1, 0.15, 0.1]);
const chooseLocalWithMiddle = weightedChoice(
  [...PLAIN_LOCALS, ...MIDDLE_LOCALS],
  [0.25, 0.17, 0.12, 0.08, 0.12, 0.08, 0.06, 0.06, 0.06],
);

/** Builds the text after the names. */
type Suffix = (born: Date, random: Random) => string | number;

const chooseSuffix = weightedChoice<Suffix>(
  [
    () => '',
    (_born, random) => 1 + random.below(99),
    (born) => String(born.getUTCFullYear()).slice(-2),
    (born) => born.getUTCFullYear(),
    (born) => born.getUTCDate(),
  ],
  [0.4, 0.3, 0.1, 0.1, 0.1],
);

const PROVIDERS = ['gmail', 'icloud', 'outlook', 'hotmail', 'yahoo', 'protonmail', 'zoho', 'gmx', 'aol'] as const;
const chooseProviderYoung = weightedChoice(PROVIDERS, [710, 300, 50, 40, 35, 20, 3, 3, 0.1]);
const chooseProviderMiddle = weightedChoice(PROVIDERS, [360, 270, 60, 50, 60, 18, 7, 4, 0.3]);
const chooseProviderOld = weightedChoice(PROVIDERS, [430, 280, 90, 110, 135, 12, 5, 4, 1.1]);

/** The range of numbers for owners without a name in ASCII letters. */
const FIRST_NUMBER = 100_000;
const NUMBERS = 900_000;

/** Draws an address from a person's names and an optional number, at a provider common at that age. */
export function drawEmailAddress(owner: EmailOwner, random: Random): string {
  const local = drawLocal(owner, random);
  const suffix = chooseSuffix(random)(owner.born, random);
  return `${local}${suffix}@${providerAt(owner.age, random)}.com`;
}

/** Omits names that ASCII letters cannot spell; without any name the local part is a number. */
function drawLocal({ firstName, middleName, lastName }: EmailOwner, random: Random): string {
  const first = asciiFolded(firstName);
  const last = asciiFolded(lastName);
  const middle = asciiFolded(middleName);
  const choose = middle === '' ? chooseLocal : chooseLocalWithMiddle;
  const local = choose(random)(first, last, middle);
  if (first !== '' && last !== '') return local;
  return first + last || `user${FIRST_NUMBER + random.below(NUMBERS)}`;
}

function providerAt(age: number, random: Random): string {
  if (age < 30) return chooseProviderYoung(random);
  return age < 50 ? chooseProviderMiddle(random) : chooseProviderOld(random);
}

/** Letters that NFKD does not decompose. */
const PLAIN: Readonly<Record<string, string>> = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  đ: 'd',
  ð: 'd',
  ł: 'l',
  þ: 'th',
  ħ: 'h',
  ı: 'i',
  ŋ: 'ng',
};

const UNSPELLED = new RegExp(`[${Object.keys(PLAIN).join('')}]`, 'g');

/** A name in a to z and digits; empty for other scripts. */
export function asciiFolded(name: string): string {
  return name
    .toLowerCase()
    .normalize('NFKD')
    .replaceAll(UNSPELLED, (letter) => PLAIN[letter] ?? '')
    .replaceAll(/[^a-z0-9]/g, '');
}
