import { z } from 'zod';

const name = z.string().min(1).describe('The name that configurations use.');
const apiKey = z
  .string()
  .nullable()
  .default(null)
  .describe('${NAME}, the name of an environment variable, or the key itself.');
const endpoint = z.url({ protocol: /^https?$/ }).describe('Base address, as https://host/v1.');

/** Where models are served. */
export const modelProvider = z.strictObject({
  name,
  endpoint,
  providerType: z.literal('openai').default('openai').describe('The protocol: any OpenAI-compatible server.'),
  apiKey,
  extraBody: z.record(z.string(), z.unknown()).nullable().default(null).describe('Added to every request body.'),
  extraHeaders: z.record(z.string(), z.string()).nullable().default(null).describe('Added to every request.'),
});

/** An MCP server started as a child process. */
export const stdioProvider = z.strictObject({
  name,
  providerType: z.literal('stdio'),
  command: z.string().min(1).describe('The program to start.'),
  args: z.array(z.string()).default([]).describe('Its arguments.'),
  env: z.record(z.string(), z.string()).default({}).describe('Environment variables beside a safe few.'),
});

/** An MCP server reached over HTTP. */
export const remoteProvider = z.strictObject({
  name,
  providerType: z.enum(['sse', 'streamable_http']),
  endpoint,
  apiKey,
});

export type ModelProvider = z.output<typeof modelProvider>;
export type MCPProvider = z.output<typeof stdioProvider> | z.output<typeof remoteProvider>;

/** All that a run may reach, by kind. */
export interface Providers {
  readonly models: readonly ModelProvider[];
  readonly tools: readonly MCPProvider[];
}
