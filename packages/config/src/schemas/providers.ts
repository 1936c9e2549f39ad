import { dirname, resolve } from 'node:path';
import {
  DEFAULT_MODEL_PROTOCOL,
  isWebAddress,
  MODEL_PROTOCOL_NAMES,
  REQUEST_RULES_NAMES,
  TOOL_PREFIX,
} from '@data-designer/core';
import { z } from 'zod';

/** The default number of parallel calls to one tool provider, which waiting tools need to keep rows busy. */
export const MAX_PARALLEL_TOOL_CALLS = 256;

/** The longest time that a timer can measure. */
const MAX_START_SECONDS = 2_147_483;

/** The longest text that JavaScript holds has 512 MiB. */
const MAX_MESSAGE_MB = 500;

const name = z.string().describe('The name that configs use.');
const apiKey = z
  .string()
  .nullable()
  .default(null)
  .describe('The API key: `${NAME}` or the name of an environment variable, or the key itself.');
const endpoint = z.string().describe('Base address, such as `https://host/v1`.');

/** A model provider. Any type and address can be declared; `unusableProvider` finds the unusable ones. */
export const modelProvider = z.strictObject({
  name,
  endpoint,
  providerType: z
    .string()
    .toLowerCase()
    .default(DEFAULT_MODEL_PROTOCOL)
    .describe(
      `The protocol: ${MODEL_PROTOCOL_NAMES.map((one) => `\`${one}\``).join(', ')}. Use \`openai\` for any OpenAI-compatible server.`,
    ),
  requestRules: z
    .enum(REQUEST_RULES_NAMES)
    .exactOptional()
    .describe(
      'The service whose limits on tools and images apply to the endpoint, such as 128 tools for `openai`. Default: the service of its host or protocol. `vllm` and `ollama` have no limits.',
    ),
  apiKey,
  extraBody: z
    .record(z.string(), z.unknown())
    .nullable()
    .default(null)
    .describe('Fields to add to the body of every request.'),
  returnUnknownFields: z
    .boolean()
    .exactOptional()
    .describe(
      'Whether unknown fields of an answer are sent back to the endpoint in later requests of the conversation; default true. Set it to false if the endpoint refuses these fields.',
    ),
  extraHeaders: z
    .record(z.string(), z.string())
    .nullable()
    .default(null)
    .describe('Headers to add to every request; `${NAME}` in a value stands for an environment variable.'),
});

/** Keys of MCP providers of our own: optional, so that they are written only if given. */
const toolLimits = {
  maxSessions: z
    .int()
    .min(1)
    .max(64)
    .exactOptional()
    .describe('Maximum number of parallel sessions, which share the calls; default 1.'),
  toolPrefix: z
    .string()
    .regex(TOOL_PREFIX, { error: 'expected 1 to 32 letters, digits, _ or -' })
    .exactOptional()
    .describe('Prefix of the tool names that models see: 1 to 32 letters, digits, `_` or `-`.'),
  maxParallelCalls: z
    .int()
    .min(1)
    .exactOptional()
    .describe(`Maximum number of parallel tool calls; default ${MAX_PARALLEL_TOOL_CALLS}.`),
  toolsFile: z
    .string()
    .min(1)
    .exactOptional()
    .describe(
      'JSON file with the tools of the server, as `data-designer mcp list-tools --output` writes it: `{"providers": [{"provider": NAME, "tools": [{"name", "description", "inputSchema"}]}]}`. A file of one server may be its answer to `tools/list`: `{"tools": […]}`. The server then starts at its first call. A relative path starts at the file that declares the provider.',
    ),
  startTimeoutSec: z
    .number()
    .positive()
    .max(MAX_START_SECONDS)
    .exactOptional()
    .describe(
      'Time limit for starting the server or connecting to it, and for listing its tools, in seconds; default 30.',
    ),
  maxMessageMb: z
    .number()
    .positive()
    .max(MAX_MESSAGE_MB)
    .exactOptional()
    .describe('Largest message that the server may send, and largest list of its tools, in MiB; default 128.'),
} as const;

/** An MCP server started as a child process. */
const stdioProvider = z.strictObject({
  name,
  providerType: z.literal('stdio').describe('Start the MCP server as a child process.'),
  command: z.string().describe('The program to start.'),
  args: z.array(z.string()).default([]).describe('Arguments of the program.'),
  env: z
    .record(z.string(), z.string())
    .default({})
    .describe(
      'Environment variables of the program, in addition to a few safe ones such as `PATH`. `${NAME}` in a value stands for that variable of your environment.',
    ),
  cwd: z.string().min(1).exactOptional().describe('Working folder of the program.'),
  ...toolLimits,
});

/** An MCP server reached over HTTP. */
const remoteProvider = z.strictObject({
  name,
  providerType: z
    .enum(['sse', 'streamable_http'])
    .describe('Connect to the MCP server over HTTP: `streamable_http`, or `sse` for older servers.'),
  endpoint: z.string().describe('Address of the MCP server, such as `https://host/mcp`.'),
  apiKey,
  headers: z
    .record(z.string(), z.string())
    .exactOptional()
    .describe('Headers to send with every request. `${NAME}` in a value stands for that environment variable.'),
  ...toolLimits,
});

/** An MCP provider of a declared type. */
export const mcpProvider = z.discriminatedUnion('providerType', [stdioProvider, remoteProvider]);

/** The type of execution providers. */
export const EXECUTION_PROVIDER_TYPE = 'execution';

/** A command that runs programs of rows. */
export const executionProvider = z.strictObject({
  name,
  providerType: z.literal(EXECUTION_PROVIDER_TYPE).describe('Run programs of rows by a command.'),
  command: z.string().min(1).describe('The program to start for each run: it reads a JSON object and writes one.'),
  args: z.array(z.string()).default([]).describe('Arguments of the program.'),
  env: z
    .record(z.string(), z.string())
    .default({})
    .describe(
      'All environment variables of the program; `${NAME}` in a value stands for a variable of your environment.',
    ),
  cwd: z.string().min(1).exactOptional().describe('Working folder of the program.'),
});

/** The types of MCP providers. */
export const MCP_PROVIDER_TYPES = ['stdio', 'sse', 'streamable_http'] as const;

export type ModelProvider = z.output<typeof modelProvider>;
export type MCPProvider = z.output<typeof mcpProvider>;
export type ExecutionProvider = z.output<typeof executionProvider>;
/** A model provider as a program gives it; defaults fill in what is absent. */
export type ModelProviderSettings = z.input<typeof modelProvider>;
/** A provider whose type follows from its other fields. */
type WithoutType<P extends { providerType: string }> = Omit<P, 'providerType'> & Partial<Pick<P, 'providerType'>>;
/** An MCP server as a program gives it: one to start as a child process, or one to reach over HTTP. */
export type MCPProviderSettings = LocalStdioMCPProviderSettings | RemoteMCPProviderSettings;
/** An MCP server to start as a child process, as a program gives it. */
export type LocalStdioMCPProviderSettings = WithoutType<z.input<typeof stdioProvider>>;
/** An MCP server to reach over HTTP, as a program gives it. */
export type RemoteMCPProviderSettings = WithoutType<z.input<typeof remoteProvider>>;

/** An execution provider as a program gives it. */
export type ExecutionProviderSettings = WithoutType<z.input<typeof executionProvider>>;

/** A provider from a file, whose relative paths start at its folder. */
export function fromFile(provider: MCPProvider, file: string): MCPProvider {
  const { toolsFile } = provider;
  return toolsFile === undefined ? provider : { ...provider, toolsFile: resolve(dirname(file), toolsFile) };
}

/** The providers of a run. */
export interface Providers {
  /** The providers of models. */
  readonly models: readonly ModelProvider[];
  /** The providers of tools. */
  readonly tools: readonly MCPProvider[];
  /** The commands that run programs; none if absent. */
  readonly programs?: readonly ExecutionProvider[];
}

/** Why a declared model provider cannot be used, with a remedy; undefined if it can. */
export function unusableProvider(
  provider: ModelProvider,
  protocols: readonly string[],
): { readonly message: string; readonly remedy: string } | undefined {
  const { providerType } = provider;
  if (!protocols.includes(providerType)) {
    const message = `the provider '${provider.name}' is of type '${providerType}', which is not supported.`;
    return { message, remedy: `Supported: ${protocols.join(', ')}; use openai for any OpenAI-compatible server.` };
  }
  if (isWebAddress(provider.endpoint)) return undefined;
  const message = `the endpoint of the provider '${provider.name}' is not a valid address.`;
  return { message, remedy: 'Use an address that starts with http:// or https://, such as https://host/v1.' };
}
