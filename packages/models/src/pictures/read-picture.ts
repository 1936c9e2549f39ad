import { imageTypeOf, type Picture } from '@data-designer/core';
import { readDataAddress } from '../data-address.ts';

const BASE64 = /^[\w+/-]+={0,2}$/;

/** Reads what a model gives for a picture: a `data:` address, Base64, or an address to fetch; undefined if it is none. */
export function readPicture(text: string): Picture | { readonly url: string } | undefined {
  const given = text.trim();
  if (/^https?:\/\//i.test(given)) return { url: given };
  const data = readDataAddress(given);
  const base64 = (data?.base64 ?? given).replaceAll(/\s+/g, '');
  // The type that the bytes show wins over the declared one.
  const mediaType = imageTypeOf(base64) ?? data?.mediaType;
  if (!mediaType?.startsWith('image/') || !BASE64.test(base64)) return undefined;
  return { mediaType, base64 };
}
