import { type FolderKind, listSeedFiles, sayLeftOut, type SeedFolder } from '@data-designer/config';
import { type ArrowField, type Finding, isFailure, messageOf } from '@data-designer/core';
import { type InspectOptions, seedError, type SeedInspection, seedWarning, unreadRows } from '../seed-reader.ts';

/** The files of a folder that make rows. */
export interface FolderFiles {
  readonly folder: SeedFolder;
  /** Relative paths, with `/`, in order; at least one. */
  readonly files: readonly string[];
  /** The columns of the rows. */
  readonly fields: readonly ArrowField[];
}

/** Lists the files that a source takes from its folder and inspects them; files left out are warnings. */
export async function inspectFolder<Source>(
  { kind: { fields, folderOf }, source }: { readonly kind: FolderKind<Source>; readonly source: Source },
  { folder: base, signal }: InspectOptions,
  inspectFiles: (found: FolderFiles) => SeedInspection | Promise<SeedInspection>,
): Promise<SeedInspection> {
  const folder = folderOf(source, base);
  try {
    const { files, leftOut } = listSeedFiles(folder);
    const said = sayLeftOut(leftOut);
    if (files.length === 0) {
      const message = `no file in ${folder.root} matches '${folder.pattern}' and can be read.`;
      const finding = seedError('seed_empty', message, said ?? 'Correct the path or the pattern.');
      return { columns: fields, rows: 0, findings: [finding] };
    }
    const seen = await inspectFiles({ folder, files, fields });
    if (said === undefined) return seen;
    const warning = seedWarning('seed_files_left_out', `some files in ${folder.root} are not read.`, said);
    return { ...seen, findings: [warning, ...seen.findings] };
  } catch (thrown) {
    signal.throwIfAborted();
    return unreadRows([unreadable(folder.root, thrown)]);
  }
}

function unreadable(folder: string, thrown: unknown): Finding {
  const { source, reason } = isFailure(thrown, 'seed/unreadable')
    ? thrown.data
    : { source: folder, reason: messageOf(thrown) };
  return seedError('seed_unreadable', `${source} cannot be read: ${reason}.`, 'Check the path and its permissions.');
}
