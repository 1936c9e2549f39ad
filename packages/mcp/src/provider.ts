import { createHash } from 'node:crypto';

/** A tool server that is a child process speaking MCP over its stdin and stdout. */
export interface StdioToolProvider {
  readonly name: string;
  readonly providerType: 'stdio';
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/** A tool server behind an address. `apiKey` is the plain key: only the I/O thread ever holds this form. */
export interface RemoteToolProvider {
  readonly name: string;
  readonly providerType: 'sse' | 'streamable_http';
  readonly endpoint: string;
  readonly apiKey?: string | undefined;
}

/** A tool provider with its secrets resolved. */
export type ToolProvider = StdioToolProvider | RemoteToolProvider;

/** The identity of a resolved provider, for sharing its session; secrets are in it only as part of a hash. */
export function providerKey(provider: ToolProvider): string {
  const identity =
    provider.providerType === 'stdio'
      ? [
          provider.name,
          provider.command,
          provider.args,
          Object.entries(provider.env).toSorted(([a], [b]) => (a < b ? -1 : 1)),
        ]
      : [provider.name, provider.providerType, provider.endpoint, provider.apiKey ?? null];
  return createHash('sha256').update(JSON.stringify(identity)).digest('hex');
}

const SECRET_NAME = /key|token|secret|password|credential/i;

/** The texts of a provider that must not appear in an error: its key, and environment values whose name says so. */
export function secretsOf(provider: ToolProvider): readonly string[] {
  if (provider.providerType !== 'stdio') return provider.apiKey ? [provider.apiKey] : [];
  return Object.entries(provider.env).flatMap(([name, value]) => (SECRET_NAME.test(name) ? [value] : []));
}
