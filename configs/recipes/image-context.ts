// Questions and answers about the images of a folder (image-context/*.png), which a model sees.
//
//   npx data-designer preview image-context.ts -n 3 --media-root image-context
//   npx data-designer create image-context.ts -n 500 -d image-context --media-root image-context
//
// Tutorial 4. To adapt: put your images into a folder, name it in the seed and in --media-root, which allows the run to
// read files there, and choose a model that accepts images.
import { DataDesignerConfigBuilder } from 'data-designer';
import { z } from 'zod';

/** A row of the seed. */
interface SeedRow {
  readonly source_path: string;
  readonly file_name: string;
}

export default new DataDesignerConfigBuilder({
  // The simulator needs no key and makes its answers up. For real answers, change model and provider, for example to
  // gpt-4.1-mini and openai, which reads OPENAI_API_KEY; `npx data-designer config providers` adds an endpoint of your own.
  modelConfigs: [{ alias: 'writer', model: 'sim-small', provider: 'simulator' }],
})
  // One row for each file; source_path is its absolute path, and file_name its name.
  .withSeedDataset<SeedRow>({ seedType: 'directory', path: 'image-context', filePattern: '*.png' })
  .addColumn({
    name: 'level',
    columnType: 'sampler',
    samplerType: 'category',
    params: { values: ['a child in primary school', 'a student', 'an analyst'] },
  })
  // The model receives the images of these columns before the prompt.
  .addColumn({
    name: 'description',
    columnType: 'llm-text',
    modelAlias: 'writer',
    prompt: 'Describe everything that this image shows in three sentences, for a person who cannot see it.',
    multiModalContext: [{ modality: 'image', columnName: 'source_path' }],
  })
  .addColumn({
    name: 'exercise',
    columnType: 'llm-structured',
    modelAlias: 'writer',
    prompt: `Write an exercise for {{ level }} that can be solved only by looking at the image.
A description for orientation: {{ description }}`,
    multiModalContext: [{ modality: 'image', columnName: 'source_path' }],
    outputFormat: z.object({
      question: z.string(),
      answer: z.string().describe('A few words.'),
      evidence: z.string().describe('The part of the image that proves the answer.'),
    }),
  });
