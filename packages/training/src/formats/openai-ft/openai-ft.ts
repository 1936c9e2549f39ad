import { defineTrainingFormat } from '../../training-format.ts';
import { refuseImagesBeside, refuseTextArguments } from '../shared/plain-messages.ts';
import { openAIMessages, openAITools, refuseNames } from '../shared/openai-messages.ts';

/** Conversations for the fine-tuning of OpenAI, which refuses fields that it does not know. */
export const openaiFt = defineTrainingFormat<'chat'>({
  kind: 'chat',
  readers: 'fine-tuning of OpenAI and of services with its form',
  lacks: ['reasoning', 'media', 'unknown_tools'],
  takesFields: false,
  refuse: ({ messages, tools }) =>
    refuseTextArguments(messages) ?? refuseImagesBeside(messages, { assistant: 'an answer' }) ?? refuseNames(tools),
  toRecord: ({ messages, tools }) => ({ messages: openAIMessages(messages), ...openAITools(tools) }),
});
