import { fieldsOf, tryParse } from '@data-designer/core';
import { parseWithEveryDigit } from './exact-numbers.ts';
import type { RpcMessage } from './link.ts';

/** Takes one message of a server. */
export type TakeMessage = (message: Partial<RpcMessage>) => void;

/** Takes each message in JSON text, also those in a list; throws a `SyntaxError` for other text. */
export function takeMessages(text: string, take: TakeMessage): void {
  const parsed = parseWithEveryDigit(text);
  for (const message of Array.isArray(parsed) ? parsed : [parsed]) take(fieldsOf(message));
}

/** Stands for a taken message, so that the reader of the stream knows that its answer came. */
const TAKEN = 'data: {"jsonrpc":"2.0","id":0,"result":{}}';

/**
 * An event stream whose messages are taken. What remains are other events, the ids that a broken stream is resumed with, and a
 * line for each answer. A message counts without the empty line that should follow it, which some servers do not send.
 */
export function takenEvents(take: TakeMessage): TransformStream<string, string> {
  let pieces: string[] = [];
  let wasCut = false;
  let lines: string[] = [];
  const passedOn = (): string => {
    const rest = withoutMessage(lines, take);
    lines = [];
    return `${rest.join('\n')}\n\n`;
  };
  return new TransformStream({
    transform(chunk, controller) {
      // A line may end with any of \r\n, \n and \r, and JSON text contains none of them.
      const text = wasCut && chunk.startsWith('\n') ? chunk.slice(1) : chunk;
      const [first = '', ...others] = text.replaceAll(/\r\n?/g, '\n').split('\n');
      wasCut = chunk.endsWith('\r');
      pieces.push(first);
      for (const next of others) {
        const line = pieces.join('');
        pieces = [next];
        if (line !== '') lines.push(line);
        if (lines.length > 0 && (line === '' || isMessage(line))) controller.enqueue(passedOn());
      }
    },
    flush(controller) {
      const line = pieces.join('');
      if (line !== '') lines.push(line);
      if (lines.length > 0) controller.enqueue(passedOn());
    },
  });
}

/** The lines of an event, its message taken. Text that is no JSON is a comment of the server. */
function withoutMessage(lines: readonly string[], take: TakeMessage): readonly string[] {
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
