import { isWebAddress, TOOL_PREFIX } from '@data-designer/core';
import { z } from 'zod';

/** The default number of parallel calls to one tool provider, which waiting tools need to keep rows busy. */
export const MAX_PARALLEL_TOOL_CALLS = 256;

const name = z.string().describe('The name that configurations use.');
const apiKey = z
  .string()
  .nullable()
  .default(null)
  .describe('${NAME}, the name of an environment variable, or the key itself.');
const endpoint = z.string().describe('Base address, as https://host/v1.');

/** A model provider. Any type and address can be declared; `unusableProvider` finds the unusable ones. */
export const modelProvider = z.strictObject({
  name,
  endpoint,
  providerType: z
    .string()
    .toLowerCase()
    .default('openai')
    .describe('The protocol: openai for any OpenAI-compatible server.'),
  apiKey,
  extraBody: z.record(z.string(), z.unknown()).nullable().default(null).describe('Added to every request body.'),
  extraHeaders: z.record(z.string(), z.string()).nullable().default(null).describe('Added to every request.'),
});

/** Keys of MCP providers of our own: optional, so that they are written only if given. */
const toolLimits = {
  maxSessions: z
    .int()
    .min(1)
    .max(64)
    .exactOptional()
    .describe('Sessions at a time, calls spread over them; one unless given.'),
  toolPrefix: z
    .string()
    .regex(TOOL_PREFIX, { error: 'it must be 1 to 32 letters, digits, _ or -' })
    .exactOptional()
    .describe('Stands before the names of its tools where models are told them: letters, digits, _ and -.'),
  maxParallelCalls: z
    .int()
    .min(1)
    .exactOptional()
    .describe(`Tool calls at a time; ${MAX_PARALLEL_TOOL_CALLS} unless given.`),
} as const;

/** An MCP server started as a child process. */
const stdioProvider = z.strictObject({
  name,
  providerType: z.literal('stdio').describe('The server is a child process.'),
  command: z.string().describe('The program to start.'),
  args: z.array(z.string()).default([]).describe('Its arguments.'),
  env: z
    .record(z.string(), z.string())
    .default({})
    .describe('Environment variables beside a safe few; ${NAME} in a value is the variable of that name.'),
  cwd: z.string().min(1).exactOptional().describe('The folder it works in.'),
  ...toolLimits,
});

/** An MCP server reached over HTTP. */
const remoteProvider = z.strictObject({
  name,
  providerType: z.enum(['sse', 'streamable_http']).describe('The transport.'),
  endpoint,
  apiKey,
  headers: z
    .record(z.string(), z.string())
    .exactOptional()
    .describe('Sent with every request; ${NAME} in a value is the environment variable of that name.'),
  ...toolLimits,
});

/** An MCP provider of a declared type. */
export const mcpProvider = z.discriminatedUnion('providerType', [stdioProvider, remoteProvider]);

/** The types of MCP providers. */
export const MCP_PROVIDER_TYPES = ['stdio', 'sse', 'streamable_http'] as const;

export type ModelProvider = z.output<typeof modelProvider>;
export type MCPProvider = z.output<typeof mcpProvider>;

/** The providers of a run. */
export interface Providers {
  readonly models: readonly ModelProvider[];
  readonly tools: readonly MCPProvider[];
}

/** Why a declared model provider cannot be used, with a remedy; undefined if it can. */
export function unusableProvider(
  provider: ModelProvider,
  protocols: readonly string[],
): { readonly message: string; readonly remedy: string } | undefined {
  const { providerType } = provider;
  if (!protocols.includes(providerType)) {
    const message = `the provider '${provider.name}' is of type '${providerType}', which this version does not support.`;
    return { message, remedy: `Supported: ${protocols.join(', ')}; openai fits any OpenAI-compatible server.` };
  }
  if (isWebAddress(provider.endpoint)) return undefined;
  const message = `the endpoint of the provider '${provider.name}' is not an address.`;
  return { message, remedy: 'Expected: one that begins with http:// or https://, as https://host/v1.' };
}
