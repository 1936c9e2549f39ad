import { defineTrainingFormat } from '../../training-format.ts';
import { openAIMessages, openAITools } from '../shared/openai-messages.ts';
import { TRL_COLUMNS } from '../shared/trl-messages.ts';

/** The edited answers of reviews as pairs: the edited one is `chosen`, and the model's `rejected`. */
export const preferenceJsonl = defineTrainingFormat<'pair'>({
  kind: 'pair',
  readers: 'trainers that read lists of messages',
  lacks: [],
  reasoningOnRequest: true,
  pairsOf: 'edits',
  takesFields: true,
  reserved: TRL_COLUMNS,
  toRecord: ({ prompt, chosen, rejected, tools }) => ({
    prompt: openAIMessages(prompt),
    chosen: openAIMessages(chosen),
    rejected: openAIMessages(rejected),
    ...openAITools(tools),
  }),
});
