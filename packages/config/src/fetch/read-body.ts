import type { IncomingMessage } from 'node:http';
import { FetchRefusal } from './fetch-refusal.ts';

/** 1 MiB, as in the Python tool. */
const MAX_BYTES = 1_048_576;

/** The UTF-8 text of an answer; throws `FetchRefusal` for other text and for more than `maxBytes`. */
export async function readBody(response: IncomingMessage, maxBytes = MAX_BYTES): Promise<string> {
  try {
    return decode(await readBytes(response, maxBytes));
  } finally {
    response.destroy();
  }
}

async function readBytes(response: IncomingMessage, maxBytes: number): Promise<Uint8Array> {
  const { 'content-encoding': encoding = 'identity', 'content-length': announced } = response.headers;
  if (encoding.toLowerCase() !== 'identity')
    throw new FetchRefusal(`the server sent the content encoding '${encoding}', which is not supported`);
  if (Number(announced) > maxBytes) throw tooLong(maxBytes);
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > maxBytes) throw tooLong(maxBytes);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

const tooLong = (maxBytes: number) => new FetchRefusal(`the content is larger than ${maxBytes} bytes`);

function decode(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (thrown) {
    throw new FetchRefusal('it is not UTF-8 text', { cause: thrown });
  }
}
