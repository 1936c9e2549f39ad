import {
  clearAbandoned,
  commit,
  discard,
  makeFolder,
  orStorageFailure,
  removeEmptyFolders,
  type StagedFile,
} from '@data-designer/dataset';
import { LinesFile } from './compressed-file.ts';
import type { Lines } from './lines.ts';
import type { Compression } from './compression.ts';
import { leftFiles, type OutputNames, partPath, refuseOthers } from './part-names.ts';

/** A file that an export has written. */
export interface ExportedFile {
  /** Its path, as the output was named. */
  readonly path: string;
  /** The part of a split; absent without one. */
  readonly split?: string;
  /** The lines that it has. */
  readonly examples: number;
}

/** How the files of an export are written. */
export interface FileOptions {
  readonly names: OutputNames;
  /** The parts of a split, or one that is undefined. */
  readonly parts: readonly (string | undefined)[];
  readonly compression: Compression | undefined;
  /** The bytes of lines after which the next shard begins; one file per part if undefined. */
  readonly shardSize: number | undefined;
}

interface Shard {
  readonly part: string | undefined;
  readonly file: LinesFile;
  examples: number;
}

interface StagedShard extends Omit<Shard, 'file'> {
  readonly staged: StagedFile;
}

/** The files of an export: they get their names together, when all of them are complete. */
export class ExportFiles {
  readonly #options: FileOptions;
  /** The folders that were made for the files, the innermost first. */
  readonly #made: readonly string[];
  readonly #open = new Map<string | undefined, Shard>();
  readonly #staged: StagedShard[] = [];

  private constructor(options: FileOptions, made: readonly string[]) {
    this.#options = options;
    this.#made = made;
  }

  /** Makes a folder of its own, and removes what killed exports have left in it. */
  static async open(options: FileOptions): Promise<ExportFiles> {
    const { names, parts } = options;
    const { folder, stem } = names;
    const made = stem === '' ? await orStorageFailure(folder, () => makeFolder(folder)) : [];
    await refuseOthers(names, parts);
    await clearAbandoned(folder);
    return new ExportFiles(options, made);
  }

  /** Appends lines to a part, whose file is the next one wherever the file before has its bytes. */
  async add({ part, bytes, ends }: Lines): Promise<void> {
    const { shardSize = Infinity } = this.#options;
    let start = 0;
    for (let first = 0; first < ends.length;) {
      const shard = await this.#shard(part);
      const room = shardSize - shard.file.bytes;
      const full = ends.findIndex((end, index) => index >= first && end - start >= room);
      const last = full === -1 ? ends.length - 1 : full;
      const end = ends[last] ?? bytes.length;
      shard.examples += last - first + 1;
      await shard.file.add(bytes.subarray(start, end));
      start = end;
      first = last + 1;
    }
  }

  /** Completes all files and gives them their names. */
  async finish(): Promise<readonly ExportedFile[]> {
    for (const shard of this.#open.values()) await this.#stage(shard);
    const { names, parts, shardSize } = this.#options;
    this.#staged.sort((a, b) => parts.indexOf(a.part) - parts.indexOf(b.part));
    const placed = this.#staged.map(({ part, staged, examples }, index) => {
      const ofPart = this.#staged.filter((other) => other.part === part);
      const before = this.#staged.slice(0, index).filter((other) => other.part === part).length;
      const shards = shardSize === undefined ? undefined : ofPart.length;
      return { part, examples, staged: { ...staged, path: partPath(names, { part, shard: before, shards }) } };
    });
    for (const { staged } of placed) {
      await commit(staged);
      this.#staged.shift();
    }
    await this.#removeLeft(new Set(placed.map(({ staged }) => staged.path)));
    return placed.map(({ part, examples, staged: { path } }) => ({
      path,
      ...(part === undefined ? {} : { split: part }),
      examples,
    }));
  }

  /** Removes all files without names, and the folders that were made for them. */
  async discard(): Promise<void> {
    for (const { file } of this.#open.values()) await file.discard();
    for (const { staged } of this.#staged) await discard(staged);
    await removeEmptyFolders(this.#made);
  }

  /** The file that takes the next line of a part. */
  async #shard(part: string | undefined): Promise<Shard> {
    const { names, compression, shardSize = Infinity } = this.#options;
    const open = this.#open.get(part);
    if (open && open.file.bytes < shardSize) return open;
    if (open) await this.#stage(open);
    const path = partPath(names, { part, shard: 0, shards: undefined });
    const shard = { part, file: await LinesFile.open(path, compression), examples: 0 };
    this.#open.set(part, shard);
    return shard;
  }

  async #stage(shard: Shard): Promise<void> {
    const { part, file, examples } = shard;
    this.#staged.push({ part, examples, staged: await file.finish() });
    this.#open.delete(part);
  }

  /** Removes what an earlier export under the same name had in more files or fewer. */
  async #removeLeft(written: ReadonlySet<string>): Promise<void> {
    const { names, parts } = this.#options;
    for (const temporary of await leftFiles(names, parts, written)) await discard({ temporary });
  }
}
