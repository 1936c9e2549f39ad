import { messageOf } from '@data-designer/core';

/** Lines of DuckDB's messages that advise on its settings or repeat the file. */
const ADVICE =
  /^(?:LINE \d|Possible |Potential |\* |Try |Original Line|The search space|Delimiter Candidates|Main file|Current file|Launch |Or set |See also|file =|\s*\^)/;

const MAX_CHARACTERS = 300;

/** What some of DuckDB's messages mean, and what to do. */
const KNOWN = [
  {
    sign: /state machine reached an invalid state|unterminated quote/,
    reason: 'a quoted cell does not end, text follows its closing quote, or lines end in different ways',
    remedy: 'Close the cell with a quote, double each quote within a quoted cell, and use one kind of line ends.',
  },
  {
    sign: /Duplicate name "[^]*" in struct/,
    reason: 'an object has two keys with one name apart from upper and lower case',
    remedy: 'Rename one of the keys.',
  },
] as const;

/** Whether DuckDB may have refused a CSV file for line ends of several kinds. */
export function isOfLineEnds(thrown: unknown): boolean {
  return KNOWN[0].sign.test(messageOf(thrown));
}

/** DuckDB counts the lines and values of malformed JSON from 2. */
function corrected(reason: string): string {
  return reason.replace(
    /^(Malformed JSON .* in (?:line|record\/value) )(\d+)/,
    (_, start: string, line: string) => `${start}${Number(line) - 1}`,
  );
}

/** DuckDB's error in one sentence, without its advice. */
export function duckDbReason(thrown: unknown): string {
  const text = messageOf(thrown);
  if (text.startsWith('Out of Memory')) return 'reading it needs more memory than is reserved for seeds';
  const known = KNOWN.find(({ sign }) => sign.test(text));
  if (known) return `${lineOf(text)}${known.reason}`;
  const lines = text
    .replace(/^[A-Z][A-Za-z ]* Error: /, '')
    .split(/\n\s*\n/, 1)
    .flatMap((paragraph) => paragraph.split('\n'))
    .map((line) => line.trim())
    .filter((line) => line !== '' && !ADVICE.test(line));
  const reason = lines
    .slice(0, 2)
    .join(': ')
    .replace(/[.:\s]+$/, '');
  return bounded(corrected(reason));
}

function lineOf(text: string): string {
  const line = /CSV Error on Line: (\d+)/.exec(text)?.[1];
  return line === undefined ? '' : `line ${line}: `;
}

function bounded(reason: string): string {
  return reason.length > MAX_CHARACTERS ? `${reason.slice(0, MAX_CHARACTERS)}…` : reason;
}

/** The file that DuckDB's error about a CSV row names; undefined if it names none. */
export function duckDbFile(thrown: unknown): string | undefined {
  return /^ {2}file = (.+)$/m.exec(messageOf(thrown))?.[1];
}

const FOREIGN_BYTES = /not utf-?8 encoded|invalid unicode|invalid utf-?8|byte sequence mismatch/i;

/** What to do about DuckDB's error; undefined if nothing special is known. */
export function duckDbRemedy(thrown: unknown): string | undefined {
  const text = messageOf(thrown);
  if (FOREIGN_BYTES.test(text))
    return "Set 'encoding' in the seed's source, as in encoding: latin-1, or convert the file to UTF-8.";
  const known = KNOWN.find(({ sign }) => sign.test(text));
  if (known) return known.remedy;
  if (/expected number of columns/i.test(text))
    return 'Add or remove cells in this line, or put a cell that contains the delimiter in quotes.';
  return undefined;
}
