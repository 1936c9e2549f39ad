// Messages to a bank in balanced classes, with near misses, for the training of a classifier.
//
//   npx data-designer preview intents.ts -n 3
//   npx data-designer create intents.ts -n 500 -d intents
//
// To adapt: change the intents and their neighbours. Every intent is equally frequent, and so is every style.
import { DataDesignerConfigBuilder } from 'data-designer';
import { z } from 'zod';

export default new DataDesignerConfigBuilder({
  // The simulator needs no key and makes its answers up. For real answers, change model and provider, for example to
  // gpt-4.1-mini and openai, which reads OPENAI_API_KEY; `npx data-designer config providers` adds an endpoint of your own.
  modelConfigs: [
    { alias: 'writer', model: 'sim-small', provider: 'simulator', inferenceParameters: { temperature: 1.1 } },
    { alias: 'critic', model: 'sim-large', provider: 'simulator', inferenceParameters: { temperature: 0 } },
  ],
})
  .addColumn({
    name: 'intent',
    columnType: 'sampler',
    samplerType: 'category',
    params: { values: ['block card', 'change address', 'dispute charge', 'raise limit'] },
  })
  // The intent that a careless reader would confuse with the first one.
  .addColumn({
    name: 'neighbour',
    columnType: 'sampler',
    samplerType: 'subcategory',
    params: {
      category: 'intent',
      values: {
        'block card': ['dispute charge', 'replace card'],
        'change address': ['change name', 'order statement'],
        'dispute charge': ['block card', 'explain charge'],
        'raise limit': ['open account', 'report income'],
      },
    },
  })
  .addColumn({
    name: 'style',
    columnType: 'sampler',
    samplerType: 'category',
    params: {
      values: [
        'a single fragment',
        'a polite letter',
        'a voice message as transcribed',
        'two sentences with typing mistakes',
      ],
    },
  })
  .addColumn({
    name: 'language_level',
    columnType: 'sampler',
    samplerType: 'category',
    params: { values: ['fluent', 'learner of English'], weights: [3, 1] },
  })
  .addColumn({
    name: 'text',
    columnType: 'llm-text',
    modelAlias: 'writer',
    prompt: `Write a message to a bank as {{ style }}. The writer ({{ language_level }}) wants to {{ intent }}, and does not want to
{{ neighbour }}, although the message contains a word that suggests it. Do not name the intent literally.`,
  })
  .addColumn({
    name: 'label_check',
    columnType: 'llm-structured',
    modelAlias: 'critic',
    prompt: 'Which intent does this message to a bank have? {{ text }}',
    outputFormat: z.object({
      intent: z.enum(['block card', 'change address', 'dispute charge', 'raise limit', 'other']),
      confidence: z.number().min(0).max(1),
    }),
  })
  .addColumn({
    name: 'is_confirmed',
    columnType: 'expression',
    expr: '{{ label_check.intent == intent }}',
    dtype: 'bool',
  });
