import { stringifyJson } from '@data-designer/core';
import { isMcpResult } from './is-mcp-result.ts';
import { ImageResult } from './local-image.ts';
import { refuseNoJson } from './refuse-no-json.ts';
import type { JsonObject } from './tool-session.ts';

/** One item of an MCP result. */
type Item = JsonObject & { readonly type: string };

/**
 * What a function gave as an MCP result: text and JSON as text, pictures as pictures, lists item by item, and an object
 * whose `content` is a list of MCP items as it is. Throws an `Error` for what is no JSON, and an `Error` that it was given.
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

/** Bytes of a picture are a picture, of text a text; others can be named, not shown. */
function bytesItem(bytes: Uint8Array): Item {
  const mediaType = pictureTypeOf(bytes);
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

/** The first bytes of the common picture formats (PNG, JPEG, GIF; WebP is a RIFF of its kind). */
function pictureTypeOf(bytes: Uint8Array): string | undefined {
  const start = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.byteLength, 12)).toString('latin1');
  if (start.startsWith('\x89PNG\r\n\x1a\n')) return 'image/png';
  if (start.startsWith('\xff\xd8\xff')) return 'image/jpeg';
  if (start.startsWith('GIF8')) return 'image/gif';
  return start.startsWith('RIFF') && start.endsWith('WEBP') ? 'image/webp' : undefined;
}
