import {
  type Address,
  type Answered,
  type CallSite,
  type ChatMessage,
  DataDesignerError,
  type Gateway,
  ParseFailure,
  type PlannedModel,
  type Question,
  type ToolBox,
  type ToolSchema,
} from '@data-designer/core';
import { Conversation } from './conversation.ts';
import { parametersOf } from './draw-parameters.ts';
import type { ChatAnswer, ModelClient } from './model-client.ts';
import { countAnswer, type ModelUsage, noUsage } from './usage.ts';

/** How often a conversation may correct itself, and how often it may start over. */
export interface Budgets {
  readonly maxCorrectionSteps: number;
  readonly maxConversationRestarts: number;
}

/** Refused turns after which the model is asked once more without tools. */
const REFUSALS_BEFORE_LAST_REQUEST = 3;

/** All there is to one exchange: the question, whose it is, and the tools it may use. */
interface Exchange<Answer> {
  readonly question: Question<Answer>;
  readonly site: CallSite;
  readonly tools: ToolBox | undefined;
  readonly schemas: readonly ToolSchema[] | undefined;
  readonly talk: Conversation;
}

/** One model alias: holds the conversation until the answer is what was asked for. */
export class ModelFacade {
  readonly usage: ModelUsage = noUsage();
  readonly #model: PlannedModel;
  readonly #client: ModelClient;
  readonly #gateway: Gateway;
  readonly #budgets: Budgets;

  constructor(model: PlannedModel, parts: { client: ModelClient; gateway: Gateway; budgets: Budgets }) {
    this.#model = model;
    this.#client = parts.client;
    this.#gateway = parts.gateway;
    this.#budgets = parts.budgets;
  }

  /** Asks until the parser accepts the answer; throws `model/*` failures. The prompt is rendered once admitted. */
  async generate<Answer>(question: Question<Answer>, site: CallSite, tools?: ToolBox): Promise<Answered<Answer>> {
    const schemas = await tools?.schemas();
    let at = await this.#admit(site);
    const exchange: Exchange<Answer> = { question, site, tools, schemas, talk: new Conversation(opening(question)) };
    for (;;) {
      const answer = await this.#request(exchange, at);
      const answered = await this.#take(exchange, answer);
      if (answered) return answered;
      at = await this.#admit(site);
    }
  }

  async #admit(site: CallSite): Promise<Address> {
    const at = { row: site.row, column: site.column, call: site.nextCall() };
    await this.#gateway.admit(this.#model.resource, at);
    return at;
  }

  async #request({ talk, schemas, site }: Exchange<unknown>, at: Address): Promise<ChatAnswer> {
    const tools = talk.refusals < REFUSALS_BEFORE_LAST_REQUEST ? schemas : undefined;
    const { model, timeoutMs } = this.#model;
    const parameters = parametersOf(this.#model, () => site.randomOf(at.call));
    try {
      const answer = await this.#client.chat({ model, messages: talk.messages, parameters, tools, timeoutMs }, at);
      countAnswer(this.usage, answer.tokens);
      return answer;
    } catch (failure) {
      this.usage.requests++;
      this.usage.failedRequests++;
      throw failure;
    }
  }

  /** One step on from an answer: a tool turn, an accepted value, or a correction or restart that was prepared. */
  async #take<Answer>(exchange: Exchange<Answer>, { message }: ChatAnswer): Promise<Answered<Answer> | undefined> {
    const calls = exchange.tools ? (message.tool_calls ?? []) : [];
    if (calls.length > 0) {
      await this.#takeToolTurn(exchange, message);
      return undefined;
    }
    return this.#takeAnswer(exchange, message);
  }

  async #takeToolTurn({ talk, tools, site }: Exchange<unknown>, message: ChatMessage): Promise<void> {
    if (!tools) return;
    if (talk.refusals >= REFUSALS_BEFORE_LAST_REQUEST) {
      throw new DataDesignerError('model/no-final-answer', { model: this.#model.alias, turns: tools.maxToolCallTurns });
    }
    const calls = message.tool_calls ?? [];
    talk.turns++;
    this.usage.toolTurns++;
    this.usage.toolCalls += calls.length;
    talk.add(toolTurnMessage(message));
    if (talk.turns > tools.maxToolCallTurns) {
      talk.refusals++;
      talk.add(...tools.refuse(calls));
    } else {
      talk.add(...(await tools.execute(calls, site)));
    }
    talk.keep();
  }

  #takeAnswer<Answer>({ talk, question }: Exchange<Answer>, message: ChatMessage): Answered<Answer> | undefined {
    const text = textOf(message).trim();
    const { reasoning_content: reasoning } = message;
    talk.add({ role: 'assistant', content: text, ...(reasoning ? { reasoning_content: reasoning } : {}) });
    talk.parseAttempts++;
    try {
      return { value: question.parse(text), messages: talk.messages };
    } catch (thrown) {
      if (!(thrown instanceof ParseFailure)) throw thrown;
      this.#correctOrRestart(talk, thrown);
      return undefined;
    }
  }

  #correctOrRestart(talk: Conversation, failure: ParseFailure): void {
    const { maxCorrectionSteps, maxConversationRestarts } = this.#budgets;
    const reason = rootMessage(failure);
    if (talk.parseAttempts <= maxCorrectionSteps) {
      talk.add({ role: 'user', content: reason });
    } else if (talk.restarts < maxConversationRestarts) {
      talk.restart();
    } else {
      throw new DataDesignerError('model/gave-up', {
        model: this.#model.alias,
        reason,
        corrections: maxCorrectionSteps,
        restarts: maxConversationRestarts,
      });
    }
  }
}

/** An optional system message, then the prompt; an empty system prompt means none. */
function opening({ systemPrompt, prompt }: Question<unknown>): ChatMessage[] {
  const system = systemPrompt?.() ?? '';
  const user: ChatMessage = { role: 'user', content: prompt() };
  return system === '' ? [user] : [{ role: 'system', content: system }, user];
}

/** An assistant message that asks for tools: content null when it says nothing beside. */
function toolTurnMessage(message: ChatMessage): ChatMessage {
  const { reasoning_content: reasoning, tool_calls: calls } = message;
  const text = textOf(message);
  return {
    role: 'assistant',
    content: (reasoning ? text.trim() : text) || null,
    ...(reasoning ? { reasoning_content: reasoning.trim() } : {}),
    ...(calls ? { tool_calls: calls } : {}),
  };
}

function textOf({ content }: ChatMessage): string {
  return typeof content === 'string' ? content : '';
}

/** The words of the innermost cause: what the model is told. */
function rootMessage(failure: Error): string {
  let root = failure;
  while (root.cause instanceof Error) root = root.cause;
  return root.message;
}
