// Requests with the function call that fulfils them, for the training of models that call functions.
//
//   npx data-designer preview function-calls.ts -n 3
//   npx data-designer create function-calls.ts -n 500 -d function-calls
//   npx data-designer export artifacts/function-calls --processor examples -o calls.jsonl
//
// To adapt: change the functions, their signatures in the expression, and the schema of call.
import { DataDesignerConfigBuilder } from 'data-designer';
import { z } from 'zod';

export default new DataDesignerConfigBuilder({
  // The simulator needs no key and makes its answers up. For real answers, change model and provider, for example to
  // gpt-4.1-mini and openai, which reads OPENAI_API_KEY; `npx data-designer config providers` adds an endpoint of your own.
  modelConfigs: [
    { alias: 'writer', model: 'sim-small', provider: 'simulator' },
    { alias: 'critic', model: 'sim-large', provider: 'simulator', inferenceParameters: { temperature: 0 } },
  ],
})
  .addColumn({
    name: 'function',
    columnType: 'sampler',
    samplerType: 'category',
    params: { values: ['book_table', 'convert_units', 'set_reminder', 'none'], weights: [3, 3, 3, 1] },
  })
  .addColumn({
    name: 'completeness',
    columnType: 'sampler',
    samplerType: 'category',
    params: { values: ['names every argument', 'leaves out optional arguments', 'gives an argument indirectly'] },
  })
  // "none" gives requests that no function fulfils, so that the model learns when not to call one.
  .addColumn({
    name: 'signature',
    columnType: 'expression',
    expr: "{% if function == 'book_table' %}book_table(restaurant: string, people: integer, time: ISO 8601, outside: boolean = false) {%- elif function == 'convert_units' %}convert_units(amount: number, from: string, to: string, digits: integer = 2) {%- elif function == 'set_reminder' %}set_reminder(text: string, time: ISO 8601, repeat: \"daily\" | \"weekly\" | null = null) {%- else %}no function fits{% endif %}",
  })
  .addColumn({
    name: 'request',
    columnType: 'llm-text',
    modelAlias: 'writer',
    prompt: `Write one message of a user to an assistant on a phone.
{% if function == 'none' %}It asks for something that needs no function: an opinion or a piece of general knowledge.
{% else %}The assistant should answer it by calling {{ signature }}. The message {{ completeness }}.{% endif %}
Do not mention functions.`,
  })
  .addColumn({
    name: 'call',
    columnType: 'llm-structured',
    modelAlias: 'writer',
    prompt: `Choose the call that fulfils the request, or none. Functions:
book_table(restaurant: string, people: integer, time: ISO 8601, outside: boolean = false)
convert_units(amount: number, from: string, to: string, digits: integer = 2)
set_reminder(text: string, time: ISO 8601, repeat: "daily" | "weekly" | null = null)
Request: {{ request }}`,
    outputFormat: z.object({
      name: z.enum(['book_table', 'convert_units', 'set_reminder', 'none']),
      arguments: z.string().describe('The arguments as one JSON object in text; an empty object for none.'),
      spoken: z.string().describe('What the assistant says to the user while it calls the function.'),
    }),
  })
  .addColumn({
    name: 'is_right_function',
    columnType: 'expression',
    expr: '{{ call.name == function }}',
    dtype: 'bool',
  })
  .addColumn({
    name: 'rating',
    columnType: 'llm-judge',
    modelAlias: 'critic',
    prompt: `Request: {{ request }}
Expected function: {{ signature }}
Call: {{ call.name }} with {{ call.arguments }}`,
    scores: [
      {
        name: 'Arguments',
        description: 'Do the arguments follow from the request, with the right types?',
        options: { 0: 'no', 1: 'yes' },
      },
    ],
  })
  .addProcessor({
    name: 'examples',
    processorType: 'schema_transform',
    template: {
      messages: [
        { role: 'user', content: '{{ request }}' },
        {
          role: 'assistant',
          content: '{{ call.spoken }}',
          function: '{{ call.name }}',
          arguments: '{{ call.arguments }}',
        },
      ],
    },
  });
