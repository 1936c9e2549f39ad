import type { TrainingFormat } from './training-format.ts';

/** All formats of training data by name, each loaded on first use. A new format is a folder and a line here. */
const FORMATS = {
  'chat-jsonl': async () => (await import('./formats/chat-jsonl/chat-jsonl.ts')).chatJsonl,
  'preference-jsonl': async () => (await import('./formats/preference-jsonl/preference-jsonl.ts')).preferenceJsonl,
  'trl-sft': async () => (await import('./formats/trl-sft/trl-sft.ts')).trlSft,
  'trl-preference': async () => (await import('./formats/trl-preference/trl-preference.ts')).trlPreference,
  sharegpt: async () => (await import('./formats/sharegpt/sharegpt.ts')).sharegpt,
  'openai-ft': async () => (await import('./formats/openai-ft/openai-ft.ts')).openaiFt,
  'openai-preference': async () => (await import('./formats/openai-preference/openai-preference.ts')).openaiPreference,
  smoltalk2: async () => (await import('./formats/smoltalk2/smoltalk2.ts')).smoltalk2,
  'nemo-gym': async () => (await import('./formats/nemo-gym/nemo-gym.ts')).nemoGym,
  verifiers: async () => (await import('./formats/verifiers/verifiers.ts')).verifiers,
  atif: async () => (await import('./formats/atif/atif.ts')).atif,
} as const;

/** The name of a format of training data. */
export type TrainingFormatName = keyof typeof FORMATS;

export const TRAINING_FORMATS = Object.keys(FORMATS) as readonly TrainingFormatName[];

/** Whether a name is that of a format of training data. */
export function isTrainingFormat(name: string): name is TrainingFormatName {
  return Object.hasOwn(FORMATS, name);
}

export async function trainingFormat(name: TrainingFormatName): Promise<TrainingFormat> {
  return (await FORMATS[name]()) as TrainingFormat;
}
