import { defineTool } from '@data-designer/mcp';
import { FACTS } from './facts.ts';

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
