import { splitThinking } from '@data-designer/core';

/** A fenced block: the first word after the opening fence, or empty, and its lines. */
interface Fence {
  readonly label: string;
  readonly body: string;
}

/** An answer split into fenced blocks and the text outside; `<think>` parts are dropped. */
export interface FencedAnswer {
  readonly fences: readonly Fence[];
  /** The lines outside all fences. */
  readonly outside: string;
}

/** A possible start or end of a fence or of thinking; the rest of the line decides. */
const MARK = /`{3,}|~{3,}|<\/?think>/g;
const THINK_START = '<think>';
const THINK_END = '</think>';
/** Tags such as `<answer>` may precede a fence on its line. */
const TAGS = /^[ \t]*(?:<\/?[\w-]+>[ \t]*)*$/;
/** Text before a mark beyond this length is ignored. */
const LONGEST_TAGS = 200;

/**
 * Finds the fenced blocks of a model's answer, in time linear in its length; the last one may lack its closing fence. Lines
 * may end with CRLF, which stays as it is, or in a text without line feeds with CR.
 */
export function readFences(answer: string): FencedAnswer {
  const said = withoutThinking(answer);
  const text = said.includes('\n') ? said : said.replaceAll('\r', '\n');
  const scan = new FenceScan(text);
  MARK.lastIndex = 0;
  for (let found = MARK.exec(text); found; found = MARK.exec(text)) {
    const end = scan.mark(found[0], found.index);
    if (end !== undefined) MARK.lastIndex = end;
  }
  return scan.end();
}

/** An answer behind its reasoning, with the indentation of its first line. */
function withoutThinking(answer: string): string {
  const { thinking, answer: said } = splitThinking(answer);
  if (thinking === undefined) return answer;
  const start = answer.lastIndexOf(said);
  const indent = /[ \t]*$/.exec(answer.slice(0, start))?.[0] ?? '';
  return indent + said;
}

class FenceScan {
  readonly #text: string;
  #fences: Fence[] = [];
  #outside = '';
  /** The start of the text not processed yet. */
  #from = 0;

  constructor(text: string) {
    this.#text = text;
  }

  /** Processes a mark outside fences and thinking; returns where to continue, undefined if it means nothing. */
  mark(mark: string, index: number): number | undefined {
    if (mark === THINK_START) return this.#think(index);
    if (mark === THINK_END) return this.#forget(index);
    return this.#open(mark, index);
  }

  end(): FencedAnswer {
    this.#outside += this.#text.slice(this.#from);
    return { fences: this.#fences, outside: this.#outside.replace(/^(?:[ \t\r]*\n)+/, '').trimEnd() };
  }

  #think(index: number): number | undefined {
    const line = this.#lineStart(index);
    if (line === undefined) return undefined;
    const end = this.#text.indexOf(THINK_END, index);
    return this.#leaveOut(line, end < 0 ? this.#text.length : end + THINK_END.length);
  }

  /** Drops all text before a lone `</think>`: chat templates may open the thinking before the answer. */
  #forget(index: number): number | undefined {
    const end = index + THINK_END.length;
    if (this.#lineStart(index) === undefined && !isBlankLine(this.#text, end)) return undefined;
    this.#fences = [];
    this.#outside = '';
    this.#from = end;
    return end;
  }

  #open(marker: string, index: number): number | undefined {
    const line = this.#lineStart(index) ?? this.#lineStartBehindTags(index);
    if (line === undefined) return undefined;
    const info = this.#text.slice(index + marker.length, lineEnd(this.#text, index));
    // An info string with backticks makes it inline code.
    if (marker.startsWith('`') && info.includes('`')) return undefined;
    const start = Math.min(index + marker.length + info.length + 1, this.#text.length);
    const close = closingOf(this.#text, marker, start);
    const body = this.#text.slice(start, Math.max(start, close.line - 1)).replace(/\r$/, '');
    const [label = ''] = info.trim().split(/\s/, 1);
    this.#fences.push({ label, body: withoutIndent(body, indentOf(this.#text, line)) });
    return this.#leaveOut(line, close.end);
  }

  #leaveOut(from: number, to: number): number {
    this.#outside += this.#text.slice(this.#from, from);
    this.#from = to;
    return to;
  }

  /** The start of the mark's line; undefined if more than white space precedes the mark. */
  #lineStart(index: number): number | undefined {
    let at = index;
    while (at > this.#from && isSpace(this.#text[at - 1])) at--;
    return at === this.#from || this.#text[at - 1] === '\n' ? at : undefined;
  }

  #lineStartBehindTags(index: number): number | undefined {
    const before = this.#text.slice(Math.max(this.#from, index - LONGEST_TAGS), index);
    if (!/>[ \t]*$/.test(before)) return undefined;
    const line = before.slice(before.lastIndexOf('\n') + 1);
    return TAGS.test(line) ? index - line.length : undefined;
  }
}

interface Closing {
  /** The start of the closing fence's line; one past the text without a closing fence. */
  readonly line: number;
  /** Where scanning continues. */
  readonly end: number;
}

/** The closing fence of a block: at least as long, and alone on its line or before `</think>`. */
function closingOf(text: string, marker: string, from: number): Closing {
  for (let found = text.indexOf(marker, from); found >= 0; found = text.indexOf(marker, found)) {
    let line = found;
    while (line > from && isSpace(text[line - 1])) line--;
    const begins = line === from || text[line - 1] === '\n';
    while (text[found] === marker[0]) found++;
    if (!begins) continue;
    if (text.startsWith(THINK_END, found)) return { line, end: found };
    if (isBlankLine(text, found)) return { line, end: Math.min(lineEnd(text, found) + 1, text.length) };
  }
  return { line: text.length + 1, end: text.length };
}

function isSpace(character: string | undefined): boolean {
  return character === ' ' || character === '\t' || character === '\r';
}

function lineEnd(text: string, from: number): number {
  const end = text.indexOf('\n', from);
  return end < 0 ? text.length : end;
}

/** Whether nothing but space follows in the line. */
function isBlankLine(text: string, from: number): boolean {
  let at = from;
  while (isSpace(text[at])) at++;
  return at === text.length || text[at] === '\n';
}

function indentOf(text: string, line: number): number {
  let at = line;
  while (isSpace(text[at])) at++;
  return at - line;
}

/** Removes up to the fence's indentation from each line. */
function withoutIndent(body: string, indent: number): string {
  return indent === 0 ? body : body.replaceAll(new RegExp(`^[ \\t]{1,${indent}}`, 'gm'), '');
}
