import { describe, expect, test } from 'vitest';
import {
  type Cell,
  type CellValue,
  type ContentPart,
  DataDesignerError,
  type FailureCode,
  ParseFailure,
  type PlannedModel,
  type PlannedTools,
  Random,
  type WrittenValues,
} from '@data-designer/core';
import { MCPRegistry } from '@data-designer/mcp';
import { ModelRegistry } from '@data-designer/models';
import { readForm } from '@data-designer/config';
import { codeRecipe } from '../../packages/columns/src/llm-code/code-recipe.ts';
import { structuredRecipe } from '../../packages/columns/src/llm-structured/llm-structured.ts';
import { llmText } from '../../packages/columns/src/llm-text/llm-text.ts';
import { RowCell } from '../../packages/engine/src/row-group/row-cell.ts';
import { toolConfig } from '../../packages/config/src/schemas/tool-config.ts';
import { readRows } from './read-rows.ts';
import { type Script, ScriptedGateway } from './scripted-gateway.ts';
import { checkMessage, type ExpectedMessage, wordsOf } from './check-message.ts';

interface LoopRow extends Script {
  readonly id: string;
  readonly area: string;
  readonly note?: string;
  readonly tool_config: { readonly tool_alias: string } | null;
  readonly tool_alias?: string;
  readonly budgets: { readonly max_correction_steps: number; readonly max_conversation_restarts: number };
  readonly parser: 'text' | { readonly kind: 'structured' | 'code'; readonly schema?: object; readonly lang?: string };
  readonly prompt: string;
  readonly system_prompt?: string;
  readonly multi_modal_context?: readonly { readonly type: 'image'; readonly source: { readonly url: string } }[];
  readonly expected: {
    readonly outcome: { readonly value?: CellValue; readonly error?: string; readonly truncation?: string | null };
    readonly messages?: readonly ExpectedMessage[];
    readonly requests: number;
    readonly request_log: readonly { readonly messages: number; readonly tools: readonly string[] | null }[];
    readonly tool_calls_executed?: readonly object[];
    readonly tool_usage?: { readonly calls: number; readonly turns: number };
    readonly side_effects?: Readonly<Record<string, Readonly<Record<string, CellValue>>>>;
  };
}

/** Rows that are not held to, each with its ruling. */
const RULINGS: Readonly<Record<string, string>> = {
  'lp-24': 'DESIGN 5: arguments that are no object are told the model as a mistake instead of being passed over',
  'lp-31':
    'DESIGN 9: an empty list of allowed tools is a mistake that is found before the run, and means none until then',
};

/** Messages more than expected on the wire: what tools show beside text is shown by the user, since servers refuse it of tools. */
const SHOWN_BESIDE: Readonly<Record<string, readonly number[]>> = { 'lp-37': [0, 1] };

/** What the errors of the rows are called here; an alias that is not there is found when a run is planned. */
const CODES: Readonly<Record<string, readonly FailureCode[]>> = {
  generation_failed: ['model/gave-up'],
  tool_configuration: ['tool/unknown', 'internal/unexpected'],
  duplicate_tool_names: ['tool/duplicate'],
};

const MODEL: PlannedModel = {
  alias: 'm',
  resource: 'model/p/m',
  model: 'm',
  generationType: 'chat-completion',
  protocol: 'openai',
  structuredOutput: null,
  pricing: null,
  parameters: {},
  drawn: {},
  timeoutMs: 1000,
};

interface Conversation {
  readonly gateway: ScriptedGateway;
  readonly models: ModelRegistry;
  readonly cell: Cell;
}

function open(row: LoopRow): Conversation {
  const gateway = new ScriptedGateway(row);
  const budgets = {
    maxCorrectionSteps: row.budgets.max_correction_steps,
    maxConversationRestarts: row.budgets.max_conversation_restarts,
  };
  const models = new ModelRegistry({ m: MODEL }, gateway, budgets);
  const tools = new MCPRegistry(row.tool_config ? plannedTools(row.tool_config) : {}, gateway);
  const place = { row: {}, rowIndex: 0, column: 'a', random: Random.of(1, 'a') };
  return {
    gateway,
    models,
    cell: new RowCell(place, { models, tools, context: { gateway, signal: new AbortController().signal } }),
  };
}

function plannedTools(document: object): Record<string, PlannedTools> {
  const { toolAlias, timeoutSec, ...config } = toolConfig.parse(readForm(toolConfig, document));
  return { [toolAlias]: { ...config, alias: toolAlias, timeoutMs: (timeoutSec ?? 60) * 1000 } };
}

function aliasOf({ tool_alias: named, tool_config: config }: LoopRow): string | undefined {
  return named ?? config?.tool_alias;
}

function parserOf({ parser }: LoopRow): (text: string) => CellValue {
  if (parser === 'text') return (text) => text;
  if (parser.kind === 'code') return codeRecipe(parser.lang as never).parse;
  return structuredRecipe(parser.schema as never).parse;
}

async function converse(row: LoopRow, { cell }: Conversation) {
  const media = row.multi_modal_context?.map(({ type, source }): ContentPart => ({ type, url: source.url }));
  return cell.ask({
    modelAlias: 'm',
    toolAlias: aliasOf(row),
    prompt: () => row.prompt,
    systemPrompt: () => row.system_prompt ?? '',
    media: media && (() => Promise.resolve(media)),
    parse: parserOf(row),
  });
}

/** What a correction must say: whatever the parser says to the answer before it. */
function complaintOf(answer: string, row: LoopRow): string {
  try {
    parserOf(row)(answer);
  } catch (thrown) {
    if (thrown instanceof ParseFailure) return thrown.message;
  }
  throw new Error(`The answer '${answer}' needs no correction.`);
}

function checkRequests(row: LoopRow, { gateway }: Conversation): void {
  const { requests, request_log: log, tool_calls_executed: executed } = row.expected;
  const beside = SHOWN_BESIDE[row.id] ?? [];
  const found = gateway.requests.map(({ messages, tools }, index) => ({
    messages: messages.length - (beside[index] ?? 0),
    tools: tools?.map(({ function: { name } }) => name) ?? null,
  }));
  expect(found).toEqual(log);
  expect(found).toHaveLength(requests);
  expect(gateway.executed).toEqual(executed ?? []);
}

const rows = readRows<LoopRow>('toolloop.jsonl');
const held = rows.filter(({ id }) => RULINGS[id] === undefined);

test('there is no ruling for a row that is not there', () => {
  const ids = new Set(rows.map(({ id }) => id));
  expect([...Object.keys(RULINGS), ...Object.keys(SHOWN_BESIDE)].filter((id) => !ids.has(id))).toEqual([]);
});

describe('conversations that end in a value', () => {
  test.each(held.filter(({ expected }) => expected.outcome.error === undefined))('$id: $area, $note', async (row) => {
    const conversation = open(row);
    const { value, messages } = await converse(row, conversation);
    expect(value).toEqual(row.expected.outcome.value);
    const expected = row.expected.messages ?? [];
    expect(messages).toHaveLength(expected.length);
    messages.forEach((message, index) => {
      const before = messages[index - 1];
      const isCorrection = message.role === 'user' && before?.role === 'assistant';
      const complaint = isCorrection ? complaintOf(wordsOf(before), row) : undefined;
      checkMessage(message, expected[index] as ExpectedMessage, complaint);
    });
    checkRequests(row, conversation);
    const { toolCalls: calls, toolTurns: turns } = conversation.models.facade('m').usage;
    expect({ calls, turns }).toEqual(row.expected.tool_usage ?? { calls: 0, turns: 0 });
  });
});

describe('conversations that fail', () => {
  test.each(held.filter(({ expected }) => expected.outcome.error !== undefined))('$id: $area, $note', async (row) => {
    const conversation = open(row);
    const failure: unknown = await (async () => converse(row, conversation))().catch((thrown: unknown) => thrown);
    expect(failure).toBeInstanceOf(DataDesignerError);
    const { code, data } = failure as DataDesignerError;
    const { error = '', truncation = null } = row.expected.outcome;
    expect(CODES[error]).toContain(code);
    const { truncation: found = null } = data as { readonly truncation?: string | null };
    expect(found?.replace('-', '_') ?? null).toBe(truncation);
    checkRequests(row, conversation);
  });
});

describe('what a column keeps of a conversation', () => {
  const cases = held.flatMap((row) =>
    Object.entries(row.expected.side_effects ?? {}).map(([withTrace, kept]) => ({ id: row.id, row, withTrace, kept })),
  );

  test.each(cases)('$id with with_trace: $withTrace', async ({ row, withTrace, kept }) => {
    const document = {
      name: 'a',
      column_type: 'llm-text',
      model_alias: 'm',
      prompt: row.prompt,
      system_prompt: row.system_prompt ?? null,
      tool_alias: aliasOf(row) ?? null,
      with_trace: withTrace,
      extract_reasoning_content: true,
    };
    const config = llmText.schema.parse(readForm(llmText.schema, document));
    const names = llmText.writes(config).map(({ name }) => name);
    if (!('cell' in llmText)) throw new Error('It is made cell by cell.');
    const written: WrittenValues = await llmText.cell(config, { templates: 'secure', constraints: [] })(open(row).cell);
    const made = Object.fromEntries(names.map((name, index) => [name, written[index]]));
    const trace = made.a__trace as readonly { readonly role: string }[] | undefined;
    const { a__reasoning_content } = made;
    const roles = trace?.map(({ role }) => role);
    expect({
      a__reasoning_content,
      ...(trace ? { a__trace_length: trace.length, a__trace_roles: roles } : {}),
    }).toEqual(kept);
  });
});
