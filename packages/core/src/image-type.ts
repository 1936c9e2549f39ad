/** The first bytes of the common image formats, in Base64. */
const SIGNATURES = [
  ['iVBORw0KGgo', 'image/png'],
  ['/9j/', 'image/jpeg'],
  ['R0lGOD', 'image/gif'],
  ['UklGR', 'image/webp'],
] as const;

/** The media type that the first bytes of an image show, given in Base64; undefined for other formats. */
export function imageTypeOf(base64: string): string | undefined {
  return SIGNATURES.find(([signature]) => base64.startsWith(signature))?.[1];
}
