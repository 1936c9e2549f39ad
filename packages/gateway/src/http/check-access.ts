import { DataDesignerError } from '@data-designer/core';
import type { ModelAccess } from './model-access.ts';

/** Headers that are the connection's own. */
const RESERVED: ReadonlySet<string> = new Set([
  'connection',
  'content-length',
  'expect',
  'host',
  'keep-alive',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/** What HTTP takes for a name, and what all servers take for a value. */
const NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
const VALUE = /^[\t\x20-\x7e]*$/;

/** Throws `model/unusable-provider` where no request could be made of what is known of a provider; says no secret. */
export function checkAccess(provider: string, { endpoint, apiKey, extraHeaders }: ModelAccess): void {
  const fail = (reason: string, remedy: string): never => {
    throw new DataDesignerError('model/unusable-provider', { provider, reason, remedy });
  };
  checkAddress(endpoint, fail);
  if (apiKey !== undefined && !VALUE.test(apiKey)) {
    fail(`its api_key ${unfit(apiKey)}`, 'Correct the key.');
  }
  for (const [name, value] of Object.entries(extraHeaders)) {
    const header = JSON.stringify(name);
    if (!NAME.test(name)) fail(`${header} in its extra_headers is not a valid HTTP header name`, 'Correct the name.');
    if (RESERVED.has(name.toLowerCase())) {
      fail(`the header ${header} in its extra_headers is set by the connection itself`, 'Remove it.');
    }
    if (!VALUE.test(value)) fail(`the header ${header} in its extra_headers ${unfit(value)}`, 'Correct its value.');
  }
}

type Fail = (reason: string, remedy: string) => never;

function checkAddress(endpoint: string, fail: Fail): void {
  const url = URL.canParse(endpoint) ? new URL(endpoint) : undefined;
  if (!url || !/^https?:$/.test(url.protocol)) {
    return fail('its endpoint is not an http(s) address', 'Write it as http://localhost:8000/v1.');
  }
  if (url.username === '' && url.password === '') return;
  const remedy = "Remove them, and set the key as 'api_key' or the header 'Authorization' in 'extra_headers'.";
  fail('its endpoint contains a user name or a password', remedy);
}

function unfit(value: string): string {
  return /[\r\n]/.test(value) ? 'contains a line break' : 'contains characters that HTTP headers do not allow';
}
