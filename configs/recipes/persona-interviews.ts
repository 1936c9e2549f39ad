// Interviews with made-up people about a product idea, with their opinions as typed fields.
//
//   npx data-designer preview persona-interviews.ts -n 3
//   npx data-designer create persona-interviews.ts -n 500 -d persona-interviews
//
// To adapt: change the product, the locale and the age range. The sampler person draws from an installed collection of
// personas instead.
import { DataDesignerConfigBuilder } from 'data-designer';
import { z } from 'zod';

export default new DataDesignerConfigBuilder({
  // The simulator needs no key and makes its answers up. For real answers, change model and provider, for example to
  // gpt-4.1-mini and openai, which reads OPENAI_API_KEY; `npx data-designer config providers` adds an endpoint of your own.
  modelConfigs: [
    {
      alias: 'writer',
      model: 'sim-small',
      provider: 'simulator',
      inferenceParameters: { temperature: 1, maxTokens: 1200 },
    },
  ],
})
  .addColumn({
    name: 'person',
    columnType: 'sampler',
    samplerType: 'person_from_faker',
    params: { locale: 'en_US', ageRange: [25, 70] },
  })
  .addColumn({
    name: 'attitude',
    columnType: 'sampler',
    samplerType: 'category',
    params: { values: ['tries new things at once', 'waits for the opinion of friends', 'distrusts subscriptions'] },
  })
  .addColumn({
    name: 'product',
    columnType: 'sampler',
    samplerType: 'category',
    params: {
      values: [
        'a library of tools that neighbours share',
        'a weekly box of vegetables with odd shapes',
        'a phone without a screen',
      ],
    },
  })
  .addColumn({
    name: 'persona',
    columnType: 'llm-text',
    modelAlias: 'writer',
    prompt: `Describe a person in five sentences: {{ person.first_name }} {{ person.last_name }}, {{ person.age }} years old,
{{ person.occupation }}, lives in {{ person.city }} ({{ person.marital_status | replace('_', ' ') }}), and
{{ attitude }}. Cover a usual day, a hobby, and the last thing that was bought and regretted.`,
  })
  .addColumn({
    name: 'interview',
    columnType: 'llm-text',
    modelAlias: 'writer',
    systemPrompt: `You are {{ person.first_name }}. Speak in the first person, with the vocabulary of this description, and do not please
the interviewer. {{ persona }}`,
    prompt: `An interviewer presents {{ product }} and asks: When would you have used it in the last month? What would stop you?
What would you pay? Answer all three questions in one paragraph.`,
  })
  .addColumn({
    name: 'opinion',
    columnType: 'llm-structured',
    modelAlias: 'writer',
    prompt: `Extract the opinion on {{ product }} from this answer. Use null for a price that is not mentioned.
{{ interview }}`,
    outputFormat: z.object({
      interest: z.int().min(1).max(5).describe('1 = none, 5 = would buy today'),
      objection: z.string().describe('The main objection in at most ten words.'),
      price: z.number().nullable().describe('The highest acceptable monthly price in dollars.'),
    }),
  });
