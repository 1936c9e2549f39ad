// Programming tasks with Python solutions and tests, which are executed, linted and scored by a judge.
//
//   npm install pyodide
//   npx data-designer preview text-to-python.ts -n 3
//   npx data-designer create text-to-python.ts -n 500 -d text-to-python
//
// The tests run in a sandbox, which needs the package pyodide in this folder.
//
// To adapt: change the domains and techniques. The linter (ruff) is built in.
import { DataDesignerConfigBuilder } from 'data-designer';

export default new DataDesignerConfigBuilder({
  // The simulator needs no key and makes its answers up. For real answers, change model and provider, for example to
  // gpt-4.1-mini and openai, which reads OPENAI_API_KEY; `npx data-designer config providers` adds an endpoint of your own.
  modelConfigs: [
    {
      alias: 'writer',
      model: 'sim-small',
      provider: 'simulator',
      inferenceParameters: { temperature: 0.4, maxTokens: 2000 },
    },
    { alias: 'critic', model: 'sim-large', provider: 'simulator', inferenceParameters: { temperature: 0.1 } },
  ],
})
  .addColumn({
    name: 'domain',
    columnType: 'sampler',
    samplerType: 'category',
    params: { values: ['bird counts', 'bus timetables', 'lending of books', 'tide tables'] },
  })
  .addColumn({
    name: 'technique',
    columnType: 'sampler',
    samplerType: 'category',
    params: { values: ['a dataclass', 'a generator', 'recursion', 'regular expressions', 'sorting by several keys'] },
  })
  .addColumn({
    name: 'level',
    columnType: 'sampler',
    samplerType: 'category',
    params: { values: ['beginner', 'intermediate', 'advanced'], weights: [2, 3, 1] },
  })
  .addColumn({
    name: 'task',
    columnType: 'llm-text',
    modelAlias: 'writer',
    prompt: `Write a programming task for {{ level }} learners about {{ domain }}. It asks for one Python function, states its
name, arguments and result, and gives one example. The natural solution uses {{ technique }}.`,
  })
  .addColumn({
    name: 'solution',
    columnType: 'llm-code',
    modelAlias: 'writer',
    codeLang: 'python',
    prompt: `Solve this task with type hints, a docstring, and nothing outside the standard library.
{{ task }}`,
  })
  .addColumn({
    name: 'tests',
    columnType: 'llm-code',
    modelAlias: 'writer',
    codeLang: 'python',
    prompt: `Write four to six assert statements in Python that test the function of this task, two of them for edge cases. The function
is there already: do not define it, and print nothing.
Task: {{ task }}
Function: {{ solution }}`,
  })
  // A verdict for each target, under its name: is_valid, a score of 0 to 10, and the messages of the linter.
  .addColumn({
    name: 'lint',
    columnType: 'validation',
    targetColumns: ['solution', 'tests'],
    validatorType: 'code',
    validatorParams: { codeLang: 'python' },
  })
  // The tests run behind the solution, in the same interpreter.
  .addColumn({
    name: 'run',
    columnType: 'validation',
    targetColumns: ['solution'],
    validatorType: 'execution',
    validatorParams: { language: 'python', tests: '{{ tests }}' },
  })
  .addColumn({
    name: 'review',
    columnType: 'llm-judge',
    modelAlias: 'critic',
    prompt: `Review this solution of a task for {{ level }} learners. The linter gives it {{ lint.solution.python_linter_score }} of 10.
{% if not run.is_valid %}Its tests fail: {{ run.error }}{% endif %}
Task: {{ task }}
Solution: {{ solution }}`,
    scores: [
      {
        name: 'Correctness',
        description: 'Does the function do what the task asks?',
        options: { 0: 'no', 1: 'for the example only', 2: 'yes' },
      },
      {
        name: 'Clarity',
        description: 'Would a learner at this level understand it?',
        options: { 0: 'no', 1: 'with effort', 2: 'at once' },
      },
    ],
  })
  .addColumn({
    name: 'usable',
    columnType: 'expression',
    expr: '{{ lint.solution.is_valid and run.is_valid and review.Correctness.score == 2 }}',
    dtype: 'bool',
  });
