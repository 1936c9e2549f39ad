import { randomInt } from 'node:crypto';
import { parseArgs } from 'node:util';
import { askTemplates } from './ask-template.ts';
import { jinjaVersion } from './open-jinja.ts';
import { printReport } from './print-report.ts';

const OPTIONS = {
  cases: { type: 'string' },
  seed: { type: 'string' },
  python: { type: 'string' },
  litellm: { type: 'string' },
  llama: { type: 'string' },
  model: { type: 'string' },
} as const;

type Command =
  | { readonly oracle: 'template'; readonly cases: number; readonly seed: number }
  | { readonly oracle: 'servers'; readonly litellm?: string; readonly llama?: string; readonly model?: string }
  | { readonly oracle: 'interop' | 'scipy' | 'training'; readonly python: string };

/** What the command line asks for; undefined where it is no use of the command. */
function readCommand(): Command | undefined {
  try {
    const { values, positionals } = parseArgs({ options: OPTIONS, allowPositionals: true });
    const { cases = '2000', seed = String(randomInt(2 ** 31)), python = 'python3' } = values;
    const oracle = positionals.join();
    if (oracle === 'interop' || oracle === 'scipy' || oracle === 'training') return { oracle, python };
    const hasServer = values.litellm !== undefined || (values.llama !== undefined && values.model !== undefined);
    if (oracle === 'servers' && hasServer) return { oracle, ...values };
    const isKnown = oracle === 'template' && [cases, seed].every((text) => /^\d{1,15}$/.test(text));
    return isKnown ? { oracle, cases: Number(cases), seed: Number(seed) } : undefined;
  } catch {
    return undefined;
  }
}

async function askJinja({ seed, cases }: { readonly seed: number; readonly cases: number }): Promise<void> {
  const version = jinjaVersion();
  if (version === undefined) {
    process.stdout.write(
      'The oracle is Jinja2, which Python does not have here. On Debian or Ubuntu: apt-get install -y python3-jinja2\n',
    );
    return;
  }
  process.stdout.write(`template, seed ${seed}, against Jinja2 ${version}\n`);
  process.stdout.write(`${printReport(await askTemplates(seed, cases))}\n`);
}

async function askPython({ python }: { readonly python: string }): Promise<void> {
  const { askInterop } = await import('./interop.ts');
  const mistakes = await askInterop(python);
  if (mistakes.length > 0) process.exitCode = 1;
}

async function askTraining({ python }: { readonly python: string }): Promise<void> {
  const { askReaders } = await import('./training/ask-readers.ts');
  const mistakes = await askReaders(python);
  if (mistakes.length > 0) process.exitCode = 1;
}

async function askModelServers(programs: {
  readonly litellm?: string;
  readonly llama?: string;
  readonly model?: string;
}): Promise<void> {
  const { askServers } = await import('./servers.ts');
  const mistakes = await askServers(programs);
  if (mistakes.length > 0) process.exitCode = 1;
}

/** Writes the quantiles that a test compares with those of the samplers. */
async function askScipy({ python }: { readonly python: string }): Promise<void> {
  const { askQuantiles } = await import('./scipy.ts');
  const { file, sets } = await askQuantiles(python);
  process.stdout.write(
    `${file}: ${sets} sets of parameters. Now run: npm run format && npx vitest run scipy-quantiles\n`,
  );
}

const command = readCommand();
if (command?.oracle === 'template') await askJinja(command);
else if (command?.oracle === 'scipy') await askScipy(command);
else if (command?.oracle === 'servers') await askModelServers(command);
else if (command?.oracle === 'training') await askTraining(command);
else if (command) await askPython(command);
else {
  process.stderr.write(
    'Usage: npm run oracle -- template [--cases n] [--seed n]\n' +
      '       npm run oracle -- interop [--python FILE]   (a Python 3.11 that has data-designer)\n' +
      '       npm run oracle -- scipy [--python FILE]   (a Python that has scipy 1.15 or later and mpmath)\n' +
      '       npm run oracle -- training [--python FILE]   (a Python 3.12 or later with the readers of docs/internals/commands.md)\n' +
      "       npm run oracle -- servers [--litellm FILE] [--llama FILE --model FILE]   (programs of LiteLLM's proxy and of llama.cpp)\n",
  );
  process.exitCode = 2;
}
