import { join } from 'node:path';
import { type DecodeText, type Mapping, textDecoderOf } from '@data-designer/config';
import { DataDesignerError } from '@data-designer/core';
import { fileText } from '../files/file-text.ts';
import type { Row } from '../rows/serializable-row.ts';
import type { RolloutFormat, RolloutSource, SessionIndex } from './rollout.ts';
import { RolloutFault } from './rollout-fault.ts';
import { ROLLOUT_FORMATS } from './rollout-formats.ts';
import { rolloutRow } from './rollout-row.ts';

/** Recordings in a folder. */
export interface RolloutFolder {
  readonly format: RolloutSource['format'];
  readonly root: string;
  /** Relative paths, with `/`, of files that tell more of the sessions. */
  readonly indexes: readonly string[];
}

/** Told of each file that is to be left out, by its relative path, and why. */
export type OnLeftOut = (path: string, reason: string) => void;

/** A session as a row, and about how many characters it has. */
interface RolloutRow {
  readonly row: Row;
  readonly characters: number;
}

/** Gives the row of a recording by its relative path; undefined for one that is to be left out. */
export type ReadRollout = (path: string) => Promise<RolloutRow | undefined>;

/** Makes what reads the recordings of a folder, one at a time. Both throw `seed/unreadable`. */
export async function rolloutReader(
  { format, root, indexes }: RolloutFolder,
  onLeftOut: OnLeftOut,
): Promise<ReadRollout> {
  const reader = ROLLOUT_FORMATS[format];
  const textOfFile = (path: string) => fileText(join(root, path), decodeUtf8);
  const index = await readIndexes(reader, indexes, { textOfFile, onLeftOut });
  return (path) =>
    orLeftOut(path, onLeftOut, async () => {
      const text = await textOfFile(path);
      if (text.trim() === '') throw new RolloutFault('it is empty');
      const name = path.slice(path.lastIndexOf('/') + 1);
      const row = rolloutRow(reader.read({ text, name }, index), { format, path: join(root, path) });
      return { row, characters: text.length };
    });
}

/** A mark at the start is none of the text. */
const decodeUtf8 = textDecoderOf('utf-8-sig') as DecodeText;

async function readIndexes(
  { index }: RolloutFormat,
  paths: readonly string[],
  { textOfFile, onLeftOut }: { readonly textOfFile: (path: string) => Promise<string>; readonly onLeftOut: OnLeftOut },
): Promise<SessionIndex> {
  const sessions = new Map<string, Mapping>();
  for (const path of index ? paths : []) {
    const found = await orLeftOut(path, onLeftOut, async () => index?.read(await textOfFile(path)));
    for (const [session, told] of found ?? []) sessions.set(session, told);
  }
  return sessions;
}

/** What is read of a file, or undefined where the file is to be left out. */
async function orLeftOut<Found>(
  path: string,
  onLeftOut: OnLeftOut,
  read: () => Promise<Found>,
): Promise<Found | undefined> {
  try {
    return await read();
  } catch (thrown) {
    const reason = reasonToLeaveOut(thrown);
    if (reason === undefined) throw thrown;
    onLeftOut(path, reason);
    return undefined;
  }
}

function reasonToLeaveOut(thrown: unknown): string | undefined {
  if (thrown instanceof RolloutFault) return thrown.message;
  if (thrown instanceof DataDesignerError) return thrown.cause instanceof TypeError ? 'it is no UTF-8 text' : undefined;
  // So deep within each other that going through them takes more stack than there is.
  return thrown instanceof RangeError ? 'what it tells is nested too deeply' : undefined;
}
