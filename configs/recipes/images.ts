// Pictures of animals in different styles: a model creates one image for each row.
//
//   npx data-designer preview images.ts -n 3
//   npx data-designer create images.ts -n 500 -d images
//   npx data-designer show artifacts/images --html images.html     a page with the images
//
// Tutorial 5. To adapt: change the samplers that make the prompt vary, and name an image model.
import { DataDesignerConfigBuilder } from 'data-designer';

export default new DataDesignerConfigBuilder({
  // A column of type image needs a model with generationType image. For real images, for example gpt-image-1 of openai;
  // extraBody holds further fields of the request, such as { size: 1024x1024, quality: low }.
  modelConfigs: [
    { alias: 'painter', model: 'sim-image', provider: 'simulator', inferenceParameters: { generationType: 'image' } },
  ],
})
  .addColumn({
    name: 'animal',
    columnType: 'sampler',
    samplerType: 'category',
    params: { values: ['badger', 'heron', 'lynx', 'newt', 'otter'] },
  })
  .addColumn({
    name: 'style',
    columnType: 'sampler',
    samplerType: 'category',
    params: { values: ['a linocut in two colours', 'a photograph at dawn', 'a watercolour', 'an etching'] },
  })
  .addColumn({
    name: 'place',
    columnType: 'sampler',
    samplerType: 'category',
    params: { values: ['beside a frozen stream', 'in tall grass', 'on a rooftop'] },
  })
  // The cell is a list of paths in the dataset folder; in a preview it is a list of Base64 texts.
  .addColumn({
    name: 'picture',
    columnType: 'image',
    modelAlias: 'painter',
    prompt: 'A single {{ animal }} {{ place }}, as {{ style }}. No text, no frame, the whole animal visible.',
  })
  .addColumn({ name: 'alt_text', columnType: 'expression', expr: 'A {{ animal }} {{ place }} ({{ style }})' });
