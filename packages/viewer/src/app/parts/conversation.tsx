import { isToolFailure } from '@data-designer/core/tool-failure';
import { type ReactNode, useState } from 'react';
import type { Message, MessagePart, TracePage } from '../../api/conversation.ts';
import { type DataSource, useOptionalSource } from '../data/data-source.ts';
import { messageOf } from '../data/use-data.ts';
import { formatCost, formatCount, pluralize } from '../format.ts';
import { visibleText } from '../visible-text.ts';
import { drawPrompt, LongText } from './long-text.tsx';
import { MediaView } from './media-view.tsx';

const PAGE_MESSAGES = 50;

interface ConversationProps {
  readonly page: TracePage;
  /** The record, to load further messages and texts; absent where there are none. */
  readonly record?: { readonly dataset: string; readonly index: number } | undefined;
}

/** A conversation as a chat: a turn for each change of sides, with its tool calls and their results folded. */
export function Conversation({ page, record }: ConversationProps): ReactNode {
  const source = useOptionalSource();
  const [more, setMore] = useState<{ readonly of: TracePage; readonly messages: readonly Message[] }>();
  const [error, setError] = useState<string>();
  const messages = more?.of === page ? [...page.messages, ...more.messages] : page.messages;
  const left = page.total - page.from - messages.length;
  const load = async (from: DataSource, at: NonNullable<typeof record>): Promise<void> => {
    const request = { ...at, column: page.column, from: page.from + messages.length, count: PAGE_MESSAGES };
    const next = await from.ask('trace', request);
    setMore({ of: page, messages: [...messages.slice(page.messages.length), ...next.messages] });
  };
  return (
    <div className="conversation">
      <ol>
        {turnsOf(messages).map((turn) => (
          <TurnView key={turn[0].number} turn={turn} text={record && { ...record, column: page.column }} />
        ))}
      </ol>
      {left > 0 && record !== undefined && source !== undefined && (
        <button
          type="button"
          onClick={() => {
            load(source, record).catch((cause: unknown) => setError(messageOf(cause)));
          }}
        >
          Show more messages ({formatCount(left)} left)
        </button>
      )}
      {error !== undefined && <p className="notice error">{error}</p>}
    </div>
  );
}

/** Messages of one side, at least one. */
type Turn = readonly [Message, ...Message[]];

/** The side of a message: a tool works for the model. */
function sideOf({ role }: Message): 'system' | 'user' | 'assistant' {
  return role === 'tool' ? 'assistant' : role;
}

/** The messages by turns: neighbours of one side are one. */
function turnsOf(messages: readonly Message[]): readonly Turn[] {
  const turns: [Message, ...Message[]][] = [];
  for (const message of messages) {
    const last = turns.at(-1);
    if (last && sideOf(last[0]) === sideOf(message)) last.push(message);
    else turns.push([message]);
  }
  return turns;
}

interface TurnProps {
  readonly turn: Turn;
  readonly text: MessageProps['text'];
}

/** A turn: its last message in sight, and the tool calls before it in one fold. */
function TurnView({ turn, text }: TurnProps): ReactNode {
  const last = turn.at(-1) ?? turn[0];
  const before = turn.slice(0, -1);
  const calls = before.flatMap(({ toolCalls }) => toolCalls);
  const names = [...new Set(calls.map(({ name }) => name))].join(', ');
  const hasFailed = before.some(({ role, content }) => role === 'tool' && isToolFailure(content?.text ?? ''));
  // A page of records in one file folds all of it: its search opens what has a match.
  const isOpen = useOptionalSource() !== undefined && calls.length <= MAX_OPEN_CALLS;
  const work = before.map((message) => <MessageView key={message.number} message={message} text={text} />);
  return (
    <li className={`turn turn-${sideOf(last)}`}>
      {before.length > 0 && calls.length === 0 && work}
      {calls.length > 0 && (
        <details className="part" open={isOpen}>
          <summary className={hasFailed ? 'bad' : undefined}>
            {pluralize(calls.length, 'tool call')}: {visibleText(names)}
            {hasFailed ? ', with a failure' : ''}
          </summary>
          {work}
        </details>
      )}
      <MessageView message={last} text={text} />
    </li>
  );
}

/** The calls of a turn with more are folded at first. */
const MAX_OPEN_CALLS = 3;
/** A longer result of a tool is folded at first. */
const MAX_OPEN_RESULT = 300;

interface MessageProps {
  readonly message: Message;
  readonly text: { readonly dataset: string; readonly index: number; readonly column: string } | undefined;
}

function MessageView({ message, text }: MessageProps): ReactNode {
  const { role, content, reasoning, toolCalls, media, finishReason } = message;
  const rest = (part: MessagePart) => text && { ...text, message: message.number, part };
  const isTool = role === 'tool';
  const isInViewer = useOptionalSource() !== undefined;
  const body = content !== null && (
    <LongText cut={content} rest={rest('content')} draw={role === 'user' ? drawPrompt : undefined} />
  );
  return (
    <div className={`message message-${role}`}>
      <div className="row spread message-head">
        <strong>{isTool ? 'tool result' : role}</strong>
        <UsageLine message={message} />
      </div>
      {reasoning !== null && (
        <details>
          <summary>Reasoning ({pluralize(reasoning.length, 'character')})</summary>
          <LongText cut={reasoning} rest={rest('reasoning')} />
        </details>
      )}
      {isTool && content !== null ? (
        <details open={isInViewer && content.length <= MAX_OPEN_RESULT}>
          <summary className={isToolFailure(content.text) ? 'bad' : undefined}>
            Result ({pluralize(content.length, 'character')})
            <span className="first-line">: {visibleText(firstLine(content.text))}</span>
          </summary>
          {body}
        </details>
      ) : (
        body
      )}
      <MediaView media={media} />
      {toolCalls.map(({ id, name, arguments: given }, at) => (
        <details key={id} className="tool-call">
          <summary>
            Call <code>{visibleText(name)}</code> {visibleText(firstLine(given.text))}
          </summary>
          <LongText cut={given} rest={rest(at)} draw={drawArguments} />
        </details>
      ))}
      {finishReason !== null && finishReason !== 'stop' && finishReason !== 'tool_calls' && (
        <p className="warn small">finish reason: {visibleText(finishReason)}</p>
      )}
    </div>
  );
}

function drawArguments(json: string): ReactNode {
  return <pre>{visibleText(indented(json))}</pre>;
}

/** The model, tokens and cost of a call. */
function UsageLine({ message: { usage, model } }: { readonly message: Message }): ReactNode {
  if (usage === null) return model === null ? null : <span className="quiet small">{visibleText(model)}</span>;
  const { inputTokens, cachedInputTokens, outputTokens, reasoningTokens, cost } = usage;
  const parts = [
    model,
    inputTokens === null ? null : `${pluralize(inputTokens, 'token')} in`,
    cachedInputTokens ? `${formatCount(cachedInputTokens)} cached` : null,
    outputTokens === null ? null : `${formatCount(outputTokens)} out`,
    reasoningTokens ? `${formatCount(reasoningTokens)} reasoning` : null,
    cost === null ? null : `cost ${formatCost(cost)}`,
  ];
  return <span className="quiet small">{visibleText(parts.filter((part) => part !== null).join(' · '))}</span>;
}

const LINE = 80;

function firstLine(text: string): string {
  const line = text.trimStart().split('\n', 1)[0] ?? '';
  return line.length > LINE ? `${line.slice(0, LINE)}…` : line;
}

function indented(json: string): string {
  try {
    return JSON.stringify(JSON.parse(json), undefined, 2);
  } catch {
    return json;
  }
}
