import type { ChatMessage, ContentPart } from '@data-designer/core';
import type { JsonObject } from './tool-session.ts';

/** The content of a tool message, or the reason why the tool failed. */
export type ReadResult =
  | { readonly failed: false; readonly content: NonNullable<ChatMessage['content']> }
  | { readonly failed: true; readonly reason: string };

/**
 * Reads an MCP tool result: texts are joined by newlines; with an image among them the items stay apart as content
 * parts; structured content speaks where there is no text. A result marked as an error gives its text as the reason.
 */
export function readToolResult(body: string): ReadResult {
  const result = objectIn(body);
  if (result === undefined) return { failed: true, reason: 'its answer cannot be read' };
  const parts = partsOf(result);
  const readable = parts.filter((part) => part !== undefined);
  const text = readable.flatMap((part) => part.text ?? []).join('\n');
  if (result.isError === true) return { failed: true, reason: text || 'the tool reported an error without a text' };
  if (readable.length < parts.length) return { failed: true, reason: 'it returned an image that cannot be read' };
  return { failed: false, content: readable.every(({ type }) => type === 'text') ? text : readable };
}

function objectIn(body: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(body);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function partsOf(result: JsonObject): readonly (ContentPart | undefined)[] {
  const { structuredContent } = result;
  const content = result.content ?? [];
  const items: readonly unknown[] = Array.isArray(content) ? content : [content];
  const parts = items.map(partOf);
  if (structuredContent === undefined || parts.some((part) => part?.type === 'text')) return parts;
  return [textPart(JSON.stringify(structuredContent)), ...parts];
}

/** One item of a result; undefined for an image that cannot be shown. */
function partOf(item: unknown): ContentPart | undefined {
  if (typeof item === 'string') return textPart(item);
  if (!isObject(item)) return textPart(JSON.stringify(item));
  if (item.type === 'image' || item.type === 'image_url') return imagePart(item);
  if (typeof item.text === 'string') return textPart(item.text);
  if (item.type === 'resource_link') return textPart(`[resource ${String(item.uri)}]`);
  if (item.type === 'resource' && isObject(item.resource)) return textPart(resourceText(item.resource));
  if (item.type === 'audio') return textPart(`[audio ${String(item.mimeType)}]`);
  return textPart(JSON.stringify(item));
}

function resourceText(resource: JsonObject): string {
  return typeof resource.text === 'string' ? resource.text : `[resource ${String(resource.uri)}]`;
}

function imagePart(item: JsonObject): ContentPart | undefined {
  const linked = isObject(item.image_url) ? item.image_url.url : item.url;
  const data = linked ?? item.data;
  if (typeof data !== 'string') return undefined;
  if (/^https?:/.test(data)) return { type: 'image', url: data };
  const stated = /^data:([^;,]*)[;,]/.exec(data)?.[1];
  if (stated !== undefined) return { type: 'image', media_type: stated, url: data };
  const mediaType = typeof item.mimeType === 'string' ? item.mimeType : sniff(data);
  if (!mediaType?.startsWith('image/') || !BASE64.test(data)) return undefined;
  return { type: 'image', media_type: mediaType, url: `data:${mediaType};base64,${data.replaceAll(/\s/g, '')}` };
}

const BASE64 = /^[\w+/\s-]+={0,2}\s*$/;

/** The first bytes of the common image formats, in base64. */
const SIGNATURES = {
  iVBORw0KGgo: 'image/png',
  '/9j/': 'image/jpeg',
  R0lGOD: 'image/gif',
  UklGR: 'image/webp',
} as const;

function sniff(base64: string): string | undefined {
  return Object.entries(SIGNATURES).find(([signature]) => base64.startsWith(signature))?.[1];
}

function textPart(text: string): ContentPart {
  return { type: 'text', text };
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
