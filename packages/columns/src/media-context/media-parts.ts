import { type Cell, type CellValue, type ContentPart, DataDesignerError, isList } from '@data-designer/core';
import type { MediaContexts } from './media-context.ts';
import {
  endingOf,
  formatsOf,
  knownMediaType,
  mediaTypeOf,
  type Modality,
  sniffMediaType,
  storedFileOf,
} from './media-formats.ts';

/** The used members of a cell: its row, and the files of the dataset's folder. */
type MediaCell = Pick<Cell, 'row' | 'readMedia'>;

/** How to read the media of one column. */
interface Showing {
  readonly columnName: string;
  readonly modality: Modality;
  readonly dataType: 'url' | 'base64' | null;
  /** The media type of the declared format. */
  readonly mediaType: string | undefined;
}

/** Compiles contexts to the content parts of a row, in order; throws `column/bad-media` for an unusable value. */
export function mediaOf(
  contexts: MediaContexts | null,
): ((cell: MediaCell) => Promise<readonly ContentPart[]>) | undefined {
  if (!contexts?.length) return undefined;
  const showings = contexts.map(showingOf);
  return async (cell) => {
    const parts: ContentPart[] = [];
    for (const showing of showings) {
      for (const item of itemsOf(cell.row[showing.columnName] ?? null)) parts.push(await partOf(item, showing, cell));
    }
    return parts;
  };
}

type DeclaredFormat = Partial<Readonly<Record<`${Modality}Format`, string | null>>>;

function showingOf(context: MediaContexts[number]): Showing {
  const { columnName, modality, dataType } = context;
  const { imageFormat, audioFormat, videoFormat }: DeclaredFormat = context;
  const format = imageFormat ?? audioFormat ?? videoFormat ?? null;
  return { columnName, modality, dataType, mediaType: format === null ? undefined : mediaTypeOf(modality, format) };
}

/** The items of a list, also of one written as JSON; any other value is one item. */
function itemsOf(value: CellValue): readonly CellValue[] {
  if (isList(value)) return value;
  if (typeof value !== 'string' || !/^\s*\[/.test(value)) return [value];
  try {
    return JSON.parse(value) as readonly CellValue[];
  } catch {
    return [value];
  }
}

async function partOf(item: CellValue, showing: Showing, cell: MediaCell): Promise<ContentPart> {
  const file = storedFileOf(item);
  if (file?.bytes != null) return contained(file.bytes, showing);
  if (file?.path != null) return partOf(file.path, showing, cell);
  if (file) throw badMedia(showing, 'both its bytes and its path are null');
  if (typeof item !== 'string' || item.trim() === '') {
    const found = item === null ? 'null' : item === '' ? 'empty text' : JSON.stringify(item).slice(0, 40);
    throw badMedia(showing, `it is ${found}, but text is needed`);
  }
  const text = item.trim();
  if (showing.dataType === 'url') return addressed(text, showing);
  if (showing.dataType === 'base64') return encoded(text, showing);
  if (isAddress(text)) return { type: showing.modality, url: text };
  if (isDataAddress(text)) return encoded(text, { ...showing, mediaType: undefined });
  return isPath(text, showing) ? filed(text, showing, cell) : encoded(text, showing);
}

function isAddress(text: string): boolean {
  return /^https?:\/\//i.test(text);
}

function isDataAddress(text: string): boolean {
  return /^data:/i.test(text);
}

/** Longer text is no path; the limit of Linux. */
const LONGEST_PATH = 4096;

function isPath(text: string, { modality }: Showing): boolean {
  if (text.length > LONGEST_PATH) return false;
  return (
    endingOf(modality, text) !== undefined ||
    /^(?:\.{1,2}[\\/]|~\/|[a-z]:\\)/i.test(text) ||
    /^[^+=]*\.\w{1,5}$/.test(text)
  );
}

/** An address passes unchanged; audio and video may also be paths, for model servers that read files. */
function addressed(text: string, showing: Showing): ContentPart {
  const { modality } = showing;
  if (modality !== 'image' && !isAddress(text) && endingOf(modality, text.replace(/[?#].*$/s, '')) === undefined) {
    throw badMedia(
      showing,
      `${shown(text)} is not an http(s) address and does not end in ${formatsOf(modality).join(', ')}`,
    );
  }
  return { type: modality, url: text };
}

/** A file of the dataset's folder; its bytes, else its ending, tell the media type. */
async function filed(path: string, showing: Showing, cell: MediaCell): Promise<ContentPart> {
  const { modality } = showing;
  const ending = endingOf(modality, path);
  const named = ending === undefined ? undefined : mediaTypeOf(modality, ending);
  if (named === undefined) {
    throw badMedia(showing, `${shown(path)} does not end in ${formatsOf(modality).join(', ')}`);
  }
  const base64 = await cell.readMedia(path);
  if (base64 === undefined)
    throw badMedia(
      showing,
      `neither the dataset folder nor a media root (--media-root, mediaRoots) has a file ${shown(path)} of at most 64 MB`,
    );
  const sniffed = sniffMediaType(modality, base64);
  if (sniffed === undefined && modality === 'image') throw badMedia(showing, `the file ${shown(path)} is not an image`);
  return dataPart(modality, sniffed ?? named, base64);
}

/** The content of a file in a cell: its bytes tell the media type, and the declared format only of sounds and films. */
function contained(bytes: string, showing: Showing): ContentPart {
  const { modality, mediaType } = showing;
  const base64 = cleaned(bytes);
  if (base64 === undefined) throw badMedia(showing, 'its bytes are not Base64 text');
  const type = sniffMediaType(modality, base64) ?? (modality === 'image' ? undefined : mediaType);
  if (type !== undefined) return dataPart(modality, type, base64);
  throw badMedia(showing, `its bytes are none of ${formatsOf(modality).join(', ')}`);
}

/** Base64 text, alone or in a data address, whose media type must match the declared one. */
function encoded(text: string, showing: Showing): ContentPart {
  const { modality, mediaType, dataType } = showing;
  if (isDataAddress(text)) return unpacked(text, showing);
  const base64 = cleaned(text);
  if (base64 === undefined) {
    const other = dataType === null ? 'neither an http address, nor a file, nor ' : 'not ';
    throw badMedia(showing, `${shown(text)} is ${other}Base64 text`);
  }
  const sniffed = dataType === null ? sniffMediaType(modality, base64) : undefined;
  const type = modality === 'image' ? (sniffed ?? mediaType) : (mediaType ?? sniffed);
  if (type !== undefined) return dataPart(modality, type, base64);
  if (modality === 'image') throw badMedia(showing, 'its Base64 text is not an image of a known format');
  throw badMedia(showing, `Base64 text needs ${modality}_format`);
}

const DATA_ADDRESS = /^data:([^;,]{0,100})((?:;[^;,]{0,100}){0,9}),/i;

function unpacked(text: string, showing: Showing): ContentPart {
  const { modality, mediaType } = showing;
  const [head, name = '', parameters = ''] = DATA_ADDRESS.exec(text) ?? [];
  if (head === undefined || !/;\s*base64$/i.test(parameters)) {
    throw badMedia(showing, 'its data address is not of the form data:<media type>;base64,<data>');
  }
  const type = knownMediaType(modality, name);
  if (type === undefined) {
    throw badMedia(showing, `its data address is of type '${name}'; known are ${formatsOf(modality).join(', ')}`);
  }
  if (mediaType !== undefined && type !== mediaType) {
    throw badMedia(showing, `its data address says ${type}, but ${modality}_format says ${mediaType}`);
  }
  const base64 = cleaned(text.slice(head.length));
  if (base64 === undefined) throw badMedia(showing, 'the content of its data address is not Base64 text');
  return dataPart(modality, type, base64);
}

/** Base64 text without line breaks; undefined for other text. */
function cleaned(text: string): string | undefined {
  const base64 = /\s/.test(text) ? text.replaceAll(/[\r\n\t]+/g, '') : text;
  return /^[A-Za-z0-9+/]+={0,2}$/.test(base64) ? base64 : undefined;
}

function dataPart(type: Modality, mediaType: string, base64: string): ContentPart {
  return { type, media_type: mediaType, url: `data:${mediaType};base64,${base64}` };
}

const LONGEST_SHOWN = 60;

function shown(text: string): string {
  return `'${text.length > LONGEST_SHOWN ? `${text.slice(0, LONGEST_SHOWN)}…` : text}'`;
}

function badMedia({ columnName, modality }: Showing, reason: string): DataDesignerError {
  return new DataDesignerError('column/bad-media', { column: columnName, modality, reason });
}
