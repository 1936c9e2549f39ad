import type { Random } from '@data-designer/core';
import { pick } from '../draws.ts';
import type { Prompt } from './prompt.ts';
import { CLOSINGS, MIDDLES, OPENINGS, QUESTIONS, REASONS, type Sentence } from './sentences.ts';

/** A few plain sentences about the subject of the question, none of them alike. */
export function writeSentences(prompt: Prompt, random: Random): string {
  const sentences = [write(OPENINGS, prompt, random)];
  const middle = random.below(MIDDLES.length);
  for (let more = random.below(3); more > 0; more--) {
    sentences.push(write([MIDDLES[(middle + more) % MIDDLES.length] as Sentence], prompt, random));
  }
  sentences.push(write(CLOSINGS, prompt, random));
  return sentences.join(' ');
}

/** One plain sentence about the subject of the question. */
export function writeSentence(prompt: Prompt, random: Random): string {
  return write(MIDDLES, prompt, random);
}

/** A question about the subject of the question. */
export function writeQuestion(prompt: Prompt, random: Random): string {
  return write(QUESTIONS, prompt, random);
}

/** A reason for a verdict on the subject of the question. */
export function writeReason(prompt: Prompt, random: Random): string {
  return write(REASONS, prompt, random);
}

function write(stock: readonly Sentence[], { subjects, details }: Prompt, random: Random): string {
  const first = pick(subjects, random);
  const others = details.filter((detail) => !areAlike(detail, first));
  return pick(stock, random)(first, others.length === 0 ? 'other things' : pick(others, random));
}

/** Whether two words begin alike, as "octopus" and "octopuses" do, or one contains the other. */
function areAlike(one: string, other: string): boolean {
  const [short, long] = [one.toLowerCase(), other.toLowerCase()].toSorted((a, b) => a.length - b.length);
  return (long as string).includes((short as string).slice(0, 6));
}
