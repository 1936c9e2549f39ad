import { defineTool } from '@data-designer/mcp/serve';

/** True, plain facts by topic: what the demo tools know. */
export const FACTS: ReadonlyMap<string, string> = new Map([
  ['bees', 'A honey bee colony has one queen; the workers, all of them female, gather nectar and pollen.'],
  ['coffee', 'Coffee is brewed from the roasted seeds of the fruit of Coffea plants.'],
  ['dna', 'DNA stores genetic information in sequences of four bases: adenine, cytosine, guanine and thymine.'],
  ['everest', 'Mount Everest, on the border of Nepal and China, is 8,849 metres high.'],
  ['glass', 'Most glass is made by melting sand, soda ash and limestone together.'],
  ['jupiter', 'Jupiter is the largest planet of the Solar System, with more mass than all the others together.'],
  ['light', 'Light travels through a vacuum at 299,792,458 metres per second.'],
  ['moon', 'The Moon goes round the Earth in about 27.3 days and always shows it the same face.'],
  ['octopuses', 'An octopus has eight arms, three hearts and blue blood.'],
  ['paper', 'Paper was in use in China by the second century, and reached Europe about a thousand years later.'],
  ['salt', 'Table salt is sodium chloride; it melts at about 801 degrees Celsius.'],
  ['water', 'At sea level water boils at 100 degrees Celsius and freezes at 0.'],
]);

const topics = [...FACTS.keys()].join(', ');

/** Looks up a fact; an unknown topic is an error that lists the known ones. */
export const getFact = defineTool({
  name: 'get_fact',
  description: `Gives one true fact about a topic. Topics: ${topics}.`,
  parameters: {
    type: 'object',
    properties: { topic: { type: 'string', description: 'What the fact is about.' } },
    required: ['topic'],
    additionalProperties: false,
  },
  execute: ({ topic }) => {
    const fact = FACTS.get(String(topic).trim().toLowerCase());
    if (fact === undefined) throw new Error(`There is no fact about '${String(topic)}'. Topics: ${topics}.`);
    return fact;
  },
});

/** Adds two numbers. */
export const addNumbers = defineTool({
  name: 'add_numbers',
  description: 'Adds two numbers and gives their sum.',
  parameters: {
    type: 'object',
    properties: { a: { type: 'number' }, b: { type: 'number' } },
    required: ['a', 'b'],
    additionalProperties: false,
  },
  execute: ({ a, b }) => String(Number(a) + Number(b)),
});

/** Lists the topics that `get_fact` knows. */
export const listTopics = defineTool({
  name: 'list_topics',
  description: 'Lists the topics that get_fact knows something about.',
  parameters: { type: 'object', properties: {}, additionalProperties: false },
  execute: () => topics,
});
