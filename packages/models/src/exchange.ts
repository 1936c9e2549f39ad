import {
  type Address,
  answerFields,
  type AnswerFields,
  type AnswerFlaw,
  type CallContext,
  type ChatMessage,
  DataDesignerError,
  type EndedToolCall,
  fieldsOf,
  type Gateway,
  limitsOf,
  ParseFailure,
  stringifyJson,
  type PlannedModel,
  type Question,
  type ToolBox,
  type ToolSchema,
  type TracedAnswer,
  type TracedConversation,
  isBlank,
  isCallOf,
  isFields,
  parseVerbatim,
  tryParse,
  withReasoning,
} from '@data-designer/core';
import { flawsOfAnswer, namedTools, readMessages } from '@data-designer/trajectory';
import { Conversation, keepConversation } from './conversation.ts';
import { answerMessage, opening, textOf, toolTurnMessage } from './conversation-messages.ts';
import { countedRequest } from './counted-request.ts';
import { parametersOf } from './draw-parameters.ts';
import type { ChatAnswer, Meter, ModelClient } from './model-client.ts';
import { isPictureRefusal, isTextOnlyRefusal } from './answers/is-picture-refusal.ts';
import { fitPictures, pictureSource } from './pictures/fit-pictures.ts';
import { protocolOf, rulesOf } from './protocols/protocols.ts';
import { fitTools } from './rules/fit-tools.ts';
import type { RequestRules } from './rules/request-rules.ts';
import { isShapeRefusal, nativeShape, type NativeShape } from './shape/native-shape.ts';
import { type Attempt, countFlaws, flawsOf, type ModelCounts } from './usage.ts';

/** How often a conversation may correct an answer, and how often it may restart. */
export interface Budgets {
  readonly maxCorrectionSteps: number;
  readonly maxConversationRestarts: number;
}

/** The parts that the conversations of a model alias share. */
export interface ExchangeParts {
  readonly model: PlannedModel;
  readonly client: ModelClient;
  readonly gateway: Gateway;
  readonly budgets: Budgets;
  /** The counts of a column's requests, by their purpose. */
  readonly countsOf: (column: string, attempt: Attempt) => ModelCounts;
}

/** The cell of a conversation, and the tools that it may use. */
export interface ExchangeSetting {
  readonly context: CallContext;
  readonly tools: ToolBox | undefined;
}

/** An answer with the fields that traces store of it. */
interface StoredAnswer extends ChatAnswer {
  readonly stored: AnswerFields;
}

/** Refused turns after which the last request offers no tools. */
const REFUSALS_BEFORE_LAST_REQUEST = 3;

/** The conversation loop of one question: tool turns, corrections and restarts until the parser accepts an answer. */
export class Exchange<Answer> {
  readonly #parts: ExchangeParts;
  readonly #question: Question<Answer>;
  readonly #context: CallContext;
  readonly #tools: ToolBox | undefined;
  readonly #shape: NativeShape | undefined;
  /** The names of the tools that the model may call. */
  #offered: ReadonlySet<string> = new Set();
  /** The address of the last admission. */
  #admitted: Address | undefined;

  constructor(parts: ExchangeParts, question: Question<Answer>, { context, tools }: ExchangeSetting) {
    this.#parts = parts;
    this.#question = question;
    this.#context = context;
    this.#tools = tools;
    this.#shape = parts.model.structuredOutput && question.shape ? nativeShape(question.shape) : undefined;
  }

  /** Asks until the parser accepts the answer; throws `model/*` failures. The prompt is rendered once admitted. */
  async run(): Promise<TracedConversation<Answer>> {
    const schemas = await this.#tools?.getToolSchemas();
    this.#offered = new Set(schemas?.map((schema) => schema.function.name));
    let at = await this.#admit();
    let talk: Conversation | undefined;
    try {
      talk = new Conversation(await opening(this.#question), (extra) => this.#returned(extra));
      for (;;) {
        const answer = await this.#request(talk, { at, schemas });
        const answered = await this.#take(talk, answer);
        if (answered) return answered;
        at = await this.#admit();
      }
    } catch (thrown) {
      // A cell that fails before its request would keep a permit that the next cell of its row may wait for.
      if (this.#admitted) this.#parts.gateway.cancel(this.#admitted);
      if (talk) keepConversation(thrown, talk.messages);
      throw thrown;
    }
  }

  async #admit(): Promise<Address> {
    const { row, column } = this.#context;
    const at = { row, column, call: this.#context.nextCall() };
    await this.#parts.gateway.admit(this.#parts.model.resource, at);
    this.#admitted = at;
    return at;
  }

  /** The parameters of a request; those of an attempt have its seed, unless the model has one. */
  #parametersAt({ call }: Address, { seedParameter }: RequestRules): Readonly<Record<string, unknown>> {
    const { randomOf, seed } = this.#context;
    const parameters = parametersOf(this.#parts.model, () => randomOf(call));
    if (seed === undefined || seedParameter === undefined) return parameters;
    return protocolOf(this.#parts.model.protocol).takesSeed ? { [seedParameter]: seed, ...parameters } : parameters;
  }

  /**
   * One request, repeated without the schema of the answer or the pictures of tools if the endpoint refuses them. Other cells do not learn of it:
   * a request may not depend on when other cells were answered, or a resumed run would send other requests. The gateway
   * repeats the refusal of a model that reads text only, so that it costs one request in a run.
   */
  async #request(
    talk: Conversation,
    { at, schemas }: { at: Address; schemas: readonly ToolSchema[] | undefined },
  ): Promise<StoredAnswer> {
    const isOffered = talk.refusals < REFUSALS_BEFORE_LAST_REQUEST && schemas?.length !== 0;
    const rules = rulesOf(this.#parts.model);
    const tools = isOffered && schemas ? fitTools(schemas, rules).tools : undefined;
    // Servers that hold an answer to a schema cannot call tools in it.
    const shape = tools || talk.isShapeRefused ? undefined : this.#shape;
    const { model, takesKnownFieldsOnly } = this.#parts.model;
    const parameters = this.#parametersAt(at, rules);
    const { asWritten, returned } = talk;
    const messages = shownMessages(talk, rules);
    const pictures = pictureSource(messages);
    const said = {
      messages,
      asWritten,
      returned,
      takesKnownFieldsOnly,
      parameters,
      tools,
      shape,
      pictures,
      purpose: talk.attempt,
    };
    const request = { model, ...said, ...limitsOf(this.#parts.model) };
    const counts = this.#counts(talk);
    try {
      const send = (meter: Meter) => this.#parts.client.chat(request, at, meter);
      const counted = await countedRequest(counts, send, ({ message }) => message.reasoning_content);
      const { answer, isMended, ...paid } = counted;
      talk.isTextMended ||= isMended;
      return { ...answer, stored: this.#stored(answer, paid) };
    } catch (thrown) {
      const failure = DataDesignerError.fromUnknown(thrown);
      if (shape && isShapeRefusal(failure)) talk.isShapeRefused = true;
      else if (pictures !== undefined && pictures !== 'prompt' && isPictureRefusal(failure)) {
        talk.arePicturesRefused = true;
      } else throw pictures === 'prompt' && isTextOnlyRefusal(failure) ? this.#textOnly(failure) : thrown;
      return this.#request(talk, { at: await this.#admit(), schemas });
    }
  }

  #textOnly(failure: DataDesignerError): DataDesignerError {
    const { reason } = fieldsOf(failure.data);
    const data = { model: this.#parts.model.alias, reason: String(reason) };
    return new DataDesignerError('model/text-only', data, { cause: failure });
  }

  #stored(answer: ChatAnswer, paid: Pick<TracedAnswer, 'tokens' | 'outcome'>): AnswerFields {
    const { finishReason, further } = answer;
    const { model } = this.#parts.model;
    const extra =
      further === undefined ? undefined : stringifyJson({ provider: this.#provider, model, fields: further });
    return answerFields({ ...paid, model: answer.model || model, finishReason, extra });
  }

  get #provider(): string | undefined {
    const [, provider] = this.#parts.model.resource.split('/');
    return provider;
  }

  /** The further fields of an answer in the history if this model has written it; undefined otherwise. */
  #returned(extra: string): unknown {
    const { provider, model, fields } = fieldsOf(tryParse(extra, parseVerbatim));
    return provider === this.#provider && model === this.#parts.model.model ? fields : undefined;
  }

  #counts({ attempt }: Conversation): ModelCounts {
    return this.#parts.countsOf(this.#context.column, attempt);
  }

  /** Handles an answer: a tool turn, an accepted value, or the preparation of a correction or restart. */
  async #take(talk: Conversation, answer: StoredAnswer): Promise<TracedConversation<Answer> | undefined> {
    const tools = this.#tools;
    if (!tools?.hasToolCalls(answer.message)) return this.#takeAnswer(talk, answer);
    await this.#takeToolTurn(talk, answer, tools);
    return undefined;
  }

  async #takeToolTurn(talk: Conversation, answer: StoredAnswer, tools: ToolBox): Promise<void> {
    const { message } = answer;
    if (talk.refusals >= REFUSALS_BEFORE_LAST_REQUEST) {
      const { alias } = this.#parts.model;
      throw new DataDesignerError('model/no-final-answer', { model: alias, turns: tools.maxToolCallTurns });
    }
    const counts = this.#counts(talk);
    countFlaws(counts, flawsOf(answer));
    counts.toolTurns++;
    counts.toolCalls += tools.toolCallCount(message);
    talk.turns++;
    const response = toolTurnMessage(withReasoning(message));
    talk.addAnswer(response, answer);
    const [, ...results] = await this.#turnOf(talk, response, tools);
    talk.addToolResults(results);
  }

  async #turnOf(talk: Conversation, response: ChatMessage, tools: ToolBox): Promise<readonly ChatMessage[]> {
    if (talk.turns <= tools.maxToolCallTurns) {
      const ended: EndedToolCall[] = [];
      const onToolCall = (call: EndedToolCall): void => void ended.push(call);
      const messages = await tools.processCompletionResponse(response, { ...this.#context, onToolCall });
      talk.toolFlaws.addTurn(ended);
      return messages;
    }
    talk.refusals++;
    return tools.refuseCompletionResponse(response);
  }

  async #takeAnswer(talk: Conversation, answer: StoredAnswer): Promise<TracedConversation<Answer> | undefined> {
    const { message } = answer;
    const written = textOf(message);
    const said = isBlank(written) ? '' : written.trim();
    const flaws = new Set(flawsOf(answer));
    if (isCallOf(said, this.#offered)) flaws.add('toolCallText');
    // Without tools nothing runs the calls of an answer, and the conversation does not keep them.
    if (message.tool_calls?.length) flaws.add('unofferedTool');
    talk.addAnswer(withReasoning(answerMessage(message, said)), answer);
    const thought = said === '' && this.#question.shape ? jsonInReasoning(message) : undefined;
    if (thought !== undefined && flaws.delete('empty')) flaws.add('reasoningJson');
    const text = thought ?? said;
    talk.parseAttempts++;
    try {
      const value = await this.#question.parse(text, this.#shape?.mend, (flaw) => flaws.add(flaw));
      this.#countUsed(talk, flaws);
      return {
        value,
        messages: talk.ownMessages,
        answers: talk.answers,
        corrections: talk.corrections,
        historyLength: talk.historyLength,
        modelAlias: this.#parts.model.alias,
      };
    } catch (thrown) {
      if (!(thrown instanceof ParseFailure)) throw thrown;
      talk.noteFinish(answer.finishReason);
      this.#correctOrRestart(talk, thrown);
      return undefined;
    }
  }

  /** Counts the flaws of the answer that the parser accepted, and those of the turns before it. */
  #countUsed(
    { attempt, messages, answers, toolFlaws, refusals, isPictureLeftOut, isTextMended }: Conversation,
    flaws: Set<AnswerFlaw>,
  ): void {
    const counts = this.#parts.countsOf(this.#context.column, attempt);
    for (const flaw of toolFlaws.flaws) flaws.add(flaw);
    const asked = messages.findLastIndex(({ role }) => role === 'user');
    // Messages of a history after the last one of the user are not of this answer.
    const first = messages.findIndex((message, index) => index > asked && answers.has(message));
    const tools = namedTools(this.#offered);
    for (const flaw of flawsOfAnswer(readMessages(messages) ?? [], { first, tools })) flaws.add(flaw);
    if (isPictureLeftOut) flaws.add('leftOutPicture');
    if (isTextMended) flaws.add('mendedText');
    if (refusals > 0) flaws.add('refusedTool');
    if (toolFlaws.hasRecovered) counts.recoveredToolAnswers++;
    countFlaws(counts, flaws);
  }

  #correctOrRestart(talk: Conversation, failure: ParseFailure): void {
    const { maxCorrectionSteps: corrections, maxConversationRestarts: restarts } = this.#parts.budgets;
    const reason = rootMessage(failure);
    if (talk.parseAttempts <= corrections) return talk.correct(reason);
    if (talk.restarts < restarts) return talk.restart();
    const { truncation } = talk;
    const model = this.#parts.model.alias;
    throw new DataDesignerError('model/gave-up', { model, reason, corrections, restarts, truncation });
  }
}

/** The messages of the next request, with the pictures that its endpoint accepts. */
function shownMessages(talk: Conversation, rules: RequestRules): readonly ChatMessage[] {
  const { messages, isPictureLeftOut } = fitPictures(talk.messages, { rules, isTextOnly: talk.arePicturesRefused });
  talk.isPictureLeftOut ||= isPictureLeftOut;
  return messages;
}

/** The reasoning of an answer if it is a JSON object and nothing else: some servers put the whole answer there. */
function jsonInReasoning({ reasoning_content: reasoning }: ChatMessage): string | undefined {
  return reasoning !== undefined && isFields(tryParse(reasoning, JSON.parse)) ? reasoning : undefined;
}

/** The message of the innermost cause, which goes to the model. */
function rootMessage(failure: Error): string {
  let root = failure;
  while (root.cause instanceof Error) root = root.cause;
  return root.message;
}
