import { atif } from './formats/atif/atif.ts';
import { chatJsonl } from './formats/chat-jsonl/chat-jsonl.ts';
import { nemoGym } from './formats/nemo-gym/nemo-gym.ts';
import { openaiFt } from './formats/openai-ft/openai-ft.ts';
import { openaiPreference } from './formats/openai-preference/openai-preference.ts';
import { preferenceJsonl } from './formats/preference-jsonl/preference-jsonl.ts';
import { sharegpt } from './formats/sharegpt/sharegpt.ts';
import { smoltalk2 } from './formats/smoltalk2/smoltalk2.ts';
import { trlPreference } from './formats/trl-preference/trl-preference.ts';
import { trlSft } from './formats/trl-sft/trl-sft.ts';
import { verifiers } from './formats/verifiers/verifiers.ts';
import type { ExampleKind, TrainingFormat } from './training-format.ts';

/** All formats of training data by name. A new format is a folder and a line here. */
const FORMATS = {
  'chat-jsonl': chatJsonl,
  'preference-jsonl': preferenceJsonl,
  'trl-sft': trlSft,
  'trl-preference': trlPreference,
  sharegpt,
  'openai-ft': openaiFt,
  'openai-preference': openaiPreference,
  smoltalk2,
  'nemo-gym': nemoGym,
  verifiers,
  atif,
} as const satisfies Readonly<Record<string, unknown>>;

/** The name of a format of training data. */
export type TrainingFormatName = keyof typeof FORMATS;

export const TRAINING_FORMATS = Object.keys(FORMATS) as readonly TrainingFormatName[];

/** Whether a name is that of a format of training data. */
export function isTrainingFormat(name: string): name is TrainingFormatName {
  return Object.hasOwn(FORMATS, name);
}

export function trainingFormat(name: TrainingFormatName): TrainingFormat {
  return FORMATS[name] as TrainingFormat;
}

const NOUNS: Readonly<Record<ExampleKind, string>> = { chat: 'conversations', pair: 'pairs', task: 'tasks' };

/** What the examples of a format are called. */
export function examplesOf(name: TrainingFormatName): string {
  return NOUNS[FORMATS[name].kind];
}
