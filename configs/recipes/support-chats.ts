// Questions and answers of a help desk, also as chats in the form that trainers read.
//
//   npx data-designer preview support-chats.ts -n 3
//   npx data-designer create support-chats.ts -n 500 -d support-chats
//   npx data-designer export artifacts/support-chats --processor chats -o chats.jsonl
//
// To adapt: change the products and problems, and the system message in the template of the processor.
import { DataDesignerConfigBuilder } from 'data-designer';

export default new DataDesignerConfigBuilder({
  // The simulator needs no key and makes its answers up. For real answers, change model and provider, for example to
  // gpt-4.1-mini and openai, which reads OPENAI_API_KEY; `npx data-designer config providers` adds an endpoint of your own.
  modelConfigs: [{ alias: 'writer', model: 'sim-small', provider: 'simulator' }],
})
  .addColumn({
    name: 'product',
    columnType: 'sampler',
    samplerType: 'category',
    params: { values: ['electric kettle', 'floor lamp', 'kitchen radio'] },
  })
  .addColumn({
    name: 'problem',
    columnType: 'sampler',
    samplerType: 'subcategory',
    params: {
      category: 'product',
      values: {
        'electric kettle': ['it switches off too early', 'it smells of plastic', 'the lid does not close'],
        'floor lamp': ['the dimmer hums', 'the foot wobbles', 'a bulb does not fit'],
        'kitchen radio': ['the alarm stays silent', 'it loses its stations', 'the display is too bright'],
      },
    },
  })
  // drop: other columns read this one, but the dataset does not contain it.
  .addColumn({
    name: 'mood',
    columnType: 'sampler',
    samplerType: 'category',
    params: { values: ['calm', 'in a hurry', 'disappointed'] },
    drop: true,
  })
  .addColumn({
    name: 'question',
    columnType: 'llm-text',
    modelAlias: 'writer',
    prompt: `A customer bought a {{ product }}, and {{ problem }}. The customer is {{ mood }}.
Write the message of the customer to the help desk, in one to three sentences and without a greeting.`,
  })
  .addColumn({
    name: 'notes',
    columnType: 'llm-text',
    modelAlias: 'writer',
    prompt: `List up to four checks, from the simplest to the most laborious, that could solve this problem with a {{ product }}.
{{ question }}`,
  })
  .addColumn({
    name: 'answer',
    columnType: 'llm-text',
    modelAlias: 'writer',
    systemPrompt: 'You work at a help desk. You explain one step after the other, and never blame the customer.',
    prompt: `Answer the message with the help of the notes. Suggest an exchange only if every check fails.
Message: {{ question }}
Notes: {{ notes }}`,
  })
  // The chats are in processors-files/chats/ of the dataset folder. Dropped columns can be read here as well.
  .addProcessor({
    name: 'chats',
    processorType: 'schema_transform',
    template: {
      messages: [
        { role: 'system', content: 'You work at the help desk for {{ product }}s.' },
        { role: 'user', content: '{{ question }}' },
        { role: 'assistant', content: '{{ answer }}' },
      ],
    },
  })
  // After the chats, because columns that are gone cannot be read.
  .addProcessor({ name: 'tidy', processorType: 'drop_columns', columnNames: ['notes'] });
