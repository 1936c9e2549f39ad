// Conversations of several turns between a person and an assistant, each rated by a judge.
//
//   npx data-designer preview conversations.ts -n 3
//   npx data-designer create conversations.ts -n 500 -d conversations
//   npx data-designer report artifacts/conversations     shows the distribution of each score
//
// To adapt: change the goals and manners. Raise minItems and maxItems for longer conversations; both should be even.
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
      inferenceParameters: { temperature: 1, maxTokens: 2000 },
    },
    { alias: 'critic', model: 'sim-large', provider: 'simulator', inferenceParameters: { temperature: 0.1 } },
  ],
})
  .addColumn({
    name: 'user',
    columnType: 'sampler',
    samplerType: 'person_from_faker',
    params: { locale: 'en_US', ageRange: [18, 80] },
  })
  .addColumn({
    name: 'goal',
    columnType: 'sampler',
    samplerType: 'category',
    params: {
      values: [
        'plan a weekend trip with a small budget',
        'understand a letter from an insurance company',
        'choose a first musical instrument',
        'settle a disagreement with a neighbour about noise',
      ],
    },
  })
  .addColumn({
    name: 'manner',
    columnType: 'sampler',
    samplerType: 'category',
    params: {
      values: [
        'asks short questions',
        'changes the subject once',
        'corrects an earlier statement',
        'doubts the first answer',
      ],
    },
  })
  .addColumn({
    name: 'chat',
    columnType: 'llm-structured',
    modelAlias: 'writer',
    prompt: `Write a conversation between an assistant and {{ user.first_name }}, {{ user.age }} years old ({{ user.occupation }}).
{{ user.first_name }} wants to {{ goal }} and {{ manner }}.
The user speaks first and the assistant last. The assistant remembers what the user has said, and asks at most one
question in a turn.`,
    outputFormat: z.object({
      topic: z.string().describe('The conversation in at most six words.'),
      turns: z
        .array(z.object({ role: z.enum(['user', 'assistant']), content: z.string() }))
        .min(4)
        .max(8),
    }),
  })
  .addColumn({
    name: 'rating',
    columnType: 'llm-judge',
    modelAlias: 'critic',
    prompt: `Rate this conversation, in which the user wants to {{ goal }} and {{ manner }}.
{% for turn in chat.turns %}
{{ turn.role }}: {{ turn.content }}
{% endfor %}`,
    scores: [
      {
        name: 'Memory',
        description: 'Does the assistant use what the user said in earlier turns?',
        options: { 1: 'it forgets', 2: 'mostly', 3: 'always' },
      },
      {
        name: 'Progress',
        description: 'Is the user closer to the goal at the end?',
        options: { 1: 'no', 2: 'somewhat', 3: 'clearly' },
      },
    ],
  });
