import type { fetch as send } from 'undici';
import {
  fillVariables,
  partsOfSecret,
  readSecret,
  type Redact,
  resolveSecret,
  type Resource,
  secretsInAddress,
} from '@data-designer/core';
import { redactor } from '@data-designer/core/redact';
import type { ExecutionProvider, MCPProvider, Providers } from '@data-designer/config';
import { secretsOf, type ToolProvider } from '@data-designer/mcp';
import { MODEL_PROTOCOLS, protocolOf } from '@data-designer/models/protocols';
import { AnswerMemory } from '../admission/answer-memory.ts';
import { checkAccess } from './check-access.ts';
import { ModelEndpoint } from './model-endpoint.ts';
import { proxyFor } from './proxy-for.ts';
import { RETRY_POLICY } from './send-with-retries.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** The providers that the resources of a plan need, their keys resolved. */
export interface OpenProviders {
  readonly endpoints: ReadonlyMap<string, ModelEndpoint>;
  readonly tools: ReadonlyMap<string, ToolProvider>;
  readonly programs: ReadonlyMap<string, ExecutionProvider>;
  /** The one redactor of the run: knows every secret of these providers, and of the proxies. */
  readonly redact: Redact;
}

/**
 * Opens the providers in use, the others not; nothing is sent yet. Throws `secret/missing`, and
 * `model/unusable-provider` for an address, a key or a header with which no request could be made.
 */
export function openProviders(
  { models, tools, programs = [] }: Providers,
  resources: readonly Resource[],
  environment: Environment,
): OpenProviders {
  const secrets = new Secrets(environment);
  const memory = new AnswerMemory();
  const isUsed = (wanted: Resource['kind'], name: string) =>
    resources.some(({ kind, provider, rowServer = provider }) => kind === wanted && rowServer === name);
  const endpoints = models
    .filter(({ name }) => isUsed('model', name))
    .map((provider) => [provider.name, openEndpoint(provider, { secrets, memory })] as const);
  const opened = tools
    .filter(({ name }) => isUsed('tools', name))
    .map((provider) => [provider.name, openTools(provider, secrets)] as const);
  const commands = programs
    .filter(({ name }) => isUsed('programs', name))
    .map((provider) => {
      const env = secrets.fill(provider.env, (key) => `Execution provider '${provider.name}' (env.${key})`);
      return [provider.name, { ...provider, env }] as const;
    });
  for (const [, provider] of opened) secrets.known.push(...secretsOf(provider));
  secrets.known.push(...proxySecrets(environment));
  return {
    endpoints: new Map(endpoints),
    tools: new Map(opened),
    programs: new Map(commands),
    redact: redactor(secrets.known),
  };
}

/** Variables that are passed on to servers and hold no secret: parts of their values are in ordinary messages. */
const PLAIN_VARIABLE =
  /^\$\{(?:PATH|HOME|USER|LOGNAME|PWD|SHELL|LANG|LC_\w+|TZ|TERM|TMPDIR|TEMP|TMP|HOSTNAME|NODE_ENV|USERPROFILE|APPDATA|LOCALAPPDATA|SYSTEMROOT)\}$/;

/** Resolves secrets, and records them for the redactor. */
class Secrets {
  readonly known: string[] = [];
  readonly environment: Environment;

  constructor(environment: Environment) {
    this.environment = environment;
  }

  /** Resolves a key, without the line end that a file or terminal may add. */
  resolve(key: string | null, owner: string): string | undefined {
    if (!key) return undefined;
    const secret = resolveSecret(readSecret(key), this.environment, owner).trim();
    if (!PLAIN_VARIABLE.test(key)) this.known.push(secret);
    return secret === '' ? undefined : secret;
  }

  /** Values with every `${NAME}` in them replaced. */
  fill(values: Readonly<Record<string, string>>, owner: (key: string) => string): Record<string, string> {
    const filled = (text: string, name: string) =>
      fillVariables(text, (reference) => this.resolve(reference, owner(name)) ?? '');
    return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, filled(value, name)]));
  }
}

/** Headers whose values are not secret. */
const PLAIN_HEADERS: ReadonlySet<string> = new Set([
  'accept',
  'accept-language',
  'content-type',
  'http-referer',
  'referer',
  'user-agent',
  'x-title',
  ...MODEL_PROTOCOLS.flatMap(({ publicHeaders }) => publicHeaders),
]);

function headerSecrets(headers: Readonly<Record<string, string>>): readonly string[] {
  const secret = Object.entries(headers).filter(([name]) => !PLAIN_HEADERS.has(name.toLowerCase()));
  return secret.flatMap(([, value]) => partsOfSecret(value));
}

/** The credentials of every proxy that the environment names. */
function proxySecrets(environment: Environment): readonly string[] {
  const proxies = Object.entries(environment).filter(([name]) => /^(?:https?|all)_proxy$/i.test(name));
  return proxies.flatMap(([, address = '']) =>
    secretsInAddress(address.includes('://') ? address : `http://${address}`),
  );
}

function openEndpoint(
  provider: Providers['models'][number],
  { secrets, memory }: { readonly secrets: Secrets; readonly memory: AnswerMemory },
): ModelEndpoint {
  const { name, endpoint, providerType, extraHeaders } = provider;
  const headers = secrets.fill(extraHeaders ?? {}, (key) => `Model provider '${name}' (extra_headers.${key})`);
  secrets.known.push(...headerSecrets(headers), ...secretsInAddress(endpoint));
  const apiKey = secrets.resolve(provider.apiKey, `Model provider '${name}' (api_key)`);
  const keyShown = showKey(provider, secrets.environment);
  const access = { endpoint, protocol: protocolOf(providerType), apiKey, keyShown, extraHeaders: headers };
  checkAccess(name, access);
  return new ModelEndpoint({ ...access, proxy: proxyFor(endpoint, secrets.environment) }, RETRY_POLICY, memory);
}

/** Which key a provider's requests carry, without its value. */
function showKey({ name, apiKey, extraHeaders }: Providers['models'][number], environment: Environment): string {
  const own = Object.keys(extraHeaders ?? {}).find((header) => /^(?:authorization|(?:x-)?api-key)$/i.test(header));
  if (own !== undefined) return `the header '${own}' of its extra_headers`;
  if (!apiKey) return 'no key';
  const reference = readSecret(apiKey);
  if (reference.from === 'environment') return `the key of the environment variable ${reference.name}`;
  if (Object.hasOwn(environment, reference.text)) return `the key of the environment variable ${reference.text}`;
  return `the api_key of the provider '${name}' as it is written there (no environment variable has that name)`;
}

/** A tool provider with its secrets filled in; they are redacted from what its server says. */
function openTools(provider: MCPProvider, secrets: Secrets): ToolProvider {
  const owner = `MCP provider '${provider.name}'`;
  const before = secrets.known.length;
  if (provider.providerType === 'stdio') {
    const env = secrets.fill(provider.env, (key) => `${owner} (env.${key})`);
    return { ...provider, env, secrets: secrets.known.slice(before) };
  }
  const { apiKey: key, ...rest } = provider;
  const apiKey = secrets.resolve(key, `${owner} (api_key)`);
  const headers = secrets.fill(provider.headers ?? {}, (name) => `${owner} (headers.${name})`);
  return { ...rest, apiKey, headers, secrets: secrets.known.slice(before) };
}

/** The connections of a run to remote tool servers; disposing closes them. */
export interface ToolFetch extends AsyncDisposable {
  readonly fetch: typeof fetch;
}

/**
 * A `fetch` for tool servers without time limits: calls have their own, and the stream of an idle session may be silent
 * for hours, while the global `fetch` gives up after five minutes.
 */
export function openToolFetch(): ToolFetch {
  let opened: ReturnType<typeof openAgent> | undefined;
  const bound = async (...[input, init]: Parameters<typeof send>) => {
    const { fetch: sendWith, dispatcher } = await (opened ??= openAgent());
    return sendWith(input, { ...init, dispatcher });
  };
  return {
    fetch: bound as unknown as typeof fetch,
    [Symbol.asyncDispose]: async () => (await opened)?.dispatcher.destroy(),
  };
}

/** Loads undici's `fetch` where a tool server is remote: it is three times the size of what models need of undici. */
async function openAgent() {
  const { Agent, fetch } = await import('undici');
  return { fetch, dispatcher: new Agent({ headersTimeout: 0, bodyTimeout: 0 }) };
}
