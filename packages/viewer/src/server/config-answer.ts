import { readFile } from 'node:fs/promises';
import { messageOf, type Plan, type PlannedColumn, rowGroups, rowsIn, tryParse } from '@data-designer/core';
import { readRunRecord } from '@data-designer/dataset';
import type { ColumnGraph, ConfigAnswer, PlanFacts } from '../api/config.ts';
import { kindOf } from './column-infos.ts';
import type { ShownDataset } from './shown-dataset.ts';

/** The declaration of a dataset, the graph of its columns, its plan and facts of the run. */
export async function configOf(dataset: ShownDataset): Promise<ConfigAnswer> {
  const { plan, format } = await dataset.plan();
  const { paths } = dataset;
  const record = await readRunRecord(paths).catch(() => undefined);
  const tools = record?.tools ?? {};
  const seeds = record?.tables.flatMap(({ source }) => source.files.map(({ path }) => path)) ?? [];
  const config = await readConfig(paths.builderConfig);
  return {
    declaration: config.text,
    graph: graphOf(plan.columns, dataset),
    plan: factsOf(plan, tools),
    environment: {
      folder: paths.folder,
      format,
      ...(config.damage !== undefined && { 'config file': config.damage }),
      fingerprint: plan.fingerprint,
      templates: plan.templates,
      ...(plan.plugins?.length ? { plugins: plan.plugins.join(', ') } : {}),
      ...(seeds.length > 0 ? { 'seed files': seeds.join(', ') } : {}),
      ...(record?.selectedFrom === undefined ? {} : { 'selected from': record.selectedFrom }),
      'conversation restarts': String(plan.maxConversationRestarts),
      'corrections per conversation': String(plan.maxConversationCorrectionSteps),
    },
  };
}

/** The config as text, and why it is none. */
async function readConfig(path: string): Promise<{ readonly text: string | null; readonly damage?: string }> {
  try {
    const text = await readFile(path, 'utf8');
    return tryParse(text, JSON.parse) === undefined ? { text, damage: `${path} is damaged: it is no JSON` } : { text };
  } catch (thrown) {
    return { text: null, damage: `${path} cannot be read: ${messageOf(thrown)}` };
  }
}

function graphOf(columns: readonly PlannedColumn[], { registry }: ShownDataset): ColumnGraph {
  const levels = new Map<string, number>();
  // The plan has them in dependency order.
  for (const { name, needs } of columns) {
    levels.set(name, needs.length === 0 ? 0 : 1 + Math.max(...needs.map((need) => levels.get(need) ?? 0)));
  }
  const writers = new Map(columns.flatMap(({ name, writes }) => writes.map((field) => [field.name, name] as const)));
  const edges = columns.flatMap(({ name, reads, skipReads }) => {
    const toEdge = (isSkip: boolean) => (from: string) => ({ from: writers.get(from) ?? from, to: name, isSkip });
    return [...reads.map(toEdge(false)), ...skipReads.filter((one) => !reads.includes(one)).map(toEdge(true))];
  });
  return {
    nodes: columns.map((column) => ({
      name: column.name,
      kind: kindOf(column, registry),
      columnType: column.config.columnType,
      isDropped: column.config.drop,
      modelAlias: column.requires.models[0] ?? null,
      toolAlias: column.requires.tools[0] ?? null,
      skip: column.config.skip,
      level: levels.get(column.name) ?? 0,
    })),
    edges,
  };
}

type Tools = Readonly<Record<string, readonly { readonly function: { readonly name: string } }[]>>;

function factsOf(plan: Plan, tools: Tools): PlanFacts {
  const resources = new Map(plan.resources.map((resource) => [resource.id, resource]));
  return {
    seed: plan.seed,
    rows: rowsIn(plan.segments),
    groups: [...rowGroups(plan)].length,
    groupSize: plan.segments[0]?.groupSize ?? 0,
    maxCost: plan.maxCost,
    models: Object.values(plan.models).map(({ alias, model, resource, parameters, pricing }) => ({
      alias,
      model,
      provider: resources.get(resource)?.provider ?? '',
      limit: resources.get(resource)?.limit ?? 0,
      parameters,
      pricing: pricing && { input: pricing.input, output: pricing.output },
    })),
    tools: Object.values(plan.tools).map(({ alias, providers, allowTools, maxToolCallTurns }) => {
      const names = providers.flatMap((provider) => (tools[provider] ?? []).map((tool) => tool.function.name));
      const allowed = allowTools === null ? names : names.filter((name) => allowTools.includes(name));
      return { alias, providers, maxTurns: maxToolCallTurns, names: allowed };
    }),
    processors: plan.processors.map(({ config }) => ({ name: config.name, type: config.processorType })),
  };
}
