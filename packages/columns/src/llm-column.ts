import { z } from 'zod';
import {
  type ArrowField,
  type ArrowType,
  type Cell,
  type CellValue,
  DataDesignerError,
  type DeclaredTemplate,
  field,
  type Finding,
  type Question,
  readHistory,
  type Reference,
  type Row,
  type Setting,
  type Requirements,
  type Surroundings,
  TRACE_MESSAGE,
  traceCell,
  type TracedConversation,
  type WrittenValues,
  type WrittenChat,
} from '@data-designer/core';
import { compileTemplate } from '@data-designer/template';
import type { JsonSchema } from '@data-designer/json-schema';
import {
  allowToolsField,
  allowToolsFindings,
  allowToolsTemplate,
  type AllowTools,
  chooserOf,
  namedTools,
  toolChoices,
} from './allow-tools.ts';
import { type MediaContexts, mediaContexts, mediaReads } from './media-context/media-context.ts';
import { mediaOf } from './media-context/media-parts.ts';
import { runFinding } from './run-finding.ts';

/** The fields that every column written by a language model has. */
export const llmFields = {
  prompt: z.string().describe('The prompt: a Jinja template that can read all other columns.'),
  modelAlias: z.string().describe('Alias of the model to ask, from `model_configs`.'),
  systemPrompt: z
    .string()
    .nullable()
    .default(null)
    .describe('The system message: a Jinja template. Without it, no system message is sent.'),
  history: z
    .string()
    .exactOptional()
    .describe(
      'A column of messages that come before the prompt: a trace, a conversation, or a seed column of lists of objects with `role` and `content`. With an empty prompt, the model writes the next message.',
    ),
  multiModalContext: mediaContexts,
  toolAlias: z
    .string()
    .nullable()
    .default(null)
    .describe('Alias of the tools that the model may call, from `tool_configs`.'),
  allowTools: allowToolsField,
  withTrace: z
    .union([z.boolean(), z.enum(['none', 'last_message', 'all_messages'])])
    .transform((value) => (value === true ? 'all_messages' : value === false ? 'none' : value))
    .default('none')
    .describe(
      'The messages of the conversation to store in the column `{name}__trace`: `none` (the default), `last_message` or `all_messages`. True means `all_messages`.',
    ),
  extractReasoningContent: z
    .boolean()
    .default(false)
    .describe("Whether to store the model's reasoning in the column `{name}__reasoning_content`."),
  fallbackModelAlias: z
    .string()
    .exactOptional()
    .describe('Alias of a second model. It is asked if the first model returned no valid answer for a cell.'),
} as const;

/** A prompt and its media. */
interface Prompted {
  readonly prompt: string;
  readonly multiModalContext: MediaContexts | null;
  readonly history?: string;
}

/** The parsed fields of an LLM column. */
interface LLMConfig extends Prompted {
  readonly name: string;
  readonly modelAlias: string;
  readonly history?: string;
  readonly systemPrompt: string | null;
  readonly toolAlias: string | null;
  readonly allowTools?: AllowTools;
  readonly withTrace: 'none' | 'last_message' | 'all_messages';
  readonly extractReasoningContent: boolean;
  readonly fallbackModelAlias?: string;
}

/** The template of a prompt; with a history or media, even an empty list, the prompt may be the same for all rows. */
export function promptTemplate({ prompt, multiModalContext, history }: Prompted): DeclaredTemplate {
  const mayBeSame = multiModalContext !== null || history !== undefined;
  return { source: prompt, field: ['prompt'], role: 'prompt', mayBeSame };
}

/** The prompt and, if declared, the system prompt. */
function llmTemplates(config: LLMConfig): DeclaredTemplate[] {
  const { systemPrompt: source } = config;
  return [
    promptTemplate(config),
    ...(source ? [{ source, field: ['systemPrompt'], role: 'system-prompt' } as const] : []),
    ...allowToolsTemplate(config),
  ];
}

/** The columns whose media and messages the model receives. */
function llmReads({ multiModalContext, history }: LLMConfig): Reference[] {
  const media = mediaReads(multiModalContext);
  return history === undefined ? media : [...media, { name: history, field: ['history'] }];
}

/** Finds a fallback that names the same model, tools of no alias, and a history that holds no messages. */
export function llmCheck({ history, ...config }: LLMConfig, dataset: Surroundings): Finding[] {
  return [
    ...fallbackFindings(config),
    ...allowToolsFindings(config),
    ...(history === undefined ? [] : checkHistory(history, dataset)),
  ];
}

/** Finds a fallback that names the same model; `path` leads to the fields of the model. */
export function fallbackFindings(
  { modelAlias, fallbackModelAlias }: Pick<LLMConfig, 'modelAlias' | 'fallbackModelAlias'>,
  path: readonly string[] = [],
): Finding[] {
  if (fallbackModelAlias !== modelAlias) return [];
  return [
    runFinding([...path, 'fallbackModelAlias'], {
      type: 'same_fallback',
      level: 'WARNING',
      message: `the fallback model '${modelAlias}' is also the first model.`,
      remedy: 'Use another model, or remove the key.',
    }),
  ];
}

/** Finds a history whose type holds no messages. Text of a seed may hold them as JSON. */
function checkHistory(name: string, { columns, fieldOf }: Surroundings): Finding[] {
  const found = fieldOf?.(name);
  if (!found || found.json === true || (found.type === 'utf8' && !columns.has(name)) || holdsMessages(found.type)) {
    return [];
  }
  return [
    runFinding(['history'], {
      message: `the column '${name}' has no messages.`,
      remedy: 'Name a trace, a conversation, or a seed column of lists of objects with role and content.',
    }),
  ];
}

function holdsMessages(type: ArrowType): boolean {
  if (typeof type === 'string' || !('list' in type)) return false;
  const { list } = type;
  if (typeof list === 'string' || !('struct' in list)) return false;
  return ['role', 'content'].every((name) => list.struct.some((member) => member.name === name));
}

/** The name of a column's traces. */
function traceName({ name }: Pick<LLMConfig, 'name'>): string {
  return `${name}__trace`;
}

/** The declared side effects. */
export function llmSideEffects({ name, withTrace, extractReasoningContent }: LLMConfig): ArrowField[] {
  return [
    ...(withTrace === 'none' ? [] : [field(traceName({ name }), { list: TRACE_MESSAGE })]),
    ...(extractReasoningContent ? [field(`${name}__reasoning_content`, 'utf8')] : []),
  ];
}

/** The model, its fallback and the tools. */
export function llmRequires(config: LLMConfig): Requirements {
  const { modelAlias, toolAlias, fallbackModelAlias } = config;
  const models = new Set([modelAlias, fallbackModelAlias ?? modelAlias]);
  return { models: [...models], tools: toolAlias === null ? [] : [toolAlias], ...toolChoices([config]) };
}

/** The same for answers with a JSON Schema; it is not enforced for a model with tools. */
export function llmShapedRequires(config: LLMConfig): Requirements {
  return { ...llmRequires(config), shaped: config.toolAlias === null };
}

/** The complete traces. */
function llmChats(config: LLMConfig): WrittenChat[] {
  const { withTrace, toolAlias, history } = config;
  if (withTrace !== 'all_messages') return [];
  const tools = toolAlias === null ? [] : [toolAlias];
  return [{ field: traceName(config), tools, hasCorrections: true, ...(history === undefined ? {} : { history }) }];
}

/** The members that every LLM column type has; a type with further checks or needs overrides them. */
export const llmMembers = {
  templates: llmTemplates,
  reads: llmReads,
  requires: llmRequires,
  toolNames: (config: LLMConfig, columns: Surroundings['columns']) => namedTools(config, columns),
  chats: llmChats,
  check: llmCheck,
} as const;

/** What an answer type adds: instructions after the prompt, a schema, and the parser. */
export interface Recipe<Answer> {
  readonly instructions?: string;
  /** The JSON Schema of the answer, for endpoints that enforce one. */
  readonly shape?: JsonSchema;
  readonly parse: (...given: Parameters<Question<Answer>['parse']>) => Answer;
}

/** Compiles the templates of an LLM column and returns its cell maker: one conversation per cell. A recipe may be of a row. */
export function askModel<Answer extends WrittenValues[number]>(
  config: LLMConfig,
  recipe: Recipe<Answer> | ((cell: Cell) => Recipe<Answer>),
  { templates }: Setting,
) {
  const { history } = config;
  const hasPrompt = history === undefined || config.prompt.trim() !== '';
  const prompt = hasPrompt ? compileTemplate(config.prompt, { mode: templates }) : undefined;
  const system = config.systemPrompt ? compileTemplate(config.systemPrompt, { mode: templates }) : undefined;
  const media = mediaOf(config.multiModalContext);
  const choose = chooserOf(config, config.name, templates);
  const suffixOf = ({ instructions = '' }: Recipe<Answer>) =>
    prompt && instructions !== '' ? `\n\n${instructions}` : instructions;
  const recipeOf = typeof recipe === 'function' ? recipe : () => recipe;
  return async (cell: Cell): Promise<WrittenValues> => {
    const { shape, parse, ...asked } = recipeOf(cell);
    const suffix = suffixOf({ parse, ...asked });
    const answered = await cell.ask({
      modelAlias: config.modelAlias,
      toolAlias: config.toolAlias ?? undefined,
      allowTools: await choose?.(cell),
      prompt: () => (prompt?.(cell.row, () => cell.random.float()) ?? '') + suffix,
      history:
        history === undefined
          ? undefined
          : () =>
              readHistory(cell.row[history], {
                column: history,
                isAnswered: !prompt && suffix === '',
                row: cell.row,
              }),
      systemPrompt: system && (() => system(cell.row, () => cell.random.float())),
      media: media && (() => media(cell)),
      shape,
      fallbackModelAlias: config.fallbackModelAlias,
      parse,
    });
    return [answered.value, ...sideEffects(config, answered)];
  };
}

function sideEffects(
  config: LLMConfig,
  { messages, answers, historyLength }: TracedConversation<unknown>,
): WrittenValues {
  const { withTrace, extractReasoningContent, history } = config;
  if (withTrace === 'none' && !extractReasoningContent) return [];
  const last = messages.findLast(({ role }) => role === 'assistant');
  const kept = withTrace === 'all_messages' ? messages : last ? [last] : [];
  return [
    ...(withTrace === 'none'
      ? []
      : [traceCell(kept, { answers, history: { column: history, messages: historyLength } })]),
    ...(extractReasoningContent ? [last?.reasoning_content?.trim() || null] : []),
  ];
}

/** Null, missing or blank. */
function isNothing(value: CellValue | undefined): boolean {
  return value === undefined || value === null || (typeof value === 'string' && value.trim() === '');
}

/** The failure of a template that renders to nothing; names the columns without a value that it reads. */
export function emptyRender(template: string, references: readonly string[], row: Row): DataDesignerError {
  const culprits = references.filter((name) => isNothing(row[name]));
  return new DataDesignerError('template/empty-render', { template, culprits });
}
