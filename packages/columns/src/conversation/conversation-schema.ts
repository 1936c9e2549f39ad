import { z } from 'zod';
import { columnFields } from '@data-designer/config';
import { llmFields } from '../llm-column.ts';
import { MOST_TURNS } from './turn-count.ts';

/** Why a conversation ended: the user was done, its turns were used up, the user wrote nothing, or the context was full. */
export type ConversationEnd = 'stop' | 'max_turns' | 'user_gave_up' | 'length';

const { modelAlias, systemPrompt, toolAlias, allowTools, fallbackModelAlias } = llmFields;

const userSide = z.strictObject({
  modelAlias: modelAlias.describe('Alias of the model that plays the user, from `model_configs`.'),
  systemPrompt: systemPrompt.describe(
    'Who the user is and what they want: a Jinja template. It is the first message of every request.',
  ),
  stop: z
    .union([z.string().min(1), z.record(z.string(), z.unknown())])
    .nullable()
    .default(null)
    .describe(
      'How the user ends the conversation: a phrase such as `[DONE]`, or a JSON Schema of an answer with `done` and `message`. Without `stop`, all turns are made.',
    ),
  toolAlias: toolAlias.describe('Alias of the tools that the user may call, from `tool_configs`.'),
  allowTools,
  fallbackModelAlias,
});

const assistantSide = z.strictObject({
  modelAlias: modelAlias.describe('Alias of the model that answers, from `model_configs`.'),
  systemPrompt: systemPrompt.describe('The system message of the assistant: a Jinja template.'),
  toolAlias,
  allowTools,
  fallbackModelAlias,
});

const turnCount = z.int().min(1).max(MOST_TURNS);

/** The declaration of a conversation. */
export const conversationSchema = z
  .strictObject({
    ...columnFields('conversation'),
    turns: z
      .union([turnCount, z.string().min(1), z.strictObject({ min: turnCount, max: turnCount })])
      .describe(
        'Maximum number of messages that the user writes: a number, a template that gives a number, or `min` and `max` to draw a number for each row.',
      ),
    opening: z
      .string()
      .nullable()
      .default(null)
      .describe(
        'The first message of the user: a Jinja template. Without `opening`, the model of the user writes the first message.',
      ),
    user: userSide.describe('The simulated user.'),
    assistant: assistantSide.describe('The assistant.'),
    keepReasoning: z
      .boolean()
      .default(false)
      .describe('Whether the assistant sees the reasoning of its earlier turns.'),
    onOverflow: z
      .enum(['fail', 'end'])
      .default('fail')
      .describe(
        'When the conversation exceeds the context of a model: `fail` fails the cell, `end` ends the conversation after the last answer.',
      ),
    withTrace: llmFields.withTrace.describe(
      "Whether to store the messages of the user's model in the column `{name}__user_trace`: `none` (the default), `last_message` or `all_messages`. True means `all_messages`.",
    ),
  })
  .describe(
    'Writes a conversation turn by turn: one model plays the user, another one answers. The cell contains the messages that the assistant received and wrote.',
  );

export type ConversationConfig = z.output<typeof conversationSchema>;
