// Puzzles with a written chain of reasoning and a final answer, and the reasoning of the model if it returns any.
//
//   npx data-designer preview reasoning-traces.ts -n 3
//   npx data-designer create reasoning-traces.ts -n 500 -d reasoning-traces
//
// To adapt: change the kinds of puzzles. With a reasoning model, solution__reasoning_content holds its own reasoning, which
// the simulator does not have.
import { DataDesignerConfigBuilder } from 'data-designer';
import { z } from 'zod';

export default new DataDesignerConfigBuilder({
  // The simulator needs no key and makes its answers up. For real answers, change model and provider, for example to
  // gpt-4.1-mini and openai, which reads OPENAI_API_KEY; `npx data-designer config providers` adds an endpoint of your own.
  modelConfigs: [
    { alias: 'writer', model: 'sim-small', provider: 'simulator' },
    {
      alias: 'solver', // preferably a reasoning model
      model: 'sim-large',
      provider: 'simulator',
      inferenceParameters: { temperature: 0.6, maxTokens: 4000 },
    },
  ],
})
  .addColumn({
    name: 'kind',
    columnType: 'sampler',
    samplerType: 'category',
    params: {
      values: [
        'a schedule with conflicting wishes',
        'a river crossing',
        'a seating order',
        'a truth-teller and a liar',
      ],
    },
  })
  .addColumn({
    name: 'difficulty',
    columnType: 'sampler',
    samplerType: 'category',
    params: { values: ['easy', 'medium', 'hard'], weights: [1, 2, 2] },
  })
  .addColumn({
    name: 'puzzle',
    columnType: 'llm-text',
    modelAlias: 'writer',
    prompt: `Invent a logic puzzle: {{ kind }}. Difficulty: {{ difficulty }}. State every fact that is necessary, end with one
question, and make sure that exactly one answer is possible. Do not give the answer.`,
  })
  .addColumn({
    name: 'solution',
    columnType: 'llm-structured',
    modelAlias: 'solver',
    extractReasoningContent: true,
    prompt: `Solve this puzzle. Each step states one conclusion and the facts that it follows from.
{{ puzzle }}`,
    outputFormat: z.object({
      steps: z.array(z.string()).min(2).max(12),
      answer: z.string().describe('Only the answer.'),
    }),
  })
  // A second solution without the first one in sight: rows in which both agree are more trustworthy.
  .addColumn({
    name: 'second_answer',
    columnType: 'llm-text',
    modelAlias: 'solver',
    prompt: `Solve this puzzle and write the answer alone, in at most five words.
{{ puzzle }}`,
  })
  .addColumn({
    name: 'agreement',
    columnType: 'llm-judge',
    modelAlias: 'solver',
    prompt: 'Do these two answers to a puzzle mean the same? First: {{ solution.answer }} Second: {{ second_answer }}',
    scores: [
      {
        name: 'Same',
        description: 'Whether both answers mean the same.',
        options: { yes: 'they do', no: 'they do not' },
      },
    ],
  })
  .addColumn({
    name: 'chain',
    columnType: 'expression',
    expr: `{% for step in solution.steps %}{{ loop.index }}. {{ step }}
{% endfor %}Answer: {{ solution.answer }}`,
  });
