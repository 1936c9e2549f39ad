import { type Layer, LayerWriter } from './layer.ts';

/** A byte that no secret contains, in place of a control character. */
const NOTHING = 0;

/** Names of characters that HTML gives to ASCII, in lower case. */
const NAMED: Readonly<Record<string, string>> = {
  amp: '&',
  apos: "'",
  ast: '*',
  bsol: '\\',
  colon: ':',
  comma: ',',
  commat: '@',
  dash: '-',
  diacriticalgrave: '`',
  dollar: '$',
  equals: '=',
  excl: '!',
  grave: '`',
  gt: '>',
  hat: '^',
  hyphen: '-',
  lbrace: '{',
  lbrack: '[',
  lcub: '{',
  lowbar: '_',
  lpar: '(',
  lsqb: '[',
  lt: '<',
  midast: '*',
  minus: '-',
  num: '#',
  percnt: '%',
  period: '.',
  plus: '+',
  quest: '?',
  quot: '"',
  rbrace: '}',
  rbrack: ']',
  rcub: '}',
  rpar: ')',
  rsqb: ']',
  semi: ';',
  sol: '/',
  underbar: '_',
  verbar: '|',
  vert: '|',
};

/** Each level of JSON doubles backslashes, so a run of any length begins an escape; `\U` comes before `\u`, as case is ignored. */
const BACKSLASH = String.raw`\\+(?:u(?:(00[01][\da-f]{5})|(d[89ab][\da-f]{2})\\+u(d[c-f][\da-f]{2})|([\da-f]{4})|\{([\da-f]{1,8})\})|x\{?([\da-f]{2})\}?|([0-7]{1,3})|[nrtbfvae]|\r?\n|([!-$'-/:-@[\]^_\x60{-~]))?`;
/** A percent sign may be encoded again, as in a URL within a URL. */
const PERCENT = String.raw`%(?:25)*(?:u([\da-f]{4})|([\da-f]{2}))`;
const ENTITY = String.raw`&(?:amp;)*(?:#x0*([\da-f]{1,6});?|#0*(\d{1,7});?|([a-z]{2,16});)`;
const POINT = String.raw`u\+([\da-f]{4,6})`;
/** A byte or a soft line break of quoted-printable. */
const QUOTED = String.raw`=(?:([\da-f]{2})|[ \t]{0,9}\r?\n)`;
const ESCAPE = new RegExp(`${BACKSLASH}|${PERCENT}|${ENTITY}|${POINT}|${QUOTED}`, 'gi');
const HAS_ESCAPE = /\\|%[\da-f]{2}|%u|&[#a-z]|u\+|=[\da-f\s]/i;

/** What stands between characters that are shown one by one: tags, colors of a terminal, names in an object, and quotes. */
const MARKUP = new RegExp(
  [
    '<[a-z!/?][^<>]{0,200}>',
    String.raw`\x1b\[[\d;?]{0,20}[a-z]`,
    String.raw`(["'])\s{0,9}[,.+&|]{0,2}\s{0,9}\1(?:\w{1,40}\1\s{0,9}:\s{0,9}\1)?`,
    String.raw`[{,]\s{0,9}"\w{1,40}"\s{0,9}:`,
  ].join('|'),
  'gi',
);
const MARKUP_SIGNS = ['"', "'", '<', '\x1b'];

const IS_ESCAPE_SIGN = Uint8Array.from({ length: 256 }, (_, byte) =>
  Number('\\%&=+'.includes(String.fromCharCode(byte))),
);

/** How many characters of some bytes may begin an escape, or stand in it. */
export function escapeSigns(bytes: Uint8Array): number {
  let count = 0;
  for (let at = 0; at < bytes.length; at++) count += IS_ESCAPE_SIGN[bytes[at] as number] as number;
  return count;
}

/**
 * The layer in which all escapes of a layer are decoded, each where it stands; of one without escapes, all markup is
 * removed.
 */
export function unescaped(layer: Layer, hasSigns: boolean): Layer | undefined {
  let last = layer;
  for (;;) {
    const text = last.bytes.toString('latin1');
    const next = hasSigns && HAS_ESCAPE.test(text) ? replaced(last, text.matchAll(ESCAPE), bytesOfEscape) : undefined;
    if (next === undefined && last === layer) return withoutMarkup(layer, text);
    if (next === undefined) return last;
    last = next;
  }
}

function withoutMarkup(layer: Layer, text: string): Layer | undefined {
  return MARKUP_SIGNS.some((sign) => text.includes(sign)) ? replaced(layer, closeTogether(text), () => []) : undefined;
}

/** Longer parts between markup would be found without this. */
const SHORT_PART = 12;

/** Markup that has short parts of text between it at two places at least. */
function closeTogether(text: string): readonly RegExpExecArray[] {
  const all = [...text.matchAll(MARKUP)];
  const parts = all.slice(1).filter((match, index) => {
    const before = all[index] as RegExpExecArray;
    const length = match.index - before.index - before[0].length;
    return length > 0 && length <= SHORT_PART;
  });
  return parts.length < 2 ? [] : all;
}

function replaced(
  layer: Layer,
  matches: Iterable<RegExpExecArray>,
  bytesOf: (match: RegExpExecArray) => Iterable<number>,
): Layer | undefined {
  let writer: LayerWriter | undefined;
  let done = 0;
  for (const match of matches) {
    writer ??= new LayerWriter(layer);
    const end = match.index + match[0].length;
    writer.copy(done, match.index);
    for (const byte of bytesOf(match)) writer.add(byte, match.index, end);
    done = end;
  }
  writer?.copy(done, layer.bytes.length);
  return writer?.layer(layer.isInPlace);
}

function bytesOfEscape(match: RegExpExecArray): Iterable<number> {
  const [
    ,
    long,
    high,
    low,
    unit,
    braced,
    hex,
    octal,
    plain,
    percentUnit,
    percent,
    entityHex,
    entity,
    named,
    point,
    quoted,
  ] = match;
  const byte = hex ?? percent ?? quoted;
  if (byte !== undefined) return [Number.parseInt(byte, 16)];
  if (plain !== undefined) return Buffer.from(plain);
  if (octal !== undefined) return [Number.parseInt(octal, 8) & 0xff];
  if (named !== undefined) return Buffer.from(NAMED[named.toLowerCase()] ?? '');
  if (entity !== undefined) return utf8Of(Number(entity));
  if (high !== undefined && low !== undefined)
    return Buffer.from(String.fromCharCode(Number.parseInt(high, 16), Number.parseInt(low, 16)));
  const digits = long ?? unit ?? braced ?? percentUnit ?? entityHex ?? point;
  return digits === undefined ? [] : utf8Of(Number.parseInt(digits, 16));
}

function utf8Of(codePoint: number): Iterable<number> {
  if (codePoint < 0x80) return [codePoint];
  return codePoint <= 0x10ffff ? Buffer.from(String.fromCodePoint(codePoint).normalize('NFKC')) : [NOTHING];
}
