import { type ChatMessage, type ContentPart, imageTypeOf, type PictureSource } from '@data-designer/core';
import { readDataAddress } from '../data-address.ts';
import { isAnimatedGif } from './is-animated-gif.ts';
import type { RequestRules } from '../rules/request-rules.ts';

/** The messages of a request, and whether a picture of a tool is left out of them. */
export interface FittedPictures {
  readonly messages: readonly ChatMessage[];
  readonly isPictureLeftOut: boolean;
}

/** How pictures are fitted. */
interface Fitting {
  readonly rules: RequestRules;
  /** The endpoint takes no pictures of tools. */
  readonly isTextOnly: boolean;
}

/**
 * The messages with the pictures that their provider accepts. The bytes of a picture decide its type. A tool's picture that
 * the provider does not accept becomes a note for the model; the user's own pictures all stay. Unchanged messages stay the
 * same objects.
 */
export function fitPictures(messages: readonly ChatMessage[], fitting: Fitting): FittedPictures {
  let isPictureLeftOut = false;
  const fitted = messages.map((message) => {
    const { content, role } = message;
    if (!hasPicture(message)) return message;
    const parts = (content as readonly ContentPart[]).map((part) => {
      if (part.type !== 'image') return part;
      const why = role === 'tool' ? whyLeftOut(part, fitting) : undefined;
      if (why === undefined) return trulyTyped(part);
      isPictureLeftOut = true;
      return { type: 'text', text: `[An image was left out here: ${why}.]` } as const;
    });
    const isChanged = parts.some((part, at) => part !== content?.[at]);
    return isChanged
      ? { ...message, content: parts.every(({ type }) => type === 'text') ? textOf(parts) : parts }
      : message;
  });
  const isSame = fitted.every((message, at) => message === messages[at]);
  return { messages: isSame ? messages : fitted, isPictureLeftOut };
}

/** Whether a message shows a picture. */
function hasPicture({ content }: ChatMessage): boolean {
  return Array.isArray(content) && content.some(({ type }: ContentPart) => type === 'image');
}

/** Where the pictures of messages come from; undefined without any. */
export function pictureSource(messages: readonly ChatMessage[]): PictureSource | undefined {
  const shown = messages.filter(hasPicture);
  const ofTools = shown.filter(({ role }) => role === 'tool').length;
  if (shown.length === 0) return undefined;
  return ofTools === 0 ? 'prompt' : ofTools === shown.length ? 'tool' : 'both';
}

function textOf(parts: readonly ContentPart[]): string {
  return parts.flatMap(({ text }) => text ?? []).join('\n');
}

/** The types whose bytes are known: bytes that show none of them are no such picture. */
const KNOWN: ReadonlySet<string> = new Set(['image/png', 'image/jpeg', 'image/jpg', 'image/gif', 'image/webp']);

function whyLeftOut({ url = '' }: ContentPart, { rules, isTextOnly }: Fitting): string | undefined {
  if (isTextOnly) return 'this model reads text only';
  const data = readDataAddress(url);
  if (!data) return undefined;
  const { base64, mediaType } = data;
  if (base64 === '') return 'it is empty';
  const seen = imageTypeOf(base64);
  if (seen === undefined && KNOWN.has(mediaType))
    return `its bytes are not of the type ${mediaType.replace('image/', '')}`;
  const type = seen ?? mediaType;
  if (!rules.imageTypes.includes(type))
    return `it is of the type ${type.replace('image/', '')}, which this model does not read`;
  if (type === 'image/gif' && !rules.readsAnimations && isAnimatedGif(base64))
    return 'it is an animated gif, which this model does not read';
  const most = rules.maxImageChars ?? base64.length;
  if (base64.length > most)
    return `it has ${megabytes(base64.length)} MB in Base64, and at most ${megabytes(most)} MB are read`;
  return undefined;
}

function megabytes(chars: number): string {
  return (chars / 1024 / 1024).toFixed(1);
}

/** The picture with the type that its bytes show; the same part where that is declared. */
function trulyTyped(part: ContentPart): ContentPart {
  const data = readDataAddress(part.url ?? '');
  const seen = data && imageTypeOf(data.base64);
  if (!data || seen === undefined || seen === data.mediaType) return part;
  return { ...part, media_type: seen, url: `data:${seen};base64,${data.base64}` };
}
