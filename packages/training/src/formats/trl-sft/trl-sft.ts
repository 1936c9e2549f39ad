import { defineTrainingFormat } from '../../training-format.ts';
import { refuseLaterSystem, refuseTextArguments } from '../shared/plain-messages.ts';
import { TRL_COLUMNS, trlMessages, trlTools } from '../shared/trl-messages.ts';

/** Conversations for the `SFTTrainer` of TRL. */
export const trlSft = defineTrainingFormat<'chat'>({
  kind: 'chat',
  readers: 'SFTTrainer of TRL',
  lacks: ['images', 'media', 'unknown_tools'],
  takesFields: true,
  reserved: TRL_COLUMNS,
  refuse: ({ messages }) => refuseTextArguments(messages) ?? refuseLaterSystem(messages),
  toRecord: ({ messages, tools }) => ({ messages: trlMessages(messages), ...trlTools(tools) }),
});
