import { stat } from 'node:fs/promises';
import { type DatasetPaths, nameWithin } from '../dataset-paths.ts';
import { checkedRecord, LineLog } from './line-log.ts';
import { changedFile, orDamaged } from '../files/damaged-file.ts';
import { type FileDamage, type FileSum, findDamage, sumFile } from '../files/file-sum.ts';

/** One line of the checksum log. */
export interface FileChecksum extends FileSum {
  /** Relative to the dataset's folder, with `/`. */
  readonly file: string;
}

/** An image in the folder of a dataset. */
export interface ImageSum {
  /** Relative to the dataset's folder, with `/`. */
  readonly path: string;
  readonly bytes: number;
  readonly crc32: number;
}

/** The images that the rows of a row group show. */
export interface GroupImages {
  readonly group: number;
  readonly images: readonly ImageSum[];
}

/** The images that the rows of a file show whose row groups are not those of the dataset: refused rows. */
export interface FileImages {
  readonly path: string;
  readonly images: readonly ImageSum[];
}

/** The images in a line. */
type ImageEntries = readonly (readonly [path: string, bytes: number, crc32: number])[];

/** The line of a group's images, or of a file's. */
type ImagesLine = { readonly group: number; readonly images: ImageEntries } | NamedImagesLine;

interface NamedImagesLine {
  /** Relative to the dataset's folder, with `/`. */
  readonly file: string;
  readonly images: ImageEntries;
}

/** The checksum of a file, and how the file differs from it. */
interface CheckedFile {
  readonly sum: FileSum;
  readonly damage: FileDamage | undefined;
}

/** Where checksums come from. */
interface ChecksumSource {
  readonly nameOf: (path: string) => string;
  readonly reload: () => Promise<Checksums>;
  readonly images?: readonly GroupImages[];
  readonly fileImages?: ReadonlyMap<string, readonly ImageSum[]>;
}

/** The checksums of a dataset's files by name; a name that was reused has several, the latest first. */
export class Checksums {
  readonly #byFile = new Map<string, FileChecksum[]>();
  readonly #nameOf: (path: string) => string;
  /** The images of row groups; those of the latest line for a group. */
  readonly images: ReadonlyMap<number, readonly ImageSum[]>;
  /** The images of refused rows by the name of their file. */
  readonly fileImages: ReadonlyMap<string, readonly ImageSum[]>;

  /** Reads the checksums again. */
  readonly reload: () => Promise<Checksums>;

  constructor(
    records: readonly FileChecksum[],
    { nameOf, reload, images = [], fileImages = new Map() }: ChecksumSource,
  ) {
    this.#nameOf = nameOf;
    this.fileImages = fileImages;
    this.images = new Map(images.map(({ group, images: own }) => [group, own]));
    this.reload = reload;
    for (const record of records) this.#byFile.set(record.file, [record, ...(this.#byFile.get(record.file) ?? [])]);
  }

  /** The checksum of a file, the one with its size if there are several; undefined if there is none. */
  async of(path: string): Promise<FileSum | undefined> {
    const records = this.#recordsOf(path);
    if (records.length === 0) return undefined;
    const { size } = await stat(path);
    return records.find(({ bytes }) => bytes === size) ?? records[0];
  }

  /** The checksum that a file matches, or the latest with the differences; undefined for a file without a checksum. */
  async check(path: string, signal?: AbortSignal): Promise<CheckedFile | undefined> {
    const records = this.#recordsOf(path);
    const [latest] = records;
    if (!latest) return undefined;
    const { size } = await stat(path);
    const candidates = records.filter(({ bytes }) => bytes === size);
    let found: CheckedFile | undefined;
    for (const sum of candidates.length > 0 ? candidates : [latest]) {
      const damage = findDamage(await sumFile(path, sum.groups, signal), sum);
      if (!damage) return { sum, damage };
      found ??= { sum, damage };
    }
    return found;
  }

  /** The names of the files, relative to the dataset's folder, with `/`. */
  get files(): Iterable<string> {
    return this.#byFile.keys();
  }

  /** Whether a file of this name has a checksum. */
  isKnown(path: string): boolean {
    return this.#recordsOf(path).length > 0;
  }

  /** The rows of the latest file of this name; undefined for one without a checksum. */
  rowsOf(path: string): number | undefined {
    return this.#recordsOf(path)[0]?.rows;
  }

  /** Whether a checksum of a file of this name is that of some content. */
  has(path: string, { bytes, crc32 }: FileSum): boolean {
    return this.#recordsOf(path).some((record) => record.bytes === bytes && record.crc32 === crc32);
  }

  #recordsOf(path: string): readonly FileChecksum[] {
    return this.#byFile.get(this.#nameOf(path)) ?? [];
  }
}

/** Throws `dataset/damaged` if a file differs from its checksum. */
export async function rejectChanged(path: string, checksums: Checksums): Promise<void> {
  await orDamaged(path, async () => {
    if (!(await checksums.check(path))?.damage) return;
    // A run may have rewritten the file since the checksums were read.
    if ((await (await checksums.reload()).check(path))?.damage) throw changedFile(path);
  });
}

/** The checksums of files, one JSON object per line, synced before a file gets its final name; others are ignored. */
export class ChecksumLog {
  readonly #log: LineLog;
  readonly #folder: string;
  /** What the names of the files of refused rows begin with. */
  readonly #refused: string;

  constructor({ folder, checksums, refusedFiles }: Pick<DatasetPaths, 'folder' | 'checksums' | 'refusedFiles'>) {
    this.#folder = folder;
    this.#refused = `${nameWithin(folder, refusedFiles)}/`;
    this.#log = new LineLog(checksums);
  }

  /** Adds the checksums of files before they are committed, and those of the images that their rows show. */
  async add(
    files: readonly { readonly path: string; readonly sum: FileSum }[],
    images: readonly (GroupImages | FileImages)[] = [],
  ): Promise<void> {
    const records: readonly object[] = [
      ...images.flatMap((shown) => (shown.images.length > 0 ? this.#lineOfImages(shown) : [])),
      ...files.map(({ path, sum }): FileChecksum => ({ file: this.#nameOf(path), ...sum })),
    ];
    await this.#log.add(records);
  }

  async read(): Promise<Checksums> {
    const lines = await this.#log.read();
    const records = lines.flatMap((line) => recordIn(line) ?? []);
    const shown = lines.flatMap((line) => imagesIn(line) ?? []);
    const images = shown.flatMap((one) => ('group' in one ? one : []));
    const fileImages = new Map(shown.flatMap((one) => ('path' in one ? [[one.path, one.images] as const] : [])));
    return new Checksums(records, {
      nameOf: (path) => this.#nameOf(path),
      reload: () => this.read(),
      images,
      fileImages,
    });
  }

  /** Removes the checksums of a file and of its images. */
  async forget(path: string): Promise<void> {
    const name = this.#nameOf(path);
    await this.#log.rewrite((lines) =>
      lines.filter((line) => recordIn(line)?.file !== name && !isOf(imagesIn(line), name)),
    );
  }

  /**
   * Removes the checksums of all other files but those of refused rows, and of the images of other row groups, all of which
   * stay unless given; writes nothing if there are none.
   */
  async keepOnly(sums: ReadonlyMap<string, FileSum>, groups?: ReadonlySet<number>): Promise<void> {
    const wanted = new Map(Array.from(sums, ([path, sum]) => [this.#nameOf(path), sum]));
    const isKept = (line: string) => {
      const images = imagesIn(line);
      if (images) return 'path' in images || (groups?.has(images.group) ?? true);
      const record = recordIn(line);
      if (record?.file.startsWith(this.#refused)) return true;
      const sum = record && wanted.get(record.file);
      return sum?.crc32 === record?.crc32 && sum?.bytes === record?.bytes && sum !== undefined;
    };
    if (!(await this.#log.read()).every(isKept)) await this.#log.rewrite((lines) => lines.filter(isKept));
  }

  #nameOf(path: string): string {
    return nameWithin(this.#folder, path);
  }

  #lineOfImages(shown: GroupImages | FileImages): ImagesLine {
    const images = shown.images.map(({ path, bytes, crc32 }) => [path, bytes, crc32] as const);
    return 'group' in shown ? { group: shown.group, images } : { file: this.#nameOf(shown.path), images };
  }
}

function recordIn(line: string): FileChecksum | undefined {
  const record = checkedRecord(line);
  return record && isFileChecksum(record) ? record : undefined;
}

function isOf(images: GroupImages | FileImages | undefined, file: string): boolean {
  return images !== undefined && 'path' in images && images.path === file;
}

/** The images in a line; the path of a file is the one in the log. */
function imagesIn(line: string): GroupImages | FileImages | undefined {
  const record = checkedRecord(line);
  if (!record || !isImagesLine(record)) return undefined;
  const images = record.images.map(([path, bytes, crc32]) => ({ path, bytes, crc32 }));
  return 'group' in record ? { group: record.group, images } : { path: record.file, images };
}

function isImagesLine(record: object): record is ImagesLine {
  return ('group' in record || 'file' in record) && 'images' in record && Array.isArray(record.images);
}

function isFileChecksum(record: object): record is FileChecksum {
  return 'file' in record && 'bytes' in record && 'crc32' in record;
}
