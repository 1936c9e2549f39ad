import {
  type Address,
  DataDesignerError,
  fieldsOf,
  limitsOf,
  type PlannedModel,
  type ToolSchema,
  tryParse,
} from '@data-designer/core';
import { countedRequest } from './counted-request.ts';
import type { ChatAnswer, ModelClient } from './model-client.ts';
import { rulesOf } from './protocols/protocols.ts';
import { fitTools } from './rules/fit-tools.ts';
import { nativeShape, REQUEST_REFUSALS } from './shape/native-shape.ts';
import { textOf } from './conversation-messages.ts';
import { type ModelUsage, noCounts } from './usage.ts';

/** Where probes are made: no row has this address. */
const PROBE: Address = { row: -1, column: '', call: 0 };

const GREETING = 'Hello!';
const SYSTEM = 'You are a helpful assistant.';
const OPENING = [
  { role: 'system', content: SYSTEM },
  { role: 'user', content: GREETING },
] as const;
const PICTURE = 'A plain red circle on a white ground.';

/**
 * Asks a model something small, to see that it answers; throws the `model/*` failure if it does not. Counted in no
 * usage. `at` must be admitted, or belong to a gateway that needs no admission.
 */
export async function probeModel(client: ModelClient, model: PlannedModel, at: Address = PROBE): Promise<void> {
  const request = requestOf(model);
  const unusable = (reason: string) => new DataDesignerError('model/bad-answer', { model: model.alias, reason });
  if (model.generationType === 'embedding') {
    const { vectors } = await client.embed({ ...request, texts: [GREETING] }, at);
    if (!vectors[0]?.length) throw unusable('it contains no vector for the test text');
  } else if (model.generationType === 'image') {
    await client.generateImage({ ...request, prompt: PICTURE, media: [] }, at);
  } else {
    const answer = await greet(client, model, at);
    if (!hasSaid(answer)) throw unusable('it contains no text in reply to a greeting');
  }
}

function greet(client: ModelClient, model: PlannedModel, at: Address): Promise<ChatAnswer> {
  return client.chat({ ...requestOf(model), messages: OPENING }, at);
}

/** Offers tools to a model, to see that its endpoint accepts them; throws the `model/*` failure if it does not. */
export async function probeTools(
  client: ModelClient,
  model: PlannedModel,
  { tools, at }: { readonly tools: readonly ToolSchema[]; readonly at: Address },
): Promise<void> {
  const fitted = fitTools(tools, rulesOf(model)).tools;
  await client.chat({ ...requestOf(model), messages: OPENING, tools: fitted }, at);
}

/** A model that was cut off while it thought is there, too. */
function hasSaid({ message }: ChatAnswer): boolean {
  return textOf(message).trim() !== '' || (message.reasoning_content ?? '').trim() !== '';
}

const SHAPE = {
  type: 'object',
  properties: { ready: { type: 'boolean' } },
  required: ['ready'],
  additionalProperties: false,
} as const;

/** What was found out about an endpoint, and what that took: counted under the column '', which is none. */
export interface ProbedStructure {
  /** Null where it did not answer, or with nothing that tells. */
  readonly structuredOutput: boolean | null;
  readonly usage: ModelUsage;
}

/**
 * Whether the endpoint of a chat model holds it to JSON Schemas: it is greeted with a schema that no greeting keeps by
 * chance. False where the schema is refused or passed over. Throws `run/*` failures alone.
 */
export async function probeStructuredOutput(
  client: ModelClient,
  model: PlannedModel,
  at: Address = PROBE,
): Promise<ProbedStructure> {
  const messages = [{ role: 'user', content: GREETING }] as const;
  const request = { ...requestOf(model), messages, shape: nativeShape(SHAPE) };
  const counts = noCounts();
  const structuredOutput = await countedRequest(counts, (onOutcome) => client.chat(request, at, onOutcome)).then(
    ({ answer }) => typeof fieldsOf(tryParse(textOf(answer.message), JSON.parse)).ready === 'boolean',
    whatFailureTells,
  );
  return { structuredOutput, usage: { ...counts, columns: { '': { probe: counts } } } };
}

function whatFailureTells(thrown: unknown): false | null {
  const failure = DataDesignerError.fromUnknown(thrown);
  if (failure.code.startsWith('run/')) throw failure;
  return REQUEST_REFUSALS.has(failure.code) ? false : null;
}

/** Drawn parameters are left at the provider's own: a probe is no cell. */
function requestOf(planned: PlannedModel) {
  return { model: planned.model, parameters: planned.parameters, purpose: 'probe', ...limitsOf(planned) };
}
