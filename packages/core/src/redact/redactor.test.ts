import { createHash } from 'node:crypto';
import { deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { secretForms } from '../../test/secret-forms.ts';
import { redactor } from './redactor.ts';

const KEY = 'sk-proj-abc123XYZ789';
const KEYS = [
  KEY,
  'a+b/c=d==',
  'quo"te\\back\\\\slash',
  "with space & <tag> 's",
  'Ünïcode-ключ-🔑',
  '/starts/with+slash',
  'line\nbreak\ttab',
];
/** UTF-16 is text for keys of ASCII only. */
const formsOf = (key: string) =>
  Object.entries(secretForms).filter(([form]) => form !== 'UTF-16' || /^[\0-\x7f]*$/.test(key));

test.each(KEYS)('a secret that a server echoes in any form is redacted whole: %j', (key) => {
  const redact = redactor([key]);
  const left = formsOf(key).map(([form, encode]) => {
    const [before, rest] = redact(`key <${encode(key)}> is wrong`).split(/\[secret\].*\[secret\]|\[secret\]/s);
    return [form, before?.startsWith('key <'), `${before?.slice(5)}${rest?.replace('> is wrong', '')}`.length < 8];
  });
  expect(left.filter(([, isBefore, isRedacted]) => !isBefore || !isRedacted)).toEqual([]);
});

test.each([
  ['gzip in base64', (text: string) => gzipSync(`{"error":"no ${text}"}`).toString('base64')],
  [
    'gzip in base64, cut',
    (text: string) => gzipSync(`{"error":"no ${text}"}`.padEnd(99)).toString('base64').slice(0, -9),
  ],
  ['gzip in base64 with line breaks', (text: string) => gzipSync(text).toString('base64').replace(/.{20}/g, '$&\n')],
  ['gzip in JSON', (text: string) => JSON.stringify([gzipSync(text).toString('base64')]).replaceAll('/', '\\/')],
  ['zlib in hex', (text: string) => deflateSync(text).toString('hex')],
  ['zlib in upper-case hex', (text: string) => deflateSync(text, { level: 1 }).toString('hex').toUpperCase()],
  ['zlib within zlib', (text: string) => deflateSync(deflateSync(text).toString('base64')).toString('base64url')],
  ['zlib with a small window', (text: string) => deflateSync(text, { windowBits: 9 }).toString('base64')],
  ['deflate in hex', (text: string) => deflateRawSync(text).toString('hex')],
  ['deflate without compression', (text: string) => deflateRawSync(text, { level: 0 }).toString('base64')],
  ['deflate with codes of its own', (text: string) => deflateRawSync(prose(text)).toString('base64url')],
  ['deflate in base64 in base64', (text: string) => base64Of(deflateRawSync(prose(text)).toString('base64'))],
  [
    'deflate in deflate',
    (text: string) => deflateRawSync(deflateRawSync(`{"error":"no ${text}"}`).toString('base64')).toString('base64'),
  ],
  [
    'deflate in lines of base64',
    (text: string) =>
      deflateRawSync(prose(text))
        .toString('base64')
        .replace(/.{64}(?=.)/g, '$&\n'),
  ],
  [
    'Cyrillic letters',
    (text: string) => text.replace(/[acjopsxyXYZ]/g, (one) => 'асјорѕхуХҮΖ'['acjopsxyXYZ'.indexOf(one)] ?? ''),
  ],
  [
    'small capitals',
    (text: string) => text.replace(/[abcjkoprs]/g, (one) => 'ᴀʙᴄᴊᴋᴏᴘʀꜱ'['abcjkoprs'.indexOf(one)] ?? ''),
  ],
  ['letters with accents', (text: string) => text.replace(/[a-z]/gi, '$&\u0301').normalize('NFC')],
  [
    'letters in dark circles',
    (text: string) => text.replace(/[a-z]/gi, (one) => String.fromCodePoint(0x1f10f + one.toUpperCase().charCodeAt(0))),
  ],
  [
    'letters of flags',
    (text: string) => text.replace(/[a-z]/gi, (one) => String.fromCodePoint(0x1f1a5 + one.toUpperCase().charCodeAt(0))),
  ],
  ['Braille', (text: string) => text.replace(/./g, (one) => String.fromCodePoint(0x2800 + one.charCodeAt(0)))],
  [
    'variation selectors',
    (text: string) => text.replace(/./g, (one) => String.fromCodePoint(0xe00f0 + one.charCodeAt(0))),
  ],
  ['rot13 of base64', (text: string) => toRot13(Buffer.from(`x${text}`).toString('base64'))],
  ['tag characters', (text: string) => text.replace(/./g, (one) => String.fromCodePoint(0xe0000 + one.charCodeAt(0)))],
  ['a sentence for each character', (text: string) => Array.from(text, (one, at) => `char ${at} is ${one}`).join(', ')],
  ['a word between characters', (text: string) => Array.from(text).join(' then ')],
  [
    'rows of a table',
    (text: string) => (text.match(/.{1,4}/g) ?? []).map((part, at) => `${at} | ${part} | ok`).join('\n'),
  ],
  ['base64 in lower case', (text: string) => Buffer.from(`x${text}`).toString('base64').toLowerCase()],
  ['one number', (text: string) => BigInt(`0x${Buffer.from(text).toString('hex')}`).toString()],
  ['rot13', (text: string) => toRot13(text)],
  ['base64 within base64 in lower case', (text: string) => twice(text, 'base64').toLowerCase()],
  ['base62', (text: string) => inDigits(text, `${DIGITS}${BASE64.slice(0, 52)}`)],
  ['base58', (text: string) => inDigits(text, `${DIGITS}${BASE64.slice(0, 52)}`.replace(/[0IOl]/g, ''))],
  [
    'rot47',
    (text: string) => text.replace(/[!-~]/g, (one) => String.fromCharCode(33 + ((one.charCodeAt(0) + 14) % 94))),
  ],
  ['atbash', (text: string) => text.replace(/[a-z]/gi, (one) => `${ALPHABETS[51 - ALPHABETS.indexOf(one)]}`)],
  ['the next characters', (text: string) => text.replace(/./g, (one) => String.fromCharCode(one.charCodeAt(0) + 1))],
  ['swapped pairs', (text: string) => text.replace(/(.)(.)/g, '$2$1')],
  ['two rows', (text: string) => text.replace(/(.)./g, '$1') + text.replace(/.(.)/g, '$1')],
  ['uuencode', (text: string) => Array.from(Buffer.from(text).toString('base64'), toUuencode).join('')],
])('a secret in an encoding that hides it from other decoders is redacted: %s', (_name, encode) => {
  const around = redactor([KEY])(`The key <${encode(KEY)}> is wrong`).split('[secret]');
  expect([around.length, around.join('').length < 30]).toEqual([2, true]);
});

const toRot13 = (text: string) =>
  text.replace(/[a-z]/gi, (one) => String.fromCharCode(one.charCodeAt(0) + (/[a-m]/i.test(one) ? 13 : -13)));
/** A text with a secret that is long enough for Huffman codes of its own. */
const prose = (text: string) =>
  `${Array.from({ length: 40 }, (_, row) => `Row ${row} of the request was refused with ${row * 7919}.`).join(' ')} ${text}`;

test('a secret in letters of another script is redacted beside one that has other letters itself', () => {
  const redact = redactor([KEY, 'Ünïcode-ключ-🔑']);
  expect(redact('Schlüssel <ѕk-рroj-аbс123ХYZ789>, Ünïcode-ключ-🔑, äöü')).toBe('Schlüssel <[secret]>, [secret], äöü');
});

test('a secret between words that stand again and again, and numbers that count, is redacted', () => {
  const redact = redactor([KEY]);
  const parts = KEY.match(/.{1,4}/g) ?? [];
  const forms = [
    parts.map((part, at) => `part${at + 7}: ${part}`).join(' '),
    parts.map((part, at) => `${at}.25e+3 ${part}`).join(' '),
    parts.map((part) => `Then ${part}`).join(' '),
    parts.map((part, at) => `${99 + at}/${part}`).join('; '),
  ];
  expect(forms.filter((form) => /proj|3XYZ/.test(redact(form)))).toEqual([]);
});

test('a secret in a list of characters or tokens with figures is redacted', () => {
  const characters = Array.from(KEY, (char, index) => ({ index, char }));
  const tokens = (KEY.match(/.{1,3}/g) ?? []).map((token, at) => ({ id: 1000 + at, token, logprob: -0.1 * at }));
  const redact = redactor([KEY]);
  expect(redact(JSON.stringify({ characters }))).toBe('{"characters":[{"index":0,"char":"[secret]"}]}');
  expect(redact(JSON.stringify({ tokens }))).not.toMatch(/"(?:pro|j-a|bc1|23X|YZ7|89)"/);
});

const base64Of = (text: string) => Buffer.from(text).toString('base64');
const BASE64 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
const DIGITS = '0123456789';
/** Small letters before large ones backwards, so that each has its mirror image at the other end. */
const ALPHABETS = 'abcdefghijklmNOPQRSTUVWXYZABCDEFGHIJKLMnopqrstuvwxyz';
const twice = (text: string, form: 'base64') => Buffer.from(Buffer.from(text).toString(form)).toString(form);
const inDigits = (text: string, digits: string): string => {
  const base = BigInt(digits.length);
  let written = '';
  for (let left = BigInt(`0x${Buffer.from(text).toString('hex')}`); left > 0n; left /= base)
    written = `${digits[Number(left % base)]}${written}`;
  return written;
};
const toUuencode = (one: string) =>
  one === '=' ? '' : String.fromCharCode(BASE64.indexOf(one) + 32).replace(' ', '`');

const refusal = (part: string) => `The server has refused the request: ${part}. See the list of errors.`;

test('a secret in a text that is like an earlier one is redacted', () => {
  const identifiers = [
    '6cdf843a-5d44-4d6c-839a-d0cf148744b4',
    '011CQaXyZ9tSrke72PouQMnMX',
    '1f0e9d8c7b6a59483726150413223140',
  ];
  for (const known of [
    '',
    'req_12',
    ...identifiers,
    KEY.slice(0, 8),
    KEY.slice(-8),
    `${KEY.slice(0, 9)}_${KEY.slice(10)}`,
  ]) {
    const redact = redactor([KEY]);
    redact(refusal(known));
    const leaks = formsOf(KEY).filter(([, encode]) => !redact(refusal(encode(KEY))).includes('[secret]'));
    expect(leaks.map(([form]) => form)).toEqual([]);
  }
});

test('a secret that a text like an earlier one has where that had more characters is redacted', () => {
  const redact = redactor([KEY]);
  const around = (part: string) => redact(refusal(`${KEY.slice(0, 9)}${part}${KEY.slice(9)}`));
  expect(around('----and other words----')).toContain('and other words');
  expect(around('')).toBe(refusal('[secret]'));
});

test('a secret around a zero byte where an earlier text had an identifier is redacted', () => {
  const redact = redactor([KEY]);
  const around = (part: string) => redact(refusal(`${KEY.slice(0, 9)} ${part} ${KEY.slice(9)}`));
  expect(around(crypto.randomUUID())).not.toContain('[secret]');
  expect(around('\0')).toBe(refusal('[secret]'));
});

test('a piece of 12 characters of a secret is redacted in every form', () => {
  const long = `${KEY}-and-much-more-Qw7`;
  const redact = redactor([long]);
  const piece = long.slice(9, 21);
  const leaks = formsOf(piece).filter(([, encode]) => !redact(`cut ${encode(piece)} off`).includes('[secret]'));
  expect(leaks.map(([form]) => form)).toEqual([]);
  expect(redact(`cut ${long.slice(9, 20)} off`)).toBe(`cut ${long.slice(9, 20)} off`);
});

const hex = (text: string) => Buffer.from(text).toString('hex');

test('a secret in place of an identifier, cut, or beside one, is redacted', () => {
  const redact = redactor([KEY, 'k9Q2vL7mZ4']);
  const identifier = '6cdf843a5d444d6c839ad0cf148744b4';
  redact(refusal(`${identifier} and then_${identifier}`));
  const packed = deflateRawSync(KEY).toString('hex');
  for (const [one, other] of [
    [hex(KEY.slice(0, 12)), identifier],
    [hex(Array.from(KEY.slice(0, 12)).join('\0')), identifier],
    [identifier, Array.from(hex(KEY)).toReversed().join('')],
    [hex(KEY.slice(0, 7)) + hex('\x01\x02'), hex(KEY.slice(7))],
    [packed.slice(0, 64), identifier],
    [hex('k9Q2vL7mZ4'), 'f0df843af0444d6cf09ad0cff08744f4'],
  ])
    expect(redact(refusal(`${one} and then_${other}`))).toContain('[secret]');
  const [start, end] = ['sk-project-', 'Zx81Qv7'];
  const other = redactor([start + end]);
  other(refusal(`key ${start}${identifier}`));
  expect(other(refusal(`key ${start}${end}6a59483726150413`))).toContain('[secret]');
  const others = refusal(`${crypto.randomUUID()} and then_${identifier}`);
  expect(redact(others)).toBe(others);
});

/** Failures that differ in their identifiers. */
function failures(ids: readonly string[]) {
  return ids.map((id) => ({ code: 'model/rejected', message: refusal(id) }));
}

function freshIds(count: number): readonly string[] {
  return Array.from({ length: count }, () => crypto.randomUUID());
}

test('a secret in the identifiers of one text among many like it is redacted, and the others stay', () => {
  const base62 = Buffer.from(KEY.slice(2, 20)).toString('base64').replaceAll('=', '');
  for (const hidden of [hex(KEY.slice(0, 12)), KEY.slice(-12).padStart(20, 'f'), base62]) {
    const redact = redactor([KEY]);
    const first = redactor([KEY])(failures([...freshIds(50), hidden, ...freshIds(50)]));
    expect(first.flatMap(({ message }, index) => (message.includes('[secret]') ? index : []))).toEqual([50]);
    const harmless = failures(freshIds(50));
    expect(redact(harmless)).toEqual(harmless);
    const [before, after] = [failures(freshIds(50)), failures(freshIds(50))];
    const redacted = redact([...before, ...failures([hidden]), ...after]);
    expect(redacted.slice(0, 50)).toEqual(before);
    expect(redacted.slice(-50)).toEqual(after);
    expect(redacted[50]?.message).toContain('[secret]');
    expect(redacted[50]?.message).toContain('The server has refused the request');
  }
});

test('a secret in hexadecimal digits over the identifiers of two texts among many like them is redacted', () => {
  const digits = hex(KEY.slice(0, 19));
  const known = redactor([KEY]);
  known(failures(freshIds(50)));
  for (const cut of [14, 15, 17, 22]) {
    const ids = Array.from({ length: 50 }, (_, index) => createHash('sha1').update(`${index}`).digest('hex'));
    ids[19] = digits.slice(0, cut).padStart(32, '81');
    ids[20] = digits.slice(cut);
    for (const redact of [known, redactor([KEY])]) {
      const leaks = redact(failures(ids)).filter(({ message }) => ids.slice(19, 21).some((id) => message.includes(id)));
      expect(leaks).toEqual([]);
    }
  }
});

test('texts without identifiers are not taken for known ones, whatever their identifiers were', () => {
  const redact = redactor([KEY]);
  const [first, last] = [refusal(crypto.randomUUID()), refusal(crypto.randomUUID())];
  redact([first, 'and a text of its own']);
  expect(redact([last, KEY.slice(0, 9), KEY.slice(9)]).join('')).not.toContain(KEY.slice(0, 9));
});

/** Texts of the kinds that servers answer with, made of numbers: the same in every run. */
function ordinaryTexts(): string[] {
  const hashes = Array.from({ length: 400 }, (_, index) => createHash('sha512').update(`${index}`).digest());
  const all = Buffer.concat(hashes);
  return [
    all.toString('base64'),
    all.toString('hex'),
    hashes
      .map((hash) => hash.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12}).*$/, '$1-$2-$3-$4-$5'))
      .join('\n'),
    JSON.stringify([...all.subarray(0, 4000)]),
    JSON.stringify({ image: `data:image/png;base64,${all.toString('base64')}`, at: '2026-11-28T19:00:00.000Z' }),
    encodeURIComponent(all.subarray(0, 4000).toString('latin1')),
    all.toString('latin1'),
    redactor.toString().repeat(20),
    'The quick brown fox asks for a test: 1234 EMPTY answers, none of them dummy. No key required at localhost:8000.\n',
    'C:\\\\temp\\u002B %2B sk-abc &amp; c2stYWJj \\"quoted\\" 100% =3D <b>bold</b> sk-proj-',
    '<html><head><title>502 Bad Gateway</title></head><body><center>nginx/1.25</center></body></html>',
    '0'.repeat(100),
    '\\'.repeat(40_000),
    '%25'.repeat(20_000),
  ];
}

test.each([
  ['keys of services', [KEY, 'nvapi-aB3dE5gH7jK9mN1pQ3sT5vW7yZ', 'hf_abcDEFghiJKLmnoPQRstuVWXyz', 'Xk9#mP2$vL5nQ8@w']],
  [
    'keys for servers that want any',
    ['test', 'EMPTY', '1234', 'none', 'dummy', 'sk-no-key-required', 'token-abc123', 'xxx', 'sk-proj-00000000000000'],
  ],
])('ordinary text stays unchanged (%s)', { tags: 'long' }, (_kind, keys) => {
  const redact = redactor(keys);
  const changed = ordinaryTexts().filter((text) => redact(text) !== text);
  expect(changed.map((text) => redact(text).slice(0, 200))).toEqual([]);
});

test('the longest of several secrets is redacted, and words and texts of fewer than 4 characters are not', () => {
  const redact = redactor(['key-1', 'key-12345', 'the', 'password', '12345678', '']);
  expect(redact('the password 12345678, key-12345 and key-1')).toBe('the password 12345678, [secret] and [secret]');
});

test('a short secret is redacted as it is written and escaped, and not within a word', () => {
  const redact = redactor(['k-1:', 'lm-studio']);
  expect(redact('k-1: lm-studio LM Studio ok-1: lm-studios %6b-1%3A')).toBe(
    '[secret] [secret] LM Studio ok-1: lm-studios [secret]',
  );
});

test('all text in plain data is redacted, and other values stay unchanged', () => {
  const bytes = new Uint8Array([1]);
  const redact = redactor(['k"e"y']);
  const given = { reason: 'no k"e"y', 'k"e"y': [{ text: 'k\\"e\\"y' }, 1n, null, undefined], bytes };
  const clean = redact(given);
  expect(clean).toEqual({ reason: 'no [secret]', '[secret]': [{ text: '[secret]' }, 1n, null, undefined], bytes });
  expect(clean.bytes).toBe(bytes);
});

test('a secret that is split over the texts or numbers of plain data is redacted', () => {
  const redact = redactor([KEY]);
  const split = {
    names: Array.from(KEY),
    codes: [...Buffer.from(KEY)],
    halves: { a: KEY.slice(0, 10), b: KEY.slice(10) },
  };
  const clean = JSON.stringify(redact(split));
  expect(clean).not.toMatch(/"k","-"|107,45|sk-proj|XYZ/);
  const byPosition = Object.fromEntries(Array.from(KEY).entries());
  expect(redact(JSON.stringify(byPosition))).not.toMatch(/"[A-Za-z-]"/);
  const same = { code: 404, sizes: [1, 2, 3] };
  expect(redact(same)).toBe(same);
});

test('redacted JSON is still valid JSON', () => {
  const redact = redactor(['/a"b\\c', KEY]);
  const text = JSON.stringify({ error: `wrong key /a"b\\c` }).replaceAll('/', '\\/');
  expect(JSON.parse(redact(text))).toEqual({ error: 'wrong key [secret]' });
  const numbers = JSON.stringify({ codes: [...Buffer.from(KEY)], code: 1 });
  expect(JSON.parse(redact(numbers))).toMatchObject({ code: 1 });
  const across = { a: [KEY.slice(0, 8)], b: KEY.slice(8), code: 1 };
  expect(JSON.parse(redact(JSON.stringify(across)))).toMatchObject({ code: 1 });
});

test('a secret behind any number of backslashes is redacted', () => {
  const redact = redactor(KEYS);
  for (const count of [1, 2, 63, 64, 1000]) {
    const before = '\\'.repeat(count);
    expect(redact(`${before}${KEY}`)).toBe(`${before}[secret]`);
  }
  expect(redact('\\'.repeat(3) + '\\u0073k-proj-abc123XYZ789')).toBe('[secret]');
});

test('a text that cannot be searched in a bounded time is not written', () => {
  const redact = redactor([KEY]);
  const withheld = '[withheld: too long to be searched for secrets]';
  expect(redact('x'.repeat(1_100_000))).toBe(withheld);
  expect(redact(gzipSync('x'.repeat(100_000)).toString('base64'))).toBe(withheld);
  const { short, long } = redact({ short: 'fine', long: 'x'.repeat(1_100_000) });
  expect([short, long]).toEqual(['fine', withheld]);
});
