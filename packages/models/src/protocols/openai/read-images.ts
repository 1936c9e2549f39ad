import { DataDesignerError, type Fields, fieldsOf, isFields, itemsOf } from '@data-designer/core';
import type { ImageAnswer } from '../../model-client.ts';
import { readPicture } from '../../pictures/read-picture.ts';
import { providerText } from '../../answers/provider-text.ts';
import { noChoice, readChoice, textOf } from './read-completion.ts';

/** The pictures of an answer to `images/generations`; throws `model/no-picture`, `model/bad-answer`. */
export function readImageList(body: unknown, model: string): ImageAnswer {
  if (!isFields(body)) throw noChoice(model, body);
  const { data, error } = body;
  const pictures = picturesIn(data);
  if (pictures.length > 0) return { pictures };
  throw noPicture(model, error ? providerText(JSON.stringify(error)) : whyNone(addressesIn(data)));
}

/** How many pictures an answer to `images/generations` gives, those that cannot be read too. */
export function countImageList(body: unknown): number {
  return addressesIn(fieldsOf(body).data).length;
}

/** The pictures of a chat completion, with or without text; throws `model/no-picture`, `model/bad-answer`. */
export function readChatImages(body: unknown, model: string): ImageAnswer {
  const { message } = readChoice(body, model);
  const beside = [...picturesIn(message.images), ...picturesIn(imageParts(message))];
  const pictures = beside.length > 0 ? beside : picturesInText(textOf(message) ?? '');
  if (pictures.length > 0) return { pictures };
  const said = textOf(message) || (typeof message.refusal === 'string' ? message.refusal : '');
  throw noPicture(model, said === '' ? 'the answer is empty' : `the answer is the text '${shortened(said)}'`);
}

/** The number of pictures in a chat completion, with or without text. */
export function countChatImages(body: unknown): number {
  const message = messageIn(body);
  return countImagesBesideText(body) || picturesInText(textOf(message) ?? '').length;
}

/** The number of pictures in a chat completion that has text. */
export function countImagesBesideText(body: unknown): number {
  const message = messageIn(body);
  return addressesIn(message.images).length + addressesIn(imageParts(message)).length;
}

/** Parts of an answer that say that they are pictures; others may have addresses, too. */
function imageParts({ content }: Fields): readonly unknown[] {
  return itemsOf(content)
    .filter(isFields)
    .filter(
      ({ type, image_url: image }) => image !== undefined || (typeof type === 'string' && type.includes('image')),
    );
}

function messageIn(body: unknown): Fields {
  return fieldsOf(fieldsOf(itemsOf(fieldsOf(body).choices)[0]).message);
}

/** Markdown shows a picture as `![words](address)`. */
const SHOWN = /!\[[^\]]*\]\(([^)\s]+)\)/g;

function picturesInText(text: string): ImageAnswer['pictures'] {
  const shown = [...text.matchAll(SHOWN)].map(([, address]) => address);
  return picturesIn(shown.length > 0 ? shown : [text]);
}

function picturesIn(list: unknown): ImageAnswer['pictures'] {
  return addressesIn(list).flatMap((text) => readPicture(text) ?? []);
}

function addressesIn(list: unknown): readonly string[] {
  return itemsOf(list).flatMap((item) => addressIn(item) ?? []);
}

/** Endpoints put a picture, or its address, under one of these names. */
function addressIn(item: unknown): string | undefined {
  if (typeof item === 'string') return item;
  const { b64_json, url, image_url: within } = fieldsOf(item);
  const text = b64_json ?? url;
  return typeof text === 'string' ? text : within === undefined ? undefined : addressIn(within);
}

function whyNone(given: readonly string[]): string {
  return given.length === 0 ? 'its list is empty' : 'what it lists is of none of the kinds png, jpeg, gif and webp';
}

function noPicture(model: string, reason: string): DataDesignerError {
  return new DataDesignerError('model/no-picture', { model, reason });
}

function shortened(text: string): string {
  return text.length > 200 ? `${text.slice(0, 200)}…` : text;
}
