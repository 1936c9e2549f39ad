import { hash as digest } from 'node:crypto';

/** The signature by which the server knows thinking for its own, in Base64. */
export function signThinking(thinking: string, seed: number): string {
  return digest('sha256', `${seed}\n${thinking}`, 'base64');
}
