import { defineTrainingFormat } from '../../training-format.ts';
import { refuseLaterSystem, refuseTextArguments } from '../shared/plain-messages.ts';
import { TRL_COLUMNS, trlMessages, trlTools } from '../shared/trl-messages.ts';

/** Pairs for the `DPOTrainer` of TRL and the trainers that read the same. */
export const trlPreference = defineTrainingFormat<'pair'>({
  kind: 'pair',
  readers: 'DPOTrainer, RewardTrainer, CPOTrainer and ORPOTrainer of TRL',
  lacks: ['images', 'media', 'unknown_tools'],
  takesFields: true,
  reserved: TRL_COLUMNS,
  refuse: ({ prompt, chosen, rejected }) =>
    refuseTextArguments([...prompt, ...chosen, ...rejected]) ?? refuseLaterSystem(prompt),
  toRecord: ({ prompt, chosen, rejected, tools }) => ({
    prompt: trlMessages(prompt),
    chosen: trlMessages(chosen, prompt),
    rejected: trlMessages(rejected, prompt),
    ...trlTools(tools),
  }),
});
