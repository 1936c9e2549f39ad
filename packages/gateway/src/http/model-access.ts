import type { CallPath } from '@data-designer/core';
import type { ModelProtocol } from '@data-designer/models/protocols';

/** How a provider is reached, its key resolved. Never leaves the I/O thread. */
export interface ModelAccess {
  readonly endpoint: string;
  readonly protocol: ModelProtocol;
  readonly apiKey: string | undefined;
  /** Where the key comes from, in words, never its value; it has none where absent. */
  readonly keyShown?: string | undefined;
  readonly extraHeaders: Readonly<Record<string, string>>;
  /** The address of the proxy that leads there; straight where absent. */
  readonly proxy?: string | undefined;
}

/** The headers of every request; extra headers override them, whatever their case. */
export function headersOf({ protocol, apiKey, extraHeaders }: ModelAccess): Readonly<Record<string, string>> {
  const extra = Object.entries(extraHeaders).map(([name, value]) => [name.toLowerCase(), value] as const);
  return {
    'content-type': 'application/json',
    accept: 'application/json',
    ...protocol.headers,
    ...(apiKey ? protocol.keyHeaders(apiKey) : {}),
    ...Object.fromEntries(extra),
  };
}

/** The path of a call at an endpoint, with the query that its address has, such as a version. */
export function pathOf({ endpoint, protocol: { basePath } }: ModelAccess, path: CallPath): string {
  const { pathname, search } = new URL(endpoint);
  const base = pathname.replace(/\/+$/, '');
  return `${base}${base.endsWith(basePath) ? '' : basePath}/${path}${search}`;
}
