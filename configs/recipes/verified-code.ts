// Programming tasks with tests and a program that passes them: a model tries up to four times.
//
//   npx data-designer preview verified-code.ts -n 3
//   npx data-designer create verified-code.ts -n 500 -d verified-code
//
// To adapt: change the subjects. For Python, change code_lang and language, and npm install pyodide. With on_exhausted:
// drop_row the dataset holds verified programs only; the simulator, which writes no such program, would then leave no row.
import { DataDesignerConfigBuilder } from 'data-designer';

export default new DataDesignerConfigBuilder({
  // The simulator needs no key and makes its answers up. For real answers, change model and provider, for example to
  // gpt-4.1-mini and openai, which reads OPENAI_API_KEY; `npx data-designer config providers` adds an endpoint of your own.
  modelConfigs: [
    {
      alias: 'examiner',
      model: 'sim-large',
      provider: 'simulator',
      inferenceParameters: { temperature: 0.3, maxTokens: 1500 },
    },
    {
      alias: 'solver',
      model: 'sim-small',
      provider: 'simulator',
      inferenceParameters: { temperature: 1, maxTokens: 1500 },
    },
  ],
})
  .addColumn({
    name: 'subject',
    columnType: 'sampler',
    samplerType: 'category',
    params: {
      values: ['dates', 'intervals', 'matrices', 'prices', 'roman numerals', 'sorted lists', 'words of a sentence'],
    },
  })
  .addColumn({
    name: 'task',
    columnType: 'llm-text',
    modelAlias: 'examiner',
    prompt: `Write a programming task about {{ subject }}. It asks for one JavaScript function named solve, states its arguments and its
result, says what happens for empty input, and gives one example.`,
  })
  .addColumn({
    name: 'tests',
    columnType: 'llm-code',
    modelAlias: 'examiner',
    codeLang: 'javascript',
    prompt: `Write six statements in JavaScript that test the function of this task, two of them for edge cases. Each has the form
if (JSON.stringify(solve(…)) !== '…') throw new Error('…'); and its error says what was expected. Write nothing else.
{{ task }}`,
  })
  .addColumn({
    name: 'program',
    columnType: 'llm-code',
    modelAlias: 'solver',
    codeLang: 'javascript',
    prompt: `Solve this task in JavaScript with a function named solve, without imports and exports.
{{ task }}`,
  })
  // The tests run behind the program in a sandbox, without access to this machine.
  .addColumn({
    name: 'checked',
    columnType: 'validation',
    targetColumns: ['program'],
    validatorType: 'execution',
    validatorParams: { language: 'javascript', tests: '{{ tests }}' },
  })
  // The program is written again for the same task until it passes its tests.
  .addAttempts({
    name: 'solve',
    columns: ['program', 'checked'],
    until: 'checked.is_valid',
    max: 4,
    onExhausted: 'keep_last',
  });
