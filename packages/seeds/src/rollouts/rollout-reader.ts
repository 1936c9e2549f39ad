import { join } from 'node:path';
import { type LeftOut, listSeedFiles, rolloutSeed, type SeedFolder } from '@data-designer/config';
import type { Finding } from '@data-designer/core';
import type { FileStamp } from '@data-designer/dataset';
import { type FolderFiles, inspectFolder } from '../files/inspect-folder.ts';
import { type InspectOptions, seedError, type SeedInspection, type SeedReader, seedWarning } from '../seed-reader.ts';
import { stampOf } from '../tables/file-state.ts';
import { recordingReader } from './read-recordings.ts';
import type { RolloutSource } from './rollout.ts';
import { ROLLOUT_FORMATS } from './rollout-formats.ts';
import { type KnownRollout, rolloutRows } from './rollout-rows.ts';

/** Reads `agent_rollout`: a row for each recorded session of an agent. */
export const rolloutReader: SeedReader<RolloutSource> = {
  inspect: (source, options) =>
    inspectFolder({ kind: rolloutSeed, source }, options, (found) => inspectRecordings(source, found, options)),
};

/** Findings name at most this many files that make no row. */
const MAX_NAMED = 20;

/** Reads all recordings: how many make a row, and why the others do not. Throws `seed/unreadable`. */
async function inspectRecordings(
  { format, codexReasoningSource }: RolloutSource,
  { folder, files, fields }: FolderFiles,
  { signal }: InspectOptions,
): Promise<SeedInspection> {
  const { root } = folder;
  const indexes = indexesIn(folder, format);
  const stamps = new Map<string, FileStamp>();
  for (const name of [...files, ...indexes]) stamps.set(name, await stampOf({ name, path: join(root, name) }));
  const leftOut: LeftOut[] = [];
  const known: KnownRollout[] = [];
  const recordings = { format, root, indexes, takesRawReasoning: codexReasoningSource === 'content_first' };
  const read = await recordingReader(recordings, (path, reason) => leftOut.push({ path, reason }));
  for (const path of files) {
    signal.throwIfAborted();
    const session = await read(path);
    if (session) known.push({ traceId: session.traceId, path });
  }
  const rows = known.length;
  const seen = { columns: fields, rows, findings: leftOutFindings(leftOut, rows) };
  return rows === 0 ? seen : { ...seen, source: rolloutRows({ ...recordings, fields, known, stamps }) };
}

/** Index files of the format, in the folders of the recordings. */
function indexesIn(folder: SeedFolder, format: RolloutSource['format']): readonly string[] {
  const { index } = ROLLOUT_FORMATS[format];
  return index ? listSeedFiles({ ...folder, pattern: index.name, takes: () => true }).files : [];
}

function leftOutFindings(leftOut: readonly LeftOut[], rows: number): Finding[] {
  const named = leftOut
    .slice(0, MAX_NAMED)
    .map(({ path, reason }) =>
      seedWarning('seed_file_malformed', `${path} is skipped: ${reason}.`, 'Correct or remove the file.'),
    );
  const more = leftOut.length - named.length;
  if (more > 0) {
    const remedy = "Check that 'format' is the format of these files.";
    named.push(seedWarning('seed_file_malformed', `${more} more files are skipped.`, remedy));
  }
  if (rows > 0) return named;
  const remedy = "Correct the path, or the 'format'.";
  return [...named, seedError('seed_empty', 'no file contains a session of this format.', remedy)];
}
