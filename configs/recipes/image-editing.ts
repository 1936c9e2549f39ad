// Edited images: a model draws a room, another request changes one thing in it, and a third one compares the two.
//
//   npx data-designer preview image-editing.ts -n 3
//   npx data-designer create image-editing.ts -n 500 -d image-editing
//   npx data-designer show artifacts/image-editing --html rooms.html     a page with the images
//
// Tutorial 6. To adapt: change the edits. To edit images of your own, start from a seed of the type directory, as the
// recipe image-context does, and name source_path in place of room.
import { DataDesignerConfigBuilder } from 'data-designer';

export default new DataDesignerConfigBuilder({
  // For real images, choose a model that accepts images as input for the editor, and one that sees images for the viewer.
  modelConfigs: [
    { alias: 'editor', model: 'sim-image', provider: 'simulator', inferenceParameters: { generationType: 'image' } },
    { alias: 'viewer', model: 'sim-large', provider: 'simulator' },
  ],
})
  .addColumn({
    name: 'kind',
    columnType: 'sampler',
    samplerType: 'category',
    params: { values: ['kitchen', 'study', 'waiting room'] },
  })
  .addColumn({
    name: 'edit',
    columnType: 'sampler',
    samplerType: 'category',
    params: { values: ['paint the walls dark green', 'remove every chair', 'show the room at night'] },
  })
  .addColumn({
    name: 'room',
    columnType: 'image',
    modelAlias: 'editor',
    prompt: 'A bright {{ kind }} seen from the door, in the style of a catalogue photograph. No people.',
  })
  .addColumn({
    name: 'edited_room',
    columnType: 'image',
    modelAlias: 'editor',
    prompt: 'Change the image as follows, and leave everything else as it is: {{ edit }}.',
    multiModalContext: [{ modality: 'image', columnName: 'room' }],
  })
  .addColumn({
    name: 'check',
    columnType: 'llm-judge',
    modelAlias: 'viewer',
    prompt:
      'The first image was edited with the instruction "{{ edit }}". The second image is the result. Compare them.',
    multiModalContext: [
      { modality: 'image', columnName: 'room' },
      { modality: 'image', columnName: 'edited_room' },
    ],
    scores: [
      {
        name: 'Instruction',
        description: 'Does the second image show the change?',
        options: { 1: 'no', 2: 'partly', 3: 'yes' },
      },
      {
        name: 'Preservation',
        description: 'Is the rest of the room unchanged?',
        options: { 1: 'no', 2: 'mostly', 3: 'yes' },
      },
    ],
  });
