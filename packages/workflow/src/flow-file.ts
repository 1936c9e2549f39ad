import { basename, dirname, resolve } from 'node:path';
import { parseForm, rememberText, textPartOf } from '@data-designer/config';
import { DataDesignerError, isFailure, isWebAddress } from '@data-designer/core';
import type { Declaration } from '@data-designer/declaration';
import type { ComposedWorkflow } from './composed-workflow.ts';
import { flowSchema, type FlowStageForm } from './flow-schema.ts';
import type { StageInputOptions } from './stage.ts';

/** The stages of a workflow in a file. */
export interface Flow {
  readonly name: string;
  readonly stages: readonly FlowStage[];
}

interface FlowStage {
  readonly name: string;
  readonly declared: Declaration;
  readonly options: StageInputOptions;
}

/** Reads the stages of a workflow and their configs with `readConfig`. Throws `config/invalid` and `config/unreadable`. */
export async function readFlow(
  declaration: Declaration,
  readConfig: (path: string) => Promise<Declaration>,
): Promise<Flow> {
  const { document, source, origin } = declaration;
  const { name, stages } = parseForm(flowSchema, document, { source });
  const readPart = async (config: string) => readConfig(placeOf(config, declaration));
  const read: FlowStage[] = [];
  const unread: DataDesignerError<'config/unreadable'>[] = [];
  for (const [index, { name: stage, config = { columns: [] }, ...options }] of stages.entries()) {
    const declared =
      typeof config === 'string'
        ? await readPart(config).catch(orUnread(unread))
        : {
            document: inlineConfig(config, { document, path: `stages[${index}].config` }),
            source: `Stage '${stage}' of ${source}`,
            ...(origin && { origin }),
          };
    if (declared) read.push({ name: stage, declared, options: givenOptions(options) });
  }
  if (unread.length > 0) throw joined(source, unread);
  return { name: name ?? basename(source).replace(/\.[a-z]+$/i, ''), stages: read };
}

/** The path or address of a stage's config, which starts from that of the workflow. Throws `config/unreadable`. */
function placeOf(config: string, { source, origin }: Declaration): string {
  if (isWebAddress(config)) return config;
  if (origin !== 'address') return resolve(dirname(source), config);
  const address = URL.canParse(config, source) ? new URL(config, source).href : '';
  if (isWebAddress(address)) return address;
  const reason = 'a workflow from an address has its configs at addresses';
  throw new DataDesignerError('config/unreadable', { path: config, reason });
}

/** A config in the workflow's file, whose mistakes name lines of that file. */
function inlineConfig(
  config: object,
  { document, path }: { readonly document: unknown; readonly path: string },
): object {
  const part = textPartOf(document);
  if (part) rememberText(config, part.source, path);
  return config;
}

/** Collects configs that cannot be read, so that all of them are reported. */
function orUnread(unread: DataDesignerError<'config/unreadable'>[]): (thrown: unknown) => undefined {
  return (thrown) => {
    if (!isFailure(thrown, 'config/unreadable')) throw thrown;
    unread.push(thrown);
  };
}

/** The failures of several configs as one. */
function joined(source: string, failures: readonly DataDesignerError<'config/unreadable'>[]): DataDesignerError {
  const [first, ...others] = failures;
  if (first && others.length === 0) return first;
  const violations = failures.map(({ message }) => ({ ...UNREADABLE, message }));
  return new DataDesignerError('config/invalid', { source, violations });
}

const UNREADABLE = { stage: 'load', type: 'config_unreadable', level: 'ERROR', path: '', remedy: '' } as const;

/** The options that are given: an option of a program may be absent, but not undefined. */
function givenOptions(options: Omit<FlowStageForm, 'name' | 'config'>): StageInputOptions {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));
}

/** Adds the stages of a file to a workflow. `rows` are those of the stages without input. */
export function addStages(workflow: ComposedWorkflow, flow: Flow, rows?: number): ComposedWorkflow {
  for (const [index, { name, declared, options }] of flow.stages.entries()) {
    const isFirst = options.from === undefined ? index === 0 : options.from.length === 0;
    workflow.addStage(name, declared, isFirst && rows !== undefined ? { ...options, rows } : options);
  }
  return workflow;
}
