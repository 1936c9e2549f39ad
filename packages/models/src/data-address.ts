/** What a `data:` address holds, in Base64. */
export interface DataAddress {
  readonly mediaType: string;
  readonly base64: string;
}

const BASE64_DATA = /^data:([^;,]+)(?:;[^;,]+)*;base64,/i;

/** Reads a `data:` address in Base64; undefined for any other address. */
export function readDataAddress(url: string): DataAddress | undefined {
  if (!url.startsWith('data:')) return undefined;
  // The head alone is matched: the data may be megabytes.
  const head = BASE64_DATA.exec(url.slice(0, 200));
  const [whole = '', mediaType = ''] = head ?? [];
  return head ? { mediaType: mediaType.toLowerCase(), base64: url.slice(whole.length) } : undefined;
}
