import { isMapping, type Mapping } from '@data-designer/config';
import { type ChatMessage, type ContentPart, stringifyJson } from '@data-designer/core';
import { mappingOf, textOf } from './record-members.ts';

/** The content of a trace message: text, null, or a list of several parts. Parts of unknown kinds become JSON text. */
export function contentOf(content: unknown): ChatMessage['content'] {
  if (content === null || content === undefined) return null;
  if (typeof content === 'string') return content;
  const parts = (Array.isArray(content) ? content : [content]).map(partOf);
  const [first] = parts;
  if (!first) return null;
  return parts.length === 1 && first.type === 'text' ? (first.text ?? '') : parts;
}

/** The text parts of a message, joined by blank lines. */
export function textOfContent(content: ChatMessage['content']): string {
  if (content === null || typeof content === 'string') return content ?? '';
  return content.flatMap(({ text }) => (text === undefined || text === '' ? [] : [text])).join('\n\n');
}

function partOf(block: unknown): ContentPart {
  if (!isMapping(block)) return { type: 'text', text: typeof block === 'string' ? block : stringifyJson(block) };
  const type = textOf(block, 'type') ?? '';
  const read = Object.hasOwn(PARTS, type) ? PARTS[type] : undefined;
  return read?.(block) ?? { type: 'text', text: stringifyJson(block) };
}

type ReadPart = (block: Mapping) => ContentPart | undefined;

const written =
  (key: string): ReadPart =>
  (block) =>
    typeof block[key] === 'string' ? { type: 'text', text: block[key] } : undefined;

/** An image as Anthropic, ATIF or Pi writes it; Pi's data are in the block itself. */
const image: ReadPart = (block) => {
  const source = mappingOf(block, 'source');
  const mediaType = textOf(source, 'media_type') ?? textOf(block, 'mimeType');
  const data = textOf(source, 'data') ?? textOf(block, 'data');
  if (data !== null && mediaType !== null) return media('image', `data:${mediaType};base64,${data}`, mediaType);
  const url = textOf(source, 'url') ?? textOf(source, 'path');
  return url === null ? undefined : media('image', url, mediaType);
};

/** An image as OpenAI writes it: an address, or a mapping with one. */
const imageUrl: ReadPart = (block) => {
  const url = textOf(mappingOf(block, 'image_url'), 'url') ?? textOf(block, 'image_url');
  return url === null ? undefined : media('image', url, null);
};

const audio: ReadPart = (block) => {
  const { data, format } = mappingOf(block, 'input_audio');
  if (typeof data !== 'string' || typeof format !== 'string') return undefined;
  return media('audio', `data:audio/${format};base64,${data}`, `audio/${format}`);
};

function media(type: ContentPart['type'], url: string, mediaType: string | null): ContentPart {
  return { type, ...(mediaType === null ? {} : { media_type: mediaType }), url };
}

const PARTS: Readonly<Record<string, ReadPart>> = {
  text: written('text'),
  input_text: written('text'),
  output_text: written('text'),
  thinking: written('thinking'),
  refusal: written('refusal'),
  image,
  image_url: imageUrl,
  input_image: imageUrl,
  input_audio: audio,
};
