import { TOOL_DEFAULTS } from '@data-designer/core';
import type { ModelConfig } from '../schemas/model-config.ts';
import type { MCPProvider, ModelProvider } from '../schemas/providers.ts';
import type { ToolConfig } from '../schemas/tool-config.ts';
import { snakeCase } from '../spelling.ts';
import type { HomeFile } from './home-folder.ts';
import type { Home } from './read-home.ts';
import { showCommand, showData, showEndpoint, showKey, showVariables } from './secret-text.ts';

/** The contents of one file of the home folder for display: keys hidden, one text per column. */
export interface HomeTable {
  readonly file: HomeFile;
  readonly title: string;
  readonly columns: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

/** The four tables of the home folder (columns as in NeMo Data Designer). */
export function homeTables({ providers, models, toolConfigs }: Home): readonly HomeTable[] {
  return [
    {
      file: 'modelProviders',
      title: 'Model Providers',
      columns: ['Name', 'Endpoint', 'Type', 'API Key'],
      rows: providers.models.map(modelProviderRow),
    },
    {
      file: 'modelConfigs',
      title: 'Model Configurations',
      columns: ['Alias', 'Model', 'Provider', 'Inference Parameters'],
      rows: models.map(modelRow),
    },
    {
      file: 'mcpProviders',
      title: 'MCP Providers',
      columns: ['Name', 'Endpoint/Command', 'Type', 'API Key/Env'],
      rows: providers.tools.map(mcpProviderRow),
    },
    {
      file: 'toolConfigs',
      title: 'Tool Configurations',
      columns: ['Alias', 'Providers', 'Allowed Tools', 'Max Turns', 'Timeout'],
      rows: toolConfigs.map(toolRow),
    },
  ];
}

function modelProviderRow({ name, endpoint, providerType, apiKey }: ModelProvider): string[] {
  return [name, showEndpoint(endpoint), providerType, showKey(apiKey)];
}

function modelRow({ alias, model, provider, inferenceParameters }: ModelConfig): string[] {
  const { generationType, ...parameters } = inferenceParameters;
  const kind = generationType === 'chat-completion' ? [] : [generationType];
  const set = Object.entries(parameters).flatMap(([key, value]) =>
    value === null ? [] : [`${snakeCase(key)}=${showParameter(key, value)}`],
  );
  return [alias, model, provider, [...kind, ...set].join(', ')];
}

const FLOATS = ['temperature', 'topP'];

function showParameter(key: string, value: unknown): string {
  if (typeof value === 'string') return value;
  if (!FLOATS.includes(key)) return showData(value);
  return typeof value === 'number' ? value.toFixed(2) : 'dist';
}

function mcpProviderRow(provider: MCPProvider): string[] {
  const { name, providerType } = provider;
  if (provider.providerType === 'stdio') {
    const { command, args, env } = provider;
    return [name, showCommand(command, args), providerType, showVariables(env) || '(none)'];
  }
  return [name, showEndpoint(provider.endpoint), providerType, showKey(provider.apiKey)];
}

function toolRow({ toolAlias, providers, allowTools, maxToolCallTurns, timeoutSec }: ToolConfig): string[] {
  const allowed = allowTools === null ? 'all' : allowTools.join(', ') || 'none';
  const timeout = `${timeoutSec ?? TOOL_DEFAULTS.timeoutSec} s`;
  return [toolAlias, providers.join(', '), allowed, String(maxToolCallTurns), timeout];
}
