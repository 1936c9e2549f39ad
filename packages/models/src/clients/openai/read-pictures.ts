import { DataDesignerError } from '@data-designer/core';
import type { ImageAnswer } from '../../model-client.ts';
import { readPicture } from '../../pictures/read-picture.ts';
import { providerText } from '../provider-text.ts';
import { readChoice, readTokens, textOf, type WireUsage } from './read-completion.ts';

/** The pictures of an answer to `images/generations`; throws `model/no-picture`. */
export function readGenerated(body: unknown, model: string): ImageAnswer {
  const { data, usage, error } = (body ?? {}) as {
    readonly data?: unknown;
    readonly usage?: WireUsage;
    readonly error?: unknown;
  };
  const pictures = picturesIn(data);
  if (pictures.length === 0) throw noPicture(model, error ? providerText(JSON.stringify(error)) : 'its list is empty');
  return { pictures, tokens: readTokens(usage) };
}

/** The pictures of a chat completion, beside its text or in place of it; throws `model/no-picture`, `model/bad-answer`. */
export function readPainted(body: unknown, model: string): ImageAnswer {
  const { message, completion } = readChoice(body, model);
  const beside = [...picturesIn(message.images), ...picturesIn(message.content)];
  const text = textOf(message) ?? '';
  const pictures = beside.length > 0 ? beside : picturesIn([inText(text)]);
  if (pictures.length === 0) throw noPicture(model, text === '' ? 'it said nothing' : `it said '${shortened(text)}'`);
  return { pictures, tokens: readTokens(completion.usage) };
}

/** Markdown shows a picture as `![words](address)`. */
function inText(text: string): string {
  return /!\[[^\]]*\]\(([^)\s]+)\)/.exec(text)?.[1] ?? text;
}

function picturesIn(list: unknown): ImageAnswer['pictures'] {
  if (!Array.isArray(list)) return [];
  return list.flatMap((item: unknown) => {
    const text = addressIn(item);
    return (text === undefined ? undefined : readPicture(text)) ?? [];
  });
}

/** Endpoints put a picture, or its address, under one of these names. */
function addressIn(item: unknown): string | undefined {
  if (typeof item === 'string') return item;
  if (typeof item !== 'object' || item === null) return undefined;
  const { b64_json, url, image_url: within } = item as Readonly<Record<string, unknown>>;
  const text = b64_json ?? url;
  return typeof text === 'string' ? text : within === undefined ? undefined : addressIn(within);
}

function noPicture(model: string, reason: string): DataDesignerError {
  return new DataDesignerError('model/no-picture', { model, reason });
}

function shortened(text: string): string {
  return text.length > 200 ? `${text.slice(0, 200)}…` : text;
}
