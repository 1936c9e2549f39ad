// Conversations of several turns between a person and an assistant, each rated by a judge.
//
//   npx data-designer preview conversations.ts -n 3
//   npx data-designer create conversations.ts -n 500 -d conversations
//   npx data-designer report artifacts/conversations     shows how the conversations end, and the scores
//
// To adapt: change the goals and manners, and turns for longer conversations. The judge reads what both sides wrote, without
// the system prompts.
import { DataDesignerConfigBuilder } from 'data-designer';

export default new DataDesignerConfigBuilder({
  // The simulator needs no key and makes its answers up. For real answers, change model and provider, for example to
  // gpt-4.1-mini and openai, which reads OPENAI_API_KEY; `npx data-designer config providers` adds an endpoint of your own.
  modelConfigs: [
    { alias: 'person', model: 'sim-large', provider: 'simulator', inferenceParameters: { temperature: 1 } },
    { alias: 'writer', model: 'sim-small', provider: 'simulator' },
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
    columnType: 'conversation',
    turns: { min: 2, max: 4 },
    user: {
      modelAlias: 'person',
      systemPrompt: `You are {{ user.first_name }}, {{ user.age }} years old ({{ user.occupation }}). You talk to an assistant.
You want to {{ goal }}. In this conversation, {{ user.first_name }} {{ manner }}.
As the message, write only what {{ user.first_name }} says next, in the words of that person. Say done once you
have what you want; do not go on to thank.`,
      // A schema in place of a phrase: the model is asked for it in every turn, and cannot forget it.
      stop: {
        type: 'object',
        properties: {
          message: { type: 'string', description: 'What the person says next.' },
          done: { type: 'boolean', description: 'Whether the person has what they want.' },
        },
        required: ['message', 'done'],
        additionalProperties: false,
      },
    },
    assistant: {
      modelAlias: 'writer',
      systemPrompt:
        'You are a helpful assistant. You remember what the user has said, and ask at most one question in a turn.',
    },
    withTrace: true, // also stores what the person's model was asked and wrote, in the column chat__user_trace
  })
  .addColumn({
    name: 'rating',
    columnType: 'llm-judge',
    modelAlias: 'critic',
    prompt: `Rate this conversation, in which the user wants to {{ goal }} and {{ manner }}.
{% for turn in chat if turn.role != 'system' %}
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
      {
        name: 'Persona',
        description: 'Does the user stay the person described, and not sound like an assistant?',
        options: { 1: 'no', 2: 'mostly', 3: 'always' },
      },
    ],
  });
