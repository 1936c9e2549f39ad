import { describe, expect, test } from 'vitest';
import { boundedPattern, parsePattern, patternOf } from './pattern.ts';
import { re2Test } from './re2-pattern.ts';

/** A pattern compiled for JavaScript's own engine and for RE2. */
function bothEngines(source: string): { readonly own: RegExp; readonly re2: (text: string) => boolean } {
  const own = expressionOf(source);
  const re2 = re2Test(own, parsePattern(own)!);
  if (!re2) throw new Error(`RE2 cannot express ${source}.`);
  return { own, re2 };
}

function expressionOf(source: string): RegExp {
  try {
    return new RegExp(source, 'u');
  } catch {
    return new RegExp(source);
  }
}

const TEXTS = [
  '', 'a', 'A', 'b', 'ab', 'aab', 'abc', 'xabcx', 'aaaa', 'aaaa!', 'foo', 'foobar', 'foo bar', 'foo-bar', 'foo_bar',
  'foo.bar', 'a.b.c', 'a/b', 'a-b', '-', '--', ']', '[', '^', '$', '\\', '{', '}', '{1}', 'a{1}', '(', ')', '|', '*', '+',
  '?', '.', '/', '0', '7', '42', '٣', '²', '1.5', '-1', '2026-11-22', '12:34', 'a1', '1a', '_', '__proto__', ' ', '  ',
  '\t', '\n', '\r', '\r\n', '\v', '\f', '\b', '\0', '\u0001', '\u001a', '\u00a0', '\u1680', '\u180e', '\u2003', '\u2028',
  '\u2029', '\u202f', '\u3000', '\ufeff', '\u0085', 'a\n', '\na', 'a\nb', 'a\r\nb', 'a\u2028b', 'a b', 'é', 'e\u0301',
  'É', 'ß', 'ẞ', 'ſ', 'K', 'k', 'K', 'İ', 'i', 'ı', 'ſtraße', 'Ω', 'ω', 'я', 'Я', 'ب', '漢字', 'かな', '한', '😀', 'a😀b',
  '😀😀', '👩‍👩‍👧', '🇩🇪', '𝒳', '𐐀', '\ud83d', '\ude00', 'a\ud83d', '\ud83da', '\ude00\ud83d', '\u{10ffff}', '\ufffd',
  '\u{10d83d}', 'user@example.com', 'http://a.example/x?y=1#z', 'it\'s', '"q"', '100%', 'a&b', 'a,b;c:d', '<p>', '~`@#',
]; // prettier-ignore

/** Only V8 finds an empty match between the halves of a surrogate pair; ECMA-262 has none there. */
function isOfV8(source: string, text: string): boolean {
  return source === '\\B' && text === 'a😀b';
}

/** Patterns by topic; the test matches each against every text. */
const CORPUS: Readonly<Record<string, readonly string[]>> = {
  'letters and classes': [
    'a', 'abc', '[abc]', '[^abc]', '[a-z]', '[^a-z]+', '^[a-zA-Z0-9_-]+$', '[]', '[^]', '^[^]$', '^[]*$', '[\\]]', '[\\^a]',
    '[a\\-z]', '[\\\\]', '[.]', '[$^]', '[-a]', '[a-]', '[\\b]', '[\\s\\S]', '[\\d.]+', '[^\\d\\s]+', '[\\w-]+', '^[à-ÿ]+$',
    '[\\u0000-\\u001f]', '[\\x00-\\x7f]+$', '^[\\x20-\\x7e]*$', '[^\\x00-\\x7f]', '[\\u2028\\u2029]', '[/]', '[(){}|*+?]',
  ],
  'escaped classes': [
    '\\d', '\\D', '\\w', '\\W', '\\s', '\\S', '^\\d+$', '^\\D+$', '^\\w+$', '^\\W+$', '^\\s+$', '^\\S+$', '[\\D]', '[\\W]', '[^\\S]', '[^\\W_]+',
  ],
  'word boundaries': ['\\bfoo\\b', '\\Bo', '\\b', '\\B', '^\\b', '\\b$', '^\\B$', 'a\\b', '\\bé', 'é\\b', '\\b😀', '\\b\\d+\\b', 'ſ\\b', '\\w\\b\\W'],
  'Unicode properties': [
    '\\p{L}', '\\P{L}', '^\\p{L}+$', '\\p{Lu}',  '^\\p{Lu}\\p{Ll}*$', '\\p{N}',     '\\p{Cn}', '\\p{Cs}', 
    '\\p{Script=Greek}',   '\\p{scx=Hira}',  '\\p{Emoji_Presentation}',  '\\p{White_Space}',
    '\\p{ASCII}', '^\\p{ASCII}*$',    '\\p{General_Category=Uppercase_Letter}', '[\\p{L}\\p{N}_]+', '[^\\p{L}]', '[\\P{L}a]', '^[\\p{L}\\p{M}\'-]+$',
  ],
  'anchors': ['^', '$', '^$', '^a', 'a$', '^a$', 'a^', '$a', '^^a$$', '(^a|b$)', '^a|b$', '(?:^|x)a', '^(?:a|b)?$', '\\n$', 'a\\n$', '^\\na', '$\\n', '^a\\n?$'],
  'the dot and line ends': ['.', '^.$', '^.+$', '^.*$', 'a.b', 'a.{1,2}b', '^[^\\n]*$', '^[^\\r\\n]+$', '.\\n.', '^..$', '^.{3}$', '\\r?\\n'],
  'letter case': ['[A-Z]', '^[a-z]+$', 'k', 'K', 'K', 'ſ', 'S', 'ß', 'ẞ', 'Ω', '[α-ω]', 'İ'],
  'groups': ['(a)(b)', '(?:ab)+', '(?<year>\\d{4})-(?<month>\\d\\d)', '((a)|(b))+', '()', '(|a)', '(a|)', '^(?:foo|foobar)$', '^(foo|bar)(-(foo|bar))*$', '(?<ñ>a)', '(?<$>a)', 'a|b|', '|'],
  'quantifiers': [
    'a?', 'a*', 'a+', 'a{2}', 'a{2,}', 'a{2,3}', 'a{0}', '^a{0}$', 'a{0,0}b', 'a??', '^a*?$', 'a+?b', 'a{2,}?', '(?:a?)*', '(?:a*)*', '(?:a*)+b', '(?:)*', '()*a', '(?:a|b)*c', '^(?:a{1,2}){2}$',
    '^(a+)+$', '^(a|aa)+$', '^(a|a)*$', '([a-z]+)*\\d', '^\\s+|\\s+$', '(?:x?){3}', '^.{0,3}$', '^(?:.{1,2}-)*.$', '(?:\\b)*a', '(?:^)*a', '(?:^|a)+b',
  ],
  'surrogates': [
    '^.$', '^..$', '^😀$', '[😀]', '^[😀😁]$', '[😀-😂]', '[^😀]', '\\u{1F600}', '\\ud83d\\ude00', '^\\ud83d', '\\ude00$', '[\\ud83d]', '[\\ud800-\\udfff]', '^[\\ud800-\\udbff]$',
    '[\\u{10000}-\\u{10ffff}]', '\\u{10d83d}', '^(?:😀)+$', '😀{2}', '^[^a]$', '\\p{Cs}', '\\P{Cs}', '\\p{Extended_Pictographic}',
  ],
  'escapes': [
    '\\/', '\\.', '[\\-]', '\\^', '\\$', '\\*', '\\+', '\\?', '\\(', '\\)', '\\[', '\\]', '\\{', '\\}', '\\|', '\\\\', '\\t', '\\n', '\\r', '\\v', '\\f', '\\0', '\\cA', '\\cZ', '\\cz', '[\\cA]',
    '\\x41', '\\u0041', '\\u{41}', '\\u{0000041}', '[\\x41-\\x43]', '[\\t\\n]', 'it\'s', '"', '%', '&', '<p>', '~`@#', 'http:\\/\\/',
  ],
  'patterns that the flag u rejects': [
    'a\\-b', '^[\\w-.]+$', '\\_', "\\'", '\\"', '\\:', '\\@', '\\%', '\\a', '\\e', '{', '}', 'a{', 'a{,2}', 'x{1', ']', '[\\d-x]', '[\\w-]', '\\c', '\\c1', '[\\c]', '[\\c_]', '\\x4', '\\u41', '\\u{2}', '\\8', '[\\1]', '\\-.$', '\\-?..',
    '\\-|^.$', '\\-|^..$', '\\-|[😀]', '\\-|[^a]$', '\\-|^[^a]{2}$', '\\-|\\ud83d', '\\-|\\ude00$', '\\-|\\p{L}', '\\-|\\s', '\\-|\\W', '\\-|\\S', '\\-|[^]', '\\-|\\u{1F600}',
  ],
  'patterns of real schemas': [
    '^[a-z0-9]+(?:-[a-z0-9]+)*$', '^\\d{4}-\\d{2}-\\d{2}$', '^\\+?[1-9]\\d{1,14}$', '^#(?:[0-9a-fA-F]{3}){1,2}$', '^[^@\\s]+@[^@\\s]+\\.[^@\\s]+$', '^(?:\\d{1,3}\\.){3}\\d{1,3}$', '^[A-Z]{2,3}(?:-\\d+)?$',
    '^https?://[^\\s/$.?#].[^\\s]*$', '^(?:[01]\\d|2[0-3]):[0-5]\\d$', '^[\\p{L} .\'-]{1,50}$', '^-?\\d+(?:\\.\\d+)?(?:[eE][+-]?\\d+)?$', '^(?:[A-Za-z_]\\w*)(?:\\.[A-Za-z_]\\w*)*$', '^\\S+$', '^\\S.*\\S$', '\\S', '^x-', '^[\\s\\S]{1,20}$',
  ],
}; // prettier-ignore

describe('RE2 matches as ECMA-262 does:', () => {
  test.each(Object.entries(CORPUS))('%s', { tags: 'long' }, (_, sources) => {
    const unlike = sources.flatMap((source) => {
      const { own, re2 } = bothEngines(source);
      return TEXTS.filter((text) => own.test(text) !== re2(text) && !isOfV8(source, text)).map((text) => ({
        source,
        text,
      }));
    });
    expect(unlike).toEqual([]);
  });

  test('the corpus is large and most of its patterns match', () => {
    const sources = Object.values(CORPUS).flat();
    const matches = sources.filter((source) => TEXTS.some((text) => expressionOf(source).test(text)));
    expect(sources.length * TEXTS.length).toBeGreaterThan(20_000);
    expect(matches.length).toBeGreaterThan(sources.length * 0.9);
  });
});

const LONG = 'a'.repeat(100_000);

test.each([
  '^(a+)+$',
  '^(a|aa)+$',
  '^(a|a)*$',
  '(a*)*b',
  'a+b',
  '^(?:a?){40}a{40}b$',
  '^(([a-z])+.)+[A-Z]([a-z])+$',
  '^(?!b)(a+)+$',
  '^(?=.*[a-z])(?!.*--)(?:a+)+$',
  '^(?!\\.)(?!.*\\.\\.)([\\w+.-]*)[\\w+-]@([a-z][a-z-]*\\.)+[a-z]{2,}$',
  '^(\\w+\\-?)+$',
])('%s rejects a text of 100,000 letters in bounded time', (source) => {
  expect(patternOf(source).test(`${LONG}!`)).toBe(false);
});

test.each(['^(a+)+\\1$', '^(?:a+(?=a))+$', '^(a+)+$(?<!b)'])(
  '%s, which RE2 cannot express, times out with an error',
  { tags: 'long' },
  (source) => {
    const pattern = patternOf(source);
    expect(() => pattern.test(`${'a'.repeat(60)}!b`)).toThrow(
      expect.objectContaining({ code: 'answer/pattern-timed-out', data: { pattern: source, limitMs: 1000 } }),
    );
    expect(pattern.test('!')).toBe(false);
  },
);

test.each<[string, string, boolean]>([
  ['^(?=.*\\d)(?=.*[a-z]).{3,}$', 'a1b', true],
  ['^(?=.*\\d)(?=.*[a-z]).{3,}$', 'abc', false],
  ['^(?!foo$)(?:[a-z]+)+$', 'foo', false],
  ['^(?!foo$)(?:[a-z]+)+$', 'food', true],
  ['^(?!a|b)(?:\\w+)*$', 'bc', false],
  ['^(?=(a+))(?:a*)*b\\1', 'aba', true],
  ['^(?<x>a+)+\\k<x>$', 'aa', true],
])('%s matches %j: %j', (source, text, matches) => {
  expect(patternOf(source).test(text)).toBe(matches);
});

test('patterns are cached by source and flags', () => {
  expect(String(patternOf('/a/u'))).not.toBe(String(patternOf('a')));
  expect(patternOf('/a/u').test('a')).toBe(false);
  expect(boundedPattern(/a/u)).toBe(patternOf('a'));
});
