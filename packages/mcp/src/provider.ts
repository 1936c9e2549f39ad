import { createHash } from 'node:crypto';
import { isSecretName, partsOfSecret, secretsInAddress } from '@data-designer/core';

/** The options of providers of both kinds. */
interface Common {
  readonly name: string;
  /** Sessions at a time, over which calls are spread; one unless given. */
  readonly maxSessions?: number | undefined;
  /** Prefix of its tool names in requests. */
  readonly toolPrefix?: string | undefined;
  /** The time for connecting and for listing the tools, in seconds. */
  readonly startTimeoutSec?: number | undefined;
  /** The largest message that the server may send, in MiB. */
  readonly maxMessageMb?: number | undefined;
  /** Texts other than the key that must not appear in an error. */
  readonly secrets?: readonly string[] | undefined;
}

/** A tool server that is a child process speaking MCP over its stdin and stdout. */
export interface StdioToolProvider extends Common {
  readonly providerType: 'stdio';
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** Its working folder; that of this process unless given. */
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

/** The same server over the other HTTP transport; undefined for a child process. */
export function otherTransport(provider: ToolProvider): RemoteToolProvider | undefined {
  if (provider.providerType === 'stdio') return undefined;
  return { ...provider, providerType: provider.providerType === 'sse' ? 'streamable_http' : 'sse' };
}

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

/** The headers of every request to a remote provider. Header names ignore case: an own `authorization` wins over the key. */
export function headersOf({ apiKey, headers = {} }: RemoteToolProvider): Record<string, string> {
  const own = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value] as const);
  return { ...(apiKey ? { authorization: `Bearer ${apiKey}` } : {}), ...Object.fromEntries(own) };
}

/** The texts of a provider that must not appear in an error: its keys, and values whose name says that they are some. */
export function secretsOf(provider: ToolProvider): readonly string[] {
  const { secrets = [] } = provider;
  const values = provider.providerType === 'stdio' ? provider.env : (provider.headers ?? {});
  const named = Object.entries(values).flatMap(([name, value]) =>
    isSecretName(name) && !isPath(value) ? partsOfSecret(value) : secretsInAddress(value),
  );
  if (provider.providerType === 'stdio') return [...secrets, ...named, ...secretsInArguments(provider.args)];
  const { apiKey, endpoint } = provider;
  return [...(apiKey ? [apiKey] : []), ...secretsInAddress(endpoint), ...secrets, ...named];
}

/** Whether a value names a file, as `GOOGLE_APPLICATION_CREDENTIALS` and `SSH_AUTH_SOCK` do. */
function isPath(value: string): boolean {
  return /^(?:~|\/(?:home|root|run|tmp|etc|var|usr|opt|mnt|srv|app|Users|private|secrets)|[A-Za-z]:)[\\/]/.test(value);
}

/** The values of options such as `--api-key KEY` and `--token=KEY`, of headers, and of addresses with a password. */
function secretsInArguments(args: readonly string[]): readonly string[] {
  return args.flatMap((argument, index) => {
    const before = args[index - 1] ?? '';
    const [, name = '', value = ''] = /^-*([\w-]+)(?:=|:\s+)(.+)$/s.exec(argument) ?? [];
    if (isSecretName(name) && !isPath(value)) return partsOfSecret(value);
    const isOption = before.startsWith('-') && !before.includes('=') && isSecretName(before);
    return isOption && !isPath(argument) ? partsOfSecret(argument) : secretsInAddress(argument);
  });
}
