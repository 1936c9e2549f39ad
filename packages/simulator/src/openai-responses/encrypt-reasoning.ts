import { signThinking } from '../anthropic/sign-thinking.ts';

/** Reasoning as it leaves the server: by this it knows it for its own, though it stores nothing. */
export function encryptReasoning(reasoning: string, seed: number): string {
  return `${Buffer.from(reasoning).toString('base64')}.${signThinking(reasoning, seed)}`;
}

/** Whether encrypted reasoning is the server's own. */
export function isOwnReasoning(encrypted: string, seed: number): boolean {
  const [text = ''] = encrypted.split('.');
  return encrypted === encryptReasoning(Buffer.from(text, 'base64').toString(), seed);
}
