import { join } from 'node:path';
import type { Mapping } from '@data-designer/config';
import { DataDesignerError } from '@data-designer/core';
import { fileText } from '../files/file-text.ts';
import { type RolloutFormat, RolloutFault, type RolloutSource, type SessionIndex } from './rollout.ts';
import { ROLLOUT_FORMATS } from './rollout-formats.ts';
import { rolloutRow } from './rollout-row.ts';

/** Recordings in a folder. */
export interface RolloutFolder {
  readonly format: RolloutSource['format'];
  readonly root: string;
  /** Relative paths, with `/`, of index files. */
  readonly indexes: readonly string[];
  readonly takesRawReasoning: boolean;
}

/** Receives the relative path of each file that is left out, and the reason. */
export type OnLeftOut = (path: string, reason: string) => void;

/** A session as a row, and its approximate size. */
interface RolloutRow {
  readonly row: Mapping;
  readonly traceId: string;
  readonly characters: number;
}

/** Reads a recording by its relative path; gives undefined for one that is left out. */
export type ReadRecording = (path: string) => Promise<RolloutRow | undefined>;

/** Reads the index files of a folder, and gives the function that reads its recordings. Both throw `seed/unreadable`. */
export async function recordingReader(
  { format, root, indexes, takesRawReasoning }: RolloutFolder,
  onLeftOut: OnLeftOut,
): Promise<ReadRecording> {
  const reader = ROLLOUT_FORMATS[format];
  const textOfFile = (path: string) => fileText(join(root, path), decodeUtf8);
  const index = await readIndexes(reader, indexes, { textOfFile, onLeftOut });
  return (path) =>
    orLeftOut(path, onLeftOut, async () => {
      const text = await textOfFile(path);
      if (text.trim() === '') throw new RolloutFault('it is empty');
      const name = path.slice(path.lastIndexOf('/') + 1);
      const rollout = reader.read({ text, name, takesRawReasoning }, index);
      const row = rolloutRow(rollout, { format, path: join(root, path) });
      return { row, traceId: rollout.traceId, characters: text.length };
    });
}

/** Skips a byte order mark. */
const utf8 = new TextDecoder('utf-8', { fatal: true });
const decodeUtf8 = (bytes: Uint8Array): string => utf8.decode(bytes);

async function readIndexes(
  { index }: RolloutFormat,
  paths: readonly string[],
  { textOfFile, onLeftOut }: { readonly textOfFile: (path: string) => Promise<string>; readonly onLeftOut: OnLeftOut },
): Promise<SessionIndex> {
  const sessions = new Map<string, Mapping>();
  for (const path of index ? paths : []) {
    const found = await orLeftOut(path, onLeftOut, async () => index?.read(await textOfFile(path)));
    for (const [session, details] of found ?? []) sessions.set(session, details);
  }
  return sessions;
}

/** The result of reading a file, or undefined if the file is to be left out. */
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
  if (thrown instanceof DataDesignerError)
    return thrown.cause instanceof TypeError ? 'it is not UTF-8 text' : undefined;
  // Walking values nested too deeply overflows the stack.
  return thrown instanceof RangeError ? 'its content is nested too deeply' : undefined;
}
