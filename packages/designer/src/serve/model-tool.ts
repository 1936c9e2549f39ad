import { existsSync } from 'node:fs';
import { delimiter, isAbsolute, join, sep } from 'node:path';
import { z } from 'zod';
import {
  joinProviders,
  type MCPProvider,
  type ModelProvider,
  readHome,
  unsetVariables,
  unusableProvider,
} from '@data-designer/config';
import { MODEL_PROTOCOL_NAMES } from '@data-designer/core';
import { builtInProviders, parseProviders, simulatedProviders } from '@data-designer/declaration';
import { defineTool, type ToolDefinition } from '@data-designer/mcp';
import type { ServeSettings } from './dataset-maker.ts';
import { READS } from './tool-hints.ts';

const lacks = z.array(z.string()).describe('What is missing before it can be used; empty if nothing is known to be.');

const outputSchema = z.object({
  model_providers: z.array(z.object({ name: z.string(), provider_type: z.string(), simulated: z.boolean(), lacks })),
  tool_providers: z.array(z.object({ name: z.string(), provider_type: z.string(), lacks })),
  models: z
    .array(z.object({ alias: z.string(), model: z.string(), provider: z.string(), lacks }))
    .describe('The models of a config without model_configs.'),
});

/** The tool that lists models and providers with what each of them lacks, without sending a request. */
export function modelTool({ common }: Pick<ServeSettings, 'common'>): ToolDefinition {
  return defineTool({
    name: 'list_models',
    description:
      "Lists the models and providers that a config may name, with the key, address or program that each one lacks. The provider 'simulator' needs none: it makes its answers up.",
    parameters: z.strictObject({}),
    execute: () => {
      const home = common.home ?? readHome();
      const { servers } = parseProviders(common.providers ?? {}, 'mcp serve');
      const known = joinProviders(servers, home.providers, builtInProviders);
      const lacking = new Map(known.models.map((provider) => [provider.name, lackedByModels(provider)]));
      const simulated = simulatedProviders({ models: known.models });
      const noProvider = (name: string) => (simulated.has(name) ? [] : [`there is no provider '${name}'`]);
      return {
        model_providers: [
          ...known.models.map(({ name, providerType }) => ({
            name,
            provider_type: providerType,
            simulated: false,
            lacks: lacking.get(name) ?? [],
          })),
          ...[...simulated].map((name) => ({ name, provider_type: 'openai', simulated: true, lacks: [] })),
        ],
        tool_providers: known.tools.map((provider) => ({
          name: provider.name,
          provider_type: provider.providerType,
          lacks: lackedByTools(provider),
        })),
        models: home.models.map(({ alias, model, provider }) => ({
          alias,
          model,
          provider: provider ?? '',
          lacks: lacking.get(provider ?? '') ?? noProvider(provider ?? ''),
        })),
      };
    },
    hints: { title: 'List models and providers', ...READS, outputSchema },
  });
}

function lackedByModels(provider: ModelProvider): string[] {
  const unusable = unusableProvider(provider, MODEL_PROTOCOL_NAMES);
  return [...(unusable ? [unusable.message, unusable.remedy] : []), ...lackedKeys(provider)];
}

function lackedByTools(provider: MCPProvider): string[] {
  const isThere = !('command' in provider) || isProgram(provider.command);
  return [...(isThere ? [] : [`the program '${provider.command}' is not installed`]), ...lackedKeys(provider)];
}

function lackedKeys(provider: ModelProvider | MCPProvider): string[] {
  return unsetVariables(provider, process.env).map((name) => `the environment variable ${name} is not set`);
}

/** Whether a command is a file, or in a folder of PATH; on Windows a command may lack its extension. */
function isProgram(command: string): boolean {
  if (process.platform === 'win32') return true;
  if (isAbsolute(command) || command.includes(sep)) return existsSync(command);
  return (process.env['PATH'] ?? '').split(delimiter).some((folder) => existsSync(join(folder, command)));
}
