import { z } from 'zod';
import type { Cell, ColumnConfig, DeclaredTemplate, Finding, NamedTool, Requirements } from '@data-designer/core';
import type { TemplateMode } from '@data-designer/template';
import { runFinding } from './run-finding.ts';
import { ITEMS, schemaNames } from './schema-names.ts';

/** The tools that a question offers. */
export const allowToolsField = z
  .union([z.array(z.string()), z.string()])
  .exactOptional()
  .describe(
    'The tools of `tool_alias` that the model may call: a list of names, or a template that gives a list for each row, as in `{{ tools }}`. If several providers have a tool of the same name, write `provider/tool`.',
  );

/** A list of names, or a template of one. */
export type AllowTools = z.output<typeof allowToolsField>;

/** A question with tools. */
interface Choosing {
  readonly toolAlias: string | null;
  readonly allowTools?: AllowTools;
}

/** The template of a row's tools; `path` leads to the fields of the question. */
export function allowToolsTemplate({ allowTools: source }: Choosing, path: readonly string[] = []): DeclaredTemplate[] {
  return typeof source === 'string' ? [{ source, field: [...path, 'allowTools'], role: 'value' }] : [];
}

/** What questions choose, for the plan. */
export function toolChoices(questions: readonly Choosing[]): Pick<Requirements, 'toolChoices'> {
  const found = questions.flatMap(({ toolAlias: alias, allowTools }) => {
    if (alias === null || allowTools === undefined) return [];
    return [{ alias, tools: typeof allowTools === 'string' ? null : allowTools }];
  });
  return found.length === 0 ? {} : { toolChoices: found };
}

/** The tools that a question names, or the schema of the column that gives them; `path` leads to its fields. */
export function namedTools(
  { toolAlias: alias, allowTools }: Choosing,
  columns: ReadonlyMap<string, ColumnConfig>,
  path: readonly string[] = [],
): NamedTool[] {
  if (alias === null || allowTools === undefined) return [];
  if (typeof allowTools === 'string')
    return schemaNames(allowTools, columns, [ITEMS]).map(({ name: tool, ...at }) => ({ alias, tool, ...at }));
  return allowTools.map((tool, at) => ({ alias, tool, field: [...path, 'allowTools', at] }));
}

/** Finds tools without an alias, and a text that is no template. */
export function allowToolsFindings({ toolAlias, allowTools }: Choosing, path: readonly string[] = []): Finding[] {
  const field = [...path, 'allowTools'];
  if (allowTools === undefined) return [];
  if (toolAlias === null) {
    const message = "'allow_tools' chooses among the tools of 'tool_alias', which is not given.";
    return [runFinding(field, { message, remedy: 'Set tool_alias, or remove the key.' })];
  }
  if (typeof allowTools !== 'string' || allowTools.includes('{')) return [];
  const remedy = `Write a list, ['${allowTools}'], or the template of a column, '{{ ${allowTools} }}'.`;
  return [runFinding(field, { message: `'${allowTools}' is neither a list of tools nor a template.`, remedy })];
}

/** The function that gives the tools of a row; undefined where all are offered. */
export function chooserOf({ allowTools }: Choosing, column: string, mode: TemplateMode) {
  if (typeof allowTools !== 'string') return allowTools && (() => Promise.resolve<readonly string[]>(allowTools));
  let reader: Promise<ReturnType<typeof import('./row-tools.ts').rowTools>> | undefined;
  return async (cell: Cell): Promise<readonly string[]> => {
    reader ??= import('./row-tools.ts').then(({ rowTools }) => rowTools(allowTools, mode));
    return (await reader)(column, cell);
  };
}
