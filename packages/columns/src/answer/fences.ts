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

/** An opening fence, also behind a tag such as `<answer>`; what follows backticks holds none, or it is inline code. */
const OPENING = /^([ \t]*)(?:<\/?[\w-]+>[ \t]*)*(?:(`{3,})[ \t]*([^`]*)|(~{3,})[ \t]*(.*))$/;
const THINK_START = /^[ \t]*<think>/;
/** The end of thinking that began before the answer, as chat templates make it. */
const LONE_THINK_END = /^[ \t]*<\/think>|<\/think>[ \t]*$/;
const THINK_END = '</think>';

/** Finds the fenced blocks of a model's answer; the last one may lack its closing fence. */
export function readFences(answer: string): FencedAnswer {
  const scan = new FenceScan();
  for (const line of answer.split(/\r\n|\r|\n/)) scan.line(line);
  return scan.end();
}

interface OpenFence {
  readonly marker: string;
  readonly indent: RegExp;
  readonly label: string;
  readonly lines: string[];
}

class FenceScan {
  #fences: Fence[] = [];
  #outside: string[] = [];
  #open: OpenFence | undefined;
  #thinking = false;

  line(line: string): void {
    for (let rest: string | undefined = line; rest !== undefined;) rest = this.#take(rest);
  }

  end(): FencedAnswer {
    if (this.#open) this.#close(this.#open);
    return { fences: this.#fences, outside: this.#outside.join('\n').trim() };
  }

  /** Takes in a line; what stands after the end of thinking is a line of its own. */
  #take(line: string): string | undefined {
    if (this.#thinking || (!this.#open && THINK_START.test(line))) return this.#think(line);
    if (!this.#open && LONE_THINK_END.test(line)) return this.#forget(line);
    if (this.#open) this.#fenced(this.#open, line);
    else this.#plain(line);
    return undefined;
  }

  #think(line: string): string | undefined {
    const end = line.indexOf(THINK_END);
    this.#thinking = end < 0;
    return end < 0 ? undefined : line.slice(end + THINK_END.length);
  }

  /** All that came before was thinking whose opening tag was not part of the answer. */
  #forget(line: string): string {
    this.#fences = [];
    this.#outside = [];
    return line.slice(line.lastIndexOf(THINK_END) + THINK_END.length);
  }

  #fenced(open: OpenFence, line: string): void {
    const text = line.trim();
    const closes = text.startsWith(open.marker) && text === (text[0] as string).repeat(text.length);
    if (closes) this.#close(open);
    else open.lines.push(line.replace(open.indent, ''));
  }

  #plain(line: string): void {
    const [, indent = '', ticks, ticksInfo, tildes, tildesInfo] = OPENING.exec(line) ?? [];
    const marker = ticks ?? tildes;
    if (marker === undefined) {
      this.#outside.push(line);
      return;
    }
    const [label = ''] = (ticksInfo ?? tildesInfo ?? '').trim().split(/\s/);
    this.#open = { marker, indent: new RegExp(`^[ \\t]{0,${indent.length}}`), label, lines: [] };
  }

  #close({ label, lines }: OpenFence): void {
    this.#fences.push({ label, body: lines.join('\n') });
    this.#open = undefined;
  }
}
