import type { ModelConfig, ModelProvider } from '@data-designer/config';
import { DataDesignerError, knownNames } from '@data-designer/core';

/** Connects to a model provider and returns the names of its models; throws `secret/missing` and `model/*` failures. */
export async function listedModels(provider: ModelProvider): Promise<readonly string[]> {
  const { joinProviders } = await import('@data-designer/config');
  const { GatewayHost } = await import('@data-designer/gateway');
  const { name } = provider;
  const resource = { id: `model/${name}`, kind: 'model', provider: name, limit: 1, pool: `model/${name}` } as const;
  const providers = joinProviders({ models: [provider], tools: [] });
  await using host = await GatewayHost.open({ resources: [resource], providers, frozen: {} });
  return await host.listModels(name);
}

/** The model providers of the home folder, then the built-in ones. */
export async function knownModelProviders(): Promise<readonly ModelProvider[]> {
  const { joinProviders, readHome } = await import('@data-designer/config');
  const { builtInProviders } = await import('@data-designer/declaration/built-in-providers');
  return joinProviders(readHome().providers, builtInProviders).models.toReversed();
}

async function requireProvider({ alias, provider }: ModelConfig): Promise<void> {
  const { builtInModelServers } = await import('@data-designer/declaration/built-in-providers');
  const known = [...(await knownModelProviders()), ...builtInModelServers].map(({ name }) => name);
  if (known.includes(provider)) return;
  const reason = `Its provider '${provider}' is not configured. ${knownNames(provider, known)}`;
  throw new DataDesignerError('model/not-ready', { alias, reason });
}

/** The time limit of a test: a reasoning model greets in less. */
const TEST_SECONDS = 60;

/** Sends a small request to a model; throws `config/invalid`, or `model/not-ready` if it fails. */
export async function testModel(model: ModelConfig, signal: AbortSignal): Promise<void> {
  const { DataDesigner } = await import('@data-designer/designer/data-designer');
  const { DataDesignerConfigBuilder } = await import('@data-designer/declaration/config-builder');
  const { alias } = model;
  await requireProvider(model);
  const { inferenceParameters } = model;
  const limits = {
    timeout: Math.min(inferenceParameters.timeout ?? TEST_SECONDS, TEST_SECONDS),
    totalTimeout: TEST_SECONDS,
  };
  const tested = { inferenceParameters: { ...inferenceParameters, ...limits }, skipHealthCheck: false };
  const modelConfigs = [{ ...model, ...tested }];
  const builder = new DataDesignerConfigBuilder({ modelConfigs, source: `The model config '${alias}'` });
  const uses = { name: 'tested', modelAlias: alias } as const;
  const text = { name: 'text', columnType: 'expression', expr: 'Hello!' } as const;
  const { generationType } = inferenceParameters;
  if (generationType === 'embedding') {
    builder.addColumn(text).addColumn({ ...uses, columnType: 'embedding', targetColumn: 'text' });
  } else if (generationType === 'image') {
    builder.addColumn(text).addColumn({ ...uses, columnType: 'image', prompt: '{{ text }}' });
  } else {
    builder.addColumn(text).addColumn({ ...uses, columnType: 'llm-text', prompt: '{{ text }}' });
  }
  const checks = await new DataDesigner().checkModels(builder, { signal });
  const failed = checks.find(({ status }) => status === 'failed');
  if (failed)
    throw new DataDesignerError('model/not-ready', { alias, reason: failed.message ?? 'no reason is given.' });
}
