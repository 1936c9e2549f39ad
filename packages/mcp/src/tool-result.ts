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
import { type StructuredUse, structuredText } from './structured-content.ts';

/** The content of a tool message, or the reason why the tool failed. */
export type ReadResult =
  | {
      readonly failed: false;
      readonly content: NonNullable<ChatMessage['content']>;
      /** Whether notes stand in place of images, sounds and items that cannot be read. */
      readonly isPart: boolean;
    }
  | { readonly failed: true; readonly reason: string; readonly why: 'tool' | 'result' };

/**
 * Reads an MCP tool result: texts are joined by newlines; with an image among them the items stay apart as content
 * parts; structured content speaks where there is no text but blanks, and beside text as the tool config says. A result marked
 * as an error gives its text as the reason. An item that is not formed as MCP says is named in its place, and a result of such
 * items alone is an error.
 */
export function readToolResult(body: string, use?: StructuredUse): ReadResult {
  const result = tryParse<unknown>(body, parseJson);
  if (!isFields(result)) return malformed('it is not a JSON object');
  const { content } = result;
  if (typeof content === 'number' || typeof content === 'boolean') return malformed("its 'content' is not a list");
  const parts = partsOf(result, use);
  const readable = parts.filter((part) => typeof part !== 'string');
  const text = textOf(readable);
  if (isErrorResult(result)) return { failed: true, why: 'tool', reason: errorText(text, readable) };
  const wrong = parts.find((part) => typeof part === 'string');
  if (wrong !== undefined && readable.every(isEmpty)) return malformed(wrong);
  const shown = parts.map((part) => (typeof part === 'string' ? textPart(`[${part}]`) : part));
  const isPart = parts.some((part) => typeof part === 'string' || LEFT_OUT.has(part));
  return { failed: false, content: shown.every(({ type }) => type === 'text') ? textOf(shown) : shown, isPart };
}

/** Whether a result is marked as an error, also by the text or number that some servers write for `true`. */
export function isErrorResult({ isError }: Fields): boolean {
  return isError === true || isError === 1 || (typeof isError === 'string' && isError.toLowerCase() === 'true');
}

function textOf(parts: readonly ContentPart[]): string {
  return parts.flatMap((part) => part.text ?? []).join('\n');
}

function isEmpty({ type, text = '' }: ContentPart): boolean {
  return type === 'text' && text.trim() === '';
}

function errorText(text: string, parts: readonly ContentPart[]): string {
  if (text.trim() !== '') return text;
  const media = parts.flatMap(({ type, media_type: mediaType }) =>
    type === 'text' ? [] : [` [${mediaType ?? type}]`],
  );
  return `the tool reported an error without a text${media.join('')}`;
}

function malformed(reason: string): ReadResult {
  return { failed: true, why: 'result', reason: `its result cannot be read: ${reason}` };
}

/** The texts that stand in place of content which no model is shown. */
const LEFT_OUT = new WeakSet<ContentPart>();

function leftOut(note: string): ContentPart {
  const part = textPart(note);
  LEFT_OUT.add(part);
  return part;
}

/** A part of a message, or what is wrong with the item that it should be made of. */
type ReadPart = ContentPart | string;

function partsOf(result: Fields, use: StructuredUse | undefined): readonly ReadPart[] {
  // The first version of the protocol has any value as its result.
  const content = result.content ?? result.toolResult ?? [];
  const items: readonly unknown[] = Array.isArray(content) ? content : [content];
  const parts = items.map(partOf);
  const texts = parts.flatMap((part) => (isText(part) ? [part.text ?? ''] : []));
  const structured = structuredText(result, texts, use);
  if (structured === undefined) return parts;
  const isBlank = texts.every((text) => text.trim() === '');
  if (use === 'append' && !isBlank) return [...parts, textPart(structured)];
  return [textPart(structured), ...parts.filter((part) => !isText(part))];
}

function isText(part: ReadPart): part is ContentPart {
  return typeof part !== 'string' && part.type === 'text';
}

function partOf(item: unknown): ReadPart {
  if (typeof item === 'string') return textPart(item);
  if (!isFields(item)) return textPart(stringifyJson(item));
  if (item.type === 'text') return typeof item.text === 'string' ? textPart(item.text) : 'a text item has no text';
  if (item.type === 'image' || item.type === 'image_url' || isPicture(item)) return imagePart(item);
  if (item.type === 'audio') return leftOut(`[audio ${mediaTypeOf(item) ?? 'of an unknown kind'}]`);
  if (item.type === 'resource_link') return textPart(nameOf(item));
  if (item.type === 'resource' && isFields(item.resource)) return resourcePart(item.resource);
  if (item.type === 'resource') return 'a resource item has no resource';
  return textPart(typeof item.text === 'string' && !hasMore(item) ? item.text : stringifyJson(item));
}

/** A resource as content: its text after its address, its image, or for other bytes the address where they are. */
function resourcePart(resource: Fields): ReadPart {
  const { text, uri } = resource;
  if (typeof text === 'string') return textPart(typeof uri === 'string' && uri ? `[resource ${uri}]\n${text}` : text);
  const { blob } = resource;
  if (typeof blob === 'string' && isPicture({ ...resource, data: blob })) return imagePart({ ...resource, data: blob });
  return typeof blob === 'string' ? leftOut(nameOf(resource)) : textPart(nameOf(resource));
}

/** A resource without its content: its address, and what the server says about it. */
function nameOf({ uri, name, title, description, mimeType, size }: Fields): string {
  const told = Object.entries({ name, title, description, type: mimeType, size: plainSize(size) });
  const known = told.flatMap(([key, value]) =>
    typeof value === 'string' && value !== '' ? [`; ${key}: ${value}`] : [],
  );
  return `[resource ${String(uri)}${known.join('')}]`;
}

function plainSize(size: unknown): string | undefined {
  return typeof size === 'number' || typeof size === 'bigint' ? `${size} bytes` : undefined;
}

/** Members that say nothing about an item's content. */
const ASIDE = new Set(['type', 'text', 'annotations', '_meta']);

/** Whether an item of an unknown type has content beside its text. */
function hasMore(item: Fields): boolean {
  return Object.keys(item).some((key) => !ASIDE.has(key));
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
  const mediaType = statedType(data) ?? mediaTypeOf(item) ?? imageTypeOf(data);
  const base64 = base64In(data);
  const isImage = mediaType?.startsWith('image/') === true;
  const type = isImage ? mediaType : base64 && imageTypeOf(base64);
  if (type === undefined)
    return leftOut(`[an image item of the type ${mediaType ?? 'unknown'}, which is not an image]`);
  if (base64 === undefined) return 'an image item holds no Base64';
  return { type: 'image', media_type: type, url: `data:${type};base64,${base64}` };
}

const BASE64 = /^[\w+/-]+={0,2}$/;

/** The Base64 in a text or a data address; undefined if there is none. */
function base64In(data: string): string | undefined {
  const at = data.startsWith('data:') ? data.indexOf(';base64,') : 0;
  const text = data.slice(at === 0 ? 0 : at + ';base64,'.length).replaceAll(/\s/g, '');
  return at >= 0 && BASE64.test(text) ? text : undefined;
}

function textPart(text: string): ContentPart {
  return { type: 'text', text: text.toWellFormed() };
}
