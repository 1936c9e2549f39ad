/** The first bytes of the common image formats, in Base64. */
const SIGNATURES = [
  ['iVBORw0KGgo', 'image/png'],
  ['/9j/', 'image/jpeg'],
  ['R0lGOD', 'image/gif'],
] as const;

/** `RIFF`, a length of 4 bytes and `WEBP`. */
const WEBP = /^UklGR.{6}XRUJQ/;

/** The media type that the first bytes of an image show, given in Base64; undefined for other formats. */
export function imageTypeOf(base64: string): string | undefined {
  // A container of many formats, which it names behind its length.
  if (WEBP.test(base64)) return 'image/webp';
  return SIGNATURES.find(([signature]) => base64.startsWith(signature))?.[1];
}
