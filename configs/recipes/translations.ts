// Sentences with translations into a language of the row, back-translations, and a rating of how much survived.
//
//   npx data-designer preview translations.ts -n 3
//   npx data-designer create translations.ts -n 500 -d translations
//
// To adapt: change the languages and the situations, and choose a model that knows the languages.
import { DataDesignerConfigBuilder } from 'data-designer';

export default new DataDesignerConfigBuilder({
  // The simulator needs no key and makes its answers up. For real answers, change model and provider, for example to
  // gpt-4.1-mini and openai, which reads OPENAI_API_KEY; `npx data-designer config providers` adds an endpoint of your own.
  modelConfigs: [
    { alias: 'writer', model: 'sim-small', provider: 'simulator' },
    { alias: 'critic', model: 'sim-large', provider: 'simulator', inferenceParameters: { temperature: 0.1 } },
  ],
})
  .addColumn({
    name: 'language',
    columnType: 'sampler',
    samplerType: 'category',
    params: { values: ['German', 'Hindi', 'Japanese', 'Polish', 'Portuguese', 'Swahili'] },
  })
  .addColumn({
    name: 'register',
    columnType: 'sampler',
    samplerType: 'category',
    params: { values: ['formal', 'informal'] },
  })
  .addColumn({
    name: 'situation',
    columnType: 'sampler',
    samplerType: 'category',
    params: {
      values: ['a notice in a lift', 'a message to a landlord', 'a question at a pharmacy', 'a warning on a package'],
    },
  })
  .addColumn({
    name: 'source',
    columnType: 'llm-text',
    modelAlias: 'writer',
    prompt:
      'Write the English text of {{ situation }}: one or two {{ register }} sentences that contain a number or an idiom.',
  })
  .addColumn({
    name: 'translation',
    columnType: 'llm-text',
    modelAlias: 'writer',
    systemPrompt: 'You translate into {{ language }}. You answer with the translation only.',
    prompt: `Translate the text into {{ register }} {{ language }}. Keep numbers, and replace idioms by native ones.
{{ source }}`,
  })
  .addColumn({
    name: 'back_translation',
    columnType: 'llm-text',
    modelAlias: 'writer',
    systemPrompt: 'You translate from {{ language }} into English. You answer with the translation only.',
    prompt: '{{ translation }}',
  })
  .addColumn({
    name: 'fidelity',
    columnType: 'llm-judge',
    modelAlias: 'critic',
    prompt: `Compare an English text with its translation into {{ language }} and back.
Original: {{ source }}
Translation: {{ translation }}
Translated back: {{ back_translation }}`,
    scores: [
      {
        name: 'Meaning',
        description: 'Does the translation say the same as the original?',
        options: { 1: 'something else', 2: 'nearly the same', 3: 'the same' },
      },
      {
        name: 'Register',
        description: 'Is the translation as formal or informal as required?',
        options: { right: 'the required register', wrong: 'another register' },
      },
    ],
  });
