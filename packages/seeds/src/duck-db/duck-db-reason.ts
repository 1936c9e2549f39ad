import { messageOf } from '@data-designer/core';

/** Lines of DuckDB's messages that advise on its settings or repeat the file. */
const ADVICE =
  /^(?:LINE \d|Possible |Potential |\* |Try |Original Line|The search space|Delimiter Candidates|Main file|Current file|Launch |Or set |See also|file =|\s*\^)/;

const MAX_CHARACTERS = 300;

/** DuckDB's error in one sentence, without its advice. */
export function duckDbReason(thrown: unknown): string {
  const text = messageOf(thrown);
  if (text.startsWith('Out of Memory')) return 'reading it needs more memory than is reserved for seeds';
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
  return reason.length > MAX_CHARACTERS ? `${reason.slice(0, MAX_CHARACTERS)}…` : reason;
}

/** The file that DuckDB's error about a CSV row names; undefined if it names none. */
export function duckDbFile(thrown: unknown): string | undefined {
  return /^ {2}file = (.+)$/m.exec(messageOf(thrown))?.[1];
}
