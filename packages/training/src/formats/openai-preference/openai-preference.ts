import { defineTrainingFormat } from '../../training-format.ts';
import { refuseTextArguments } from '../shared/plain-messages.ts';
import { openAIMessages, openAITools, refuseNames } from '../shared/openai-messages.ts';

/** Pairs for the preference tuning of OpenAI. */
export const openaiPreference = defineTrainingFormat<'pair'>({
  kind: 'pair',
  readers: 'preference tuning (DPO) of OpenAI',
  lacks: ['reasoning', 'images', 'media', 'unknown_tools', 'turns'],
  takesFields: false,
  refuse: ({ prompt, chosen, rejected, tools }) =>
    refuseTextArguments([...prompt, ...chosen, ...rejected]) ?? refuseNames(tools),
  toRecord: ({ prompt, chosen, rejected, tools }) => ({
    input: { messages: openAIMessages(prompt), ...openAITools(tools) },
    preferred_output: openAIMessages(chosen),
    non_preferred_output: openAIMessages(rejected),
  }),
});
