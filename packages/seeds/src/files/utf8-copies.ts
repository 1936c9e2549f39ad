import { createWriteStream } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { type DecodeText, isUtf8, textDecoderOf } from '@data-designer/config';
import { firstBytes, PACKED, readHead, unpackedPieces } from './read-head.ts';

/** How text files are encoded, and where their copies are written. */
export interface CopyOptions {
  readonly folder: () => Promise<string>;
  /** The declared encoding; by the byte order mark of each file unless given. */
  readonly encoding: string | undefined;
}

/** The files to read instead of text files, in order, and the encoding of the first one. */
export interface Utf8Files {
  readonly paths: readonly string[];
  readonly encoding: string;
}

/** Why a file is not text in its encoding. */
export interface EncodingFault {
  readonly file: string;
  readonly reason: string;
  readonly remedy: string;
}

/** Latin-1 has them where windows-1252 has quotes and the euro sign; tables hold none, except the line end NEL. */
const CONTROLS = /[\u0080-\u0084\u0086-\u009f]/;
/** The bytes that tell a byte order mark of UTF-16 from one of UTF-32. */
const MARK_BYTES = 4;

/** DuckDB reads UTF-8 only without loss: writes the files of other encodings again. */
export async function utf8Copies(
  files: readonly string[],
  { folder, encoding }: CopyOptions,
): Promise<Utf8Files | EncodingFault> {
  const paths: string[] = [];
  let first: string | undefined;
  let copies: string | undefined;
  for (const [index, file] of files.entries()) {
    const own = encoding ?? (await markedEncoding(file));
    first ??= own;
    if (isUtf8(own)) {
      paths.push(file);
      continue;
    }
    copies ??= await mkdtemp(join(await folder(), 'utf-8-'));
    const copy = join(copies, `${index}-${basename(file).replace(PACKED, '')}`);
    const fault = await writeUtf8(file, copy, own);
    if (fault) return fault;
    paths.push(copy);
  }
  return { paths, encoding: first ?? 'utf-8' };
}

/** UTF-16 by its byte order mark, UTF-8 else. */
async function markedEncoding(file: string): Promise<string> {
  const bytes = PACKED.test(file) ? (await readHead(file, MARK_BYTES)).bytes : firstBytes(file, MARK_BYTES);
  const mark = bytes.toString('latin1', 0, 2);
  const isUtf32 = bytes.length === MARK_BYTES && bytes[2] === 0 && bytes[3] === 0;
  return (mark === '\xff\xfe' && !isUtf32) || mark === '\xfe\xff' ? 'utf-16' : 'utf-8';
}

async function writeUtf8(file: string, copy: string, encoding: string): Promise<EncodingFault | undefined> {
  const decode = textDecoderOf(encoding);
  if (!decode) return { file, reason: `there is no decoder for ${encoding}`, remedy: 'Convert the file to UTF-8.' };
  let lines = 0;
  async function* texts(): AsyncGenerator<string> {
    for await (const text of decoded(unpackedPieces(file), decode as DecodeText)) {
      if (CONTROLS.test(text)) throw new TypeError('It contains control characters beyond ASCII.');
      yield text;
      lines += text.split('\n').length - 1;
    }
  }
  try {
    await pipeline(Readable.from(texts()), createWriteStream(copy, { mode: 0o600 }));
    return undefined;
  } catch (thrown) {
    if (!(thrown instanceof TypeError)) throw thrown;
    const reason = `a byte after line ${lines} is no text in the encoding ${encoding}`;
    return {
      file,
      reason,
      remedy: "Correct 'encoding' in the seed's source (text of Windows is often windows-1252), or the file.",
    };
  }
}

async function* decoded(chunks: AsyncIterable<Buffer>, decode: DecodeText): AsyncGenerator<string> {
  for await (const chunk of chunks) yield decode(chunk, { stream: true });
  yield decode(new Uint8Array(), { stream: false });
}
