import type util from 'node:util';
import { formatCount, replaceControls, styled, textWidth, wrapPieces, wrapText } from '@data-designer/printing';
import type { Turn } from './conversation-turns.ts';
import { type CodeToken, highlightCode } from '@data-designer/viewer/highlight-code';
import type { Entry, Score, Section } from './record-sections.ts';

type Style = Parameters<typeof util.styleText>[0];

const TURN_STYLES: Readonly<Record<Turn['by'], Style>> = {
  system: 'gray',
  user: 'blueBright',
  reasoning: ['italic', 'magenta'],
  'tool call': 'yellowBright',
  'tool result': 'magentaBright',
  assistant: 'green',
};

const CODE_STYLES: Readonly<Record<Exclude<CodeToken['kind'], ''>, Style>> = {
  keyword: 'magentaBright',
  string: 'yellow',
  number: 'cyanBright',
  comment: 'gray',
  name: 'green',
  type: 'cyan',
};

/** The maximum columns of a name; longer names wrap. */
const MAX_NAME_WIDTH = 28;
/** The characters shown of one value; a terminal is not suited to read more. */
const MAX_CHARACTERS = 20_000;

/** Sections as text for a terminal of `columns` columns; `styled` omits colours if standard output has none. */
export async function printSections(sections: readonly Section[], columns: number): Promise<string> {
  const parts: string[] = [];
  for (const section of sections) {
    const lines = await linesOf(section, columns - 2);
    parts.push(rule(section.title, columns), ...lines.map((line) => `  ${line}`.trimEnd()), '');
  }
  return parts.map((line) => `${line}\n`).join('');
}

/** A horizontal line with a title. */
export function rule(title: string, columns: number): string {
  const shown = replaceControls(title).replaceAll('\n', ' ');
  const left = Math.max(0, columns - textWidth(shown) - 4);
  return `${styled('dim', '──')} ${styled('bold', shown)} ${styled('dim', '─'.repeat(left))}`;
}

async function linesOf(section: Section, columns: number): Promise<string[]> {
  switch (section.kind) {
    case 'values':
      return entryLines(section.entries, columns);
    case 'pictures':
      return entryLines(section.pictures.map(describePicture), columns);
    case 'verdict':
      return entryLines(section.entries, columns, ({ name }) => verdictStyle(name, section.isValid));
    case 'code':
      return codeLines(await highlightCode(cut(section.code), section.language), columns);
    case 'scores':
      return section.scores.flatMap((score) => scoreLines(score, columns));
    case 'conversation':
      return [...section.turns.flatMap((turn) => turnLines(turn, columns)), styled('dim', section.summary)];
  }
}

function entryLines(
  entries: readonly Entry[],
  columns: number,
  styleOf?: (entry: Entry) => Style | undefined,
): string[] {
  const widest = Math.max(...entries.map(({ name }) => textWidth(name)), 0);
  const nameWidth = Math.min(widest, MAX_NAME_WIDTH, Math.floor(columns / 3));
  return entries.flatMap((entry) => {
    const names = wrapPieces([{ text: entry.name.replaceAll('\n', ' '), kind: '' }], nameWidth);
    const texts = wrapText(cut(entry.text), columns - nameWidth - 2);
    const style = styleOf?.(entry);
    return Array.from({ length: Math.max(names.length, texts.length) }, (_, at) => {
      const name = (names[at] ?? []).map(({ text }) => text).join('');
      const text = texts[at] ?? '';
      const gap = ' '.repeat(nameWidth - textWidth(name) + 2);
      return `${styled('cyan', name)}${gap}${style && text !== '' ? styled(style, text) : text}`;
    });
  });
}

function verdictStyle(name: string, isValid: boolean | null): Style | undefined {
  if (name !== 'is_valid' || isValid === null) return undefined;
  return isValid ? 'green' : 'red';
}

function describePicture({ name, text }: Entry): Entry {
  if (/^https?:/.test(text)) return { name, text };
  const isPath = text.length < 300 && /\.\w{2,5}$/.test(text);
  return { name, text: isPath ? text : `Base64, ${formatCount(text.length)} characters` };
}

function codeLines(tokens: readonly CodeToken[], columns: number): string[] {
  return wrapPieces(tokens, columns).map((line) =>
    line.map(({ text, kind }) => (kind === '' ? text : styled(CODE_STYLES[kind], text))).join(''),
  );
}

function scoreLines({ name, score, reasoning }: Score, columns: number): string[] {
  const head = `${styled('cyan', replaceControls(name))}: ${styled('bold', replaceControls(score))}`;
  return [head, ...(reasoning === '' ? [] : wrapText(cut(reasoning), columns - 2).map((line) => `  ${line}`))];
}

function turnLines({ by, label, text }: Turn, columns: number): string[] {
  const style = TURN_STYLES[by];
  const lines = wrapText(cut(text), columns - 2).map((line) => `  ${line === '' ? '' : styled(style, line)}`);
  return [styled(style, `[${replaceControls(label)}]`), ...lines];
}

function cut(text: string): string {
  if (text.length <= MAX_CHARACTERS) return text;
  const left = formatCount(text.length - MAX_CHARACTERS);
  return `${text.slice(0, MAX_CHARACTERS).toWellFormed()}… ${left} more characters`;
}
