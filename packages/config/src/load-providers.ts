import { DataDesignerError, type Violation } from '@data-designer/core';
import { loadDocument } from './load-document.ts';
import { readForm } from './read-form.ts';
import {
  type MCPProvider,
  type ModelProvider,
  modelProvider,
  type Providers,
  remoteProvider,
  stdioProvider,
} from './schemas/providers.ts';
import { isMapping } from './spelling.ts';
import { printPath, violationsOf } from './violations.ts';

const KINDS = {
  openai: modelProvider,
  stdio: stdioProvider,
  sse: remoteProvider,
  streamable_http: remoteProvider,
} as const;

/**
 * Reads providers from a file `{ providers: [...] }` as the home folder keeps them; models and tools may stand in one
 * list. Throws `config/unreadable` or `config/invalid`.
 */
export function loadProviders(path: string): Providers {
  const document = loadDocument(path);
  const entries =
    isMapping(document) && Array.isArray(document.providers) ? (document.providers as unknown[]) : undefined;
  if (!entries) {
    throw new DataDesignerError('config/unreadable', { path, reason: "it has no list named 'providers'" });
  }
  const violations: Violation[] = [];
  const models: ModelProvider[] = [];
  const tools: MCPProvider[] = [];
  entries.forEach((entry, index) => {
    const parsed = parseEntry(entry, { document, index, violations });
    if (!parsed) return;
    if (parsed.providerType === 'openai') models.push(parsed);
    else tools.push(parsed);
  });
  if (violations.length > 0) throw new DataDesignerError('config/invalid', { source: path, violations });
  return { models, tools };
}

function parseEntry(
  entry: unknown,
  at: { document: unknown; index: number; violations: Violation[] },
): ModelProvider | MCPProvider | undefined {
  const prefix = ['providers', at.index];
  const type = isMapping(entry) ? (entry.providerType ?? entry.provider_type ?? 'openai') : 'openai';
  const schema = typeof type === 'string' && Object.hasOwn(KINDS, type) ? KINDS[type as keyof typeof KINDS] : undefined;
  if (!schema) {
    const path = printPath([...prefix, 'providerType'], at.document);
    const message = `there is no provider type ${JSON.stringify(type)}.`;
    const remedy = `Known: ${Object.keys(KINDS).join(', ')}.`;
    at.violations.push({ stage: 'load', type: 'unknown_provider_type', level: 'ERROR', path, message, remedy });
    return undefined;
  }
  const value = readForm(schema, entry);
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  at.violations.push(...violationsOf(parsed.error.issues, { schema, value, prefix, document: at.document }));
  return undefined;
}

/** Joins providers; of two with one name the earlier wins. */
export function joinProviders(...sources: readonly Providers[]): Providers {
  return {
    models: firstOfName(sources.flatMap(({ models }) => models)),
    tools: firstOfName(sources.flatMap(({ tools }) => tools)),
  };
}

function firstOfName<P extends { readonly name: string }>(providers: readonly P[]): P[] {
  return [...new Map(providers.toReversed().map((provider) => [provider.name, provider])).values()];
}
