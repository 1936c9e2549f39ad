import { isWebAddress } from '@data-designer/core';
import { shellWord } from '../../printing/shell-word.ts';

/** Says how to run a config of the simulator with a real model: for a file, the command that changes a copy of it. */
export function realModelHint(source: string): string {
  const intro = 'The built-in simulator made these answers up. For real answers,';
  const kinds = 'name a provider (openai, vllm, ollama, …) and a model';
  if (isWebAddress(source)) return `\n${intro} ${kinds} in a copy of the config.\n`;
  const mine = source.toLowerCase().endsWith('.json') ? 'mine.json' : 'mine.yaml';
  return `
${intro} ${kinds}:
  sed '${swap(mine === 'mine.json' ? '"' : '')}' ${shellWord(source)} > ${mine}
  npx data-designer create ${mine}
`;
}

/** A sed script that replaces only the names: other keys may follow on the same line. */
function swap(quote: string): string {
  const pair = (key: string, value: string) => `${quote}${key}${quote}: *${quote}${value}`;
  const written = (key: string, value: string) => `${quote}${key}${quote}: ${quote}${value}`;
  const provider = `s/${pair('provider', 'simulator')}/${written('provider', 'openai')}/`;
  return `${provider}; s/${pair('model', 'sim-[a-z0-9-]*')}/${written('model', 'gpt-4.1')}/`;
}
