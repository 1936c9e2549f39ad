// Code with a planted mistake, the comment of a reviewer, and the corrected code, with tests that fail before and pass after.
//
//   npm install pyodide
//   npx data-designer preview code-review.ts -n 3
//   npx data-designer create code-review.ts -n 500 -d code-review
//
// The tests run in a sandbox, which needs the package pyodide in this folder.
//
// To adapt: change the kinds of mistakes and the programs.
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
      inferenceParameters: { temperature: 0.6, maxTokens: 1500 },
    },
  ],
})
  .addColumn({
    name: 'program',
    columnType: 'sampler',
    samplerType: 'category',
    params: {
      values: ['a cache with a time limit', 'a parser of log lines', 'a queue of print jobs', 'a shopping basket'],
    },
  })
  .addColumn({
    name: 'mistake',
    columnType: 'sampler',
    samplerType: 'category',
    params: {
      values: [
        'a comparison that is off by one',
        'a file that stays open after an exception',
        'a mutable default argument',
        'an exception that is caught and ignored',
      ],
    },
  })
  .addColumn({
    name: 'severity',
    columnType: 'sampler',
    samplerType: 'subcategory',
    params: {
      category: 'mistake',
      values: {
        'a comparison that is off by one': ['high', 'medium'],
        'a file that stays open after an exception': ['medium'],
        'a mutable default argument': ['high'],
        'an exception that is caught and ignored': ['high', 'low'],
      },
    },
  })
  .addColumn({
    name: 'original',
    columnType: 'llm-code',
    modelAlias: 'writer',
    codeLang: 'python',
    prompt: `Write {{ program }} in 20 to 40 lines of Python. It contains this mistake and no other: {{ mistake }}.
No comment may hint at the mistake.`,
  })
  .addColumn({
    name: 'comment',
    columnType: 'llm-structured',
    modelAlias: 'writer',
    prompt: `Review this change as a friendly colleague. Name the most important problem, not the style.
{{ original }}`,
    outputFormat: z.object({
      line: z.int().min(1).max(60).describe('The line that the comment is about.'),
      problem: z.string().describe('What goes wrong and for which input.'),
      suggestion: z.string().describe('The remedy in one sentence.'),
      blocking: z.boolean().describe('Whether the change must not be merged.'),
    }),
  })
  .addColumn({
    name: 'corrected',
    columnType: 'llm-code',
    modelAlias: 'writer',
    codeLang: 'python',
    prompt: `Apply this comment, and change nothing else.
Comment: {{ comment.problem }} {{ comment.suggestion }}
Code: {{ original }}`,
  })
  .addColumn({
    name: 'tests',
    columnType: 'llm-code',
    modelAlias: 'writer',
    codeLang: 'python',
    prompt: `Write three assert statements in Python for this code. They fail because of this mistake, and pass once it is corrected:
{{ mistake }}. The code is there already: do not repeat it, and print nothing.
{{ original }}`,
  })
  .addColumn({
    name: 'runs',
    columnType: 'validation',
    targetColumns: ['original', 'corrected'],
    validatorType: 'execution',
    validatorParams: { language: 'python', tests: '{{ tests }}' },
  })
  .addColumn({
    name: 'is_shown',
    columnType: 'expression',
    expr: '{{ not runs.original.is_valid and runs.corrected.is_valid }}',
    dtype: 'bool',
  })
  .addColumn({
    name: 'lint',
    columnType: 'validation',
    targetColumns: ['corrected'],
    validatorType: 'code',
    validatorParams: { codeLang: 'python' },
  });
