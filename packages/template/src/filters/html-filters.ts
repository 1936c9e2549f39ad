import { SPACE } from '../syntax/white-space.ts';
import { builtin, type Builtin, type Implementation } from '../value/callable.ts';
import { entriesOf, mapOf } from '../value/collections.ts';
import { typeFault } from '../fault.ts';
import { iterate, truthy } from '../value/inspect.ts';
import { escapeHtml, Markup } from '../value/markup.ts';
import type { Meter } from '../value/meter.ts';
import { htmlOf } from '../operators.ts';
import { str } from '../value/print.ts';
import { Undefined } from '../value/undefined.ts';
import type { Value } from '../value/value.ts';
import { integerArgument } from './text-filters.ts';

const W = String.raw`[\p{L}\p{N}_]`;
const NAME = String.raw`[\p{L}\p{N}_%-]`;
const WORDS = new RegExp(`(${SPACE}+)`);
const HEAD = /^(?:[(<]|&lt;)+/;
/** A web address: with a scheme or `www.`, of a well-known top-level domain, or an IP address with a scheme. */
const ADDRESS = new RegExp(
  `^(?:(?:https?://|www\\.)(?:(?:${NAME}+\\.)+)?(?:[a-z]{2,63}|xn--[\\p{L}\\p{N}_%]{2,59})` +
    `|(?:${NAME}{2,63}\\.)+(?:com|net|int|edu|gov|org|info|mil)` +
    String.raw`|https?://(?:\p{Nd}{1,3}(?:\.\p{Nd}{1,3}){3}|\[(?:[\p{Nd}a-f]{0,4}:){2}(?:[\p{Nd}a-f]{0,4}:?){1,6}\]))` +
    String.raw`(?::\p{Nd}{1,5})?(?:[/?#]\S*)?$`,
  'iu',
);
const MAIL = new RegExp(String.raw`^\S+@${W}[\p{L}\p{N}_.-]*\.${W}+$`, 'u');
const SCHEME = new RegExp(String.raw`^[\p{L}\p{N}_.+-]{2,}:/{0,2}$`, 'u');
const ENDS = [')', '>', '.', ',', '&gt;'];
const PAIRS = [
  ['(', ')'],
  ['<', '>'],
  ['&lt;', '&gt;'],
] as const;
const NOT_IN_KEYS = new RegExp(`${SPACE}|[/>=]`);

interface Linking {
  readonly attributes: string;
  readonly limit: number | undefined;
  readonly schemes: readonly string[];
}

/** Links a word that is an address, without the punctuation around it. */
function linked(word: string, how: Linking): string {
  const head = HEAD.exec(word)?.[0] ?? '';
  let end = word.length;
  for (let sign = endAt(word, end); end > head.length && sign !== undefined; sign = endAt(word, end))
    end -= sign.length;
  end = Math.max(end, head.length);
  const { middle, tail } = balanced(word.slice(head.length, end), word.slice(end));
  return head + linkOf(middle, how) + tail;
}

function endAt(word: string, end: number): string | undefined {
  return ENDS.find((sign) => word.endsWith(sign, end));
}

/** Moves closing brackets back into an address that opens them. */
function balanced(address: string, after: string): { readonly middle: string; readonly tail: string } {
  let [middle, tail] = [address, after];
  for (const [open, close] of PAIRS) {
    const opened = occurrences(middle, open);
    if (opened <= occurrences(middle, close)) continue;
    for (let count = Math.min(opened, occurrences(tail, close)); count > 0; count--) {
      const to = tail.indexOf(close) + close.length;
      middle += tail.slice(0, to);
      tail = tail.slice(to);
    }
  }
  return { middle, tail };
}

function occurrences(text: string, part: string): number {
  return text.split(part).length - 1;
}

function linkOf(text: string, { attributes, limit, schemes }: Linking): string {
  if (ADDRESS.test(text)) {
    const target = /^https?:\/\//.test(text) ? text : `https://${text}`;
    const all = Array.from(text);
    const shown = limit !== undefined && all.length > limit ? `${all.slice(0, limit).join('')}...` : text;
    return `<a href="${target}"${attributes}>${shown}</a>`;
  }
  if (text.startsWith('mailto:') && MAIL.test(text.slice(7))) return `<a href="${text}">${text.slice(7)}</a>`;
  if (text.includes('@') && !/^(?:www\.|@)|:/.test(text) && MAIL.test(text)) {
    return `<a href="mailto:${text}">${text}</a>`;
  }
  return schemes.reduce(
    (link, scheme) =>
      link !== scheme && link.startsWith(scheme) ? `<a href="${link}"${attributes}>${link}</a>` : link,
    text,
  );
}

function linkingOf(given: readonly (Value | undefined)[], meter: Meter): Linking {
  const [limit = null, nofollow = false, target = null, rel = null, extra = null] = given;
  const names = new Set((rel === null ? '' : str(rel, meter)).split(WORDS).filter((name) => name.trim() !== ''));
  if (truthy(nofollow, meter)) names.add('nofollow');
  names.add('noopener');
  const schemes = extra === null ? [] : iterate(extra, meter).map((scheme) => str(scheme, meter));
  const bad = schemes.find((scheme) => !SCHEME.test(scheme));
  if (bad !== undefined) typeFault(`'${bad}' is not a valid URI scheme prefix`);
  const relation = ` rel="${escapeHtml([...names].toSorted().join(' '))}"`;
  const attributes = target === null ? relation : `${relation} target="${escapeHtml(str(target, meter))}"`;
  return { attributes, limit: limit === null ? undefined : Math.max(0, integerArgument(limit, 0)), schemes };
}

const urlize: Implementation<Value> = (self, given, meter) => {
  const how = linkingOf(given, meter);
  const html = htmlOf(self, meter);
  meter.charge(60 + 4 * html.length + (html.length * how.schemes.length) / 4);
  const words = html.split(WORDS).map((word, at) => (at % 2 === 1 ? word : linked(word, how)));
  meter.chargeParts(words, 0);
  return meter.autoescape ? new Markup(words.join('')) : words.join('');
};

const xmlAttributes: Implementation<Value> = (self, given, meter) => {
  if (self instanceof Undefined) return self.fail();
  const map = mapOf(self) ?? typeFault('xmlattr needs a mapping');
  const attributes: string[] = [];
  for (const [key, value] of entriesOf(map, meter)) {
    if (value === null || value instanceof Undefined) continue;
    const name = str(key, meter);
    if (NOT_IN_KEYS.test(name)) typeFault(`Invalid character in attribute name: '${name}'`);
    attributes.push(`${htmlOf(key, meter)}="${htmlOf(value, meter)}"`);
  }
  meter.chargeParts(attributes, 1);
  const text = (truthy(given[0] ?? true, meter) && attributes.length > 0 ? ' ' : '') + attributes.join(' ');
  return meter.autoescape ? new Markup(text) : text;
};

/** `urlize` and `xmlattr`. */
export const HTML_FILTERS: readonly Builtin<Value>[] = [
  builtin('urlize(trim_url_limit?, nofollow?, target?, rel?, extra_schemes?)', urlize),
  builtin('xmlattr(autospace?)', xmlAttributes),
];
