import { type ContentPart, isFields } from '@data-designer/core';

/** A kind of content other than text. */
export type Modality = Exclude<ContentPart['type'], 'text'>;

/** Media types by format; formats are also file endings. */
const TYPES: Readonly<Record<Modality, Readonly<Record<string, string>>>> = {
  image: { png: 'image/png', jpg: 'image/jpeg', jpeg: 'image/jpeg', gif: 'image/gif', webp: 'image/webp' },
  audio: { mp3: 'audio/mpeg', wav: 'audio/wav' },
  video: { mp4: 'video/mp4', mov: 'video/quicktime', webm: 'video/webm' },
};

/** Aliases of media types in data addresses. */
const SAME: Readonly<Record<string, string>> = {
  'image/jpg': 'image/jpeg',
  'audio/mp3': 'audio/mpeg',
  'audio/x-wav': 'audio/wav',
  'audio/wave': 'audio/wav',
  'audio/vnd.wave': 'audio/wav',
  'video/mov': 'video/quicktime',
};

export function formatsOf(modality: Modality): readonly string[] {
  return Object.keys(TYPES[modality]);
}

export function mediaTypeOf(modality: Modality, format: string): string | undefined {
  return TYPES[modality][format];
}

/** Normalises a media type; undefined if it does not belong to the modality. */
export function knownMediaType(modality: Modality, name: string): string | undefined {
  const lower = name.trim().toLowerCase();
  const type = SAME[lower] ?? lower;
  return Object.values(TYPES[modality]).includes(type) ? type : undefined;
}

/** The format at the end of a path or address; undefined if it does not belong to the modality. */
export function endingOf(modality: Modality, path: string): string | undefined {
  const ending = /\.(\w{2,4})$/.exec(path)?.[1]?.toLowerCase();
  return ending !== undefined && mediaTypeOf(modality, ending) !== undefined ? ending : undefined;
}

/** Magic numbers of files in hexadecimal. Source: the registrations of the formats. */
const BEGINNINGS: readonly (readonly [Modality, string, RegExp])[] = [
  ['image', 'image/png', /^89504e470d0a1a0a/],
  ['image', 'image/jpeg', /^ffd8ff/],
  ['image', 'image/gif', /^47494638(?:37|39)61/],
  ['image', 'image/webp', /^52494646.{8}57454250/],
  ['audio', 'audio/wav', /^52494646.{8}57415645/],
  ['audio', 'audio/mpeg', /^(?:494433|ff(?:fb|f3|f2|fa))/],
  ['video', 'video/quicktime', /^.{8}6674797071742020/],
  ['video', 'video/mp4', /^.{8}66747970/],
  ['video', 'video/webm', /^1a45dfa3/],
];

/** Detects the media type of Base64 data by its first bytes; undefined if no format of the modality matches. */
export function sniffMediaType(modality: Modality, base64: string): string | undefined {
  const start = Buffer.from(base64.slice(0, 24), 'base64').toString('hex');
  return BEGINNINGS.find(([kind, , beginning]) => kind === modality && beginning.test(start))?.[1];
}

/** A file in a cell, as tables of Hugging Face hold it: its content in Base64, else a path. */
export interface StoredFile {
  readonly bytes: string | null;
  readonly path: string | null;
}

/** The file that a cell holds as `{ bytes, path }`; undefined for any other value. */
export function storedFileOf(value: unknown): StoredFile | undefined {
  if (!isFields(value)) return undefined;
  const { bytes, path, ...others } = value;
  if (bytes === undefined || Object.keys(others).length > 0) return undefined;
  if (![bytes, path].every((member) => member === null || member === undefined || typeof member === 'string'))
    return undefined;
  return { bytes: filled(bytes), path: filled(path) };
}

function filled(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null;
}
