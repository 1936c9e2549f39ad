import { customColumn, DataDesigner, DataDesignerConfigBuilder, functionOfModule, ParseFailure } from 'data-designer';
import { z } from 'zod';

/** Runs here, on the thread of this program: asks a model, and takes only answers of some length. */
const praise = customColumn({
  requiredColumns: ['animal'],
  sideEffectColumns: ['asked'],
  outputFormats: { praise: z.string(), asked: z.int() },
  modelAliases: ['writer'],
  generate: async ({ animal }: { readonly animal: string }, { params, cell }) => {
    const { value, messages } = await cell.ask({
      modelAlias: 'writer',
      prompt: `Praise ${animal}, ${String(params['manner'])}.`,
      parse: (text: string) => {
        if (text.length < 5) throw new ParseFailure('Say more than that.');
        return text;
      },
    });
    return { praise: value, asked: messages.length };
  },
});

/** Runs in the worker threads: `countLetters` is an export of that module. */
const letters = customColumn({
  requiredColumns: ['praise'],
  generate: functionOfModule<{ letters: number }>(new URL('./count-letters.ts', import.meta.url), 'countLetters'),
});

const config = new DataDesignerConfigBuilder({
  modelConfigs: [{ alias: 'writer', model: 'sim-small', provider: 'simulator' }],
})
  .addColumn({
    name: 'animal',
    columnType: 'sampler',
    samplerType: 'category',
    params: { values: ['octopuses', 'bees'] },
  })
  .addColumn({
    name: 'praise',
    columnType: 'custom',
    generatorFunction: praise,
    generatorParams: { manner: 'in one sentence' },
  })
  .addColumn({ name: 'letters', columnType: 'custom', generatorFunction: letters });

const results = await new DataDesigner().preview(config, { numRecords: 3 });

// Each record is typed: { animal: 'octopuses' | 'bees', praise: string, asked: number, letters: number }
export const records = await Array.fromAsync(results.records());
