import { readSecret, redactor, type Resource, resolveSecret } from '@data-designer/core';
import type { MCPProvider, Providers } from '@data-designer/config';
import type { ToolProvider } from '@data-designer/mcp';
import { checkAccess } from './check-access.ts';
import { ModelEndpoint } from './model-endpoint.ts';
import { proxyFor } from './proxy-for.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** The providers that the resources of a plan need, their keys resolved. */
export interface OpenProviders {
  readonly endpoints: ReadonlyMap<string, ModelEndpoint>;
  readonly tools: ReadonlyMap<string, ToolProvider>;
  /** Blots keys and secret headers out of text. */
  readonly redact: (text: string) => string;
}

/**
 * Opens the providers in use, the others not; nothing is sent yet. Throws `secret/missing`, and
 * `model/unusable-provider` for an address, a key or a header with which no request could be made.
 */
export function openProviders(
  { models, tools }: Providers,
  resources: readonly Resource[],
  environment: Environment,
): OpenProviders {
  const secrets = new Secrets(environment);
  const isUsed = (wanted: Resource['kind'], name: string) =>
    resources.some(({ kind, provider }) => kind === wanted && provider === name);
  const endpoints = models
    .filter(({ name }) => isUsed('model', name))
    .map((provider) => [provider.name, openEndpoint(provider, secrets)] as const);
  const opened = tools
    .filter(({ name }) => isUsed('tools', name))
    .map((provider) => [provider.name, openTools(provider, secrets)] as const);
  return { endpoints: new Map(endpoints), tools: new Map(opened), redact: redactor(secrets.known) };
}

/** Keys as they are resolved, remembered so that they can be blotted out. */
class Secrets {
  readonly known: string[] = [];
  readonly environment: Environment;

  constructor(environment: Environment) {
    this.environment = environment;
  }

  /** Files and terminals leave line ends around what they give: they are no part of a key. */
  resolve(key: string | null, owner: string): string | undefined {
    if (!key) return undefined;
    const secret = resolveSecret(readSecret(key), this.environment, owner).trim();
    this.known.push(secret);
    return secret === '' ? undefined : secret;
  }

  /** Values with every `${NAME}` in them replaced. */
  fill(values: Readonly<Record<string, string>>, owner: string): Record<string, string> {
    const filled = (text: string) => text.replace(REFERENCE, (reference) => this.resolve(reference, owner) ?? '');
    return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, filled(value)]));
  }
}

const REFERENCE = /\$\{[A-Za-z_][A-Za-z0-9_]*\}/g;

function openEndpoint(provider: Providers['models'][number], secrets: Secrets): ModelEndpoint {
  const { name, endpoint, providerType, extraHeaders } = provider;
  const headers = extraHeaders ?? {};
  secrets.known.push(...Object.values(headers));
  const apiKey = secrets.resolve(provider.apiKey, `Model provider '${name}'`);
  const access = { endpoint, providerType, apiKey, extraHeaders: headers };
  checkAccess(name, access);
  return new ModelEndpoint({ ...access, proxy: proxyFor(endpoint, secrets.environment) });
}

/** A tool provider with its secrets in their places; those that were put in are blotted out of what its server says. */
function openTools(provider: MCPProvider, secrets: Secrets): ToolProvider {
  const owner = `MCP provider '${provider.name}'`;
  const before = secrets.known.length;
  if (provider.providerType === 'stdio') {
    const env = secrets.fill(provider.env, owner);
    return { ...provider, env, secrets: secrets.known.slice(before) };
  }
  const { apiKey: key, ...rest } = provider;
  const apiKey = secrets.resolve(key, owner);
  const headers = secrets.fill(provider.headers ?? {}, owner);
  return { ...rest, apiKey, headers, secrets: secrets.known.slice(before) };
}
