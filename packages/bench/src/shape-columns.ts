/** A shape of dataset: how its columns of models hang together, and on which models they are made. */
export interface Shape {
  readonly name: 'narrow' | 'deep' | 'wide' | 'dual-model';
  readonly columns: readonly object[];
  readonly models: readonly string[];
}

const REVIEW = [{ name: 'fit', description: 'How well it fits.', options: { 1: 'badly', 2: 'well' } }];

/** The four shapes of which runs are held against what cannot be beaten. */
export const SHAPES: readonly Shape[] = [
  { name: 'narrow', models: ['first'], columns: chain(4) },
  {
    name: 'deep',
    models: ['first'],
    columns: [...chain(4), text('aside', 'text_1'), text('joined', 'text_3', 'aside')],
  },
  { name: 'wide', models: ['first'], columns: [1, 2, 3, 4, 5].map((number) => text(`text_${number}`, 'key')) },
  {
    name: 'dual-model',
    models: ['first', 'second'],
    columns: [1, 2, 3].flatMap((number) => [text(`text_${number}`, 'key'), judge(number)]),
  },
];

/** A declaration of a shape: rows that are all different, each model with so many permits. */
export function documentOf({ columns, models }: Shape, permits: number): object {
  return {
    model_configs: models.map((alias) => ({
      alias,
      model: alias,
      provider: 'bench',
      inference_parameters: { max_parallel_requests: permits },
      structured_output: true,
    })),
    columns: [{ name: 'key', column_type: 'sampler', sampler_type: 'uuid', params: {} }, ...columns],
  };
}

function chain(length: number): readonly object[] {
  return Array.from({ length }, (_, index) => text(`text_${index}`, index === 0 ? 'key' : `text_${index - 1}`));
}

function text(name: string, ...reads: readonly string[]): object {
  const shown = reads.map((column) => `{{ ${column} }}`).join(' and ');
  return { name, column_type: 'llm-text', model_alias: 'first', prompt: `For ${name}, say something on ${shown}` };
}

function judge(number: number): object {
  const prompt = `Judge this: {{ text_${number} }}`;
  return { name: `judged_${number}`, column_type: 'llm-judge', model_alias: 'second', prompt, scores: REVIEW };
}
