import {
  type DeclaredTemplate,
  field,
  type Finding,
  type Requirements,
  TRACE_MESSAGE,
  type Message,
  type TypeFunction,
  valueType,
} from '@data-designer/core';
import { type ColumnRow, defineColumn, type StateRow } from '@data-designer/config';
import { allowToolsFindings, allowToolsTemplate, namedTools, toolChoices } from '../allow-tools.ts';
import { fallbackFindings } from '../llm-column.ts';
import { runFinding } from '../run-finding.ts';
import { type ConversationConfig, type ConversationEnd, conversationSchema } from './conversation-schema.ts';
import { isTurnCount, MOST_TURNS } from './turn-count.ts';
import { checkStop } from './user-stop.ts';

/** The side effects of a conversation, and its messages. */
type ConversationRow<Given> = Given extends { readonly name: infer Name extends string }
  ? ColumnRow<Given, readonly Message[]> & {
      [Key in `${Name}__end`]: ConversationEnd;
    } & { [Key in `${Name}__turns`]: number } & (Given extends {
        readonly withTrace: true | 'all_messages' | 'last_message';
      }
        ? { [Key in `${Name}__user_trace`]: readonly Message[] }
        : unknown) &
      StateRow<Given, UsesTools<Given>>
  : Record<string, unknown>;

type UsesTools<Given> = Given extends
  | { readonly user: { readonly toolAlias: string } }
  | { readonly assistant: { readonly toolAlias: string } }
  ? true
  : false;

export interface ConversationValue extends TypeFunction {
  readonly type: ConversationRow<this['config']>;
}

/** A conversation of a simulated user with an assistant, each a model with tools if it has any. */
export const conversation = defineColumn({
  type: 'conversation',
  schema: conversationSchema,
  row: valueType<ConversationValue>(),
  example: {
    name: 'chat',
    column_type: 'conversation',
    turns: { min: 1, max: 3 },
    user: { model_alias: 'writer', system_prompt: 'You ask about {{ topic }}.', stop: '[DONE]' },
    assistant: { model_alias: 'writer', system_prompt: 'Answer question {{ number }}.', tool_alias: 'facts' },
    with_trace: true,
  },
  templates: templatesOf,
  writes: ({ name, withTrace }) => [
    field(name, { list: TRACE_MESSAGE }),
    field(`${name}__end`, 'utf8'),
    field(`${name}__turns`, 'int64'),
    ...(withTrace === 'none' ? [] : [field(`${name}__user_trace`, { list: TRACE_MESSAGE })]),
  ],
  requires: requiresOf,
  toolNames: ({ user, assistant }, columns) => [
    ...namedTools(user, columns, ['user']),
    ...namedTools(assistant, columns, ['assistant']),
  ],
  chats: ({ name, assistant: { toolAlias } }) => [
    { field: name, tools: toolAlias === null ? [] : [toolAlias], hasCorrections: false, end: `${name}__end` },
  ],
  check: checkConversation,
  shownAs: () => ({ as: 'conversation' }),
  cell: (config, setting) => {
    let maker: Promise<MakeConversation> | undefined;
    return async (cell) => {
      // Few datasets have conversations, and every thread loads the column types.
      maker ??= import('./make-conversation.ts').then(({ makeConversation }) => makeConversation(config, setting));
      return (await maker)(cell);
    };
  },
});

type MakeConversation = ReturnType<typeof import('./make-conversation.ts').makeConversation>;

function templatesOf({ turns, opening, user, assistant }: ConversationConfig): DeclaredTemplate[] {
  return [
    ...(typeof turns === 'string' ? [{ source: turns, field: ['turns'], role: 'expression' } as const] : []),
    ...(opening === null ? [] : [{ source: opening, field: ['opening'], role: 'prompt', mayBeSame: true } as const]),
    ...systemPrompt(user, 'user'),
    ...systemPrompt(assistant, 'assistant'),
    ...allowToolsTemplate(user, ['user']),
    ...allowToolsTemplate(assistant, ['assistant']),
  ];
}

function systemPrompt(
  { systemPrompt: source }: { readonly systemPrompt: string | null },
  side: string,
): DeclaredTemplate[] {
  return source ? [{ source, field: [side, 'systemPrompt'], role: 'system-prompt' }] : [];
}

function requiresOf({ user, assistant }: ConversationConfig): Requirements {
  const sides = [user, assistant];
  return {
    models: [...new Set(sides.flatMap((side) => [side.modelAlias, side.fallbackModelAlias ?? side.modelAlias]))],
    tools: [...new Set(sides.flatMap((side) => side.toolAlias ?? []))],
    ...toolChoices(sides),
    ...(typeof user.stop === 'object' && user.stop !== null && user.toolAlias === null ? { shaped: true } : {}),
  };
}

function checkConversation({ turns, user, assistant }: ConversationConfig): Finding[] {
  const isInverted = typeof turns === 'object' && turns.min > turns.max;
  return [
    ...(isInverted
      ? [
          runFinding(['turns'], {
            message: `'min' is ${turns.min}, which is more than 'max', ${turns.max}.`,
            remedy: 'Exchange them.',
          }),
        ]
      : []),
    ...(typeof turns === 'string' && !turns.includes('{') && !isTurnCount(turns)
      ? [
          runFinding(['turns'], {
            message: `'${turns}' is not a whole number from 1 to ${MOST_TURNS}.`,
            remedy: "Write a number, a template of one such as '{{ n_turns }}', or 'min' and 'max'.",
          }),
        ]
      : []),
    ...(user.systemPrompt
      ? []
      : [
          runFinding(['user'], {
            type: 'missing_persona',
            level: 'WARNING',
            message: "the user has no 'system_prompt': its model is not told whom it plays.",
            remedy: 'Say who the user is and what they want.',
          }),
        ]),
    ...checkStop(user.stop),
    ...fallbackFindings(user, ['user']),
    ...fallbackFindings(assistant, ['assistant']),
    ...allowToolsFindings(user, ['user']),
    ...allowToolsFindings(assistant, ['assistant']),
  ];
}
