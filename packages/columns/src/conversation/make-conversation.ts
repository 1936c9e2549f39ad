import {
  type AnswerFields,
  type Cell,
  type ChatMessage,
  DataDesignerError,
  type HistoryMessage,
  isBlank,
  ParseFailure,
  type Question,
  type Row,
  type Setting,
  stringOf,
  traceCell,
  type TracedConversation,
  type WrittenValues,
} from '@data-designer/core';
import { compileTemplate, parseTemplate, type TemplateMode } from '@data-designer/template';
import { chooserOf } from '../allow-tools.ts';
import { emptyRender } from '../llm-column.ts';
import { textRecipe } from '../llm-text/llm-text.ts';
import type { ConversationConfig, ConversationEnd } from './conversation-schema.ts';
import { turnCount } from './turn-count.ts';
import { type UserTurn, userRecipe } from './user-stop.ts';

/** Asks the model of the user for its first message. Servers refuse a conversation without a user message. */
const FIRST = 'Write your first message.';

/** Compiles the templates of a conversation and returns its cell maker. */
export function makeConversation(
  config: ConversationConfig,
  { templates }: Setting,
): (cell: Cell) => Promise<WrittenValues> {
  const turns = turnCount(config.turns, config.name, templates);
  const opening = openingOf(config.opening, templates);
  const recipe = userRecipe(config.user.stop);
  const userPrompt = optional(config.user.systemPrompt, templates);
  const assistantPrompt = optional(config.assistant.systemPrompt, templates);
  const userTools = chooserOf(config.user, config.name, templates);
  const assistantTools = chooserOf(config.assistant, config.name, templates);
  return async (cell) => {
    const most = turns(cell.row, cell.random);
    const render = (template: Render | undefined) => template?.(cell.row, () => cell.random.float());
    const user = new Side(cell, config.user, {
      system: () => joined(render(userPrompt), recipe.instructions),
      allowTools: await userTools?.(cell),
    });
    const { keepReasoning: keepsReasoning } = config;
    const assistant = new Side(cell, config.assistant, {
      system: () => render(assistantPrompt) ?? '',
      keepsReasoning,
      allowTools: await assistantTools?.(cell),
    });
    const talk = new Talk({ config, user, assistant });
    const end = await talk.run(most, { opening: render(opening), recipe });
    const written = [traceCell(assistant.messages, assistant), end, talk.turns];
    if (config.withTrace === 'none') return written;
    const kept = config.withTrace === 'all_messages' ? user.allMessages() : user.messages.slice(-1);
    return [...written, traceCell(kept, user)];
  };
}

type Render = (row: Row, random: () => number) => string;

function optional(template: string | null, mode: TemplateMode): Render | undefined {
  return template ? compileTemplate(template, { mode }) : undefined;
}

/** An opening that says nothing fails its cell: models refuse an empty message. */
function openingOf(template: string | null, mode: TemplateMode): Render | undefined {
  const render = optional(template, mode);
  if (template === null || !render) return undefined;
  const { references } = parseTemplate(template);
  return (row, random) => {
    const text = render(row, random);
    if (isBlank(text)) throw emptyRender(template, references, row);
    return text;
  };
}

function joined(prompt = '', instructions = ''): string {
  return [prompt, instructions].filter((text) => text !== '').join('\n\n');
}

interface TalkParts {
  readonly config: ConversationConfig;
  readonly user: Side;
  readonly assistant: Side;
}

/** One conversation while it is made. */
class Talk {
  readonly #parts: TalkParts;
  /** Messages of the user that were answered. */
  turns = 0;

  constructor(parts: TalkParts) {
    this.#parts = parts;
  }

  /** Makes the turns; throws the failure of a turn. */
  async run(most: number, { opening, recipe }: Beginning): Promise<ConversationEnd> {
    const { user, assistant } = this.#parts;
    if (opening !== undefined) user.say(FIRST, opening);
    let isDone = false;
    while (this.turns < most && !isDone) {
      const turn = this.turns + 1;
      let message = opening;
      if (turn > 1 || message === undefined) {
        const said = await this.#inTurn('user', turn, () =>
          user.ask(assistant.lastText ?? FIRST, userQuestion(recipe, turn)),
        );
        if (said === undefined) return 'length';
        ({ message, isDone } = said);
        if (message === '') return isDone ? 'stop' : 'user_gave_up';
      }
      const text = message;
      const answer = await this.#inTurn('assistant', turn, () => assistant.ask(text, ANSWER));
      if (answer === undefined) return 'length';
      this.turns = turn;
    }
    return isDone ? 'stop' : 'max_turns';
  }

  /** The result of a turn; undefined where the context is full and the conversation may end. */
  async #inTurn<Result>(
    side: 'user' | 'assistant',
    turn: number,
    ask: () => Promise<Result>,
  ): Promise<Result | undefined> {
    try {
      return await ask();
    } catch (thrown) {
      const failure = DataDesignerError.fromUnknown(thrown);
      const mayEnd = this.#parts.config.onOverflow === 'end' && turn > 1;
      if (mayEnd && failure.code === 'model/context-exceeded') return undefined;
      throw failure.inTurn({ side, turn });
    }
  }
}

interface Beginning {
  readonly opening: string | undefined;
  readonly recipe: ReturnType<typeof userRecipe>;
}

type Asked<Answer> = Pick<Question<Answer>, 'parse' | 'shape'>;

/** An empty message ends a conversation, but cannot begin it. */
function userQuestion({ shape, parse }: Beginning['recipe'], turn: number): Asked<UserTurn> {
  if (turn > 1) return { shape, parse };
  return {
    shape,
    parse: (...given) => {
      const said = parse(...given);
      if (said.message === '') throw new ParseFailure('The first message has no text.');
      return said;
    },
  };
}

/** An answer has text: other models would refuse a conversation with an empty one. */
const ANSWER: Asked<string> = {
  parse: (...given) => {
    const text = textRecipe.parse(...given);
    if (isBlank(text)) throw new ParseFailure('The answer is empty.');
    return text;
  },
};

interface SideParts {
  /** Renders the system prompt; empty for none. */
  readonly system: () => string;
  /** Whether the model sees the reasoning of its earlier turns. */
  readonly keepsReasoning?: boolean;
  /** The tools that its model is offered; all of its alias if absent. */
  readonly allowTools?: readonly string[] | undefined;
}

/** One side of a conversation: what its model has been sent and has written. */
class Side {
  readonly #cell: Cell;
  readonly #config: ConversationConfig['assistant'];
  readonly #renderSystem: () => string;
  readonly #keepsReasoning: boolean;
  readonly #allowTools: readonly string[] | undefined;
  readonly #history: HistoryMessage[] = [];
  readonly #messages: ChatMessage[] = [];
  readonly answers = new Map<ChatMessage, AnswerFields>();
  #system: string | undefined;
  #alias: string;

  constructor(
    cell: Cell,
    config: ConversationConfig['assistant'],
    { system, keepsReasoning = false, allowTools }: SideParts,
  ) {
    this.#cell = cell;
    this.#config = config;
    this.#renderSystem = system;
    this.#keepsReasoning = keepsReasoning;
    this.#allowTools = allowTools;
    this.#alias = config.modelAlias;
  }

  /** The messages so far, the system message first, without invalid answers and corrections. */
  get messages(): readonly ChatMessage[] {
    return this.#messages;
  }

  /** The messages with the system message, also if the model was never asked. */
  allMessages(): readonly ChatMessage[] {
    const content = this.#system === undefined ? this.#renderSystem() : '';
    return content === '' ? this.#messages : [{ role: 'system', content }, ...this.#messages];
  }

  /** The text of the last answer; undefined before the first one. */
  get lastText(): string | undefined {
    return stringOf(this.#messages.at(-1)?.content) ?? undefined;
  }

  /** Takes a message as said in answer to another one, without asking the model. */
  say(asked: string, said: string): void {
    const messages: readonly ChatMessage[] = [
      { role: 'user', content: asked },
      { role: 'assistant', content: said },
    ];
    this.#messages.push(...messages);
    this.#history.push(...messages);
  }

  /** Sends a message behind the history and returns the parsed answer. */
  async ask<Answer>(message: string, { parse, shape }: Asked<Answer>): Promise<Answer> {
    const { fallbackModelAlias: fallback, toolAlias } = this.#config;
    const answered = await this.#cell.ask({
      modelAlias: this.#alias,
      toolAlias: toolAlias ?? undefined,
      allowTools: this.#allowTools,
      history: () => this.#history,
      prompt: () => message,
      systemPrompt: () => (this.#system ??= this.#renderSystem()),
      shape,
      // A model that has taken over writes the rest of the conversation.
      fallbackModelAlias: fallback === this.#alias ? undefined : fallback,
      parse,
    });
    this.#alias = answered.modelAlias;
    this.#add(answered);
    return answered.value;
  }

  #add({ messages, answers, corrections }: TracedConversation<unknown>): void {
    for (const message of messages) {
      if (corrections.has(message)) continue;
      if (message.role === 'system') {
        // Every request begins with it.
        if (this.#messages[0]?.role !== 'system') this.#messages.unshift(message);
        continue;
      }
      const answer = answers.get(message);
      if (answer) this.answers.set(message, answer);
      this.#messages.push(message);
      this.#history.push(this.#asHistory(message, answer));
    }
  }

  #asHistory(message: ChatMessage, answer: AnswerFields | undefined): HistoryMessage {
    const { reasoning_content: reasoning, ...said } = message;
    const extra = stringOf(answer?.['extra']);
    if (reasoning === undefined && extra === null) return message;
    return {
      ...said,
      ...(this.#keepsReasoning && reasoning !== undefined ? { reasoning_content: reasoning } : {}),
      ...(extra === null ? {} : { extra }),
    };
  }
}
