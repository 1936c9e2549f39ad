import { defineTrainingFormat } from '../../training-format.ts';
import { openAIMessages, openAITools } from '../shared/openai-messages.ts';
import { TRL_COLUMNS } from '../shared/trl-messages.ts';

/** Conversations with `messages` and `tools` as in requests. */
export const chatJsonl = defineTrainingFormat<'chat'>({
  kind: 'chat',
  readers: 'trainers that read the messages of OpenAI',
  lacks: [],
  reasoningOnRequest: true,
  takesFields: true,
  reserved: TRL_COLUMNS,
  toRecord: ({ messages, tools }) => ({ messages: openAIMessages(messages), ...openAITools(tools) }),
});
