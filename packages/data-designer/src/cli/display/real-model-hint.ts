import { isWebAddress } from '@data-designer/core';

/**
 * Where made-up answers end and real ones begin: how to run the same config at an endpoint of the user's, with a command
 * where the config is a file.
 */
export function sayHowToGoOn(source: string): string {
  const intro = 'These answers were made up by the built-in simulator. For real ones,';
  const kinds = 'name a provider (openai, vllm, ollama, …) and a model';
  if (isWebAddress(source)) return `\n${intro} ${kinds} in a copy of the config.\n`;
  const mine = source.toLowerCase().endsWith('.json') ? 'mine.json' : 'mine.yaml';
  return `
${intro} ${kinds}:
  sed '${swap(mine === 'mine.json' ? '"' : '')}' ${quoted(source)} > ${mine}
  npx data-designer create ${mine}
`;
}

/** A script of sed; it takes no more than the names, as what follows them may stand on their line. */
function swap(quote: string): string {
  const pair = (key: string, value: string) => `${quote}${key}${quote}: *${quote}${value}`;
  const written = (key: string, value: string) => `${quote}${key}${quote}: ${quote}${value}`;
  const provider = `s/${pair('provider', 'simulator')}/${written('provider', 'openai')}/`;
  return `${provider}; s/${pair('model', 'sim-[a-z0-9-]*')}/${written('model', 'gpt-4.1')}/`;
}

/** A name as a shell reads it. */
function quoted(name: string): string {
  return /^[\w@%+=:,./-]+$/.test(name) ? name : `'${name.replaceAll("'", String.raw`'\''`)}'`;
}
