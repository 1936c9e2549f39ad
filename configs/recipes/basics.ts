// Guest reviews of hotels, with replies: samplers that depend on each other, a person, and texts of a model.
//
//   npx data-designer preview basics.ts -n 3
//   npx data-designer create basics.ts -n 500 -d basics
//
// Tutorial 1. To adapt: change the values of the samplers, then the two prompts.
import { DataDesignerConfigBuilder } from 'data-designer';

export default new DataDesignerConfigBuilder({
  // The simulator needs no key and makes its answers up. For real answers, change model and provider, for example to
  // gpt-4.1-mini and openai, which reads OPENAI_API_KEY; `npx data-designer config providers` adds an endpoint of your own.
  modelConfigs: [
    {
      alias: 'writer',
      model: 'sim-small',
      provider: 'simulator',
      inferenceParameters: { temperature: 0.9, maxTokens: 600 },
    },
  ],
})
  .addColumn({
    name: 'booking_id',
    columnType: 'sampler',
    samplerType: 'uuid',
    params: { prefix: 'B-', shortForm: true, uppercase: true },
  })
  // Weights make one value more frequent than another.
  .addColumn({
    name: 'hotel',
    columnType: 'sampler',
    samplerType: 'category',
    params: { values: ['beach resort', 'city hotel', 'mountain lodge'], weights: [3, 5, 2] },
  })
  // A subcategory draws from the list of the row's category.
  .addColumn({
    name: 'topic',
    columnType: 'sampler',
    samplerType: 'subcategory',
    params: {
      category: 'hotel',
      values: {
        'beach resort': ['the pool', 'the breakfast buffet', 'the way to the sea'],
        'city hotel': ['noise at night', 'the lift', 'the location'],
        'mountain lodge': ['the sauna', 'the view', 'the shuttle bus'],
      },
    },
  })
  // conditionalParams replace the parameters in the rows that match.
  .addColumn({
    name: 'nights',
    columnType: 'sampler',
    samplerType: 'poisson',
    params: { mean: 3 },
    conditionalParams: { "hotel == 'beach resort'": { mean: 9 } },
  })
  .addColumn({
    name: 'stars',
    columnType: 'sampler',
    samplerType: 'category',
    params: { values: [1, 2, 3, 4, 5], weights: [1, 1, 2, 4, 3] },
  })
  // A person is an object. Templates read its fields.
  .addColumn({
    name: 'guest',
    columnType: 'sampler',
    samplerType: 'person_from_faker',
    params: { locale: 'en_GB', ageRange: [20, 75] },
  })
  .addColumn({
    name: 'signature',
    columnType: 'expression',
    expr: '{{ guest.first_name }} ({{ guest.age }}), {{ guest.city }}',
  })
  .addColumn({
    name: 'review',
    columnType: 'llm-text',
    modelAlias: 'writer',
    prompt: `Write the review that {{ guest.first_name }}, {{ guest.age }} years old, leaves after {{ nights }} nights in a {{ hotel }}.
It gives {{ stars }} of 5 stars and mentions {{ topic }}. Use two to four sentences and no heading.`,
  })
  // A column can read every other column. Data Designer finds the order.
  .addColumn({
    name: 'reply',
    columnType: 'llm-text',
    modelAlias: 'writer',
    systemPrompt:
      'You answer reviews for the management of a {{ hotel }}. You are polite and specific, and you promise nothing.',
    prompt: `Answer this review in two sentences.
{{ review }}`,
  })
  // Values that break a constraint are drawn again.
  .addConstraint({ targetColumn: 'nights', operator: 'ge', rhs: 1 });
