import type { Random } from '@data-designer/core';
import { pick } from '../draws.ts';
import type { Prompt } from './prompt.ts';

type Sentence = (first: string, second: string) => string;

const OPENINGS: readonly Sentence[] = [
  (first, second) => `A closer look at ${first} starts with ${second}.`,
  (first, second) => `When people ask about ${first}, they usually have ${second} in mind.`,
  (first) => `There are three things worth knowing about ${first}.`,
  (first, second) => `In short, ${first} and ${second} belong together.`,
  (first) => `Most accounts of ${first} begin with a simple example.`,
];

const MIDDLES: readonly Sentence[] = [
  (first, second) => `The link between ${first} and ${second} is easy to overlook at first.`,
  (first) => `A practical way to approach ${first} is to break it into small steps.`,
  (first, second) => `Several reports compare ${first} with ${second}, and the results are mixed.`,
  (first) => `Costs, time and quality all depend on how ${first} is handled.`,
  (first, second) => `It helps to write down what ${first} means before turning to ${second}.`,
  (first) => `Early attempts at ${first} failed for reasons that are well understood today.`,
  (first, second) => `Where ${second} is missing, ${first} rarely works as planned.`,
];

const CLOSINGS: readonly Sentence[] = [
  (first) => `All in all, ${first} rewards patience.`,
  (first, second) => `This is why ${first} remains central to ${second}.`,
  (first) => `With that in place, ${first} can be judged on its merits.`,
  (first, second) => `The next step is to test ${first} against ${second}.`,
];

/** A few plain sentences about the words of the question. */
export function writeSentences({ words }: Prompt, random: Random): string {
  const sentences = [write(OPENINGS, words, random)];
  for (let more = random.below(3); more > 0; more--) sentences.push(write(MIDDLES, words, random));
  sentences.push(write(CLOSINGS, words, random));
  return sentences.join(' ');
}

/** One plain sentence about the words of the question. */
export function writeSentence({ words }: Prompt, random: Random): string {
  return write(MIDDLES, words, random);
}

function write(stock: readonly Sentence[], words: readonly string[], random: Random): string {
  const first = random.below(words.length);
  const second = words.length < 2 ? 0 : (first + 1 + random.below(words.length - 1)) % words.length;
  return pick(stock, random)(words[first] ?? '', words[second] ?? '');
}
