import type { Picture } from '@data-designer/core';
import { readDataAddress } from '../data-address.ts';

/** The first bytes of the common kinds of pictures, in Base64. */
const SIGNATURES = [
  ['iVBORw0KGgo', 'image/png'],
  ['/9j/', 'image/jpeg'],
  ['R0lGOD', 'image/gif'],
  ['UklGR', 'image/webp'],
] as const;

/** The media type that the first bytes of a picture show; undefined if they are of none of png, jpeg, gif and webp. */
export function mediaTypeOf(base64: string): string | undefined {
  return SIGNATURES.find(([signature]) => base64.startsWith(signature))?.[1];
}

const BASE64 = /^[\w+/-]+={0,2}$/;

/** Reads what a model gives for a picture: a `data:` address, Base64, or an address to fetch; undefined if it is none. */
export function readPicture(text: string): Picture | { readonly url: string } | undefined {
  const given = text.trim();
  if (/^https?:\/\//i.test(given)) return { url: given };
  const data = readDataAddress(given);
  const base64 = (data?.base64 ?? given).replaceAll(/\s+/g, '');
  // What its bytes show counts more than what is said about it.
  const mediaType = mediaTypeOf(base64) ?? data?.mediaType;
  if (!mediaType?.startsWith('image/') || !BASE64.test(base64)) return undefined;
  return { mediaType, base64 };
}
