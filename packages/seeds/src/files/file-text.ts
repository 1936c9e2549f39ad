import { constants } from 'node:buffer';
import { readFile } from 'node:fs/promises';
import type { DecodeText } from '@data-designer/config';
import { DataDesignerError } from '@data-designer/core';
import { reasonOf } from '../tables/file-state.ts';

/** The text of a file; throws `seed/unreadable`, with a `TypeError` as cause if the bytes are not in the encoding. */
export async function fileText(path: string, decode: DecodeText): Promise<string> {
  try {
    const bytes = await readFile(path);
    if (bytes.length > constants.MAX_STRING_LENGTH)
      throw new RangeError(`it has ${bytes.length} bytes, more than a text can have`);
    return decode(bytes);
  } catch (thrown) {
    const reason = thrown instanceof TypeError ? `it is not text in the declared encoding` : reasonOf(thrown);
    throw new DataDesignerError('seed/unreadable', { source: path, reason }, { cause: thrown });
  }
}
