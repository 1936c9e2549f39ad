import type { CallPath } from '@data-designer/core';

/** How a provider is reached, its key resolved. Never leaves the I/O thread. */
export interface ModelAccess {
  readonly endpoint: string;
  /** The protocol: `openai` or `anthropic`. */
  readonly providerType: string;
  readonly apiKey: string | undefined;
  /** Where the key comes from, in words, never its value; it has none where absent. */
  readonly keyShown?: string | undefined;
  readonly extraHeaders: Readonly<Record<string, string>>;
  /** The address of the proxy that leads there; straight where absent. */
  readonly proxy?: string | undefined;
}

/** The version of the Messages API that is spoken (as NeMo Data Designer has it). */
const ANTHROPIC_VERSION = '2023-06-01';

/** The headers of every request; extra headers override them, whatever their case. */
export function headersOf({ providerType, apiKey, extraHeaders }: ModelAccess): Readonly<Record<string, string>> {
  const isAnthropic = providerType === 'anthropic';
  const key = isAnthropic ? { 'x-api-key': apiKey } : { authorization: apiKey && `Bearer ${apiKey}` };
  const own = Object.entries({
    'content-type': 'application/json',
    accept: 'application/json',
    ...(isAnthropic ? { 'anthropic-version': ANTHROPIC_VERSION } : {}),
    ...(apiKey ? key : {}),
  });
  const extra = Object.entries(extraHeaders).map(([name, value]) => [name.toLowerCase(), value]);
  return Object.fromEntries([...own, ...extra]) as Record<string, string>;
}

/**
 * The path of a call at an endpoint, with the query that its address has, such as a version. Anthropic's begins with
 * `/v1`, which endpoints may or may not end in.
 */
export function pathOf({ endpoint, providerType }: ModelAccess, path: CallPath): string {
  const { pathname, search } = new URL(endpoint);
  const base = pathname.replace(/\/+$/, '');
  const version = providerType === 'anthropic' && !base.endsWith('/v1') ? '/v1' : '';
  return `${base}${version}/${path}${search}`;
}
