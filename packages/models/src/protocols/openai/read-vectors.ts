import { fieldsOf } from '@data-designer/core';
import { badAnswer } from '../../answers/model-refusals.ts';

/** The vectors of an embedding answer, in the order of the texts; throws `model/bad-answer`. */
export function readVectors(body: unknown, texts: number, model: string): number[][] {
  const { data, error } = fieldsOf(body);
  const bad = (reason: string) => badAnswer(model, undefined, reason);
  if (!Array.isArray(data))
    throw badAnswer(model, error, 'it contains no vectors; check that the endpoint creates embeddings');
  if (data.length !== texts) throw bad(`it holds ${data.length} vectors for ${texts} texts`);
  const vectors = Array.from<number[]>({ length: texts });
  data.forEach((item, position) => {
    const { index: own, embedding } = fieldsOf(item);
    const index = typeof own === 'number' ? own : position;
    const vector = readVector(embedding);
    if (vector === undefined || !(index in vectors) || vectors[index] !== undefined) {
      throw bad(`what it gives as vector ${position} is none`);
    }
    vectors[index] = vector;
  });
  return vectors;
}

/** A list of numbers, or 32-bit floats in Base64, least significant byte first; undefined if it is neither, or empty. */
function readVector(value: unknown): number[] | undefined {
  if (Array.isArray(value)) {
    const numbers = value.filter((one) => typeof one === 'number');
    return numbers.length > 0 && numbers.length === value.length ? numbers : undefined;
  }
  if (typeof value !== 'string' || value === '') return undefined;
  const bytes = Buffer.from(value, 'base64');
  if (bytes.length === 0 || bytes.length % 4 !== 0) return undefined;
  return Array.from({ length: bytes.length / 4 }, (_, index) => bytes.readFloatLE(index * 4));
}
