import { createHash } from 'node:crypto';
import { isSecretName, partsOfSecret, secretsInAddress } from '@data-designer/core';

/** What a provider of either kind may say besides where it is. */
interface Common {
  readonly name: string;
  /** Sessions at a time, calls spread over them; one unless given. */
  readonly maxSessions?: number | undefined;
  /** Stands before the names of its tools where models are told them. */
  readonly toolPrefix?: string | undefined;
  /** Texts beside the key that must not appear in an error. */
  readonly secrets?: readonly string[] | undefined;
}

/** A tool server that is a child process speaking MCP over its stdin and stdout. */
export interface StdioToolProvider extends Common {
  readonly providerType: 'stdio';
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** The folder it works in; that of this process unless given. */
  readonly cwd?: string | undefined;
}

/** A tool server behind an address. `apiKey` is the plain key: only the I/O thread ever holds this form. */
export interface RemoteToolProvider extends Common {
  readonly providerType: 'sse' | 'streamable_http';
  readonly endpoint: string;
  readonly apiKey?: string | undefined;
  /** Sent with every request; one named `authorization` wins over the key. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

/** A tool provider with its secrets resolved. */
export type ToolProvider = StdioToolProvider | RemoteToolProvider;

/** The identity of a resolved provider, for sharing its session; secrets are in it only as part of a hash. */
export function providerKey(provider: ToolProvider): string {
  const identity =
    provider.providerType === 'stdio'
      ? [provider.name, provider.command, provider.args, sorted(provider.env), provider.cwd ?? null]
      : [provider.name, provider.providerType, provider.endpoint, provider.apiKey ?? null, sorted(provider.headers)];
  return createHash('sha256').update(JSON.stringify(identity)).digest('hex');
}

function sorted(values: Readonly<Record<string, string>> = {}): readonly (readonly [string, string])[] {
  return Object.entries(values).toSorted(([a], [b]) => (a < b ? -1 : 1));
}

/** What every request to a remote provider carries. Names of headers know no case: one of the provider's wins over its key. */
export function headersOf({ apiKey, headers = {} }: RemoteToolProvider): Record<string, string> {
  const own = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value] as const);
  return { ...(apiKey ? { authorization: `Bearer ${apiKey}` } : {}), ...Object.fromEntries(own) };
}

/** The texts of a provider that must not appear in an error: its keys, and values whose name says that they are some. */
export function secretsOf(provider: ToolProvider): readonly string[] {
  const { secrets = [] } = provider;
  const values = provider.providerType === 'stdio' ? provider.env : (provider.headers ?? {});
  const named = Object.entries(values).flatMap(([name, value]) => (isSecretName(name) ? partsOfSecret(value) : []));
  if (provider.providerType === 'stdio') return [...secrets, ...named];
  const { apiKey, endpoint } = provider;
  return [...(apiKey ? [apiKey] : []), ...secretsInAddress(endpoint), ...secrets, ...named];
}
