import { join } from 'node:path';
import zlib from 'node:zlib';
import { endingOf, sniffMediaType, storedFileOf } from '@data-designer/columns';
import { type ArrowType, type Fields, isFields, itemsOf, type Plan, stringOf } from '@data-designer/core';
import { ChecksumLog, datasetPaths, type ImageSum, lostFile, stampText } from '@data-designer/dataset';
import { readMedia } from '@data-designer/engine';
import { LINKS } from '../../api/api.ts';
import type { Media } from '../../api/cells.ts';
import type { ColumnInfo } from '../../api/columns.ts';
import { cutText } from '../cut-cell.ts';
import { failureOf, RequestFailure } from '../request-failure.ts';
import { StampedValue } from '../stamped-value.ts';

type Kind = Media['kind'];
const KINDS: readonly Kind[] = ['image', 'audio', 'video'];

/** Longer texts are Base64, not the path of a file. */
const MAX_PATH = 500;
/** The media shown of one value. */
const MAX_MEDIA = 20;

/** What the media of a column are: of one kind, or files of which each tells its own. */
type DeclaredKind = Kind | 'file';

/** The columns whose values are media, by what their declarations, their types and the columns that send them say. */
export function mediaKinds(
  { columns, fields }: Pick<Plan, 'columns' | 'fields'>,
  infos: readonly Pick<ColumnInfo, 'name' | 'shown'>[],
): ReadonlyMap<string, DeclaredKind> {
  const kinds = new Map<string, DeclaredKind>();
  const shownNames = new Set(infos.map(({ name }) => name));
  for (const { name, type } of fields) if (shownNames.has(name) && holdsFiles(type)) kinds.set(name, 'file');
  for (const { name, shown } of infos) if (shown === 'pictures') kinds.set(name, 'image');
  for (const { config } of columns) {
    const contexts: unknown = 'multiModalContext' in config ? config.multiModalContext : null;
    for (const { columnName, modality } of itemsOf(contexts).filter(isFields)) {
      const kind = KINDS.find((one) => one === modality);
      if (typeof columnName === 'string' && kind) kinds.set(columnName, kind);
    }
  }
  return kinds;
}

/** Whether a type is that of stored files, as tables of Hugging Face have them, or of lists of those. */
function holdsFiles(type: ArrowType): boolean {
  if (typeof type === 'string') return false;
  if ('list' in type) return holdsFiles(type.list);
  if (!('struct' in type) || type.struct.length !== 2) return false;
  return ['bytes', 'path'].every((name) =>
    type.struct.some((member) => member.name === name && member.type === 'utf8'),
  );
}

/** The kind of the media of a text; undefined for a file that is none. */
function kindOf(source: string, declared: DeclaredKind): Kind | undefined {
  if (declared !== 'file') return declared;
  const text = source.trim();
  const base64 = text.slice(DATA_ADDRESS.exec(text)?.[0].length ?? 0);
  return KINDS.find((kind) => sniffMediaType(kind, base64) !== undefined || endingOf(kind, text) !== undefined);
}

const DATA_ADDRESS = /^data:[^,]{0,200};base64,/i;

/** Where a value is. */
export interface MediaPlace {
  readonly dataset: string;
  readonly index: number;
  readonly column: string;
}

/** The media of a value: one, or a list. */
export function mediaIn(value: unknown, declared: DeclaredKind | undefined, place: MediaPlace): readonly Media[] {
  return mediaWithSources(value, declared, place).map(({ medium }) => medium);
}

/** The media of a value, each with the text that has it. */
export function mediaWithSources(
  value: unknown,
  declared: DeclaredKind | undefined,
  place: MediaPlace,
): readonly { readonly medium: Media; readonly source: string }[] {
  return shownSources(value, declared).map(({ source, kind, at }) => {
    return { medium: mediumOf(source, { kind, name: `${place.column} ${at + 1}`, query: { ...place, at } }), source };
  });
}

/** The texts of a value that are media, with their kinds and their places in it. */
function shownSources(value: unknown, declared: DeclaredKind | undefined) {
  if (!declared) return [];
  return sourcesIn(value)
    .slice(0, MAX_MEDIA)
    .flatMap((source, at) => {
      const kind = kindOf(source, declared);
      return kind === undefined ? [] : [{ source, kind, at }];
    });
}

/** The media of a part of a message. */
export function mediaOfPart(
  part: Fields,
  place: MediaPlace & { readonly message: number; readonly part: number },
): Media | undefined {
  const kind = KINDS.find((one) => one === part['type']);
  if (!kind) return undefined;
  return mediumOf(stringOf(part['url']) ?? '', { kind, name: kind, query: { ...place } });
}

function mediumOf(
  source: string,
  {
    kind,
    name,
    query,
  }: { readonly kind: Kind; readonly name: string; readonly query: Readonly<Record<string, string | number>> },
): Media {
  if (isRemote(source)) return remoteMedium(source, { kind, name });
  const parameters = new URLSearchParams({ kind });
  for (const [key, value] of Object.entries(query)) parameters.set(key, String(value));
  return { name, kind, address: `${LINKS.media}?${parameters}`, note: null };
}

function isRemote(source: string): boolean {
  return /^https?:/i.test(source);
}

function remoteMedium(source: string, of: Pick<Media, 'kind' | 'name'>): Media {
  return { ...of, address: null, note: `It is at ${source}, which is not fetched.` };
}

/** The media of a value for a page without a server: in the page itself, or as a note where there is none. */
export function inlinedMedia(
  value: unknown,
  declared: DeclaredKind | undefined,
  { column, folder }: { readonly column: string; readonly folder: string | null },
): Promise<readonly Media[]> {
  const sources = shownSources(value, declared);
  return Promise.all(
    sources.map(async ({ source, kind }, at) => {
      const of = { kind, name: sources.length > 1 ? `${column} ${at + 1}` : column };
      if (isRemote(source)) return remoteMedium(source, of);
      const medium = await readMedium(source, { kind, folder }).catch((thrown: unknown) => failureOf(thrown).failure);
      if ('message' in medium) {
        const note = medium.code === 'dataset/damaged' ? medium.message : cutText(source, MAX_PATH);
        return { ...of, address: null, note };
      }
      return { ...of, address: `data:${medium.type};base64,${medium.bytes.toString('base64')}`, note: null };
    }),
  );
}

/** The media of a cell as text: paths, addresses or Base64. */
export function sourcesIn(value: unknown): readonly string[] {
  const items = Array.isArray(value) ? itemsOf(value) : [value];
  return items.map((item) => sourceIn(item)).filter((item) => item !== undefined);
}

/** The text of a cell, or the content or the path of the file in it. */
function sourceIn(item: unknown): string | undefined {
  if (typeof item === 'string') return item;
  const file = storedFileOf(item);
  return file?.bytes ?? file?.path ?? undefined;
}

/** The kind of a medium, and where its file may be. */
interface MediumFolders {
  readonly kind: Kind;
  /** The folder of the dataset; null to read no file. */
  readonly folder: string | null;
  /** Further folders that the reader allows. */
  readonly roots?: readonly string[];
}

/** The bytes of a picture or a sound, and their type; throws where there are none. Without a folder, only Base64 is read. */
export async function readMedium(
  source: string,
  { kind, folder, roots = [] }: MediumFolders,
): Promise<{ readonly type: string; readonly bytes: Buffer }> {
  const base64 = await base64Of(source.trim(), folder === null ? [] : [folder, ...roots]);
  if (folder !== null) await refuseDamagedImage(folder, source.trim(), base64);
  const type = base64 === undefined ? undefined : sniffMediaType(kind, base64);
  if (base64 === undefined || type === undefined) {
    throw new RequestFailure(404, 'view/not-found', `The dataset has no ${kind} here.`);
  }
  return { type, bytes: Buffer.from(base64, 'base64') };
}

/** The checksums of the images of the folder that was read last. */
const imageSums = new StampedValue<ReadonlyMap<string, ImageSum>>();

/** Throws `dataset/damaged` for an image of the dataset that is missing or differs from its checksum. */
async function refuseDamagedImage(folder: string, path: string, base64: string | undefined): Promise<void> {
  if (path.length >= MAX_PATH) return;
  const paths = datasetPaths(folder);
  const sums = await imageSums.get(`${folder} ${await stampText(paths.checksums)}`, async () => {
    const { images } = await new ChecksumLog(paths).read();
    return new Map([...images.values()].flat().map((image) => [image.path, image]));
  });
  const sum = sums.get(path);
  if (!sum) return;
  if (base64 === undefined || zlib.crc32(Buffer.from(base64, 'base64')) !== sum.crc32)
    throw lostFile(join(folder, path), 'it is missing or damaged');
}

async function base64Of(source: string, folders: readonly string[]): Promise<string | undefined> {
  const data = DATA_ADDRESS.exec(source)?.[0];
  if (data !== undefined) return source.slice(data.length);
  // Only files of these folders: the path may be text of a model.
  const stored = source.length < MAX_PATH ? await readMedia(source, folders) : undefined;
  return stored ?? (/^[A-Za-z0-9+/\s]+={0,2}$/.test(source) ? source : undefined);
}
