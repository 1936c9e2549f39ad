import { startOf, takeMessages } from './message-body.ts';
import type { TakeMessage } from './message-body.ts';

type Body = NonNullable<Response['body']>;

const JSON_TYPE = /^\s*application\/(?:[\w.-]+\+)?json\b/i;

/** Whether a body of this media type is JSON. */
export function isJsonType(type: string): boolean {
  return JSON_TYPE.test(type);
}

/**
 * Takes the messages of a body that is no event stream. Gives why it may answer no request, for a request that it does not answer;
 * undefined for an empty body.
 */
export async function takeBody(body: Body, type: string, take: TakeMessage): Promise<string | undefined> {
  const text = await decoded(body, type);
  if (text.trim() === '') return undefined;
  try {
    takeMessages(text, take);
  } catch (thrown) {
    if (!(thrown instanceof SyntaxError)) throw thrown;
  }
  const kind = isJsonType(type) ? '' : ` of the type ${type || 'unknown'}`;
  return `its answer${kind} is no JSON-RPC response: ${startOf(text)}`;
}

/** The text of a body in the character set of its type. */
async function decoded(body: Body, type: string): Promise<string> {
  const bytes = await new Response(body).arrayBuffer();
  const charset = /;\s*charset="?([^\s";]+)/i.exec(type)?.[1] ?? 'utf-8';
  return decoderOf(charset).decode(bytes);
}

function decoderOf(charset: string): TextDecoder {
  try {
    return new TextDecoder(charset);
  } catch {
    return new TextDecoder();
  }
}
