// Chats of customers with a help desk: one model plays the customer, another one answers.
//
//   npx data-designer preview support-chats.ts -n 3
//   npx data-designer create support-chats.ts -n 500 -d support-chats
//   npx data-designer export artifacts/support-chats -f chat-jsonl -o chats.jsonl     chats for fine-tuning
//
// To adapt: change the products and problems, and the system prompts. Take two different models for user and assistant: one
// model with itself agrees too soon.
import { DataDesignerConfigBuilder } from 'data-designer';

export default new DataDesignerConfigBuilder({
  // The simulator needs no key and makes its answers up. For real answers, change model and provider, for example to
  // gpt-4.1-mini and openai, which reads OPENAI_API_KEY; `npx data-designer config providers` adds an endpoint of your own.
  modelConfigs: [
    { alias: 'customer', model: 'sim-large', provider: 'simulator', inferenceParameters: { temperature: 1 } },
    { alias: 'writer', model: 'sim-small', provider: 'simulator' },
  ],
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
    name: 'notes',
    columnType: 'llm-text',
    modelAlias: 'writer',
    prompt: `List up to four checks, from the simplest to the most laborious, that could solve this problem:
A customer bought a {{ product }}, and {{ problem }}.`,
  })
  .addColumn({
    name: 'chat',
    columnType: 'conversation',
    turns: { min: 2, max: 5 }, // the most messages of the customer, drawn for each row
    user: {
      modelAlias: 'customer',
      systemPrompt: `You are a customer who bought a {{ product }}, and {{ problem }}. You are {{ mood }}.
You write to a help desk. Write only your next message, in one or two sentences, without a greeting.
Try what you are told to try, and say what happened. Do not thank for an answer that did not help.
Write [DONE] once the problem is solved, or once an exchange is arranged.`,
      stop: '[DONE]', // ends the chat; it is cut out of the message
    },
    assistant: {
      modelAlias: 'writer',
      systemPrompt: `You work at the help desk for {{ product }}s. You explain one step after the other, and never blame the customer.
Suggest an exchange only if every check of these notes fails:
{{ notes }}`,
    },
  })
  .addProcessor({ name: 'tidy', processorType: 'drop_columns', columnNames: ['notes'] });
