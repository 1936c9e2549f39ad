import { isObject } from './tool-result.ts';
import type { JsonObject } from './tool-session.ts';

/** Whether a value is an MCP tool result: clients refuse a result with unknown or incomplete items. */
export function isMcpResult(value: unknown): value is JsonObject {
  if (!isObject(value) || !Array.isArray(value.content)) return false;
  const { isError, structuredContent } = value;
  const isMarked = isError === undefined || typeof isError === 'boolean';
  const isStructured = structuredContent === undefined || isObject(structuredContent);
  return isMarked && isStructured && value.content.every(isItem);
}

function isItem(item: unknown): boolean {
  if (!isObject(item) || typeof item.type !== 'string' || !Object.hasOwn(IS_WHOLE, item.type)) return false;
  return IS_WHOLE[item.type as keyof typeof IS_WHOLE](item);
}

function isMedia({ data, mimeType }: JsonObject): boolean {
  return typeof data === 'string' && typeof mimeType === 'string';
}

/** What items of each kind must hold (Model Context Protocol, 2025-06-18). */
const IS_WHOLE = {
  text: ({ text }: JsonObject) => typeof text === 'string',
  image: isMedia,
  audio: isMedia,
  resource_link: ({ uri, name }: JsonObject) => typeof uri === 'string' && typeof name === 'string',
  resource: ({ resource }: JsonObject) => {
    if (!isObject(resource) || typeof resource.uri !== 'string') return false;
    return typeof resource.text === 'string' || typeof resource.blob === 'string';
  },
} as const;
