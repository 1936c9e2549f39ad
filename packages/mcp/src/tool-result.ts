import {
  type ChatMessage,
  type ContentPart,
  type Fields,
  imageTypeOf,
  isFields,
  parseJson,
  stringifyJson,
  tryParse,
} from '@data-designer/core';

/** The content of a tool message, or the reason why the tool failed. */
export type ReadResult =
  | { readonly failed: false; readonly content: NonNullable<ChatMessage['content']> }
  | { readonly failed: true; readonly reason: string; readonly why: 'tool' | 'result' };

/**
 * Reads an MCP tool result: texts are joined by newlines; with an image among them the items stay apart as content
 * parts; structured content speaks where there is no text. A result marked as an error gives its text as the reason, one
 * that is not formed as MCP says is an error that says where.
 */
export function readToolResult(body: string): ReadResult {
  const result = tryParse<unknown>(body, parseJson);
  if (!isFields(result)) return malformed('it is not a JSON object');
  const { content, isError } = result;
  if (typeof content === 'number' || typeof content === 'boolean') return malformed("its 'content' is not a list");
  const parts = partsOf(result);
  const readable = parts.filter((part) => typeof part !== 'string');
  const text = readable.flatMap((part) => part.text ?? []).join('\n');
  if (isError === true)
    return { failed: true, why: 'tool', reason: text || 'the tool reported an error without a text' };
  const wrong = parts.find((part) => typeof part === 'string');
  if (wrong !== undefined) return malformed(wrong);
  return { failed: false, content: readable.every(({ type }) => type === 'text') ? text : readable };
}

function malformed(reason: string): ReadResult {
  return { failed: true, why: 'result', reason: `its result cannot be read: ${reason}` };
}

/** A part of a message, or what is wrong with the item that it should be made of. */
type ReadPart = ContentPart | string;

function partsOf(result: Fields): readonly ReadPart[] {
  const { structuredContent } = result;
  const content = result.content ?? [];
  const items: readonly unknown[] = Array.isArray(content) ? content : [content];
  const parts = items.map(partOf);
  const hasText = parts.some((part) => typeof part !== 'string' && part.type === 'text');
  if (structuredContent === undefined || structuredContent === null || hasText) return parts;
  return [textPart(stringifyJson(structuredContent)), ...parts];
}

function partOf(item: unknown): ReadPart {
  if (typeof item === 'string') return textPart(item);
  if (!isFields(item)) return textPart(stringifyJson(item));
  if (item.type === 'text') return typeof item.text === 'string' ? textPart(item.text) : 'a text item has no text';
  if (item.type === 'image' || item.type === 'image_url' || isPicture(item)) return imagePart(item);
  if (item.type === 'audio') return textPart(`[audio ${mediaTypeOf(item) ?? 'of an unknown kind'}]`);
  if (item.type === 'resource_link') return textPart(`[resource ${String(item.uri)}]`);
  if (item.type === 'resource' && isFields(item.resource)) return resourcePart(item.resource);
  if (item.type === 'resource') return 'a resource item has no resource';
  return textPart(typeof item.text === 'string' ? item.text : stringifyJson(item));
}

/** A resource as content: its text, its image, or for other bytes the address where they are. */
function resourcePart(resource: Fields): ReadPart {
  if (typeof resource.text === 'string') return textPart(resource.text);
  const { blob } = resource;
  if (typeof blob === 'string' && isPicture({ ...resource, data: blob })) return imagePart({ ...resource, data: blob });
  return textPart(`[resource ${String(resource.uri)}]`);
}

/** Whether an item of no known type holds a picture. */
function isPicture(item: Fields): boolean {
  const payload = payloadOf(item);
  const type = mediaTypeOf(item) ?? (typeof payload === 'string' ? statedType(payload) : undefined);
  return typeof payload === 'string' && type?.startsWith('image/') === true;
}

function payloadOf({ data, b64_json, base64 }: Fields): unknown {
  return data ?? b64_json ?? base64;
}

function mediaTypeOf({ mimeType, mime_type, media_type }: Fields): string | undefined {
  return [mimeType, mime_type, media_type].find((type) => typeof type === 'string');
}

function statedType(data: string): string | undefined {
  return /^data:([^;,]*)[;,]/.exec(data)?.[1];
}

function imagePart(item: Fields): ReadPart {
  const linked = isFields(item.image_url) ? item.image_url.url : (item.image_url ?? item.url);
  const data = linked ?? payloadOf(item);
  if (typeof data !== 'string') return 'an image item has no image';
  if (/^https?:/.test(data)) return { type: 'image', url: data };
  const stated = statedType(data);
  const mediaType = stated ?? mediaTypeOf(item) ?? imageTypeOf(data);
  if (!mediaType?.startsWith('image/')) return `an image item is of the type ${mediaType ?? 'unknown'}`;
  if (stated !== undefined) return { type: 'image', media_type: mediaType, url: data };
  if (!BASE64.test(data)) return 'an image item holds no Base64';
  return { type: 'image', media_type: mediaType, url: `data:${mediaType};base64,${data.replaceAll(/\s/g, '')}` };
}

const BASE64 = /^[\w+/\s-]+={0,2}\s*$/;

function textPart(text: string): ContentPart {
  return { type: 'text', text };
}
