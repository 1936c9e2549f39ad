import { fieldsOf, tryParse } from '@data-designer/core';
import { oversized, OversizedMessage } from './bounded-body.ts';
import { parseWithEveryDigit } from './exact-numbers.ts';
import type { RpcMessage } from './link.ts';
import { MessageOutline } from './message-outline.ts';

/** Takes one message of a server. */
export type TakeMessage = (message: Partial<RpcMessage>) => void;

/**
 * Takes each message in JSON text, also those in a list and those that follow each other. An answer that is no valid JSON counts
 * as an error for its request. Throws a `SyntaxError` for other text.
 */
export function takeMessages(text: string, take: TakeMessage): void {
  try {
    takeValid(text, take);
  } catch (thrown) {
    if (!(thrown instanceof SyntaxError)) throw thrown;
    takeOneByOne(text.trim(), take, thrown);
  }
}

function takeValid(text: string, take: TakeMessage): void {
  const parsed = parseWithEveryDigit(text);
  for (const message of Array.isArray(parsed) ? parsed : [parsed]) take(fieldsOf(message));
}

/** Takes the messages of a text that is no JSON value as a whole. */
function takeOneByOne(text: string, take: TakeMessage, fault: SyntaxError): void {
  let rest = text;
  let hasTaken = false;
  while (rest.startsWith('{')) {
    const outline = new MessageOutline();
    outline.add(rest);
    const first = rest.slice(0, outline.end);
    try {
      takeValid(first, take);
    } catch (thrown) {
      if (!(thrown instanceof SyntaxError) || !outline.isAnswer) break;
      take(errorFor(outline, `its answer is not valid JSON: ${startOf(first)}`));
    }
    hasTaken = true;
    rest = rest.slice(first.length).trimStart();
  }
  if (!hasTaken) throw fault;
}

/** Takes an error for the request that an oversized message answers; nothing if it answers none. */
export function takeOversized(outline: MessageOutline, mostBytes: number, take: TakeMessage): void {
  if (outline.isAnswer) take(errorFor(outline, oversized('its answer', mostBytes)));
}

function errorFor({ id }: MessageOutline, message: string): Partial<RpcMessage> {
  return { jsonrpc: '2.0', id, error: { message } };
}

/** Characters of an answer in a reason. */
const SHOWN = 500;

/** The start of an answer for a reason. */
export function startOf(text: string): string {
  return text.length > SHOWN ? `${text.slice(0, SHOWN)}…` : text;
}

/** Stands for a taken message, so that the reader of the stream knows that its answer came. */
const TAKEN = 'data: {"jsonrpc":"2.0","id":0,"result":{}}';
/** Characters at the start of a line that tell whether it holds data. */
const DATA_LENGTH = 'data: '.length;
/** A message of more than this many bounds ends its stream. */
export const MOST_SKIPPED = 100;

/** The takers of the parts of an event stream. */
export interface EventOptions {
  readonly take: TakeMessage;
  /** Takes data that is no message. */
  readonly onStray: (text: string) => void;
  /** The bound of an event. */
  readonly mostChars: number;
  /** Called when the stream fails because of an event that exceeds the bound many times. */
  readonly onEndless: (fault: OversizedMessage) => void;
}

/**
 * An event stream whose messages are taken. What remains are other events, the ids that a broken stream is resumed with, and a
 * line for each answer. A message counts without the empty line that should follow it, which some servers do not send. Of an
 * event over the bound only the id of its message is read.
 */
export function takenEvents(options: EventOptions): TransformStream<string, string> {
  const events = new EventReader(options);
  let wasCut = false;
  return new TransformStream({
    transform(chunk, controller) {
      // A line may end with any of \r\n, \n and \r, and JSON text contains none of them.
      const text = wasCut && chunk.startsWith('\n') ? chunk.slice(1) : chunk;
      wasCut = chunk.endsWith('\r');
      for (const passedOn of events.read(text.replaceAll(/\r\n?/g, '\n'))) controller.enqueue(passedOn);
    },
    flush(controller) {
      for (const passedOn of events.end()) controller.enqueue(passedOn);
    },
  });
}

/** Reads the lines of an event stream. */
class EventReader {
  readonly #options: EventOptions;
  /** The pieces of a line that has not ended. */
  #pieces: string[] = [];
  #lines: string[] = [];
  /** Characters of the event. */
  #length = 0;
  /** What is known of an event over the bound. */
  #outline: MessageOutline | undefined;

  constructor(options: EventOptions) {
    this.#options = options;
  }

  /** Reads on, and gives what to pass on. */
  *read(text: string): Iterable<string> {
    const [first = '', ...others] = text.split('\n');
    this.#add(first);
    for (const next of others) {
      const line = this.#pieces.join('');
      this.#pieces = [];
      if (line !== '') this.#lines.push(line);
      if (this.#outline) this.#skipLines(this.#outline);
      const isEnd = line === '' && (this.#lines.length > 0 || this.#outline !== undefined);
      if (isEnd || (this.#outline === undefined && isMessage(line))) yield this.#passedOn();
      this.#add(next);
    }
  }

  /** The end of the stream. */
  *end(): Iterable<string> {
    const line = this.#pieces.join('');
    if (line !== '') this.#lines.push(line);
    if (this.#lines.length > 0 || this.#outline) yield this.#passedOn();
  }

  #add(piece: string): void {
    this.#pieces.push(piece);
    this.#length += piece.length;
    const { mostChars } = this.#options;
    if (this.#length <= mostChars) return;
    if (this.#length > mostChars * MOST_SKIPPED) this.#fail(new OversizedMessage(mostChars));
    this.#outline ??= new MessageOutline();
    this.#skipLines(this.#outline);
    const start = this.#pieces.join('');
    // The name of the field may come in pieces.
    if (start.length < DATA_LENGTH) return;
    this.#pieces = [start.slice(0, DATA_LENGTH)];
    if (isField(start, 'data')) this.#outline.add(start.slice(DATA_LENGTH));
  }

  #fail(fault: OversizedMessage): never {
    this.#options.onEndless(fault);
    throw fault;
  }

  /** Reads whole lines for the outline alone. */
  #skipLines(outline: MessageOutline): void {
    for (const data of valuesOf(this.#lines, 'data')) outline.add(data);
    this.#lines = [];
  }

  #passedOn(): string {
    const outline = this.#outline;
    const rest = outline ? this.#withoutOversized(outline) : withoutMessage(this.#lines, this.#options);
    this.#lines = [];
    this.#length = 0;
    this.#outline = undefined;
    return `${rest.join('\n')}\n\n`;
  }

  #withoutOversized(outline: MessageOutline): readonly string[] {
    this.#skipLines(outline);
    takeOversized(outline, this.#options.mostChars, this.#options.take);
    return outline.isAnswer ? [TAKEN] : [];
  }
}

/** The lines of an event, its message taken. Text that is no JSON is a comment of the server. */
function withoutMessage(lines: readonly string[], { take, onStray }: EventOptions): readonly string[] {
  const type = valuesOf(lines, 'event').at(-1);
  const text = valuesOf(lines, 'data').join('\n');
  if ((type !== undefined && type !== '' && type !== 'message') || text === '') return lines;
  let isAnswer = false;
  try {
    takeMessages(text, (message) => {
      isAnswer ||= message.method === undefined;
      take(message);
    });
  } catch (thrown) {
    if (!(thrown instanceof SyntaxError)) throw thrown;
    onStray(text);
  }
  return [...lines.filter((line) => !isField(line, 'data')), ...(isAnswer ? [TAKEN] : [])];
}

/** Whether a line alone is a message: a further line would make it invalid. */
function isMessage(line: string): boolean {
  if (!/^data: ?\{/.test(line) || !line.endsWith('}')) return false;
  return fieldsOf(tryParse<unknown>(line.slice('data:'.length), JSON.parse)).jsonrpc === '2.0';
}

function isField(line: string, name: string): boolean {
  return line === name || line.startsWith(`${name}:`);
}

function valuesOf(lines: readonly string[], name: string): readonly string[] {
  return lines.filter((line) => isField(line, name)).map((line) => line.slice(name.length + 1).replace(/^ /, ''));
}
