import { clearAbandoned, commit, discard, makeFolder, orStorageFailure, type StagedFile } from '@data-designer/dataset';
import { LinesFile } from './compressed-file.ts';
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
  readonly #open = new Map<string | undefined, Shard>();
  readonly #staged: StagedShard[] = [];

  constructor(options: FileOptions) {
    this.#options = options;
  }

  /** Makes a folder of its own, and removes what killed exports have left in it. */
  static async open(options: FileOptions): Promise<ExportFiles> {
    const { names, parts } = options;
    const { folder, stem } = names;
    if (stem === '') await orStorageFailure(folder, () => makeFolder(folder));
    await refuseOthers(names, parts);
    await clearAbandoned(folder);
    return new ExportFiles(options);
  }

  /** Appends a line to a part; a promise is there only where a file must be waited for. */
  add(part: string | undefined, line: string): Promise<void> | undefined {
    const shard = this.#open.get(part);
    if (!shard) return this.#begin(part, line);
    const { shardSize = Infinity } = this.#options;
    if (shard.file.bytes >= shardSize) return this.#next(shard, line);
    shard.examples++;
    return shard.file.add(line);
  }

  /** Completes all files and gives them their names. */
  async finish(): Promise<readonly ExportedFile[]> {
    for (const shard of this.#open.values()) await this.#stage(shard);
    const { names, shardSize } = this.#options;
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

  /** Removes all files without names. */
  async discard(): Promise<void> {
    for (const { file } of this.#open.values()) await file.discard();
    for (const { staged } of this.#staged) await discard(staged);
  }

  async #begin(part: string | undefined, line: string): Promise<void> {
    const { names, compression } = this.#options;
    const path = partPath(names, { part, shard: 0, shards: undefined });
    const shard = { part, file: await LinesFile.open(path, compression), examples: 1 };
    this.#open.set(part, shard);
    await shard.file.add(line);
  }

  async #next(shard: Shard, line: string): Promise<void> {
    await this.#stage(shard);
    await this.#begin(shard.part, line);
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
