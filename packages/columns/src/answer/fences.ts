/** A fenced block of an answer: the first word after its opening fence, empty if none, and the lines in it. */
interface Fence {
  readonly label: string;
  readonly body: string;
}

/** An answer taken apart; what the model said to itself between `<think>` tags belongs to neither part. */
export interface FencedAnswer {
  readonly fences: readonly Fence[];
  /** The lines that stand in no fence. */
  readonly outside: string;
}

/** Where a fence or thinking may begin or end; whether it does depends on what else stands in its line. */
const MARK = /`{3,}|~{3,}|<\/?think>/g;
const THINK_START = '<think>';
const THINK_END = '</think>';
/** Tags such as `<answer>`, behind which a fence may open. */
const TAGS = /^[ \t]*(?:<\/?[\w-]+>[ \t]*)*$/;
/** Longer than this, what stands before a mark in its line is not looked at. */
const LONGEST_TAGS = 200;

/** Finds the fenced blocks of a model's answer, in time linear in its length; the last one may lack its closing fence. */
export function readFences(answer: string): FencedAnswer {
  const text = answer.includes('\r') ? answer.replaceAll(/\r\n?/g, '\n') : answer;
  const scan = new FenceScan(text);
  MARK.lastIndex = 0;
  for (let found = MARK.exec(text); found; found = MARK.exec(text)) {
    const end = scan.mark(found[0], found.index);
    if (end !== undefined) MARK.lastIndex = end;
  }
  return scan.end();
}

class FenceScan {
  readonly #text: string;
  #fences: Fence[] = [];
  #outside = '';
  /** Where the text begins that is not taken apart yet. */
  #from = 0;

  constructor(text: string) {
    this.#text = text;
  }

  /** Takes in a mark outside of fences and thinking; where to go on behind it, undefined if it means nothing. */
  mark(mark: string, index: number): number | undefined {
    if (mark === THINK_START) return this.#think(index);
    if (mark === THINK_END) return this.#forget(index);
    return this.#open(mark, index);
  }

  end(): FencedAnswer {
    this.#outside += this.#text.slice(this.#from);
    return { fences: this.#fences, outside: this.#outside.replace(/^(?:[ \t]*\n)+/, '').trimEnd() };
  }

  #think(index: number): number | undefined {
    const line = this.#lineStart(index);
    if (line === undefined) return undefined;
    const end = this.#text.indexOf(THINK_END, index);
    return this.#leaveOut(line, end < 0 ? this.#text.length : end + THINK_END.length);
  }

  /** The end of thinking that began before the answer, as chat templates make it: all before it was thinking. */
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
    // What follows backticks holds none, or it is inline code.
    if (marker.startsWith('`') && info.includes('`')) return undefined;
    const start = Math.min(index + marker.length + info.length + 1, this.#text.length);
    const close = closingOf(this.#text, marker, start);
    const body = this.#text.slice(start, Math.max(start, close.line - 1));
    const [label = ''] = info.trim().split(/\s/, 1);
    this.#fences.push({ label, body: withoutIndent(body, indentOf(this.#text, line)) });
    return this.#leaveOut(line, close.end);
  }

  #leaveOut(from: number, to: number): number {
    this.#outside += this.#text.slice(this.#from, from);
    this.#from = to;
    return to;
  }

  /** Where the line of a mark begins, undefined if more than space stands before it. */
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
  /** Where the line of the closing fence begins, one after the text if there is none. */
  readonly line: number;
  /** Where the text goes on. */
  readonly end: number;
}

/** The closing fence of a block: as long at least, alone in its line or before the end of thinking. */
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
  return character === ' ' || character === '\t';
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

/** Lines lose the indentation of their fence, as far as they have it. */
function withoutIndent(body: string, indent: number): string {
  return indent === 0 ? body : body.replaceAll(new RegExp(`^[ \\t]{1,${indent}}`, 'gm'), '');
}
