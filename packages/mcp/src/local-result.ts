import { type Fields, imageTypeOf, isFields, stringifyJson, unknownMember } from '@data-designer/core';

/** An image as the result of a tool; made by `image`. */
export class ImageResult {
  readonly bytes: Uint8Array;
  readonly mediaType: string;

  constructor(bytes: Uint8Array, mediaType: string) {
    this.bytes = bytes;
    this.mediaType = mediaType;
  }
}

/** Returns an image from a tool, for models that read images: its bytes and their type, such as `image/png`. */
export function image(bytes: Uint8Array | ArrayBuffer, mediaType: string): ImageResult {
  return new ImageResult(bytes instanceof ArrayBuffer ? new Uint8Array(bytes) : bytes, mediaType);
}

/** One item of an MCP result. */
type Item = Fields & { readonly type: string };

/**
 * The MCP result of a function: text and JSON as text, images as images, lists item by item, and an object whose `content`
 * is a list of MCP items as it is. Throws an `Error` for a value that is not JSON, and an `Error` that the function returns.
 */
export function mcpResultOf(value: unknown): Fields {
  if (isMcpResult(value)) {
    const unknown = unknownMember(Object.keys(value), MEMBERS);
    if (unknown !== undefined) throw new Error(`its result has an ${unknown}`);
    return value;
  }
  if (Array.isArray(value) && value.length > 0) return { content: value.map(itemOf) };
  return { content: value === undefined ? [] : [itemOf(value)] };
}

function itemOf(value: unknown): Item {
  if (typeof value === 'string') return { type: 'text', text: value };
  if (value instanceof ImageResult) return imageItem(value.bytes, value.mediaType);
  if (value instanceof ArrayBuffer) return bytesItem(new Uint8Array(value));
  if (ArrayBuffer.isView(value)) return bytesItem(new Uint8Array(value.buffer, value.byteOffset, value.byteLength));
  refuseNoJson(value);
  const text: string | undefined = stringifyJson(value);
  if (text === undefined) throw new Error(`it gave a ${typeof value}, which is no JSON`);
  return { type: 'text', text };
}

const UTF8 = new TextDecoder('utf-8', { fatal: true });

/** Bytes of an image become an image, bytes of text become text; others are named by their length. */
function bytesItem(bytes: Uint8Array): Item {
  const mediaType = typeOfBytes(bytes);
  if (mediaType !== undefined) return imageItem(bytes, mediaType);
  try {
    return { type: 'text', text: UTF8.decode(bytes) };
  } catch {
    const resource = { uri: `bytes:${bytes.byteLength}`, blob: base64Of(bytes) };
    return { type: 'resource', resource };
  }
}

function imageItem(bytes: Uint8Array, mimeType: string): Item {
  return { type: 'image', data: base64Of(bytes), mimeType };
}

function base64Of(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64');
}

/** The media type of an image; a RIFF file may hold sound, too. */
function typeOfBytes(bytes: Uint8Array): string | undefined {
  const type = imageTypeOf(base64Of(bytes.subarray(0, 12)));
  return type !== 'image/webp' || base64Of(bytes.subarray(8, 12)) === WEBP ? type : undefined;
}

const WEBP = Buffer.from('WEBP').toString('base64');

/**
 * Throws for a value that JSON would write as `{}`: an `Error` as itself, else an error that names the kind of a map, a set,
 * a generator or a response. Dates and objects of classes with properties are JSON.
 */
function refuseNoJson(value: unknown): void {
  if (value instanceof Error) throw value;
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return;
  if (isMapping(value) || 'toJSON' in value) return;
  const isStored = value instanceof Map || value instanceof Set || Symbol.asyncIterator in value;
  if (!isStored && Object.keys(value).length > 0) return;
  const kind = kindOf(value);
  throw new Error(`it gave ${/^[AEIOU]/.test(kind) ? 'an' : 'a'} ${kind}, which is no JSON`);
}

/** Whether an object has no class, in any realm. */
function isMapping(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

function kindOf(value: object): string {
  const tag = Object.prototype.toString.call(value).slice('[object '.length, -1);
  return tag === 'Object' ? value.constructor.name : tag;
}

/** Whether a value is an MCP tool result: clients refuse a result with unknown or incomplete items. */
function isMcpResult(value: unknown): value is Fields {
  if (!isFields(value) || !Array.isArray(value.content)) return false;
  const { isError, structuredContent } = value;
  const isMarked = isError === undefined || typeof isError === 'boolean';
  const isStructured = structuredContent === undefined || isFields(structuredContent);
  return isMarked && isStructured && value.content.every(isItem);
}

/** The members of a result (Model Context Protocol, 2025-06-18). */
const MEMBERS = ['content', 'structuredContent', 'isError', '_meta'] as const;

function isItem(item: unknown): boolean {
  return isFields(item) && IS_WHOLE.get(item.type)?.(item) === true;
}

function isMedia({ data, mimeType }: Fields): boolean {
  return typeof data === 'string' && typeof mimeType === 'string';
}

function isResource({ resource }: Fields): boolean {
  if (!isFields(resource) || typeof resource.uri !== 'string') return false;
  return typeof resource.text === 'string' || typeof resource.blob === 'string';
}

/** What items of each kind must hold (Model Context Protocol, 2025-06-18). */
const IS_WHOLE: ReadonlyMap<unknown, (item: Fields) => boolean> = new Map([
  ['text', ({ text }: Fields) => typeof text === 'string'],
  ['image', isMedia],
  ['audio', isMedia],
  ['resource_link', ({ uri, name }: Fields) => typeof uri === 'string' && typeof name === 'string'],
  ['resource', isResource],
]);
