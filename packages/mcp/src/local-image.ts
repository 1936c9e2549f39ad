/** A picture that a tool gives back; made by `image`. */
export class ImageResult {
  readonly bytes: Uint8Array;
  readonly mediaType: string;

  constructor(bytes: Uint8Array, mediaType: string) {
    this.bytes = bytes;
    this.mediaType = mediaType;
  }
}

/** A picture as the result of a tool, shown to models that see: its bytes and their type, as `image/png`. */
export function image(bytes: Uint8Array | ArrayBuffer, mediaType: string): ImageResult {
  return new ImageResult(bytes instanceof ArrayBuffer ? new Uint8Array(bytes) : bytes, mediaType);
}
