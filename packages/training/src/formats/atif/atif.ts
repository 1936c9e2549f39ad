import type { ContentPart } from '@data-designer/core';
import { defineTrainingFormat, type TrainingMessage } from '../../training-format.ts';
import { argumentsOf, openAITool, refuseTextArguments, resultsOf, textIn } from '../shared/plain-messages.ts';

const VERSION = 'ATIF-v1.8';
const IMAGE_TYPES = new Set(['image/jpeg', 'image/png', 'image/gif', 'image/webp']);
const SOURCES = { system: 'system', user: 'user', assistant: 'agent' } as const;

/** Trajectories in the Agent Trajectory Interchange Format, one per line. */
export const atif = defineTrainingFormat<'chat'>({
  kind: 'chat',
  readers: 'Harbor and other readers of ATIF',
  lacks: ['media'],
  takesFields: false,
  refuse: ({ messages }) => refuseTextArguments(messages) ?? refuseResults(messages) ?? refuseImages(messages),
  toRecord: ({ messages, tools }, { row }) => {
    const steps = stepsOf(messages);
    const model = messages.find((message) => message.model !== undefined)?.model;
    return {
      schema_version: VERSION,
      session_id: `row-${row}`,
      agent: {
        name: 'data-designer',
        version: '1',
        ...(model === undefined ? {} : { model_name: model }),
        ...(tools.length > 0 ? { tool_definitions: tools.map(openAITool) } : {}),
      },
      steps,
      final_metrics: { ...totalsOf(messages), total_steps: steps.length },
    };
  },
});

/** The messages as steps; results belong to the step that called. */
function stepsOf(messages: readonly TrainingMessage[]): readonly unknown[] {
  const steps = messages.flatMap((message, index) => {
    const { role, content, reasoning_content: reasoning = '', tool_calls: calls, model } = message;
    if (role === 'tool') return [];
    const step = { source: SOURCES[role], message: Array.isArray(content) ? partsOf(content) : textIn(message) };
    if (role !== 'assistant') return [step];
    const results = calls ? (resultsOf(messages, index) ?? []) : [];
    return [
      {
        ...step,
        ...(model === undefined ? {} : { model_name: model }),
        ...(reasoning === '' ? {} : { reasoning_content: reasoning }),
        ...(calls ? { tool_calls: calls.map(atifCall) } : {}),
        ...(results.length > 0 ? { observation: { results: results.map(atifResult) } } : {}),
        ...metricsOf(message),
      },
    ];
  });
  return steps.map((step, index) => ({ step_id: index + 1, ...step }));
}

function atifCall(call: NonNullable<TrainingMessage['tool_calls']>[number]): unknown {
  return { tool_call_id: call.id, function_name: call.function.name, arguments: argumentsOf(call) ?? {} };
}

function atifResult(message: TrainingMessage): unknown {
  const { content, tool_call_id: id } = message;
  return { source_call_id: id, content: Array.isArray(content) ? partsOf(content) : textIn(message) };
}

function partsOf(parts: readonly ContentPart[]): readonly unknown[] {
  return parts.map(({ type, text = '', media_type: mediaType, url = '' }) =>
    type === 'text' ? { type, text } : { type, source: { media_type: mediaType ?? typeOf(url), path: url } },
  );
}

/** The media type in a `data:` address; undefined for another one. */
function typeOf(url: string): string | undefined {
  return /^data:([^;,]+)/.exec(url)?.[1];
}

function metricsOf({ usage }: TrainingMessage): { readonly metrics?: object } {
  if (!usage) return {};
  return {
    metrics: withoutNulls({
      prompt_tokens: usage.input_tokens,
      completion_tokens: usage.output_tokens,
      cached_tokens: usage.cached_input_tokens,
    }),
  };
}

function totalsOf(messages: readonly TrainingMessage[]): object {
  const usages = messages.flatMap(({ usage }) => (usage ? [usage] : []));
  const total = (name: 'input_tokens' | 'output_tokens' | 'cached_input_tokens'): number | null => {
    const counts = usages.map((usage) => usage[name]);
    return counts.length === 0 || counts.includes(null)
      ? null
      : counts.reduce<number>((sum, count) => sum + Number(count), 0);
  };
  return withoutNulls({
    total_prompt_tokens: total('input_tokens'),
    total_completion_tokens: total('output_tokens'),
    total_cached_tokens: total('cached_input_tokens'),
  });
}

function withoutNulls(values: Readonly<Record<string, number | bigint | null>>): object {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== null));
}

function refuseResults(messages: readonly TrainingMessage[]): string | undefined {
  const isAnswered = messages.every(
    ({ tool_calls: calls }, index) => !calls || resultsOf(messages, index) !== undefined,
  );
  return isAnswered ? undefined : 'a tool call without its result';
}

function refuseImages(messages: readonly TrainingMessage[]): string | undefined {
  const images = messages.flatMap(({ content }) =>
    Array.isArray(content) ? (content as readonly ContentPart[]).filter(({ type }) => type === 'image') : [],
  );
  const isKnown = images.every(({ media_type: type, url = '' }) => IMAGE_TYPES.has(type ?? typeOf(url) ?? ''));
  return isKnown ? undefined : 'an image whose type is not JPEG, PNG, GIF or WebP';
}
