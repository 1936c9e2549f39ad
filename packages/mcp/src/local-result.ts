import { stringifyJson } from '@data-designer/core';
import { isMcpResult } from './is-mcp-result.ts';
import { ImageResult } from './local-image.ts';
import type { JsonObject } from './tool-session.ts';

/** One item of an MCP result. */
type Item = JsonObject & { readonly type: string };

/**
 * The MCP result of a function: text and JSON as text, images as images, lists item by item, and an object whose `content`
 * is a list of MCP items as it is. Throws an `Error` for a value that is not JSON, and an `Error` that the function returns.
 */
export function mcpResultOf(value: unknown): JsonObject {
  if (isMcpResult(value)) return value;
  const isList = Array.isArray(value) && value.length > 0;
  const content = isList ? (value as unknown[]).map(itemOf) : value === undefined ? [] : [itemOf(value)];
  return { content };
}

function itemOf(value: unknown): Item {
  if (typeof value === 'string') return { type: 'text', text: value };
  if (value instanceof ImageResult) return imageItem(value.bytes, value.mediaType);
  if (value instanceof ArrayBuffer) return bytesItem(new Uint8Array(value));
  if (ArrayBuffer.isView(value)) return bytesItem(new Uint8Array(value.buffer, value.byteOffset, value.byteLength));
  refuseNoJson(value);
  const text = stringifyJson(value) as string | undefined;
  if (text === undefined) throw new Error(`it gave a ${typeof value}, which is no JSON`);
  return { type: 'text', text };
}

const UTF8 = new TextDecoder('utf-8', { fatal: true });

/** Bytes of an image become an image, bytes of text become text; others are named by their length. */
function bytesItem(bytes: Uint8Array): Item {
  const mediaType = imageTypeOf(bytes);
  if (mediaType !== undefined) return imageItem(bytes, mediaType);
  try {
    return { type: 'text', text: UTF8.decode(bytes) };
  } catch {
    const mimeType = 'application/octet-stream';
    const resource = { uri: `bytes:${bytes.byteLength}`, mimeType, blob: base64Of(bytes) };
    return { type: 'resource', resource };
  }
}

function imageItem(bytes: Uint8Array, mimeType: string): Item {
  return { type: 'image', data: base64Of(bytes), mimeType };
}

function base64Of(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64');
}

/** The first bytes of the common image formats (PNG, JPEG, GIF; WebP is a RIFF of its kind). */
function imageTypeOf(bytes: Uint8Array): string | undefined {
  const start = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.byteLength, 12)).toString('latin1');
  if (start.startsWith('\x89PNG\r\n\x1a\n')) return 'image/png';
  if (start.startsWith('\xff\xd8\xff')) return 'image/jpeg';
  if (start.startsWith('GIF8')) return 'image/gif';
  return start.startsWith('RIFF') && start.endsWith('WEBP') ? 'image/webp' : undefined;
}

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
