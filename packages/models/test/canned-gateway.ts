import {
  type Address,
  type Call,
  type CallOutcome,
  type CallContext,
  type Gateway,
  type PlannedModel,
  Random,
  type ToolSchema,
} from '@data-designer/core';
import { type ModelFacade, ModelRegistry } from '@data-designer/models';

type Answer = CallOutcome | Error;

/** A gateway that answers from a list, in order, and keeps what it was asked. */
export class CannedGateway implements Gateway {
  readonly calls: Call[] = [];
  readonly admitted: (Address & { readonly resource: string })[] = [];
  readonly #answers: Answer[];

  constructor(...answers: readonly Answer[]) {
    this.#answers = [...answers];
  }

  /** The bodies that were sent. */
  get bodies(): Record<string, unknown>[] {
    return this.calls.map(({ body }) => JSON.parse(body) as Record<string, unknown>);
  }

  admit(resource: string, at: Address): Promise<void> {
    this.admitted.push({ resource, ...at });
    return Promise.resolve();
  }

  call(call: Call): Promise<CallOutcome> {
    // What crosses threads must be plain.
    this.calls.push(structuredClone(call));
    const answer = this.#answers.shift() ?? new Error('There is no further answer.');
    return answer instanceof Error ? Promise.reject(answer) : Promise.resolve(answer);
  }

  listTools(): Promise<readonly ToolSchema[]> {
    return Promise.resolve([]);
  }

  cancel(): void {}
}

/** An outcome with a JSON body. */
export function outcome(body: unknown, { status = 200, ...more }: Partial<CallOutcome> = {}): CallOutcome {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return { status, headers: { 'content-type': 'application/json' }, body: text, ...more };
}

/** A chat completion that says something. */
export function said(content: string | null, { message = {}, finish = 'stop', usage = {} } = {}): CallOutcome {
  const choice = { message: { role: 'assistant', content, ...message }, finish_reason: finish };
  return outcome({ choices: [choice], usage: { prompt_tokens: 10, completion_tokens: 5, ...usage } });
}

/** A model of a plan. */
export function planned(more: Partial<PlannedModel> = {}): PlannedModel {
  return {
    alias: 'writer',
    resource: 'model/p/m',
    model: 'm-1',
    generationType: 'chat-completion',
    protocol: 'openai',
    structuredOutput: null,
    pricing: null,
    parameters: {},
    drawn: {},
    timeoutMs: 5000,
    ...more,
  };
}

/** A cell that asks. */
export function callContextOf(row = 3, column = 'a'): CallContext {
  let calls = 0;
  return {
    row,
    column,
    signal: new AbortController().signal,
    nextCall: () => calls++,
    randomOf: (call) => Random.of(1, column).at(row, 0, call + 1),
  };
}

/** The facade of a model `writer` behind a gateway. */
export function openFacade(
  gateway: CannedGateway,
  more: Partial<PlannedModel> = {},
  budgets: { readonly corrections: number; readonly restarts: number } = { corrections: 0, restarts: 0 },
): ModelFacade {
  const { corrections: maxCorrectionSteps, restarts: maxConversationRestarts } = budgets;
  const models = new ModelRegistry({ writer: planned(more) }, gateway, { maxCorrectionSteps, maxConversationRestarts });
  return models.facade('writer');
}
