/** An image as the result of a tool; made by `image`. */
export class ImageResult {
  readonly bytes: Uint8Array;
  readonly mediaType: string;

  constructor(bytes: Uint8Array, mediaType: string) {
    this.bytes = bytes;
    this.mediaType = mediaType;
  }
}

/** Returns an image from a tool, for models that read images: its bytes and their type, such as `image/png`. */
export function image(bytes: Uint8Array | ArrayBuffer, mediaType: string): ImageResult {
  return new ImageResult(bytes instanceof ArrayBuffer ? new Uint8Array(bytes) : bytes, mediaType);
}
